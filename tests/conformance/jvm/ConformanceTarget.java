import bonsai.Invalid;
import bonsai.Unparsed;
import java.io.File;
import java.io.FileOutputStream;
import java.io.IOException;
import java.lang.reflect.Field;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.Charset;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.TimeZone;
import java.util.concurrent.CountDownLatch;

/** What every engine's target for the conformance suite does: a command comes in, and it happens. */
public final class ConformanceTarget {
    static final List<Object> HOARD = new ArrayList<>();
    static int seen;

    /** Listed as invalid. */
    static class Refused extends IllegalArgumentException {
        Refused(String message) {
            super(message);
        }
    }

    /** Listed as unparsed. */
    static final class Unread extends Refused {
        Unread(String message) {
            super(message);
        }
    }

    public static Object check(String text) throws Exception {
        seen++;
        int space = text.indexOf(' ');
        String command = space < 0 ? text : text.substring(0, space);
        String argument = space < 0 ? "" : text.substring(space + 1);
        switch (command) {
            case "branch":
                return branch(argument);
            case "invalid":
                throw new Invalid(argument, Map.of("because", argument));
            case "unparsed":
                throw new Unparsed(argument, List.of("unparsed"));
            case "refuse":
                throw new Refused(argument);
            case "misread":
                throw new Unread(argument);
            case "crash":
                throw new IllegalStateException(argument);
            case "hang":
                while (true) {}
            case "slow_once":
                return slowOnce(Path.of(argument));
            case "eat":
                while (true) {
                    HOARD.add(new byte[1 << 20]);
                }
            case "leak":
                HOARD.add(new byte[30 << 20]);
                return argument.length();
            case "tire":
                if (seen >= 3) {
                    Runtime.class.getMethod("halt", int.class).invoke(Runtime.getRuntime(), 4);
                }
                return argument.length();
            case "initialise":
                return initialise(argument);
            case "reserve":
                return ByteBuffer.allocateDirect(Integer.MAX_VALUE).capacity();
            case "gulp":
                return new byte[Integer.MAX_VALUE].length;
            case "recurse":
                return recurse(1);
            case "segfault":
                return segfault();
            case "kill":
                new ProcessBuilder("kill", Long.toString(ProcessHandle.current().pid())).start();
                Thread.sleep(60_000);
                return null;
            case "leave":
                return leave(argument);
            case "vanish":
                Runtime.class.getMethod("halt", int.class).invoke(Runtime.getRuntime(), Integer.parseInt(argument));
                return null;
            case "scribble":
                return scribble(argument.repeat(10).getBytes());
            case "forge":
                return scribble(forged());
            case "stop":
                return signal("STOP", ProcessHandle.current());
            case "signal_parent":
                return signal(argument.substring(3), ProcessHandle.current().parent().get());
            case "starve":
                throw new Starved();
            case "start":
                return new ProcessBuilder("sh", "-c", argument).start().waitFor();
            case "noise":
                return noise(argument);
            case "thread":
                return thread();
            case "wait":
                Thread.sleep(50);
                return null;
            case "stray":
                return stray(argument);
            case "count":
                return seen;
            case "large":
                return "x".repeat(Integer.parseInt(argument));
            case "deep":
                return deep(Integer.parseInt(argument));
            case "strange":
                return Map.of("strange", new Object());
            case "environment":
                return List.of(Charset.defaultCharset().name(), Locale.getDefault().toString(), TimeZone.getDefault().getID());
            default:
                return text;
        }
    }

    /** A class whose initialiser fails for one input, and is done by then for all others. */
    static final class Fragile {
        static {
            fail();
        }

        static int touch() {
            return 1;
        }

        private static void fail() {
            switch (wanted) {
                case "assertion":
                    throw new AssertionError(wanted);
                case "exception":
                    throw new IllegalStateException(wanted);
                case "exit":
                    System.exit(7);
                    break;
                case "recursion":
                    recurse(1);
                    break;
                case "caught":
                    throw new AssertionError(wanted);
                default:
            }
        }
    }

    static String wanted = "";

    private static Object initialise(String argument) {
        wanted = argument;
        try {
            return argument.startsWith("apart") ? Apart.touch() : Fragile.touch();
        } catch (AssertionError error) {
            if (argument.endsWith("caught")) {
                return 0;
            }
            throw error;
        }
    }

