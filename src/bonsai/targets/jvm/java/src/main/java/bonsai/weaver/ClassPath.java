package bonsai.weaver;

import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import java.util.TreeMap;
import java.util.jar.JarEntry;
import java.util.jar.JarFile;
import java.util.stream.Stream;
import java.util.zip.ZipFile;

/** Jars and folders come in; their classes go out, by name with dots. Where there are two of a name, the first. */
final class ClassPath {
    private static final String SUFFIX = ".class";

    private ClassPath() {}

    static Map<String, byte[]> read(Iterable<Path> entries) throws IOException {
        Map<String, byte[]> classes = new TreeMap<>();
        for (Path entry : entries) {
            if (Files.isDirectory(entry)) {
                readFolder(entry, classes);
            } else {
                readJar(entry, classes);
            }
        }
        return classes;
    }

    private static void readFolder(Path folder, Map<String, byte[]> classes) throws IOException {
        try (Stream<Path> files = Files.walk(folder)) {
            for (Path file : (Iterable<Path>) files::iterator) {
                String name = folder.relativize(file).toString().replace('\\', '/');
                if (isClass(name)) {
                    classes.putIfAbsent(withDots(name), Files.readAllBytes(file));
                }
            }
        }
    }

    private static void readJar(Path jar, Map<String, byte[]> classes) throws IOException {
        try (JarFile opened = new JarFile(jar.toFile(), false, ZipFile.OPEN_READ, Runtime.version())) {
            // Of several versions of a class, the one that this Java would load.
            for (JarEntry entry : (Iterable<JarEntry>) opened.versionedStream()::iterator) {
                if (isClass(entry.getName())) {
                    try (InputStream in = opened.getInputStream(entry)) {
                        classes.putIfAbsent(withDots(entry.getName()), in.readAllBytes());
                    }
                }
            }
        }
    }

    private static boolean isClass(String name) {
        return name.endsWith(SUFFIX) && !name.startsWith("META-INF/") && !name.endsWith("module-info.class");
    }

    private static String withDots(String name) {
        return name.substring(0, name.length() - SUFFIX.length()).replace('/', '.');
    }
}
