package chocopy.common.astnodes;

import java.io.IOException;
import java.util.List;

/** Stands in for the reference's own: it knows its errors and its JSON. */
public class Program {
    public final String text;
    private final List<CompilerError> errors;

    public Program(String text, String error) {
        this.text = text;
        this.errors = error == null ? List.of() : List.of(new CompilerError(error));
    }

    public boolean hasErrors() {
        return !errors.isEmpty();
    }

    public List<CompilerError> getErrorList() {
        return errors;
    }

    public String toJSON() throws IOException {
        String listed = "";
        for (CompilerError error : errors) {
            listed += "{\"kind\" : \"CompilerError\", \"message\" : \"" + error.message + "\"}";
        }
        return "{\n \"kind\" : \"Program\", \"size\" : " + text.length() + ", \"errors\" : [" + listed + "]\n}";
    }
}
