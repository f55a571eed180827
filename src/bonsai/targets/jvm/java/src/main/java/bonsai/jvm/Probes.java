package bonsai.jvm;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.nio.ByteOrder;
import java.util.ArrayDeque;
import java.util.Arrays;
import java.util.Deque;

/** What was exercised: a byte per feature, which woven classes set to 1. */
public final class Probes {
    private static final VarHandle EIGHT =
            MethodHandles.byteArrayViewVarHandle(long[].class, ByteOrder.LITTLE_ENDIAN);

    /** Constant for the compiler: a probe is one store to a fixed address. A multiple of eight bytes. */
    public static final byte[] HITS = new byte[(Agent.features() + 7) / 8 * 8];

    private static final ThreadLocal<Deque<byte[]>> BEFORE = ThreadLocal.withInitial(ArrayDeque::new);

    private static volatile boolean initialiserFailed;

    private Probes() {}

    /** Forget everything. */
    static void clear() {
        initialiserFailed = false;
        Arrays.fill(HITS, (byte) 0);
    }

    /** Write a bit per feature, the first in the lowest bit of the first byte. */
    static void pack(byte[] into, int at) {
        byte[] hits = HITS;
        for (int index = 0; index < hits.length; index += 8) {
            long eight = (long) EIGHT.get(hits, index);
            // Each byte is 0 or 1; the product gathers them in its highest byte.
            into[at++] = eight == 0 ? 0 : (byte) (eight * 0x0102040810204080L >>> 56);
        }
    }

    /** Called as a class begins to be initialised: that happens once, to whichever input comes first. */
    public static void enterInitialiser() {
        BEFORE.get().push(HITS.clone());
    }

    /** Called when it is done: what it exercised is forgotten. */
    public static void leaveInitialiser() {
        byte[] before = BEFORE.get().pop();
        System.arraycopy(before, 0, HITS, 0, before.length);
    }

    /** Called when it has thrown something: the class can never be used again, whoever catches that. */
    public static void failInitialiser() {
        leaveInitialiser();
        initialiserFailed = true;
    }

    /** Whether a class was lost since everything was forgotten. */
    static boolean hasInitialiserFailed() {
        return initialiserFailed;
    }
}
