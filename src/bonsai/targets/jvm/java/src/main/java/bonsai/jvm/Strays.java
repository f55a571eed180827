package bonsai.jvm;

/** Threads that a driver starts come in; the error that ended one of them goes out, as nobody else would hear of it. */
final class Strays {
    private static volatile long newest;
    private static volatile Throwable latest;

    private Strays() {}

    static void watch() {
        Thread.setDefaultUncaughtExceptionHandler((thread, error) -> {
            if (thread.getId() > newest) { // an older one was left behind by an input before
                latest = error;
            }
        });
    }

    static void clear() {
        latest = null;
        newest = new Thread(null, null, "bonsai-mark", 0, false).getId(); // threads are numbered as they are made
    }

    /** What ended a thread that was made since. */
    static Throwable latest() {
        return latest;
    }
}
