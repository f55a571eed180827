package bonsai.jvm;

import bonsai.Invalid;
import bonsai.Unparsed;
import bonsai.Verdict;
import java.lang.invoke.MethodHandle;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.function.Supplier;

/** Runs a driver's method on a text, and packs how that ended as a reply of `bonsai/targets/wire.py`. */
final class Runner {
    private static final int VALID = 0;
    private static final int INVALID = 1;
    private static final int UNPARSED = 2;
    private static final int CRASH = 3;
    private static final int SPENT = 0x80;
    private static final int HEADER = 17;
    private static final int LONGEST_MESSAGE = 4000; // characters
    private static final String LOST = "Could not initialize class"; // by an input before, as likely as not
    private static final byte[] NOTHING = new byte[0];

    private final MethodHandle check;
    private final List<Class<?>> invalid;
    private final List<Class<?>> unparsed;
    private byte[] result = new byte[0];
    private int length;

    Runner(MethodHandle check, List<Class<?>> invalid, List<Class<?>> unparsed) {
        this.check = check;
        this.invalid = invalid;
        this.unparsed = unparsed;
    }

    /** The result of the latest run, which is overwritten by the next. */
    byte[] result() {
        return result;
    }

    int length() {
        return length;
    }

    /** One run; its reply carries the token. */
    void run(String text, boolean outputWanted, long token) {
        Exit.clear();
        Strays.clear();
        Probes.clear();
        Object value = null;
        Throwable error = null;
        try {
            value = (Object) check.invokeExact(text);
        } catch (Throwable thrown) {
            error = thrown;
        }
        begin();
        error = Exit.latest() != null ? Exit.latest() : error;
        int outcome = VALID;
        byte[] message = NOTHING;
        if (error != null) {
            outcome = outcome(error);
            message = encoded(outcome == CRASH ? Errors.describe(error) : Errors.text(error));
            value = error instanceof Verdict ? ((Verdict) error).output() : null;
        }
        Throwable stray = Strays.latest();
        if (stray != null && outcome != CRASH) {
            outcome = CRASH;
            message = encoded(Errors.describe(stray) + " in a thread");
            value = null;
            error = stray;
        }
        byte[] output = NOTHING;
        if (outputWanted) {
            try {
                output = Json.of(value instanceof Supplier ? ((Supplier<?>) value).get() : value);
            } catch (Throwable thrown) {
                output = "null".getBytes(StandardCharsets.US_ASCII);
                String note = "the output is no JSON: " + Errors.name(thrown) + ": " + Errors.text(thrown);
                message = message.length == 0 ? encoded(note) : message;
            }
        }
        finish(token, isSpent(error) ? outcome | SPENT : outcome, message, output, outputWanted ? output.length : -1);
    }

    private int outcome(Throwable error) {
        if (error instanceof Unparsed || isOne(error, unparsed)) {
            return UNPARSED;
        }
        if (error instanceof Invalid || isOne(error, invalid)) {
            return INVALID;
        }
        return CRASH;
    }

    /** What filled the memory may still be there; a class whose initialiser failed can never be used again. */
    private static boolean isSpent(Throwable error) {
        return Probes.hasInitialiserFailed()
                || error instanceof OutOfMemoryError
                || error instanceof ExceptionInInitializerError
                || error instanceof NoClassDefFoundError && Errors.text(error).startsWith(LOST)
                || error instanceof Error && isFromInitialiser(error);
    }

    /** In a class that is not woven; Java wraps nothing that is an `Error` of its own. */
    private static boolean isFromInitialiser(Throwable error) {
        for (StackTraceElement element : error.getStackTrace()) {
            if (element.getMethodName().equals("<clinit>")) {
                return true;
            }
        }
        return false;
    }

    private static boolean isOne(Throwable error, List<Class<?>> types) {
        for (Class<?> type : types) {
            if (type.isInstance(error)) {
                return true;
            }
        }
        return false;
    }

    private static byte[] encoded(String message) {
        return Texts.encoded(message.length() > LONGEST_MESSAGE ? message.substring(0, LONGEST_MESSAGE) : message);
    }

    private void begin() {
        length = HEADER + (Agent.features() + 7) / 8;
        reserve(length);
        Probes.pack(result, HEADER);
    }

    private void finish(long token, int outcome, byte[] message, byte[] output, int outputLength) {
        int mask = length;
        reserve(mask + message.length + output.length);
        ByteBuffer buffer = ByteBuffer.wrap(result).order(ByteOrder.LITTLE_ENDIAN);
        buffer.putLong(token).put((byte) outcome).putInt(message.length).putInt(outputLength);
        buffer.position(mask);
        buffer.put(message).put(output);
        length = buffer.position();
    }

    private void reserve(int size) {
        if (result.length < size || result.length > 4 * size + (1 << 20)) { // a huge output is not kept for ever
            byte[] larger = new byte[size];
            System.arraycopy(result, 0, larger, 0, Math.min(result.length, size));
            result = larger;
        }
    }
}
