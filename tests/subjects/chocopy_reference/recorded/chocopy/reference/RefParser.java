package chocopy.reference;

import chocopy.common.astnodes.Program;

/** The real parser's answers to the course's samples. */
public final class RefParser {
    public static Program process(String input, boolean debug) {
        return Recorded.answer(input, ".ast");
    }
}
