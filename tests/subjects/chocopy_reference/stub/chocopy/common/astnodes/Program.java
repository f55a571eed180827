package chocopy.common.astnodes;

/** Stands in for the reference's own: it knows its errors and its JSON. */
public final class Program {
    public final String text;
    private final String error;

    public Program(String text, String error) {
        this.text = text;
        this.error = error;
    }

    public boolean hasErrors() {
        return error != null;
    }

    public String toJSON() {
        String errors = error == null ? "" : "{\"kind\" : \"CompilerError\", \"message\" : \"" + error + "\"}";
        return "{\n \"kind\" : \"Program\", \"size\" : " + text.length() + ", \"errors\" : [" + errors + "]\n}";
    }
}
