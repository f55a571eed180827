package bonsai.jvm;

import java.io.BufferedInputStream;
import java.io.DataInputStream;
import java.io.EOFException;
import java.io.FileInputStream;
import java.io.FileOutputStream;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;

/** The target's side of the protocol in `bonsai/targets/wire.py`. */
final class Channel {
    private static final int UNANNOUNCED = 8192;

    private final DataInputStream requests;
    private final FileOutputStream results;
    private final FileOutputStream bell;
    private final byte[] latest = new byte[Long.BYTES]; // the token of the latest request
    private int unannounced;

    /** The descriptors of the four pipes. */
    Channel(String requests, String results, String bell, String life) throws IOException {
        this.requests = new DataInputStream(new BufferedInputStream(new FileInputStream("/dev/fd/" + requests), 1 << 16));
        this.results = new FileOutputStream("/dev/fd/" + results);
        this.bell = new FileOutputStream("/dev/fd/" + bell);
        endWith(new FileInputStream("/dev/fd/" + life));
    }

    /** Returns the token of the greeting, whose content was in the command line. */
    long skipGreeting() throws IOException {
        long token = token();
        requests.readNBytes(length());
        return token;
    }

    /** Returns the token with which a request begins. */
    long token() throws IOException {
        long token = Long.reverseBytes(requests.readLong());
        ByteBuffer.wrap(latest).order(ByteOrder.LITTLE_ENDIAN).putLong(token);
        return token;
    }

    /** Returns a number of 32 bits. */
    int length() throws IOException {
        return Integer.reverseBytes(requests.readInt());
    }

    int readByte() throws IOException {
        return requests.readUnsignedByte();
    }

    /** Returns the next text. */
    String text(int length) throws IOException {
        byte[] bytes = requests.readNBytes(length);
        if (bytes.length < length) {
            throw new EOFException();
        }
        return Texts.decoded(bytes);
    }

    /** Send the beginning of a buffer; it can be read even if the process dies right after. */
    void write(byte[] data, int length) throws IOException {
        for (int at = 0; at < length; ) {
            int size = Math.min(UNANNOUNCED, length - at);
            results.write(data, at, size);
            at += size;
            unannounced += size;
            if (unannounced >= UNANNOUNCED) {
                ring();
            }
        }
    }

    /** Wake the reader. */
    void ring() throws IOException {
        bell.write('\n');
        unannounced = 0;
    }

    /** End the process, and say that it has no memory left; this needs none. */
    void endWithoutMemory() {
        try {
            bell.write(latest);
        } catch (IOException error) {
            // nobody listens
        }
        Runtime.getRuntime().halt(1);
    }

    private static void endWith(FileInputStream life) {
        Thread thread = new Thread(() -> {
            try {
                life.read();
            } catch (IOException error) {
                // as good as closed
            }
            Runtime.getRuntime().halt(0);
        }, "bonsai-life");
        thread.setDaemon(true);
        thread.start();
    }
}
