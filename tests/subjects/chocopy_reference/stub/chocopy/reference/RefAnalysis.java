package chocopy.reference;

import chocopy.common.astnodes.Program;

/** Stands in for the reference analysis: variables must not be returned. */
public final class RefAnalysis {
    public static Program process(Program program) {
        if (program.text.startsWith("crash")) {
            throw new IllegalStateException("a flaw");
        }
        return new Program(program.text, program.text.startsWith("return") ? "Return at the top level" : null);
    }
}
