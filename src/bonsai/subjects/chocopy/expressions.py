"""Tokens come in at a cursor; expression nodes go out, located as the reference compiler locates them.

A node's location spans its tokens. Parentheses belong to the span of what encloses them, not to the node
within them: in `(a).b` the member expression starts at the parenthesis, the identifier at `a`.
"""

from bonsai.subjects.chocopy.lexer import (
    ID,
    IDSTRING,
    INTEGER,
    STRING,
    UNRECOGNISED,
    ChocoPySyntaxError,
    Token,
)
from bonsai.subjects.chocopy.nodes import (
    BinaryExpr,
    BooleanLiteral,
    CallExpr,
    Expr,
    Identifier,
    IfExpr,
    IndexExpr,
    IntegerLiteral,
    ListExpr,
    Location,
    MemberExpr,
    MethodCallExpr,
    NoneLiteral,
    StringLiteral,
    UnaryExpr,
)

DEEPEST_NESTING = 150
"""How deep expressions and blocks may nest: what a recursive walk of the tree can follow."""

_OR, _AND, _NOT, _COMPARISON, _SUM, _PRODUCT, _NEGATION = range(1, 8)
_BINARY_LEVEL = {
    "or": _OR,
    "and": _AND,
    "==": _COMPARISON,
    "!=": _COMPARISON,
    "<": _COMPARISON,
    ">": _COMPARISON,
    "<=": _COMPARISON,
    ">=": _COMPARISON,
    "is": _COMPARISON,
    "+": _SUM,
    "-": _SUM,
    "*": _PRODUCT,
    "//": _PRODUCT,
    "%": _PRODUCT,
}


class Cursor:
    """A position in the tokens: the current one, and ways to go on."""

    __slots__ = ("depth", "index", "kind", "token", "tokens")

    def __init__(self, tokens: list[Token]) -> None:
        self.tokens = tokens
        self.index = 0
        self.token = tokens[0]
        self.kind = self.token.kind
        self.depth = 0

    def advance(self) -> Token:
        """Step over the current token and return it."""
        token = self.token
        self.index += 1
        self.token = self.tokens[self.index]
        self.kind = self.token.kind
        return token

    def expect(self, kind: str) -> Token:
        if self.kind != kind:
            raise self.unexpected()
        return self.advance()

    def unexpected(self) -> ChocoPySyntaxError:
        token = self.token
        if token.kind == UNRECOGNISED:
            message = token.text
        elif token.kind in (ID, IDSTRING, STRING, INTEGER):
            message = f"Parse error near token {token.kind}: {token.text}"
        else:
            message = f"Parse error near token {token.kind}"
        return ChocoPySyntaxError(message, [token.line, token.first, token.line, token.last])

    def enter(self) -> None:
        """Go one level deeper; the caller takes the level back when it is done."""
        self.depth += 1
        if self.depth > DEEPEST_NESTING:
            token = self.token
            raise ChocoPySyntaxError("Nested too deeply", [token.line, token.first, token.line, token.last])

    def span(self, first: Token) -> Location:
        """From `first` to the last token stepped over."""
        last = self.tokens[self.index - 1]
        return [first.line, first.first, last.line, last.last]

    def identifier(self) -> Identifier:
        token = self.expect(ID)
        return Identifier([token.line, token.first, token.line, token.last], token.text)


class ExpressionParser(Cursor):
    """The expressions of the language, by precedence climbing."""

    __slots__ = ()

    def expression(self) -> Expr:
        """Any expression; `then if condition else otherwise` binds weakest and to the right."""
        first = self.token
        node = self._operation(_OR)
        if self.kind != "if":
            return node
        self.advance()
        self.enter()
        condition = self.expression()
        self.expect("else")
        otherwise = self.expression()
        self.depth -= 1
        return IfExpr(self.span(first), condition, node, otherwise)

    def _operation(self, level: int) -> Expr:
        """Operators that bind at least as strongly as `level`; `not` is no operand of a stronger one."""
        self.enter()
        first = self.token
        if self.kind == "not" and level <= _NOT:
            self.advance()
            node: Expr = UnaryExpr(self.span(first), "not", self._operation(_NOT))
            node.location = self.span(first)
        elif self.kind == "-":
            self.advance()
            node = UnaryExpr(self.span(first), "-", self._operation(_NEGATION))
            node.location = self.span(first)
        else:
            node = self._postfix()
        found = _BINARY_LEVEL.get(self.kind, 0)
        while found >= level:
            operator = self.advance().text
            right = self._operation(found + 1)
            node = BinaryExpr(self.span(first), node, operator, right)
            following = _BINARY_LEVEL.get(self.kind, 0)
            if found == _COMPARISON and following == _COMPARISON:
                raise self.unexpected()  # Comparisons do not associate.
            found = following
        self.depth -= 1
        return node

    def _postfix(self) -> Expr:
        """A primary with its members, indices and calls; only names and members can be called."""
        first = self.token
        node = self._primary()
        callee: Expr | None = node if first.kind == ID else None
        outer_depth = self.depth
        while True:
            kind = self.kind
            if kind == ".":
                self.advance()
                member = self.identifier()
                node = callee = MemberExpr(self.span(first), node, member)
            elif kind == "[":
                self.advance()
                index = self.expression()
                self.expect("]")
                node = IndexExpr(self.span(first), node, index)
                callee = None
            elif kind == "(" and callee is not None:
                self.advance()
                args = self._expressions_until(")")
                location = self.span(first)
                if isinstance(callee, MemberExpr):
                    node = MethodCallExpr(location, callee, args)
                else:
                    assert isinstance(callee, Identifier)
                    node = CallExpr(location, callee, args)
                callee = None
            else:
                self.depth = outer_depth
                return node
            self.enter()  # Each step makes the tree one level deeper on its left.

    def _primary(self) -> Expr:
        kind = self.kind
        if kind == ID:
            token = self.advance()
            return Identifier([token.line, token.first, token.line, token.last], token.text)
        if kind == "(":
            self.advance()
            node = self.expression()
            self.expect(")")
            return node
        if kind == "[":
            first = self.advance()
            elements = self._expressions_until("]")
            return ListExpr(self.span(first), elements)
        return self.literal()

    def _expressions_until(self, closing: str) -> list[Expr]:
        """Expressions between commas, and the closing bracket; no comma may trail."""
        expressions: list[Expr] = []
        if self.kind != closing:
            expressions.append(self.expression())
            while self.kind == ",":
                self.advance()
                expressions.append(self.expression())
        self.expect(closing)
        return expressions

    def literal(self) -> Expr:
        token = self.token
        kind = token.kind
        location = [token.line, token.first, token.line, token.last]
        node: Expr
        if kind == INTEGER:
            node = IntegerLiteral(location, int(token.text))
        elif kind in (STRING, IDSTRING):
            node = StringLiteral(location, token.text)
        elif kind == "None":
            node = NoneLiteral(location)
        elif kind == "True":
            node = BooleanLiteral(location, True)
        elif kind == "False":
            node = BooleanLiteral(location, False)
        else:
            raise self.unexpected()
        self.advance()
        return node
