package bonsai.jvm;

import java.io.File;
import java.io.IOException;
import java.io.InputStream;
import java.lang.instrument.ClassFileTransformer;
import java.lang.instrument.Instrumentation;
import java.security.ProtectionDomain;
import java.util.HashSet;
import java.util.Set;
import java.util.zip.ZipEntry;
import java.util.zip.ZipFile;

/** An archive of woven classes comes in; as classes are loaded, the woven ones take the place of the originals. */
public final class Agent implements ClassFileTransformer {
    /** The entry with the greeting of the process: its features, as JSON. */
    public static final String FEATURES = "bonsai/features.json";

    private static final Set<String> WOVEN = new HashSet<>();
    private static byte[] greeting = "{\"features\": []}".getBytes();
    private static int features;

    private final ZipFile archive;

    private Agent(ZipFile archive) {
        this.archive = archive;
    }

    /** Called by Java before `main`; the argument is the archive, and its comment the number of features. */
    public static void premain(String path, Instrumentation instrumentation) throws IOException {
        ZipFile archive = new ZipFile(new File(path));
        features = Integer.parseInt(archive.getComment());
        greeting = read(archive, FEATURES);
        archive.stream().map(ZipEntry::getName).filter(name -> name.endsWith(".class"))
                .forEach(name -> WOVEN.add(name.substring(0, name.length() - ".class".length())));
        instrumentation.addTransformer(new Agent(archive));
    }

    @Override
    public byte[] transform(
            ClassLoader loader, String name, Class<?> redefined, ProtectionDomain domain, byte[] original) {
        if (name == null || loader == null || !WOVEN.contains(name)) {
            return null;
        }
        try {
            return read(archive, name + ".class");
        } catch (IOException error) {
            Runtime.getRuntime().halt(1); // the archive is gone: without probes, every result would be wrong
            return null;
        }
    }

    static int features() {
        return features;
    }

    static byte[] greeting() {
        return greeting;
    }

    /** Whether a class, by its name with dots, has been woven. */
    static boolean isWoven(String name) {
        return WOVEN.contains(name.replace('.', '/'));
    }

    private static byte[] read(ZipFile archive, String name) throws IOException {
        try (InputStream in = archive.getInputStream(archive.getEntry(name))) {
            return in.readAllBytes();
        }
    }
}
