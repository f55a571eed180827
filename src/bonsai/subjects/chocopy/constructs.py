"""The typed tree of a valid program comes in, as JSON; the names of the language's constructs in it go out.

The branches of our checker do not tell all constructs apart: it treats `*` like `//`, and an inherited attribute
like any other. Another implementation may not, so each is a feature of its own, which the driver reports.
"""

from collections.abc import Callable, Iterator

from bonsai.subjects.chocopy.output import Json

OPERATORS = ("+", "-", "*", "//", "%", "<", "<=", ">", ">=", "==", "!=", "is", "and", "or")
FUNCTIONS = ("print", "input", "len")

NAMES = (
    *(f"operator {operator}" for operator in OPERATORS),
    *(f"call of {name}" for name in FUNCTIONS),
    "conversion to object",
    "conversion to a super-class",
    "conversion of None to a class",
    "conversion of None to a list",
    "conversion of [] to a list",
    "conversion of [None] to a list",
    "call of a function with an argument",
    "call of a method with an argument",
    "call of an inherited method",
    "construction of an object",
    "attribute read",
    "attribute inherited",
    "attribute assigned",
    "method overridden",
    "super-class of the program",
    "several targets",
    "elif",
    "return in a loop",
    "parameter used",
    "variable of an outer function used",
    "variable of the program used in a function",
    "global assigned",
    "nonlocal assigned",
    "class with an attribute inherited",
    "class with a method inherited",
    "method with a parameter",
)

Scopes = tuple[dict[str, str], ...]
"""The functions around, the innermost last: their names, and what sort of name each is."""


def constructs(tree: Json) -> set[str]:
    """The constructs of a valid program, all of them in `NAMES`."""
    finder = _Finder(tree["declarations"])
    finder.declarations(tree["declarations"], ())
    finder.block(tree["statements"], (), None)
    return finder.found


