package chocopy.common.astnodes;

/** Stands in for the reference's own. */
public final class CompilerError {
    public final String message;

    public CompilerError(String message) {
        this.message = message;
    }
}
