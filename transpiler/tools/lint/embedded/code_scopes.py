"""The variables of a source file, by the blocks in which they are visible.

A name is looked up from the innermost block to the outermost. Variables that cannot be distinguished are treated as one
variable with several values, so that none of these is used as its value.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

from transpiler.tools.lint.embedded.code_tokens import CLOSING, OPENING, Family, Token

#: Keywords before the name of a type.
_TYPES = frozenset("class interface object enum struct record trait module impl protocol namespace".split())
#: Keywords of statements, after which the parentheses contain a condition or a resource and no parameters.
_STATEMENTS = frozenset("if while switch when with using synchronized lock until unless elif match return".split())
#: Keywords that may precede the name of a declared variable, but are not its type.
_UNTYPED = frozenset(
    "var val let const final auto static readonly my our public private protected lateinit mut".split()
)
#: Assignment operators.
_GIVES = frozenset({"=", ":=", "+=", ".="})
#: Maximum number of tokens before the body of a block that are searched for its header.
_MAX_HEADER = 80


@dataclass(slots=True)
class Variable:
    """A variable of a source file, with all values that the file assigns to it.

    Each item of ``values`` is the index of the value's first token, or None for a value that the file does not contain,
    such as that of a parameter. ``type`` is the name of the variable's type, None if it is unknown.
    """

    values: list[int | None] = field(default_factory=list)
    type: str | None = None


@dataclass(slots=True)
class _Scope:
    parent: _Scope | None = None
    #: For the body of a type, the type's name; else None.
    type: str | None = None
    is_function: bool = False
    #: The column of the line that opens the block, in languages with indentation; else -1.
    indent: int = -1
    variables: dict[str, Variable] = field(default_factory=dict)

    def outwards(self) -> Iterator[_Scope]:
        scope: _Scope | None = self
        while scope is not None:
            yield scope
            scope = scope.parent


class Scopes:
    """The variables of a source file, by the block in which they are declared."""

    def __init__(self, tokens: Sequence[Token], family: Family, text: str) -> None:
        self._tokens, self._family, self._text = tokens, family, text
        #: For each token, the innermost block that contains it.
        self._of: list[_Scope] = []
        self._all: list[_Scope] = []
        self._read_blocks()
        self._read_values()

    @property
    def types(self) -> set[str]:
        """The names of the types of the file."""
        return {scope.type for scope in self._all if scope.type is not None}

    def find(self, name: str, at: int) -> Variable | None:
        """Return the variable to which the unqualified ``name`` refers at the token ``at``; None if unknown."""
        for scope in self._of[at].outwards():
            if name in scope.variables:
                return scope.variables[name]
        return self._member(name)

    def find_member(self, name: str, at: int, type_name: str | None) -> Variable | None:
        """Return the member ``name`` of the type ``type_name``, by default of the type around the token ``at``."""
        for scope in self._of[at].outwards() if type_name is None else self._all:
            if name in scope.variables and scope.type is not None and type_name in (None, scope.type):
                return scope.variables[name]
        return self._member(name)

    def find_declared(self, name: str, type_name: str | None) -> Variable | None:
        """Return the member ``name`` of the type ``type_name``.

        If the file does not declare this type, return the global variable ``name``.
        """
        if type_name in self.types:
            return self.find_member(name, 0, type_name)
        return self._all[0].variables.get(name)

    def _member(self, name: str) -> Variable | None:
        """Return the variable ``name`` of any block that is not a function; None if no such block declares it.

        If several blocks do, the result has the values of all. The type is not known, because the name may be inherited
        or imported.
        """
        found = [scope.variables[name] for scope in self._all if not scope.is_function and name in scope.variables]
        if len(found) < 2:
            return found[0] if found else None
        return Variable([value for one in found for value in one.values])

    def _read_blocks(self) -> None:
        scope = self._open(None)
        opened: list[_Scope] = []
        header, depth = 0, 0
        for number, token in enumerate(self._tokens):
            if self._family.indented:
                if token.on_new_line and depth == 0:
                    scope = self._dedented(scope, number)
                if token.kind == "sign":
                    depth += (token.text in OPENING) - (token.text in CLOSING)
                self._of.append(scope)
                continue
            if token.kind == "sign" and token.text in "{}":
                if token.text == "{":
                    opened.append(scope)
                    scope = self._block(scope, max(header, number - _MAX_HEADER), number)
                elif opened:
                    scope = opened.pop()
                header = number + 1
            elif token.text == ";":
                header = number + 1
            self._of.append(scope)

    def _open(self, parent: _Scope | None, type_name: str | None = None, is_function: bool = False) -> _Scope:
        scope = _Scope(parent, type_name, is_function or (type_name is None and parent is not None))
        self._all.append(scope)
        return scope

    def _block(self, parent: _Scope, header: int, number: int) -> _Scope:
        """Return a new block inside ``parent``, with its parameters as variables: a type, a function or a statement.

        The tokens from ``header`` to ``number`` precede the body, such as the name and parameters of a function.
        """
        words = self._tokens[header:number]
        at = next((index for index, word in enumerate(words) if word.text in _TYPES), None)
        name = words[at + 1].text if at is not None and at + 1 < len(words) else None
        if at is not None and words[0].text == "companion":
            # In Kotlin, the members of a companion object are used as if they were members of the type around it. So
            # its block gets the name of that type.
            name = next((scope.type for scope in parent.outwards() if scope.type is not None), name)
        scope = self._open(parent, name)
        self._parameters(scope, header, number)
        return scope

    def _parameters(self, scope: _Scope, header: int, end: int) -> None:
        close = next((index for index in range(end - 1, header - 1, -1) if self._tokens[index].text == ")"), None)
        if close is None:
            return
        depth, begin = 0, header
        for index in range(close, header - 1, -1):
            depth += (self._tokens[index].text == ")") - (self._tokens[index].text == "(")
            if depth == 0:
                begin = index
                break
        if begin > header and self._tokens[begin - 1].text in _STATEMENTS:
            return
        for index in range(begin + 1, close):
            token, before, behind = self._tokens[index], self._tokens[index - 1], self._tokens[index + 1]
            named = token.kind == "name" and behind.text in (",", ")", "=", ":")
            if named and (before.kind == "name" or before.text in "(,>]*&$"):
                scope.variables.setdefault(token.text, Variable([None], self._type(index)))

    def _dedented(self, scope: _Scope, number: int) -> _Scope:
        """Return the block that contains the line beginning with the token ``number``, in a language with indentation.

        ``scope`` is the block before this line. A line with ``def`` or ``class`` begins a new block.
        """
        column = self._tokens[number].start - (self._text.rfind("\n", 0, self._tokens[number].start) + 1)
        while scope.parent is not None and column <= scope.indent:
            scope = scope.parent
        word = number + (self._tokens[number].text == "async")
        if word + 1 < len(self._tokens) and self._tokens[word].text in ("def", "class"):
            is_type = self._tokens[word].text == "class"
            scope = self._open(scope, self._tokens[word + 1].text if is_type else None)
            scope.indent = column
            if not is_type:
                close = next((at for at in range(word, len(self._tokens)) if self._tokens[at].text == ")"), word)
                self._parameters(scope, word, close + 1)
        return scope

    def _read_values(self) -> None:
        """Store the values that assignments give to each variable; named arguments of calls are skipped."""
        brackets: list[str] = []
        later: list[tuple[int, int]] = []
        for number, token in enumerate(self._tokens):
            if token.text == "define" and number + 2 < len(self._tokens):
                name = self._tokens[number + 1].text
                self._all[0].variables.setdefault(name, Variable()).values.append(number + 2)
            if token.kind != "sign":
                continue
            if token.text in OPENING:
                before = self._tokens[number - 1].text if number else ""
                brackets.append(before if token.text == "(" and before in ("const", "var") else token.text)
            elif token.text in CLOSING and brackets:
                brackets.pop()
            elif token.text in _GIVES and number and brackets[-1:] != ["("]:
                index = self._variable(number - 1)
                if self._begins(index, number):
                    self._add(self._of[number], index, number)
                else:
                    later.append((index, number))
        for index, number in later:
            name, scope = self._tokens[index].text, self._of[number]
            if index > 1 and self._tokens[index - 1].text in (".", "->"):
                # The assigned name is a member of an object whose type is unknown. Store it in the nearest block that
                # is not a function.
                scope = next((one for one in scope.outwards() if not one.is_function), scope)
            else:
                scope = next((one for one in scope.outwards() if name in one.variables), self._all[0])
            self._add(scope, index, number)

    def _add(self, scope: _Scope, index: int, number: int) -> None:
        variable = scope.variables.setdefault(self._tokens[index].text, Variable())
        variable.type = variable.type or self._type(index)
        # An assignment such as ``+=`` only appends to the variable, so its whole value is unknown: add None as well.
        variable.values += [number + 1] if self._tokens[number].text in ("=", ":=") else [number + 1, None]

    def _begins(self, index: int, number: int) -> bool:
        """Return True if an assignment declares a new variable, False if it changes a known variable.

        ``index`` is the token of the variable's name, and ``number`` the token of the assignment operator.
        """
        before = self._tokens[index - 1] if index else None
        if before is not None and before.text in (".", "->"):
            return False
        if not self._family.declares or self._tokens[number].text == ":=":
            return True
        if before is None or self._tokens[index].on_new_line:
            return index + 1 < number
        return (before.kind == "name" and before.text not in ("else", "return", "do")) or before.text in (">", "]", "*")

    def _variable(self, number: int) -> int:
        """Return the token of the variable's name in an assignment such as ``name: String = ...``.

        ``number`` is the last token of the name, or of the type annotation after it.
        """
        for index in range(number, max(number - 4, 0), -1):
            if self._tokens[index].text == ":" and self._tokens[index - 1].kind == "name":
                return index - 1
            if self._tokens[index].on_new_line or self._tokens[index].text in (";", "{", "}", ","):
                break
        return number

    def _type(self, index: int) -> str | None:
        """Return the declared type of the variable whose name is the token ``index``; None if none is declared."""
        behind = self._tokens[index + 1 : index + 3]
        if len(behind) == 2 and behind[0].text == ":" and behind[1].kind == "name":
            return behind[1].text
        before = self._tokens[index - 1] if index else None
        if before is None or self._tokens[index].on_new_line or before.text in _UNTYPED:
            return None
        if before.text == ">":
            return "generic"
        return before.text if before.kind == "name" else None
