package bonsai.jvm;

import java.lang.reflect.Array;
import java.util.Arrays;
import java.util.Map;

/** A value comes in; its JSON text goes out, in ASCII. */
final class Json {
    private static final int DEEPEST = 1000; // a limit of our own: the stack's depends on what was compiled by then

    private byte[] text = new byte[256];
    private int length;
    private int depth;

    private Json() {}

    /** Fails for a value that has no JSON text. */
    static byte[] of(Object value) {
        Json json = new Json();
        json.add(value);
        return Arrays.copyOf(json.text, json.length);
    }

    private void add(Object value) {
        if (++depth > DEEPEST) {
            throw new IllegalArgumentException("it is nested too deeply");
        }
        if (value == null || value instanceof Boolean) {
            append(String.valueOf(value));
        } else if (value instanceof Number) {
            number((Number) value);
        } else if (value instanceof CharSequence || value instanceof Character) {
            string(value.toString());
        } else if (value instanceof Map) {
            object((Map<?, ?>) value);
        } else if (value instanceof Iterable) {
            list((Iterable<?>) value);
        } else if (value.getClass().isArray()) {
            array(value);
        } else {
            throw new IllegalArgumentException(value.getClass().getName());
        }
        depth--;
    }

    private void append(String ascii) {
        append(ascii, 0, ascii.length());
    }

    private void append(String ascii, int start, int end) {
        reserve(end - start);
        for (int index = start; index < end; index++) {
            text[length++] = (byte) ascii.charAt(index);
        }
    }

    private void reserve(int size) {
        if (size > text.length - length) {
            text = Arrays.copyOf(text, Math.addExact(length, Math.max(size, length / 2)));
        }
    }

    private void number(Number number) {
        boolean broken = number instanceof Double || number instanceof Float;
        if (broken && !Double.isFinite(number.doubleValue())) {
            throw new IllegalArgumentException(number.toString());
        }
        append(number.toString());
    }

    private void object(Map<?, ?> map) {
        String separator = "{";
        for (Map.Entry<?, ?> entry : map.entrySet()) {
            if (!(entry.getKey() instanceof CharSequence)) {
                throw new IllegalArgumentException("a key is no text");
            }
            append(separator);
            string(entry.getKey().toString());
            append(": ");
            add(entry.getValue());
            separator = ", ";
        }
        append(map.isEmpty() ? "{}" : "}");
    }

    private void list(Iterable<?> items) {
        String separator = "";
        append("[");
        for (Object item : items) {
            append(separator);
            add(item);
            separator = ", ";
        }
        append("]");
    }

    private void array(Object array) {
        append("[");
        for (int index = 0; index < Array.getLength(array); index++) {
            append(index == 0 ? "" : ", ");
            add(Array.get(array, index));
        }
        append("]");
    }

    private void string(String value) {
        append("\"");
        int plain = 0; // where the characters begin that stand for themselves
        for (int index = 0; index < value.length(); index++) {
            char one = value.charAt(index);
            if (one < ' ' || one > '~' || one == '"' || one == '\\') {
                append(value, plain, index);
                escape(one);
                plain = index + 1;
            }
        }
        append(value, plain, value.length());
        append("\"");
    }

    private void escape(char one) {
        int named = "\"\\\n\r\t\b\f".indexOf(one);
        reserve(6);
        text[length++] = '\\';
        text[length++] = (byte) (named < 0 ? 'u' : "\"\\nrtbf".charAt(named));
        for (int shift = 12; shift >= 0 && named < 0; shift -= 4) {
            text[length++] = (byte) Character.forDigit(one >> shift & 15, 16);
        }
    }
}
