package bonsai.jvm;

/** Woven classes call this instead of ending the process, which would lose a warm JVM. */
public final class Exit extends Error {
    private static final long serialVersionUID = 1;
    private static volatile Exit latest;

    private Exit(int status) {
        super("System.exit(" + status + ")");
    }

    /** Takes the place of `System.exit`. */
    public static void exit(int status) {
        latest = new Exit(status);
        throw latest;
    }

    /** Takes the place of `Runtime.exit` and `Runtime.halt`. */
    public static void exit(Runtime runtime, int status) {
        exit(status);
    }

    static void clear() {
        latest = null;
    }

    /** The exit that was asked for since, even if someone caught it. */
    static Exit latest() {
        return latest;
    }
}
