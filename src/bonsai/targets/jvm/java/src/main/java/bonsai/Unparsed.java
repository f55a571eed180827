package bonsai;

/** Thrown by a driver for an input that the target cannot read: the grammar disagrees with the target. */
public final class Unparsed extends Verdict {
    private static final long serialVersionUID = 1;

    public Unparsed(String message) {
        this(message, null);
    }

    public Unparsed(String message, Object output) {
        super(message, output);
    }
}
