package bonsai.weaver;

import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.regex.Pattern;

/** What `cover` says comes in; which classes are meant goes out. `*` stands for anything, a leading `!` excludes. */
final class Patterns {
    private final List<String> texts;
    private final List<Pattern> included = new ArrayList<>();
    private final List<Pattern> excluded = new ArrayList<>();

    Patterns(List<String> texts) {
        this.texts = texts;
        for (String text : texts) {
            (text.startsWith("!") ? excluded : included).add(compiled(text));
        }
    }

    boolean matches(String name) {
        return isIn(included, name) && !isIn(excluded, name);
    }

    /** The patterns that mean no class at all. */
    List<String> unmatched(Collection<String> names) {
        List<String> unmatched = new ArrayList<>();
        for (String text : texts) {
            Pattern pattern = compiled(text);
            if (!text.startsWith("!") && names.stream().noneMatch(name -> pattern.matcher(name).matches())) {
                unmatched.add(text);
            }
        }
        return unmatched;
    }

    private static boolean isIn(List<Pattern> patterns, String name) {
        return patterns.stream().anyMatch(pattern -> pattern.matcher(name).matches());
    }

    /** A class stands for the classes within it, too. */
    private static Pattern compiled(String text) {
        String name = text.startsWith("!") ? text.substring(1) : text;
        return Pattern.compile("\\Q" + name.replace("*", "\\E.*\\Q") + "\\E(\\$.*)?");
    }
}
