package bonsai.weaver;

import bonsai.jvm.Agent;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.zip.CRC32;
import java.util.zip.ZipEntry;
import java.util.zip.ZipOutputStream;
import org.objectweb.asm.ClassReader;
import org.objectweb.asm.ClassWriter;
import org.objectweb.asm.MethodTooLargeException;
import org.objectweb.asm.tree.ClassNode;

/**
 * A class path comes in; an archive of woven classes goes out, with a probe for every feature of the covered ones.
 *
 * <p>All covered classes are numbered beforehand, in the order of their names: features have the same names and
 * numbers in every run, whichever classes are loaded, and in whatever order. Arguments: the archive to write, a file
 * with the numbers of features to omit, the patterns separated by commas, and the entries of the class path. What is
 * wrong is printed, with a hint on the second line, and the exit status is 2.
 */
public final class Weaver {
    private final Set<Integer> omitted;
    private final List<String> features = new ArrayList<>();

    private Weaver(Set<Integer> omitted) {
        this.omitted = omitted;
    }

    public static void main(String[] arguments) throws IOException {
        Set<Integer> omitted = new HashSet<>();
        for (String line : Files.readAllLines(Path.of(arguments[1]))) {
            omitted.add(Integer.valueOf(line));
        }
        Patterns patterns = new Patterns(List.of(arguments[2].split(",")));
        List<Path> entries = new ArrayList<>();
        for (String entry : List.of(arguments).subList(3, arguments.length)) {
            entries.add(Path.of(entry));
        }
        Map<String, byte[]> classes = ClassPath.read(entries);
        for (String unmatched : patterns.unmatched(classes.keySet())) {
            System.out.println("cover: there is no class for '" + unmatched + "'");
            System.out.println("name a class, or write \"package.*\" for all classes of a package and below it");
            System.exit(2);
        }
        new Weaver(omitted).weave(classes, patterns, Path.of(arguments[0]));
    }

    private void weave(Map<String, byte[]> classes, Patterns patterns, Path archive) throws IOException {
        try (ZipOutputStream zip = new ZipOutputStream(Files.newOutputStream(archive))) {
            for (Map.Entry<String, byte[]> one : classes.entrySet()) {
                boolean covered = patterns.matches(one.getKey());
                if (covered || Exits.mayBeIn(one.getValue())) {
                    store(zip, one.getKey().replace('.', '/') + ".class", woven(one.getValue(), covered));
                }
            }
            store(zip, Agent.FEATURES, json().getBytes(StandardCharsets.UTF_8));
            zip.setComment(Integer.toString(features.size()));
        }
    }

    private byte[] woven(byte[] original, boolean covered) {
        ClassNode type = new ClassNode();
        new ClassReader(original).accept(type, ClassReader.EXPAND_FRAMES);
        Exits.replace(type);
        if (!covered) {
            return written(type);
        }
        int before = features.size();
        new Arms(type, features, omitted).insert();
        try {
            return written(type);
        } catch (MethodTooLargeException error) { // near the limit of the class format: it goes without probes
            features.subList(before, features.size()).clear();
            return woven(original, false);
        }
    }

    private static byte[] written(ClassNode type) {
        ClassWriter writer = new ClassWriter(0); // frames come with the arms: no class has to be loaded for them
        type.accept(writer);
        return writer.toByteArray();
    }

    private static void store(ZipOutputStream zip, String name, byte[] content) throws IOException {
        CRC32 sum = new CRC32();
        sum.update(content);
        ZipEntry entry = new ZipEntry(name);
        entry.setMethod(ZipEntry.STORED); // it is read more often than written
        entry.setSize(content.length);
        entry.setCrc(sum.getValue());
        entry.setTime(0);
        zip.putNextEntry(entry);
        zip.write(content);
        zip.closeEntry();
    }

    private String json() {
        StringBuilder json = new StringBuilder("{\"features\": [");
        String separator = "";
        for (String feature : features) {
            json.append(separator).append('"').append(feature.replace("\\", "\\\\").replace("\"", "\\\"")).append('"');
            separator = ", ";
        }
        return json.append("]}").toString();
    }
}
