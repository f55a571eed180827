package bonsai.jvm;

import java.nio.charset.StandardCharsets;

/** UTF-8, in which lone surrogates are encoded like other characters, comes in; text goes out, and back. */
final class Texts {
    private Texts() {}

    static String decoded(byte[] bytes) {
        for (int index = 0; index + 1 < bytes.length; index++) {
            if (bytes[index] == (byte) 0xed && (bytes[index + 1] & 0xff) >= 0xa0) {
                return withSurrogates(bytes);
            }
        }
        return new String(bytes, StandardCharsets.UTF_8);
    }

    private static String withSurrogates(byte[] bytes) {
        StringBuilder text = new StringBuilder(bytes.length);
        for (int index = 0; index < bytes.length; ) {
            int first = bytes[index++];
            int more = first >= 0 ? 0 : (first & 0xe0) == 0xc0 ? 1 : (first & 0xf0) == 0xe0 ? 2 : 3;
            int code = more == 0 ? first : first & 0x3f >> more;
            for (; more > 0; more--) {
                code = code << 6 | bytes[index++] & 0x3f;
            }
            text.appendCodePoint(code);
        }
        return text.toString();
    }

    /** The same in UTF-8; what has none is written as in a Java source. */
    static byte[] encoded(String text) {
        StringBuilder clean = null;
        for (int index = 0; index < text.length(); index++) {
            char one = text.charAt(index);
            boolean pair = Character.isHighSurrogate(one) && index + 1 < text.length()
                    && Character.isLowSurrogate(text.charAt(index + 1));
            if (Character.isSurrogate(one) && !pair) {
                clean = clean == null ? new StringBuilder(text.substring(0, index)) : clean;
                clean.append(String.format("\\u%04x", (int) one));
            } else if (clean != null) {
                clean.append(one);
            }
            if (pair) {
                index++;
                if (clean != null) {
                    clean.append(text.charAt(index));
                }
            }
        }
        return (clean == null ? text : clean.toString()).getBytes(StandardCharsets.UTF_8);
    }
}