    private static String branch(String argument) {
        if (argument.equals("left")) {
            return "left";
        }
        if (argument.equals("right")) {
            return "right";
        }
        return "neither";
    }

    private static String slowOnce(Path flag) throws IOException, InterruptedException {
        if (!Files.exists(flag)) {
            Files.writeString(flag, "was here");
            Thread.sleep(60_000);
        }
        return "slow";
    }

    private static int recurse(int depth) {
        return 1 + recurse(depth + 1);
    }

    private static Object segfault() throws ReflectiveOperationException {
        Field field = Class.forName("sun.misc.Unsafe").getDeclaredField("theUnsafe");
        field.setAccessible(true);
        Object unsafe = field.get(null);
        return unsafe.getClass().getMethod("putAddress", long.class, long.class).invoke(unsafe, 0L, 0L);
    }

    private static Object leave(String argument) {
        if (argument.equals("caught")) {
            try {
                Runtime.getRuntime().exit(6);
            } catch (Throwable error) {
                return "still here";
            }
        }
        System.exit(5);
        return null;
    }

    /** Leaves no memory for describing what happened. */
    static final class Starved extends RuntimeException {
        @Override
        public String getMessage() {
            throw new OutOfMemoryError();
        }
    }

    /** Writes to whatever is open for writing. */
    private static Object scribble(byte[] content) throws IOException {
        for (File file : new File("/proc/self/fd").listFiles()) {
            Path information = Path.of("/proc/self/fdinfo", file.getName());
            boolean isPipe = Files.exists(file.toPath()) && Files.isSymbolicLink(file.toPath())
                    && Files.readSymbolicLink(file.toPath()).toString().startsWith("pipe:");
            if (isPipe && Files.readString(information).lines().anyMatch(line -> line.matches("flags:.*1"))) {
                try (FileOutputStream out = new FileOutputStream(file)) {
                    out.write(content);
                }
            }
        }
        return null;
    }

    /** What looks like the result of another text. */
    private static byte[] forged() {
        ByteBuffer result = ByteBuffer.allocate(100).order(ByteOrder.LITTLE_ENDIAN);
        return result.putLong(1).put((byte) 0).putInt(0).putInt(-1).array();
    }

    private static Object signal(String name, ProcessHandle process) throws IOException, InterruptedException {
        new ProcessBuilder("kill", "-" + name, Long.toString(process.pid())).start().waitFor();
        Thread.sleep(100);
        return null;
    }

    private static String noise(String argument) throws IOException, InterruptedException {
        System.out.println(argument.repeat(1000));
        System.err.println(argument.repeat(1000));
        new ProcessBuilder("echo", argument).inheritIO().start().waitFor();
        return "quiet: " + new String(System.in.readAllBytes());
    }

    private static String thread() throws InterruptedException {
        for (boolean daemon : new boolean[] {false, true}) {
            CountDownLatch begun = new CountDownLatch(1); // or its first probe might be one of the next text
            Thread thread = new Thread(() -> {
                begun.countDown();
                try {
                    Thread.sleep(60_000);
                } catch (InterruptedException error) {
                    // so be it
                }
            });
            thread.setDaemon(daemon);
            thread.start();
            begun.await();
        }
        return "left behind";
    }

    private static String stray(String argument) throws InterruptedException {
        Thread thread = new Thread(() -> {
            if (argument.equals("late")) {
                try {
                    Thread.sleep(300);
                } catch (InterruptedException error) {
                    return;
                }
            }
            throw new IllegalStateException(argument);
        });
        thread.start();
        if (!argument.equals("late")) {
            thread.join();
        }
        if (argument.equals("invalid")) {
            throw new Invalid("beside it");
        }
        return "started";
    }

    private static Object deep(int depth) {
        Object value = List.of();
        for (int index = 0; index < depth; index++) {
            value = List.of(value);
        }
        return value;
    }
}

/** Not covered. */
final class Apart {
    static {
        if (!ConformanceTarget.wanted.endsWith("well")) {
            throw new AssertionError(ConformanceTarget.wanted);
        }
    }

    static int touch() {
        return 1;
    }
}