class _Finder:
    """Walks over one program."""

    def __init__(self, declarations: list[Json]) -> None:
        self.found: set[str] = set()
        self._classes = {_name(one): one for one in declarations if one["kind"] == "ClassDef"}

    # Declarations

    def declarations(self, declared: list[Json], scopes: Scopes) -> None:
        """Declarations, with those in them."""
        for one in declared:
            match one["kind"]:
                case "VarDef":
                    self._converted(one["value"]["inferredType"], _declared(one["var"]["type"]))
                case "FuncDef":
                    self._function(one, scopes)
                case "ClassDef":
                    self._class(one)

    def _class(self, node: Json) -> None:
        above = node["superClass"]["name"]
        if above in self._classes:
            self.found.add("super-class of the program")
            for one in self._classes[above]["declarations"]:
                sort = "an attribute" if one["kind"] == "VarDef" else "a method"
                self.found.add(f"class with {sort} inherited")
            if any(self._home(above, _name(one)) for one in node["declarations"]):
                self.found.add("method overridden")
        if any(one["kind"] == "FuncDef" and len(one["params"]) > 1 for one in node["declarations"]):
            self.found.add("method with a parameter")
        self.declarations(node["declarations"], ())

    def _home(self, class_name: str, member: str) -> str | None:
        """The class of the program that declares a member, this one or one above it."""
        while class_name in self._classes:
            node = self._classes[class_name]
            if any(_name(one) == member for one in node["declarations"]):
                return class_name
            class_name = node["superClass"]["name"]
        return None

    def _function(self, node: Json, scopes: Scopes) -> None:
        local = {one["identifier"]["name"]: "parameter" for one in node["params"]}
        local |= {_name(one): _LOCALS[one["kind"]] for one in node["declarations"]}
        self.declarations(node["declarations"], (*scopes, local))
        self.block(node["statements"], (*scopes, local), _declared(node["returnType"]))

    # Statements

    def block(self, statements: list[Json], scopes: Scopes, result: Json | None) -> None:
        """Statements, with those in them; `result` is what the function around returns."""
        for node in statements:
            match node["kind"]:
                case "ExprStmt":
                    self._expression(node["expr"], scopes)
                case "AssignStmt":
                    self._assignment(node, scopes)
                case "ReturnStmt":
                    self._return(node, scopes, result)
                case "IfStmt":
                    self._if(node, scopes, result)
                case "WhileStmt":
                    self._expression(node["condition"], scopes)
                    self._loop(node["body"], scopes, result)
                case "ForStmt":
                    self._expression(node["iterable"], scopes)
                    self._loop(node["body"], scopes, result)

    def _assignment(self, node: Json, scopes: Scopes) -> None:
        self._expression(node["value"], scopes)
        for target in node["targets"]:
            self._expression(target, scopes)
            self._converted(node["value"]["inferredType"], target["inferredType"])
            if target["kind"] == "MemberExpr":
                self.found.add("attribute assigned")
            elif target["kind"] == "Identifier" and scopes:
                sort = scopes[-1][target["name"]]
                if sort in ("global", "nonlocal"):
                    self.found.add(f"{sort} assigned")
        if len(node["targets"]) > 1:
            self.found.add("several targets")

    def _return(self, node: Json, scopes: Scopes, result: Json | None) -> None:
        if node["value"] is not None and result is not None:
            self._expression(node["value"], scopes)
            self._converted(node["value"]["inferredType"], result)

    def _if(self, node: Json, scopes: Scopes, result: Json | None) -> None:
        self._expression(node["condition"], scopes)
        if len(node["elseBody"]) == 1 and node["elseBody"][0]["kind"] == "IfStmt":
            self.found.add("elif")
        self.block(node["thenBody"], scopes, result)
        self.block(node["elseBody"], scopes, result)

    def _loop(self, body: list[Json], scopes: Scopes, result: Json | None) -> None:
        if any(one["kind"] == "ReturnStmt" for one in body):
            self.found.add("return in a loop")
        self.block(body, scopes, result)

    # Expressions

    def _expression(self, root: Json, scopes: Scopes) -> None:
        """With a stack of its own: a sum of thousands of terms is that deep."""
        pending = [root]
        while pending:
            node = pending.pop()
            kind = node["kind"]
            if kind == "Identifier":
                if scopes:
                    self._variable(node["name"], scopes)
            elif kind in _EXPRESSIONS:
                _EXPRESSIONS[kind](self, node)
            pending.extend(_parts(node, kind))

    def _variable(self, name: str, scopes: Scopes) -> None:
        sort = scopes[-1].get(name)
        if sort == "parameter":
            self.found.add("parameter used")
        elif sort is None and any(name in scope for scope in scopes):
            self.found.add("variable of an outer function used")
        elif sort is None:
            self.found.add("variable of the program used in a function")

    def _binary(self, node: Json) -> None:
        self.found.add(f"operator {node['operator']}")

    def _member(self, node: Json) -> None:
        self.found.add("attribute read")
        if self._is_inherited(node):
            self.found.add("attribute inherited")

    def _is_inherited(self, node: Json) -> bool:
        class_name = node["object"]["inferredType"]["className"]
        return self._home(class_name, node["member"]["name"]) not in (class_name, None)

    def _call(self, node: Json) -> None:
        name, args = node["function"]["name"], node["args"]
        if name in self._classes:
            self.found.add("construction of an object")
        elif "inferredType" in node["function"]:
            if name in FUNCTIONS:
                self.found.add(f"call of {name}")
            elif args:
                self.found.add("call of a function with an argument")
            self._arguments(args, node["function"]["inferredType"]["parameters"])

    def _method_call(self, node: Json) -> None:
        method, args = node["method"], node["args"]
        if self._is_inherited(method):
            self.found.add("call of an inherited method")
        if args:
            self.found.add("call of a method with an argument")
        self._arguments(args, method["inferredType"]["parameters"][1:])

    def _arguments(self, args: list[Json], parameters: list[Json]) -> None:
        for arg, parameter in zip(args, parameters, strict=False):  # a checker with a bug may not count them
            self._converted(arg["inferredType"], parameter)

    # Values

    def _converted(self, kind: Json, expected: Json) -> None:
        """A value stands where another type is expected."""
        if kind == expected or expected.get("className") == "<Empty>":
            return
        if expected.get("className") == "object":
            self.found.add("conversion to object")
        elif kind["kind"] == "ListValueType":
            self.found.add("conversion of [None] to a list")
        elif kind["className"] == "<Empty>":
            self.found.add("conversion of [] to a list")
        elif kind["className"] != "<None>":
            self.found.add("conversion to a super-class")
        elif expected["kind"] == "ListValueType":
            self.found.add("conversion of None to a list")
        else:
            self.found.add("conversion of None to a class")


def _declared(annotation: Json) -> Json:
    """The type that an annotation names, as it is written for a value."""
    if annotation["kind"] == "ListType":
        return {"kind": "ListValueType", "elementType": _declared(annotation["elementType"])}
    return {"kind": "ClassValueType", "className": annotation["className"]}


def _name(declaration: Json) -> str:
    match declaration["kind"]:
        case "VarDef":
            identifier = declaration["var"]["identifier"]
        case "GlobalDecl" | "NonLocalDecl":
            identifier = declaration["variable"]
        case _:
            identifier = declaration["name"]
    name: str = identifier["name"]
    return name


def _parts(node: Json, kind: str) -> Iterator[Json]:
    """The expressions in an expression."""
    if kind == "MethodCallExpr":
        yield node["method"]["object"]
    for field in _PARTS.get(kind, ()):
        part = node[field]
        if isinstance(part, list):
            yield from part
        else:
            yield part


_LOCALS = {"VarDef": "variable", "FuncDef": "function", "GlobalDecl": "global", "NonLocalDecl": "nonlocal"}
_PARTS = {
    "BinaryExpr": ("left", "right"),
    "UnaryExpr": ("operand",),
    "IfExpr": ("condition", "thenExpr", "elseExpr"),
    "ListExpr": ("elements",),
    "IndexExpr": ("list", "index"),
    "MemberExpr": ("object",),
    "CallExpr": ("args",),
    "MethodCallExpr": ("args",),
}
_EXPRESSIONS: dict[str, Callable[[_Finder, Json], None]] = {
    "BinaryExpr": _Finder._binary,
    "MemberExpr": _Finder._member,
    "CallExpr": _Finder._call,
    "MethodCallExpr": _Finder._method_call,
}
