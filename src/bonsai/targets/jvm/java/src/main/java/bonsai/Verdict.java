package bonsai;

/** A driver's word on its input. The output is what the run let be seen: text, number, list, map, and so on. */
public abstract class Verdict extends RuntimeException {
    private static final long serialVersionUID = 1;
    private final transient Object output;

    Verdict(String message, Object output) {
        super(message, null, false, false); // a stack trace would cost more than many a run
        this.output = output;
    }

    /** What the run let be seen. */
    public final Object output() {
        return output;
    }
}
