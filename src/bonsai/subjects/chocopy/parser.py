"""The text of a program comes in; its `Program` node goes out, or a `ChocoPySyntaxError` is raised.

A recursive descent over the statements and declarations; `expressions` does the rest. `pass` leaves no node.
"""

from bonsai.subjects.chocopy.expressions import ExpressionParser
from bonsai.subjects.chocopy.lexer import DEDENT, EOF, ID, IDSTRING, INDENT, NEWLINE, Token, tokenise
from bonsai.subjects.chocopy.nodes import (
    AssignStmt,
    ClassDef,
    ClassType,
    Declaration,
    Expr,
    ExprStmt,
    ForStmt,
    FuncDef,
    GlobalDecl,
    Identifier,
    IfStmt,
    ListType,
    Location,
    NonLocalDecl,
    Program,
    ReturnStmt,
    Stmt,
    Target,
    TypeAnnotation,
    TypedVar,
    VarDef,
    WhileStmt,
)


def parse(text: str) -> Program:
    """The syntax tree of `text`, without types."""
    return _Parser(tokenise(text)).program()


class _Parser(ExpressionParser):
    __slots__ = ()

    def program(self) -> Program:
        first = self.token
        declarations: list[Declaration] = []
        while True:
            if self.kind == "class":
                declarations.append(self._class())
            elif self.kind == "def":
                declarations.append(self._function())
            elif self._at_variable():
                declarations.append(self._variable())
            else:
                break
        statements: list[Stmt] = []
        while self.kind != EOF:
            self._statement(statements)
        location = self.span(first) if self.index else [0, 0, 0, 0]
        return Program(location, declarations, statements)

    # Declarations

    def _class(self) -> ClassDef:
        first = self.advance()
        name = self.identifier()
        self.expect("(")
        super_class = self.identifier()
        self.expect(")")
        self._open_block()
        declarations: list[VarDef | FuncDef] = []
        if self.kind == "pass":
            self.advance()
            self.expect(NEWLINE)
        else:
            while self.kind != DEDENT:
                if self.kind == "def":
                    declarations.append(self._function())
                else:
                    declarations.append(self._variable())
        location = self.span(first)
        self._close_block()
        return ClassDef(location, name, super_class, declarations)

    def _function(self) -> FuncDef:
        first = self.advance()
        name = self.identifier()
        self.expect("(")
        params: list[TypedVar] = []
        if self.kind != ")":
            params.append(self._typed_variable())
            while self.kind == ",":
                self.advance()
                params.append(self._typed_variable())
        self.expect(")")
        return_type = self._return_type()
        self._open_block()
        declarations = self._local_declarations()
        statements: list[Stmt] = []
        self._statement(statements)
        while self.kind != DEDENT:
            self._statement(statements)
        location = self.span(first)
        self._close_block()
        return FuncDef(location, name, params, return_type, declarations, statements)

    def _return_type(self) -> TypeAnnotation:
        if self.kind == "->":
            self.advance()
            return self._type()
        colon = self.token
        return ClassType([colon.line, colon.first, colon.line, colon.first], "<None>")

    def _local_declarations(self) -> list[Declaration]:
        declarations: list[Declaration] = []
        while True:
            kind = self.kind
            if kind == "def":
                declarations.append(self._function())
            elif kind == "global":
                location, variable = self._scope_declaration()
                declarations.append(GlobalDecl(location, variable))
            elif kind == "nonlocal":
                location, variable = self._scope_declaration()
                declarations.append(NonLocalDecl(location, variable))
            elif self._at_variable():
                declarations.append(self._variable())
            else:
                return declarations

    def _scope_declaration(self) -> tuple[Location, Identifier]:
        first = self.advance()
        variable = self.identifier()
        location = self.span(first)
        self.expect(NEWLINE)
        return location, variable

    def _at_variable(self) -> bool:
        return self.kind == ID and self.tokens[self.index + 1].kind == ":"

    def _variable(self) -> VarDef:
        """`name:type = literal`."""
        first = self.token
        variable = self._typed_variable()
        self.expect("=")
        value = self.literal()
        location = self.span(first)
        self.expect(NEWLINE)
        return VarDef(location, variable, value)

    def _typed_variable(self) -> TypedVar:
        first = self.token
        identifier = self.identifier()
        self.expect(":")
        annotation = self._type()
        return TypedVar(self.span(first), identifier, annotation)

    def _type(self) -> TypeAnnotation:
        first = self.token
        if self.kind == "[":
            self.advance()
            self.enter()
            element = self._type()
            self.depth -= 1
            self.expect("]")
            return ListType(self.span(first), element)
        if self.kind == ID or self.kind == IDSTRING:
            self.advance()
            return ClassType(self.span(first), first.text)
        raise self.unexpected()

    # Statements

    def _open_block(self) -> None:
        self.expect(":")
        self.expect(NEWLINE)
        self.expect(INDENT)
        self.enter()

    def _close_block(self) -> None:
        self.expect(DEDENT)
        self.depth -= 1

    def _block(self) -> list[Stmt]:
        self._open_block()
        statements: list[Stmt] = []
        while self.kind != DEDENT:
            self._statement(statements)
        self._close_block()
        return statements

    def _statement(self, statements: list[Stmt]) -> None:
        """Append the next statement, unless it is `pass`."""
        kind = self.kind
        if kind == "if":
            statements.append(self._if())
        elif kind == "while":
            first = self.advance()
            condition = self.expression()
            body = self._block()
            statements.append(WhileStmt(self.span(first), condition, body))
        elif kind == "for":
            first = self.advance()
            identifier = self.identifier()
            self.expect("in")
            iterable = self.expression()
            body = self._block()
            statements.append(ForStmt(self.span(first), identifier, iterable, body))
        elif kind == "pass":
            self.advance()
            self.expect(NEWLINE)
        elif kind == "return":
            first = self.advance()
            value = None if self.kind == NEWLINE else self.expression()
            statements.append(ReturnStmt(self.span(first), value))
            self.expect(NEWLINE)
        else:
            statements.append(self._expression_or_assignment())
            self.expect(NEWLINE)

    def _if(self) -> IfStmt:
        """`if` or `elif` with all that belongs to it; an `elif` is an `if` alone in the else body."""
        first = self.advance()
        condition = self.expression()
        then_body = self._block()
        else_body: list[Stmt] = []
        if self.kind == "elif":
            self.enter()
            else_body.append(self._if())
            self.depth -= 1
        elif self.kind == "else":
            self.advance()
            else_body = self._block()
        return IfStmt(self.span(first), condition, then_body, else_body)

    def _expression_or_assignment(self) -> Stmt:
        first = self.token
        value = self.expression()
        if self.kind != "=":
            return ExprStmt(self.span(first), value)
        targets: list[Expr] = []
        start = first
        while self.kind == "=":
            if not self._is_target(value, start):
                raise self.unexpected()
            targets.append(value)
            self.advance()
            start = self.token
            value = self.expression()
        return AssignStmt(self.span(first), targets, value)

    def _is_target(self, node: Expr, first: Token) -> bool:
        """Names, members and list elements can be assigned to, but not when in parentheses themselves."""
        return isinstance(node, Target) and node.location == self.span(first)
