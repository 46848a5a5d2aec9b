"""The string values of expressions in source code: literals, constants, and concatenations by + and methods."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from functools import cached_property
from typing import Literal, NamedTuple
from urllib.parse import quote

from transpiler.tools.lint.embedded.code_scopes import Scopes
from transpiler.tools.lint.embedded.code_tokens import CLOSING, OPENING, Family, Token, content
from transpiler.tools.lint.embedded.selector_patterns import HOLE
from transpiler.tools.lint.embedded.selector_text import MappedText, decoded, joined, plain

#: The words that mean "no value" in the supported languages.
_NOTHING = frozenset("null nil none undefined nullptr".split())
_OWN = frozenset({"this", "self", "cls"})
#: Signs that end an expression.
_ENDS = frozenset(",)]};")
#: Signs that, at the beginning of a line, continue the expression of the previous line.
_CONTINUES = frozenset("+.%?(")
#: Address and dereference operators, which do not change which text an operand means.
_REFERENCES = frozenset("&*$")
#: Signs and words that only occur in an argument that is a function or a type, not a string.
_NO_TEXT = frozenset(("->", "=>", "::", "class", "function", "typeof", "lambda", "async"))
#: A decimal number whose string form at run time is the same as in the source code.
_NUMBER = re.compile(r"(?:0|[1-9]\d*)(?P<fraction>\.\d*[1-9]|\.0)?(?P<suffix>[lL]?)")
#: The types of variables that can contain a string, in lower case.
_TEXT_TYPES = frozenset(
    "string str charsequence simplestring char wchar stringbuilder stringbuffer object any dynamic var val let auto"
    " cstr gstring optional option".split()
)
#: Last words of variable names that show that the variable is not a selector, such as an id.
_OTHER_THINGS = frozenset(
    "handler listener callback consumer subscriber dest destination queue topic address class type option options opts"
    " promise future config configuration settings executor scheduler timeout interval session connection factory"
    " context local durable group groupid clientid token tenant tenantid name id metrics registry tracer span"
    " void".split()
)
#: The words of a name, without digits: ``client`` and ``Id`` in ``clientId``.
_WORDS_OF_NAME = re.compile(r"[A-Z]?[a-z]+|[A-Z]+(?![a-z])")
#: Artemis's own string class. A call of it has the value of its argument.
_WRAPPER = "SimpleString"
#: Argument matchers of mock frameworks: ``_EQUALS`` requires a given text, ``_ANYTHING`` accepts any argument.
_EQUALS, _ANYTHING = "eq", re.compile(r"any(?:String|Object|Boolean)?|isNull|isNotNull|notNull|nullable|isA")
#: Functions and classes whose calls return their first argument with the escapes of a URI.
_URI_ENCODERS = frozenset({"URLEncoder", "encodeURIComponent", "UriUtils", "quote_plus", "urlencode"})
#: ``_FORMATS`` are names of functions that insert values into a format string, in lower case. ``_FORMAT`` matches a
#: placeholder in such a string: of printf, of Python, or of .NET.
_FORMATS = frozenset("format printf sprintf fromf tof".split())
_FORMAT = re.compile(r"%%|%[-#+ 0,(]*(?:\d+\$)?[\d.]*[a-zA-Z]|\{\w*(?:[:!][^{}]*)?\}")
#: The placeholder of a value in an interpolated literal.
_INTERPOLATED = re.compile(r"[$#]?\{[^{}]*\}|\$\w+|\([^()]*\)")
#: Maximum number of constants that are followed from one to the next to find a value.
_MAX_DEPTH = 20

Kind = Literal["text", "unknown", "other", "none"]


class Value(NamedTuple):
    """The value of an expression, as far as the source code shows it.

    - ``text`` is the value if it is a known string, else None. ``parts`` is the text with the character ``HOLE`` for
      each part that is known only at run time; None if nothing is known.
    - ``kind`` is ``text`` for a string, ``unknown`` if the value may be a string, ``other`` for a number or boolean,
      and ``none`` for anything else, such as null or a type.
    - ``literal`` is the first string literal in the expression. ``begin`` is the first token of a variable's value.
    - ``file`` is the other file that contains the text, None for this file. ``is_filled`` is True if a part of the text
      is in another file.
    - ``reason`` says why the text is unknown, or is empty.
    """

    text: MappedText | None
    kind: Kind
    literal: Token | None = None
    parts: MappedText | None = None
    begin: int | None = None
    file: str | None = None
    is_filled: bool = False
    reason: str = ""


_NO_VALUE = Value(None, "none")
_UNKNOWN = Value(None, "unknown")
#: A function that finds a constant of another file. Arguments: the dotted name as a sequence, and the number of
#: constants followed so far. It returns the value, or None if no file is known to declare the constant.
Elsewhere = Callable[[Sequence[str], int], Value | None]


class Values:
    """An evaluator of the expressions in a source file. An expression is identified by the index of its first token."""

    def __init__(
        self, tokens: Sequence[Token], family: Family, text: str, elsewhere: Elsewhere = lambda *_: None
    ) -> None:
        self.tokens = tokens
        self._family, self._text, self._elsewhere = family, text, elsewhere
        self._interpolated = re.compile(family.interpolated)

    @cached_property
    def _scopes(self) -> Scopes:
        return Scopes(self.tokens, self._family, self._text)

    @cached_property
    def _injected(self) -> dict[str, Token]:
        """The string literals in annotations ``@Value("${key}")`` of Spring and Micronaut.

        The key of the dict is the name of the annotated field or parameter.
        """
        found = {}
        for number, token in enumerate(self.tokens):
            if token.text == "Value" and number and self._is(number - 1, "@") and self._is(number + 1, "("):
                at = self._closing(number + 1)
                text = next((index for index in range(number, at) if self._kind(index) == "text"), None)
                while self._kind(at) == "name" and not self._is(at + 1, ";", ",", ")", "=", ":"):
                    at += 1
                if text is not None and self._kind(at) == "name" and "${" in content(self.tokens[text]).text:
                    found[self.tokens[at].text] = self.tokens[text]
        return found

    def at(self, number: int, depth: int = 0) -> Value:
        """Return the value of the expression that begins with the token at the index ``number``.

        ``depth`` is the number of constants already followed to reach the expression.
        """
        return self._read(number, depth)[0]

    def behind_name(self, number: int) -> int:
        """Return the index of the first token of an argument's value.

        ``number`` is the index of the argument's first token, which is the name if the argument is a named argument.
        """
        return number + 2 if self._kind(number) == "name" and self._is(number + 1, "=", ":", ":=") else number

    def member(self, name: str, type_name: str | None, depth: int) -> Value | None:
        """Return the value of the constant ``name``, None if unknown.

        ``type_name`` is its type, None if no type contains it.
        """
        variable = self._scopes.find_declared(name, type_name)
        if variable is None or len(variable.values) != 1 or variable.values[0] is None:
            return None
        return self.at(variable.values[0], depth)

    def argument(self, number: int, is_only: bool = False) -> Value:
        """Return the value of the argument that begins with the token ``number``, which may be the argument's name.

        ``is_only`` is True if the argument must be a selector; then it is accepted whatever its name is.
        """
        begin = self.behind_name(number)
        if begin != number or (number and self._is(number - 1, ":")):
            number = begin
            if self._kind(number) == "name" and self.tokens[number].text.lower() in _TEXT_TYPES:
                # ``name: String`` is a parameter with its type, not an argument with a value.
                return _NO_VALUE
        value = self.at(number)
        if value.kind == "text":
            return value
        inside = list(self._extent(number))
        if any(self.tokens[index].text in _NO_TEXT for index in inside) or self._declares(inside):
            return _NO_VALUE
        is_choice = value.kind in ("other", "none") or any(self._is(index, "?") for index in inside)
        if is_choice and any(self._kind(index) == "text" for index in inside):
            # A conditional expression chooses one of the literals at run time, so the text is unknown. An expression
            # that begins with one of these signs is a list, a map or an annotation instead, and no string.
            is_value = self.tokens[number].text not in ("{", "[", "@")
            return Value(None, "text" if is_value else "none")
        if value.kind == "unknown" and self._is_other_thing(inside, is_only):
            return _NO_VALUE
        return value

    def assigned(self, number: int) -> Value:
        """Return the value of the expression at the token ``number``, which is assigned to a name.

        The kind is ``none`` if the expression only passes on another value: a parameter, a member or the call of a
        getter. It is also ``none`` for a type after a colon.
        """
        value = self.argument(number)
        if value.kind != "unknown" or value.reason:
            return value
        inside = self._extent(number)
        called = next((index for index in inside if self.tokens[index].text == "("), None)
        is_got = called is not None and self.tokens[called - 1].text.lower().startswith(("get", "is"))
        return value if called is not None and called > number and not is_got else _NO_VALUE

    def parameter(self, number: int, is_declared: bool) -> str | None:
        """Return the name of the parameter that begins with the token ``number``; None if it is an argument of a call.

        ``is_declared`` is True if a keyword declares the function; then the type may be missing, or after the name.
        """
        inside = self._extent(number)
        inside = inside[: next((at for at, index in enumerate(inside) if self._is(index, "=")), len(inside))]
        if is_declared:
            names = [self.tokens[index].text for index in inside if self._kind(index) == "name"]
            is_behind = len(names) > 1 and (self._is(number + 1, ":") or names[-1].lower() in _TEXT_TYPES)
            return names[0 if is_behind else -1] if names else None
        return self.tokens[inside[-1]].text if self._declares(inside) else None

    def end(self, number: int) -> int:
        """Return the offset in the file of the end of the expression that begins with the token ``number``."""
        inside = self._extent(number)
        return self.tokens[inside[-1]].end if inside else self.tokens[number].start

    def arguments(self, opening: int) -> list[int]:
        """Return the first token of each argument in the parentheses that open at the token ``opening``."""
        found, index = [], opening + 1
        while index < len(self.tokens) and self.tokens[index].text not in CLOSING:
            found.append(index)
            inside = self._extent(index)
            index = max(inside.stop, index + 1)
            if not self._is(index, ","):
                break
            index += 1
        return found

    def is_literal(self, number: int) -> bool:
        """Return True if the argument at ``number`` is a string literal and nothing else."""
        return self._kind(number) == "text" and self._is(number + 1, ",", ")")

    def is_nothing(self, number: int) -> bool:
        """Return True if the argument at ``number`` is the null of the language."""
        return self._is_alone(number) and self.tokens[number].text.lower() in _NOTHING

    def is_of_text(self, number: int) -> bool:
        """Return True if the argument at ``number`` is a variable whose declared type is ``String``."""
        variable = self._scopes.find(self.tokens[number].text, number) if self._is_alone(number) else None
        return variable is not None and variable.type is not None and variable.type.lower() == "string"

    def _is_alone(self, number: int) -> bool:
        """Return True if the argument at ``number`` is a single name and nothing else."""
        return self._kind(number) == "name" and self._is(number + 1, ",", ")")

    def is_called(self, number: int, word: re.Pattern[str]) -> bool:
        """Return True if the argument at ``number`` is a variable or a call, and its name matches ``word``."""
        inside = self._extent(number)
        opened = next((index for index in inside if self.tokens[index].text == "("), inside.stop)
        names = [index for index in inside if index < opened and self._kind(index) == "name"]
        return bool(names) and word.search(self.tokens[names[-1]].text) is not None

    def begins_with_text(self, number: int) -> bool:
        """Return True if the argument at ``number`` begins with a string literal."""
        return self._kind(number) == "text"

    def around(self, number: int) -> tuple[int, Value]:
        """Return the first token and the value of the whole concatenation that contains the literal at ``number``."""
        first = number
        while first:
            before = self.tokens[first - 1]
            if self._family.adjacent and before.kind == "text":
                first -= 1
            elif before.text == "+" and first > 1 and (operand := self._before(first - 2)) is not None:
                first = operand
            else:
                break
        sign = self.tokens[first - 1].text if first else ""
        called = self.tokens[first - 2].text.lower() if first > 1 else ""
        if sign in ("+", ".", "%") or (sign == "(" and called in _FORMATS):
            token, parts = self.tokens[number], _filled_in(content(self.tokens[number]), _FORMAT)
            return first, Value(None, "text", token, parts if sign == "(" and self.is_literal(first) else _holed(parts))
        return first, self.at(first)

    def _before(self, number: int) -> int | None:
        """Return the first token of the operand that ends with the token ``number``; None if no operand ends there."""
        if self.tokens[number].text == ")":
            depth = 0
            while number >= 0:
                depth += (self.tokens[number].text == ")") - (self.tokens[number].text == "(")
                if depth == 0:
                    break
                number -= 1
            if number > 0 and self.tokens[number - 1].kind == "name":
                number -= 1
            elif number < 0:
                return None
        elif self.tokens[number].kind == "sign":
            return None
        while number > 1 and self.tokens[number - 1].text == "." and self.tokens[number - 2].kind == "name":
            number -= 2
        return number

    def _read(self, number: int, depth: int) -> tuple[Value, int]:
        """Return the value of the expression that begins at ``number``, and the index of the token after it."""
        operands: list[Value] = []
        ranges: list[tuple[int, int]] = []
        while True:
            first = number
            operand, number = self._operand(number, depth)
            operands.append(operand)
            ranges.append((first, max(first, number - 1)))
            behind = self._token(number)
            if behind is not None and behind.text == "+":
                number += 1
            elif not (self._family.adjacent and self._kind(number) == self._kind(number - 1) == "text"):
                break
        kinds = {operand.kind for operand in operands}
        ends = behind is None or behind.text in _ENDS or (behind.on_new_line and behind.text not in _CONTINUES)
        kind: Kind = next((kind for kind in ("text", "unknown", "other") if kind in kinds), "none")
        if kind == "other" and not ends:
            # A number or boolean with an operator after it may be the condition in ``flag ? 'a' : 'b'``, so the result
            # may be a text.
            kind = "unknown"
        if len(operands) > 1 or not ends:
            operands = [self._here(operand, *own_range) for operand, own_range in zip(operands, ranges, strict=True)]
        known = [operand.text for operand in operands if operand.text is not None]
        text = joined(known) if ends and len(known) == len(operands) else None
        some = [part for operand in operands if (part := operand.text or operand.parts) is not None]
        literal = next((operand.literal for operand in operands if operand.literal is not None), None)
        parts = text
        if text is None and some:
            hole = MappedText(HOLE, [some[0].at], [some[0].at], some[0].at)
            parts = joined([operand.text or operand.parts or hole for operand in operands])
            if behind is not None and not ends:
                called = self._token(number + 1)
                is_format = called is not None and behind.text == "." and called.text in ("format", "formatted")
                is_filled = is_format or behind.text == "%"
                # A method is called on the text. If it is not a method for formatting, it may add unknown text before
                # and after it.
                parts = _filled_in(parts, _FORMAT) if is_filled else joined([hole, _holed(parts)])
        begin, file = (operands[0].begin, operands[0].file) if len(operands) == 1 and ends else (None, None)
        reason = next((operand.reason for operand in operands if operand.reason), "") if text is None else ""
        is_filled = any(operand.is_filled for operand in operands)
        return Value(text, kind, literal, parts, begin, file, is_filled, reason), number

    def _here(self, operand: Value, first: int, last: int) -> Value:
        """Return ``operand``, whose tokens are ``first`` to ``last``, with positions in this file.

        If the text of ``operand`` is in another file, each of its characters gets the position of the whole expression.
        """
        if operand.file is None:
            return operand
        start, end = self.tokens[first].start, self.tokens[last].end

        def placed(text: MappedText | None) -> MappedText | None:
            size = 0 if text is None else len(text.text)
            return None if text is None else MappedText(text.text, [start] * size, [end] * size, start)

        return operand._replace(text=placed(operand.text), parts=placed(operand.parts), file=None, is_filled=True)

    def _operand(self, number: int, depth: int) -> tuple[Value, int]:
        """Return the value of the operand at ``number`` after its string methods, and the index of the next token."""
        value, number = self._alone(number, depth)
        while value.kind == "text" and self._is(number, ".") and self._kind(number + 1) == "name":
            name = self.tokens[number + 1].text.lower()
            if not self._is(number + 2, "("):
                break
            if name in _METHODS:
                value, number = _after(value, name), self._closing(number + 2)
            elif name == "join" and self._is(number + 3, "[", "("):
                value, number = self._joined(value, self.arguments(number + 3), depth), self._closing(number + 2)
            else:
                break
        return value, number

    def _joined(self, separator: Value, texts: Sequence[int], depth: int) -> Value:
        """Return the value of the expressions ``texts`` joined by ``separator``."""
        if separator.text is None or not texts:
            return _UNKNOWN
        values = [self._here(self.at(at, depth + 1), at, max(at, self._extent(at).stop - 1)) for at in texts]
        text = _joined_by(separator.text, [value.text or value.parts for value in values])
        is_known = all(value.text is not None for value in values)
        is_filled = any(value.is_filled for value in values)
        literal = next((value.literal for value in values if value.literal is not None), separator.literal)
        return Value(text if is_known else None, "text", literal, text, is_filled=is_filled)

    def _alone(self, number: int, depth: int) -> tuple[Value, int]:
        """Return the value of the literal, name or parenthesized expression at ``number``, and the next token."""
        token = self._token(number)
        if token is None:
            return _NO_VALUE, number
        if token.kind == "text":
            if self._interpolated.search(token.text):
                return Value(None, "text", token, _filled_in(content(token), _INTERPOLATED)), number + 1
            return Value(content(token), "text", token), number + 1
        if token.kind == "number" or token.text.lower() in ("true", "false"):
            return Value(_constant(token), "other"), number + 1
        if depth >= _MAX_DEPTH:
            return _UNKNOWN, number
        if token.text == "(":
            inner, behind = self._read(number + 1, depth + 1)
            if self._is(behind, ")"):
                return inner, behind + 1
            behind = self._closing(number)
            return Value(None, "unknown" if inner.kind == "none" else inner.kind, inner.literal), behind
        if token.kind == "name" and token.text.lower() not in _NOTHING:
            return self._named(number, depth)
        if token.text in _REFERENCES:
            return self._operand(number + 1, depth + 1)
        return _NO_VALUE, number + (token.kind == "name")

    def _named(self, number: int, depth: int) -> tuple[Value, int]:
        """Return the value of the name or call at ``number``, and the index of the token after it.

        If another name follows, the tokens declare a parameter or variable, such as ``String name``, and the value is
        ``_NO_VALUE``.
        """
        first = number
        path = [self.tokens[number].text]
        if path[0] == "new" and (token := self._token(number + 1)) is not None:
            number += 1
            path = [token.text]
        number += 1
        while self._is(number, ".") and self._kind(number + 1) == "name":
            path.append(self.tokens[number + 1].text)
            number += 2
        behind = self._token(number)
        if behind is not None and behind.kind == "name" and not behind.on_new_line:
            return _NO_VALUE, number
        if self._is(number, "("):
            return self._call(path, number, depth)
        return self._variable(path, first, depth), number

    def _call(self, path: list[str], number: int, depth: int) -> tuple[Value, int]:
        """Return the value of the call whose parentheses open at the token ``number``, and the next token's index.

        ``path`` is the dotted name of the function, in parts.
        """
        inner = _UNKNOWN
        behind = self._closing(number)
        name = path[-1].lower()
        if name in _METHODS and len(path) > 1 and self._is(number + 1, ")"):
            inner = _after(self._variable(path[:-1], number - 2 * len(path) + 1, depth), name)
        elif name in _METHODS:
            # The function belongs to a module and gets the text as its argument: ``textwrap.dedent(text)``.
            inner = _after(self._read(number + 1, depth + 1)[0], name)
        elif name == "join" and len(path) > 1 and path[-2].lower() == "string":
            separator, *texts = self.arguments(number)
            if len(texts) > 1:
                inner = self._joined(self.at(separator, depth + 1), texts, depth)
        elif name in _FORMATS:
            template = self._read(number + 1, depth + 1)[0]
            if template.text is not None and template.kind == "text":
                inner = Value(None, "text", template.literal, _filled_in(template.text, _FORMAT))
        elif _ANYTHING.fullmatch(path[-1]):
            inner = _NO_VALUE
        elif _WRAPPER in path or path[-1] == _EQUALS or _URI_ENCODERS & set(path):
            inner = self._read(number + 1, depth + 1)[0]
            if _URI_ENCODERS & set(path) and inner.text is not None:
                inner = inner._replace(text=_in_uri(inner.text), parts=None)
        return inner, behind

    def _variable(self, path: list[str], first: int, depth: int) -> Value:
        name = path[-1]
        variable = None
        if len(path) == 1:
            variable = self._scopes.find(name, first)
        elif len(path) == 2 and (path[0] in _OWN or path[0] in self._scopes.types):
            variable = self._scopes.find_member(name, first, None if path[0] in _OWN else path[0])
        if (variable is None or set(variable.values) <= {None}) and name in self._injected:
            token = self._injected[name]
            return Value(content(token), "text", token)
        if variable is None:
            return self._outside(path, first, depth)
        value = variable.values[0] if len(variable.values) == 1 else None
        if value is not None:
            found = self.at(value, depth + 1)
            is_null = self.tokens[value].text.lower() in _NOTHING
            if found.kind == "none" and not is_null:
                return Value(None, self._of_type(variable.type))
            return found if found.begin is not None else found._replace(begin=value)
        return Value(None, self._of_type(variable.type))

    def _outside(self, path: list[str], first: int, depth: int) -> Value:
        """Return the value of the constant with the dotted name ``path``, which another file declares.

        ``first`` is the first token of the name. The value is unknown if no file declares the constant, or if ``path``
        begins with a variable of this file.
        """
        is_own = path[0] in _OWN
        if len(path) > 1 and not is_own and self._scopes.find(path[0], first) is not None:
            return _UNKNOWN
        found = self._elsewhere(path[is_own:], depth + 1)
        if found is not None:
            return found
        is_of_type = len(path) > 1 and path[-2][:1].isupper()
        return Value(None, "unknown", reason=f"a constant of {path[-2]}, not found here") if is_of_type else _UNKNOWN

    def _of_type(self, type_name: str | None) -> Kind:
        return "unknown" if type_name is None or type_name.lower().strip("_") in _TEXT_TYPES else "none"

    def _is_other_thing(self, inside: Sequence[int], is_only: bool) -> bool:
        """Return True if the name or call in the tokens ``inside`` is certainly not a selector, by its name or type.

        ``is_only`` is True if the argument must be a selector; then its name does not count.
        """
        names = [index for index in inside if self._kind(index) == "name"]
        if not names or any(self.tokens[index].text in "+?" for index in inside):
            return False
        opened = next((index for index in inside if self.tokens[index].text == "("), None)
        last = opened - 1 if opened is not None and opened > inside[0] else names[-1]
        if self.tokens[inside[0]].text == "new":
            return self.tokens[names[min(1, len(names) - 1)]].text.lower() not in _TEXT_TYPES
        if is_only or self.is_of_text(names[0]):
            return False
        if len(names) > 1 and self.tokens[names[-2]].text.lower().endswith(("type", "mode")):
            # The name is a member of a type such as ``MessageType``, which is an enumeration and not a string.
            return True
        words = [word.lower() for word in _WORDS_OF_NAME.findall(self.tokens[last].text)]
        return bool(words) and words[-1] in _OTHER_THINGS

    def _declares(self, inside: Sequence[int]) -> bool:
        """Return True if the tokens ``inside`` are the declaration of a parameter: a type, and the name after it."""
        inside = inside[: next((at for at, index in enumerate(inside) if self._is(index, "=")), len(inside))]
        if len(inside) < 2 or self._kind(inside[-1]) != "name":
            return False
        before = self.tokens[inside[-2]]
        return before.kind == "name" or before.text in (">", "]") or (len(inside) > 2 and before.text in ("*", "&"))

    def _extent(self, number: int) -> range:
        """Return the tokens of the expression at ``number``: up to a comma, a semicolon or a closing bracket."""
        depth = 0
        for index in range(number, len(self.tokens)):
            text = self.tokens[index].text
            if self.tokens[index].kind == "sign":
                if depth == 0 and text in _ENDS:
                    return range(number, index)
                depth += (text in OPENING) - (text in CLOSING)
        return range(number, len(self.tokens))

    def _closing(self, number: int) -> int:
        """Return the index of the token after the bracket that closes the bracket at ``number``."""
        depth = 0
        for position in range(number, len(self.tokens)):
            if self.tokens[position].kind == "sign":
                text = self.tokens[position].text
                depth += (text in OPENING) - (text in CLOSING)
                if depth == 0:
                    return position + 1
        return len(self.tokens)

    def _token(self, number: int) -> Token | None:
        return self.tokens[number] if number < len(self.tokens) else None

    def _kind(self, number: int) -> str | None:
        return self.tokens[number].kind if 0 <= number < len(self.tokens) else None

    def _is(self, number: int, *signs: str) -> bool:
        token = self._token(number)
        return token is not None and token.kind == "sign" and token.text in signs


def _constant(token: Token) -> MappedText | None:
    """Return the text that a number or boolean has when it is concatenated with a string.

    Return None if the text depends on the language.
    """
    if token.kind == "name":
        return plain(token.text, token.start)
    match = _NUMBER.fullmatch(token.text)
    return None if match is None else plain(token.text[: match.start("suffix")], token.start)


def _after(value: Value, name: str) -> Value:
    """Return ``value`` after a call of the string method ``name``, such as ``strip``.

    ``_METHODS`` lists the known methods.
    """
    method = _METHODS[name]
    text, parts = (None if one is None else method(one) for one in (value.text, value.parts))
    return value._replace(text=text, parts=parts, begin=None)


def _holed(text: MappedText) -> MappedText:
    """Return ``text`` with the character ``HOLE`` at its end, because the program appends a text that is not known."""
    end = text.ends[-1] if text.ends else text.at
    return joined([text, MappedText(HOLE, [end], [end], end)])


def _filled_in(text: MappedText, pattern: re.Pattern[str]) -> MappedText:
    """Return ``text``, a format string, with the character ``HOLE`` (unknown text) in place of each placeholder.

    ``pattern`` matches a placeholder. ``%%`` becomes ``%``.
    """
    return decoded(text.text, 0, pattern, lambda match: "%" if match[0] == "%%" else HOLE).within(text)


def _in_uri(text: MappedText) -> MappedText:
    """Return ``text`` percent-encoded, as in a URI; each escape such as ``%20`` has the position of its character."""
    parts = []
    for index, character in enumerate(text.text):
        written = quote(character)
        parts.append(MappedText(written, [text.starts[index]] * len(written), [text.ends[index]] * len(written)))
    return joined(parts)


_INDENTATION, _MARGIN = re.compile(r"[ \t]*"), re.compile(r"[ \t]*\|")


def _stripped(text: MappedText) -> MappedText:
    own = text.text
    return text.part(len(own) - len(own.lstrip()), len(own.rstrip())) if own.strip() else text.part(0, 0)


def _without_indentation(text: MappedText) -> MappedText:
    """Return ``text`` without the indentation that all its lines share, and without blank lines around it."""
    lines = _lines(text)
    widths = [_width(_INDENTATION, line) for line in lines if line.text.strip()]
    least = min(widths, default=0)
    return _stripped(joined([line.part(min(least, len(line.text)), len(line.text)) for line in lines]))


def _without_margin(text: MappedText) -> MappedText:
    """Return ``text`` without the margin before the vertical bar of each line, and without blank lines around it."""
    return _stripped(joined([line.part(_width(_MARGIN, line), len(line.text)) for line in _lines(text)]))


def _width(pattern: re.Pattern[str], line: MappedText) -> int:
    match = pattern.match(line.text)
    return 0 if match is None else match.end()


def _lines(text: MappedText) -> list[MappedText]:
    """Return the lines of ``text``, each with its line end."""
    lines, start = [], 0
    for match in re.finditer("\n", text.text):
        lines.append(text.part(start, match.end()))
        start = match.end()
    return [*lines, text.part(start, len(text.text))]


#: For each string method, by its name in lower case, the function that computes its result. Some methods do not change
#: the text.
_METHODS: Mapping[str, Callable[[MappedText], MappedText]] = {
    **dict.fromkeys(
        "trim strip trimspace trimend trimstart lstrip rstrip stripleading striptrailing".split(), _stripped
    ),
    **dict.fromkeys("trimindent stripindent dedent cleandoc".split(), _without_indentation),
    **dict.fromkeys("trimmargin stripmargin".split(), _without_margin),
    **dict.fromkeys("tostring intern to_string to_owned into as_str".split(), lambda text: text),
}


def _joined_by(separator: MappedText, texts: Sequence[MappedText | None]) -> MappedText:
    """Return ``texts`` joined by ``separator``, with the character ``HOLE`` in place of each unknown text (None)."""
    pieces: list[MappedText] = []
    for text in texts:
        pieces += [separator] if pieces else []
        at = separator.at
        pieces.append(MappedText(HOLE, [at], [at], at) if text is None else text)
    return joined(pieces)
