package bonsai.weaver;

import java.util.ArrayList;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.objectweb.asm.Opcodes;
import org.objectweb.asm.Type;
import org.objectweb.asm.tree.AbstractInsnNode;
import org.objectweb.asm.tree.ClassNode;
import org.objectweb.asm.tree.FieldInsnNode;
import org.objectweb.asm.tree.FrameNode;
import org.objectweb.asm.tree.InsnList;
import org.objectweb.asm.tree.InsnNode;
import org.objectweb.asm.tree.IntInsnNode;
import org.objectweb.asm.tree.JumpInsnNode;
import org.objectweb.asm.tree.LabelNode;
import org.objectweb.asm.tree.LdcInsnNode;
import org.objectweb.asm.tree.LineNumberNode;
import org.objectweb.asm.tree.LookupSwitchInsnNode;
import org.objectweb.asm.tree.MethodInsnNode;
import org.objectweb.asm.tree.MethodNode;
import org.objectweb.asm.tree.TableSwitchInsnNode;
import org.objectweb.asm.tree.TryCatchBlockNode;

/**
 * A class comes in; it gets a probe on every method entry, on both arms of every conditional jump, and on every target
 * of a switch.
 *
 * <p>The arm that jumps gets a piece of code at the end of the method: its probe, and a jump to where the arm went. Its
 * frame is the one of that place, so no frame has to be worked out.
 */
final class Arms {
    private static final String PROBES = "bonsai/jvm/Probes";

    private final ClassNode type;
    private final List<String> features;
    private final Set<Integer> omitted;
    private final Set<String> signatures = new HashSet<>();

    private MethodNode method;
    private String signature;
    private InsnList appended;
    private int line;
    private int branch;

    Arms(ClassNode type, List<String> features, Set<Integer> omitted) {
        this.type = type;
        this.features = features;
        this.omitted = omitted;
    }

    void insert() {
        for (MethodNode one : type.methods) {
            if (one.name.equals("<clinit>")) {
                shield(one);
            } else if (one.instructions.size() > 0 && !isSynthetic(one)) {
                insert(one);
            }
        }
    }

    /** What a compiler adds is nobody's code, but lambdas are. */
    private static boolean isSynthetic(MethodNode method) {
        return (method.access & (Opcodes.ACC_SYNTHETIC | Opcodes.ACC_BRIDGE)) != 0 && !method.name.startsWith("lambda$");
    }

    private void insert(MethodNode one) {
        method = one;
        signature = signature();
        appended = new InsnList();
        line = 0;
        branch = 0;
        for (AbstractInsnNode instruction : method.instructions.toArray()) {
            if (instruction instanceof LineNumberNode) {
                line = ((LineNumberNode) instruction).line;
                enter();
            } else if (isConditional(instruction)) {
                enter();
                jump((JumpInsnNode) instruction);
            } else if (instruction instanceof TableSwitchInsnNode || instruction instanceof LookupSwitchInsnNode) {
                enter();
                choose(instruction);
            }
        }
        enter();
        method.instructions.add(appended);
        method.maxStack += 3;
    }

    /** The probe on the entry, once the method's first line is known. */
    private void enter() {
        if (branch == 0) {
            branch = 1;
            method.instructions.insert(probe("entry"));
        }
    }

    private static boolean isConditional(AbstractInsnNode instruction) {
        int code = instruction.getOpcode();
        return instruction instanceof JumpInsnNode && code != Opcodes.GOTO && code != Opcodes.JSR;
    }

    private void jump(JumpInsnNode jump) {
        jump.label = detour(jump.label, probe("jump " + branch));
        method.instructions.insert(jump, probe("next " + branch));
        branch++;
    }

    private void choose(AbstractInsnNode instruction) {
        Map<LabelNode, LabelNode> detours = new LinkedHashMap<>();
        if (instruction instanceof TableSwitchInsnNode) {
            TableSwitchInsnNode table = (TableSwitchInsnNode) instruction;
            List<Integer> keys = new ArrayList<>();
            for (int key = table.min; key <= table.max; key++) {
                keys.add(key);
            }
            table.dflt = arm(table.dflt, "default", detours);
            arms(table.labels, keys, detours);
        } else {
            LookupSwitchInsnNode table = (LookupSwitchInsnNode) instruction;
            table.dflt = arm(table.dflt, "default", detours);
            arms(table.labels, table.keys, detours);
        }
        branch++;
    }

