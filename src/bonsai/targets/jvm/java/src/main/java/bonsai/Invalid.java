package bonsai;

/** Thrown by a driver for an input that the target understands and rejects: a semantic error. */
public final class Invalid extends Verdict {
    private static final long serialVersionUID = 1;

    public Invalid(String message) {
        this(message, null);
    }

    public Invalid(String message, Object output) {
        super(message, output);
    }
}
