package bonsai.weaver;

import java.nio.charset.StandardCharsets;
import java.util.Set;
import org.objectweb.asm.Opcodes;
import org.objectweb.asm.tree.AbstractInsnNode;
import org.objectweb.asm.tree.ClassNode;
import org.objectweb.asm.tree.MethodInsnNode;
import org.objectweb.asm.tree.MethodNode;

/** A class comes in; its calls that would end the process become calls of `bonsai.jvm.Exit`. */
final class Exits {
    private static final String EXIT = "bonsai/jvm/Exit";
    private static final Set<String> RUNTIME = Set.of("exit", "halt");

    private Exits() {}

    /** A quick look at the names in a class file. */
    static boolean mayBeIn(byte[] original) {
        String names = new String(original, StandardCharsets.ISO_8859_1);
        return names.contains("java/lang/System") && names.contains("exit")
                || names.contains("java/lang/Runtime") && (names.contains("halt") || names.contains("exit"));
    }

    static void replace(ClassNode type) {
        for (MethodNode method : type.methods) {
            for (AbstractInsnNode one : method.instructions.toArray()) {
                if (one instanceof MethodInsnNode) {
                    MethodInsnNode call = (MethodInsnNode) one;
                    if (call.owner.equals("java/lang/System") && call.name.equals("exit")) {
                        method.instructions.set(one, new MethodInsnNode(Opcodes.INVOKESTATIC, EXIT, "exit", "(I)V"));
                    } else if (call.owner.equals("java/lang/Runtime") && RUNTIME.contains(call.name)) {
                        String description = "(Ljava/lang/Runtime;I)V";
                        method.instructions.set(
                                one, new MethodInsnNode(Opcodes.INVOKESTATIC, EXIT, "exit", description));
                    }
                }
            }
        }
    }
}