    private void arms(List<LabelNode> labels, List<Integer> keys, Map<LabelNode, LabelNode> detours) {
        for (int index = 0; index < labels.size(); index++) {
            labels.set(index, arm(labels.get(index), "case " + keys.get(index), detours));
        }
    }

    /** Cases that go to the same place are one arm. */
    private LabelNode arm(LabelNode target, String name, Map<LabelNode, LabelNode> detours) {
        LabelNode detour = detours.get(target);
        if (detour == null) {
            detour = detour(target, probe("switch " + branch + " " + name));
            detours.put(target, detour);
        }
        return detour;
    }

    private LabelNode detour(LabelNode target, InsnList probe) {
        if (probe.size() == 0) {
            return target;
        }
        LabelNode start = new LabelNode();
        FrameNode frame = frameAt(target);
        appended.add(start);
        if (frame != null) { // there is none in classes older than Java 6
            appended.add(new FrameNode(
                    Opcodes.F_NEW, frame.local.size(), frame.local.toArray(), frame.stack.size(), frame.stack.toArray()));
        }
        appended.add(probe);
        appended.add(new JumpInsnNode(Opcodes.GOTO, target));
        return start;
    }

    private static FrameNode frameAt(LabelNode label) {
        AbstractInsnNode one = label;
        while (one != null && one.getOpcode() < 0) {
            if (one instanceof FrameNode) {
                return (FrameNode) one;
            }
            one = one.getNext();
        }
        return null;
    }

    /** The instructions of the next feature's probe; none if it is omitted. */
    private InsnList probe(String arm) {
        int number = features.size();
        features.add(type.name.replace('/', '.') + "." + signature + ":" + line + ":" + arm);
        InsnList probe = new InsnList();
        if (!omitted.contains(number)) {
            probe.add(new FieldInsnNode(Opcodes.GETSTATIC, PROBES, "HITS", "[B"));
            probe.add(number <= Short.MAX_VALUE
                    ? new IntInsnNode(Opcodes.SIPUSH, number)
                    : new LdcInsnNode(number));
            probe.add(new InsnNode(Opcodes.ICONST_1));
            probe.add(new InsnNode(Opcodes.BASTORE));
        }
        return probe;
    }

    /** The method's name and the simple names of its parameters; numbered where two are alike. */
    private String signature() {
        List<String> parameters = new ArrayList<>();
        for (Type parameter : Type.getArgumentTypes(method.desc)) {
            String name = parameter.getClassName();
            parameters.add(name.substring(name.lastIndexOf('.') + 1));
        }
        String plain = method.name + "(" + String.join(",", parameters) + ")";
        String unique = plain;
        for (int number = 2; !signatures.add(unique); number++) {
            unique = plain + number;
        }
        return unique;
    }

    /** What the initialiser of a class exercises counts for no input. */
    private void shield(MethodNode initialiser) {
        LabelNode start = new LabelNode();
        LabelNode end = new LabelNode();
        InsnList code = initialiser.instructions;
        for (AbstractInsnNode instruction : code.toArray()) {
            if (instruction.getOpcode() == Opcodes.RETURN) {
                code.insertBefore(instruction, call("leaveInitialiser"));
            }
        }
        InsnList before = new InsnList();
        before.add(call("enterInitialiser"));
        before.add(start);
        code.insert(before);
        code.add(end);
        code.add(new FrameNode(Opcodes.F_NEW, 0, new Object[0], 1, new Object[] {"java/lang/Throwable"}));
        code.add(call("failInitialiser"));
        code.add(new InsnNode(Opcodes.ATHROW));
        initialiser.tryCatchBlocks.add(new TryCatchBlockNode(start, end, end, null));
        initialiser.maxStack = Math.max(initialiser.maxStack, 1);
    }

    private static MethodInsnNode call(String name) {
        return new MethodInsnNode(Opcodes.INVOKESTATIC, PROBES, name, "()V");
    }
}
