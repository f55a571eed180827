package bonsai.jvm;

/** An error comes in; one line that is the same on every machine goes out. */
final class Errors {
    private Errors() {}

    /** The type, the message, and where: `Type: message (File.java:12)`. */
    static String describe(Throwable error) {
        if (error instanceof Exit) {
            return error.getMessage();
        }
        String text = text(error);
        return name(error) + (text.isEmpty() ? "" : ": " + text) + place(error);
    }

    static String name(Throwable error) {
        String name = error.getClass().getName();
        return name.substring(name.lastIndexOf('.') + 1);
    }

    static String text(Throwable error) {
        try {
            String message = error.getMessage();
            return message == null ? "" : message;
        } catch (OutOfMemoryError full) {
            throw full;
        } catch (Throwable second) { // the target's own `getMessage` can do anything
            return "<no message: " + name(second) + ">";
        }
    }

    /** The innermost place in what is covered, as many an error is thrown by a library's check; else the innermost. */
    private static String place(Throwable error) {
        if (error instanceof StackOverflowError) {
            return ""; // it depends on what was compiled by then
        }
        StackTraceElement[] trace = error.getStackTrace();
        for (StackTraceElement element : trace) {
            if (Agent.isWoven(element.getClassName())) {
                return place(element);
            }
        }
        return trace.length == 0 ? "" : place(trace[0]);
    }

    private static String place(StackTraceElement element) {
        return element.getFileName() == null
                ? " (" + element.getClassName() + ")"
                : " (" + element.getFileName() + ":" + element.getLineNumber() + ")";
    }
}
