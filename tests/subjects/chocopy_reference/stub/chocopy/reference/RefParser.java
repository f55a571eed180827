package chocopy.reference;

import chocopy.common.astnodes.Program;

/** Stands in for the reference parser: it wants a line end, and reads no question marks. */
public final class RefParser {
    public static Program process(String input, boolean debug) {
        if (debug) {
            throw new IllegalStateException("nobody wants to debug");
        }
        if (input.startsWith("!")) {
            return null;
        }
        boolean readable = input.endsWith("\n") && !input.contains("?");
        return new Program(input, readable ? null : "Parse error");
    }
}
