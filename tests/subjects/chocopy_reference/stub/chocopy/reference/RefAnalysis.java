package chocopy.reference;

import chocopy.common.astnodes.Program;
import java.io.IOException;

/** Stands in for the reference analysis: variables must not be returned. */
public final class RefAnalysis {
    public static Program process(Program program) throws IOException {
        if (program.text.startsWith("crash")) {
            throw new IOException("a flaw");
        }
        System.out.println("analysed");
        return new Program(program.text, program.text.startsWith("return") ? "Return at the top level" : null);
    }

    public static Program process(Program program, boolean debug) {
        throw new IllegalStateException("the one without a switch is there");
    }
}
