package chocopy.common.astnodes;

/** A tree that the real compiler once wrote. */
public final class Program {
    public final String text;
    private final String json;

    public Program(String text, String json) {
        this.text = text;
        this.json = json;
    }

    public boolean hasErrors() {
        return !json.contains("\"errors\" : [ ]");
    }

    public String toJSON() {
        return json;
    }
}
