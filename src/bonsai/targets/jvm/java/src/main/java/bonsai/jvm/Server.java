package bonsai.jvm;

import java.io.EOFException;
import java.io.IOException;
import java.lang.invoke.MethodHandle;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.MethodType;
import java.lang.reflect.Method;
import java.lang.reflect.Modifier;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * The process of a JVM target: loads a driver, and runs it on the texts of each request.
 *
 * <p>Arguments: the driver, the exception types for invalid and for unparsed inputs (separated by commas), and the
 * descriptors of the four pipes.
 */
public final class Server {
    private static final long STACK = 16 << 20;

    private Server() {}

    /** Serve until the loop ends. */
    public static void main(String[] arguments) throws IOException {
        Channel channel = new Channel(arguments[3], arguments[4], arguments[5], arguments[6]);
        Thread thread = new Thread(null, () -> serve(channel, arguments), "bonsai", STACK);
        thread.start();
    }

    private static void serve(Channel channel, String[] arguments) {
        try {
            long token = channel.skipGreeting();
            Strays.watch();
            answer(channel, prepare(channel, token, arguments));
        } catch (EOFException end) {
            Runtime.getRuntime().halt(0); // the loop has ended
        } catch (OutOfMemoryError full) {
            channel.endWithoutMemory();
        } catch (Throwable error) {
            Runtime.getRuntime().halt(1);
        }
    }

    private static Runner prepare(Channel channel, long token, String[] arguments) throws IOException {
        try {
            MethodHandle check = check(arguments[0]);
            Runner runner = new Runner(check, types("invalid", arguments[1]), types("unparsed", arguments[2]));
            frame(channel, token, Agent.greeting());
            return runner;
        } catch (StartError error) {
            Map<String, Object> answer = new LinkedHashMap<>();
            answer.put("error", error.getMessage());
            answer.put("hint", error.hint);
            frame(channel, token, Json.of(answer));
            throw error;
        }
    }

    private static void frame(Channel channel, long token, byte[] json) throws IOException {
        ByteBuffer head = ByteBuffer.allocate(Long.BYTES + Integer.BYTES).order(ByteOrder.LITTLE_ENDIAN);
        head.putLong(token).putInt(json.length);
        channel.write(head.array(), head.capacity());
        channel.write(json, json.length);
        channel.ring();
    }

    private static void answer(Channel channel, Runner runner) throws IOException {
        Report report = Report.find();
        while (true) {
            long token = channel.token();
            int number = channel.length();
            boolean outputWanted = channel.readByte() == 1;
            int[] lengths = new int[number];
            for (int index = 0; index < number; index++) {
                lengths[index] = channel.length();
            }
            String[] texts = new String[number]; // read before the first runs, which could read from the pipe itself
            for (int index = 0; index < number; index++) {
                texts[index] = channel.text(lengths[index]);
            }
            for (int index = 0; index < number; index++) {
                runner.run(texts[index], outputWanted, token + index);
                channel.write(runner.result(), runner.length());
            }
            report.write();
            channel.ring();
        }
    }

    private static MethodHandle check(String driver) {
        Class<?> type = load("driver", driver, "classes are looked for in classpath, then in maven");
        String wanted = "a driver has a method `public static Object check(String text)`";
        try {
            Method method = type.getMethod("check", String.class);
            if (!Modifier.isStatic(method.getModifiers())) {
                throw new StartError("driver: the method check of " + driver + " is not static", wanted);
            }
            Class.forName(driver, true, type.getClassLoader()); // what it prepares is nobody's delay
            return MethodHandles.publicLookup().unreflect(method)
                    .asType(MethodType.methodType(Object.class, String.class));
        } catch (NoSuchMethodException error) {
            throw new StartError("driver: there is no public method check(String) in " + driver, wanted);
        } catch (IllegalAccessException error) {
            throw new StartError("driver: the class " + driver + " is not public", wanted);
        } catch (ExceptionInInitializerError error) {
            Throwable cause = error.getCause() == null ? error : error.getCause();
            throw new StartError("driver: initialising " + driver + " threw " + Errors.describe(cause), "correct it");
        } catch (ClassNotFoundException | LinkageError error) {
            throw new StartError("driver: " + driver + " needs " + Errors.text(error), "add what is missing to classpath");
        }
    }

    private static List<Class<?>> types(String key, String names) {
        List<Class<?>> types = new ArrayList<>();
        for (String name : names.split(",")) {
            if (!name.isEmpty()) {
                types.add(load(key, name, "write \"package.Class\""));
            }
        }
        return types;
    }

    private static Class<?> load(String key, String name, String hint) {
        try {
            return Class.forName(name, false, Server.class.getClassLoader());
        } catch (ClassNotFoundException | NoClassDefFoundError error) {
            throw new StartError(key + ": there is no class " + name, hint);
        } catch (LinkageError error) {
            throw new StartError(key + ": cannot load " + name + ": " + Errors.text(error), hint);
        }
    }

    /** The target cannot be started: what is wrong, and what to do. */
    private static final class StartError extends RuntimeException {
        private static final long serialVersionUID = 1;
        private final String hint;

        StartError(String message, String hint) {
            super(message);
            this.hint = hint;
        }
    }
}
