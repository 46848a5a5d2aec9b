"""Selectors in source code: in the calls and assignments of ``selector_patterns``, and marked by comments.

The code is read as tokens and brackets, according to the family of its language; nothing else is parsed. A selector is
a literal, a constant, or a concatenation of these. Any other selector is known only at run time and yielded as unread,
unless it is certainly not a string (``code_values``). Two uses of the same characters in the file are one selector.

XML in a literal is read like an XML file. If a literal, or the name of a constant, is a key of a data file, then a
condition after it is a selector.
"""

from __future__ import annotations

import re
from bisect import bisect_left, bisect_right
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field

from transpiler.base.source import Span
from transpiler.tools.lint.embedded.code_functions import DECLARES, Function, declared
from transpiler.tools.lint.embedded.code_patterns import CodePattern, of_assignment, of_call, patterns, squeezed
from transpiler.tools.lint.embedded.code_tokens import CLOSING, OPENING, Family, Token, content, escaped, tokens
from transpiler.tools.lint.embedded.code_values import Elsewhere, Value, Values
from transpiler.tools.lint.embedded.markers import read_marker
from transpiler.tools.lint.embedded.selector_patterns import (
    HOLE,
    SelectorPattern,
    find_pattern,
    is_condition,
    is_messaging,
    is_of_jms,
    names_of,
)
from transpiler.tools.lint.embedded.selector_text import (
    Escape,
    FoundSelector,
    InFile,
    MappedText,
    UnreadSelector,
    as_is,
    find_in_text,
    found,
    known_dialect,
)
from transpiler.tools.lint.embedded.xml_text import find_in_xml_literal, is_xml

#: Signs between the name of an argument, member or variable and its value.
_GIVES = {"=", ":", "=>", ":="}
_TYPES = {"class", "interface", "enum", "struct", "object", "record", "trait"}
#: Keywords between the name of a type or function and its body.
_IN_HEADS = {"throws", "implements", "extends"} | _TYPES
_BETWEEN_NAMES = {",", ".", "<", ">"}
#: Signs and words before the name of a call that is a method, a constructor or an annotation, not a plain function.
_BEFORE_NAMES = {".", "->", "::", "new", "@"}
#: ``_CALLED_SELECTOR`` matches the names of variables for selectors, ``_CALLED_SO`` also those for filters. The second
#: is used only in calls with the AMQP descriptor of a selector filter, where a variable for a filter must contain a
#: selector.
_CALLED_SELECTOR, _CALLED_SO = re.compile(r"[sS]elector|SELECTOR"), re.compile(r"(?i)selector|filter")
#: Regular expression of the name of a constant in source code.
_CONSTANT = re.compile(r"^[A-Z][A-Z0-9_]+$")
#: Maximum number of lines between a comment that marks a selector and the literal that it marks.
_NEAR = 3
#: Maximum number of nested brackets around a named member of a call that is still examined.
_MAX_LEVELS = 3
#: ``_IN_KEYS`` matches the word that occurs in every key whose value is a selector. ``_KEY_STEPS`` matches the
#: separators between the parts of a key, as in ``consumer.selector``.
_IN_KEYS, _KEY_STEPS = re.compile(r"selector|filter", re.IGNORECASE), re.compile(r"[.\[\]]")
#: ``_ASSIGNS`` is a token "=" that replaces the brackets of Ruby's ``let(:name) { value }``, which assigns without "=".
#: ``_OF_NO_NAME`` matches characters to remove before a text is compared with a name.
_ASSIGNS, _OF_NO_NAME = Token("sign", "=", 0, 0, False), re.compile(r"[^A-Za-z0-9]")
#: A text of the form ``key = value``, whose key ends with "selector". The value must not begin with an unknown part
#: (``HOLE``), because such a text is often a log message.
_ENTRY = re.compile(
    rf"(?P<key>(?:[\w.-]*[._-])?(?:message|jms)?-?selector)\s*=\s*(?P<value>[^\s{HOLE}].*)", re.IGNORECASE | re.DOTALL
)
#: Signs between the two arguments of a call that are a key and its value.
_BEHIND_KEYS = {",", "->", "to"}


@dataclass(slots=True)
class _Call:
    """A pair of brackets with its content: a call, a declaration of a function or type, or a block of statements.

    ``name`` is the name before the brackets of a call; it is empty for a declaration, whose name is ``declared``.
    ``arguments`` contains the first token of each argument. ``members`` contains for each named argument or member its
    name, the first token of its value, and how many brackets inside the call surround it.
    """

    name: str
    declared: str
    before: str | None
    #: The offset in the file of the bracket that opens the call or block.
    begin: int
    #: True if the brackets contain statements. Names assigned in them are variables, not members of the surrounding
    #: call.
    is_block: bool
    #: True if no object precedes the name of the function, so that the function is declared in this file or inherited.
    is_alone: bool
    arguments: list[int]
    members: list[tuple[str, int, int]] = field(default_factory=list)
    literals: set[str] = field(default_factory=set)


def find_in_code(
    text: str, family: Family, others: Iterable[Function] = (), elsewhere: Elsewhere = lambda *_: None
) -> Iterator[InFile]:
    """Yield the selectors of the source file ``text``, in the order of the file.

    ``others`` are functions of other files that the file may call. ``elsewhere`` looks up constants of other files.
    """
    all_tokens = tokens(text, family)
    code = [token for token in all_tokens if token.kind != "comment"]
    reader = _Reader(text, code, Values(code, family, text, elsewhere), others)
    for comment in all_tokens:
        if comment.kind == "comment":
            reader.comment(comment)
    reader.calls()
    reader.own_functions()
    reader.texts()
    reader.inner()
    for _, selectors in sorted(reader.found.items()):
        yield from selectors


#: The key of a found selector: start offset, end offset and text. An unread selector has its offset as start and end,
#: and an empty text.
_Key = tuple[int, int, str]


class _Reader:
    """The search for selectors in one source file. ``found`` collects the selectors by their position."""

    def __init__(self, text: str, code: Sequence[Token], values: Values, others: Iterable[Function]) -> None:
        self._text, self._code, self._values = text, code, values
        self._literals = [number for number, token in enumerate(code) if token.kind == "text"]
        self._ends = [code[number].end for number in self._literals]
        #: A cache: for each regular expression ``near`` of a code pattern, True if the file matches it.
        self._near: dict[str, bool] = {}
        own = [one for one in patterns() if one[0].is_own and self._is_near(one[1])]
        #: Functions with a selector parameter (``_functions``) and all calls of such functions (``_calls``), by
        #: function name.
        self._functions: dict[str, list[Function]] = {}
        self._calls: dict[str, list[_Call]] = {}
        for function in (*(declared(code, values, own) if own else ()), *others):
            self._functions.setdefault(function.name, []).append(function)
        #: The first tokens of values that may be selectors. ``_later`` has the values of variables that are named like
        #: a selector; they are examined after all calls. ``_used`` has the values of variables that a call passes as a
        #: selector.
        self._later: list[tuple[int, SelectorPattern]] = []
        self._used: set[int | None] = set()
        self.found: dict[_Key, list[InFile]] = {}
        #: The first token of each expression that is probably a selector whose text is not known, by the offset in the
        #: file.
        self._unread: dict[int, int] = {}

    def comment(self, comment: Token) -> None:
        """Find the selector that ``comment`` marks, if it marks one."""
        marked, dialect = read_marker(comment.text.lstrip("#/*-<! "))
        number = self._marked(comment) if marked else None
        if number is not None:
            first, value = self._values.around(number)
            self._add(value, first, dialect, "a comment")

    def calls(self) -> None:
        """Find the selectors in calls and assignments."""
        opened: list[_Call] = []
        closed: dict[int, _Call] = {}
        for number, token in enumerate(self._code):
            if token.kind == "text" and opened:
                opened[-1].literals.add(squeezed(content(token).text))
            if token.kind != "sign":
                self._member(number, opened)
                self._key(number)
            elif token.text in OPENING:
                opened.append(self._call(number, closed))
            elif token.text == "," and opened:
                opened[-1].arguments.append(number + 1)
            elif token.text in CLOSING and opened:
                call = closed[number] = opened.pop()
                if call.arguments[-1] == number:
                    # After a final comma, or in empty parentheses, the last argument has no tokens. Remove it.
                    call.arguments.pop()
                self._match(call)
                if call.name in self._functions and call.literals and not call.is_block:
                    self._calls.setdefault(call.name, []).append(call)
                if opened and not call.is_block:
                    opened[-1].literals |= call.literals
                    opened[-1].members += [(name, at, level + 1) for name, at, level in call.members]

    def _is_near(self, record: SelectorPattern) -> bool:
        """Return True if the file matches the expression ``near`` of ``record``, or if ``record`` has none."""
        found = self._near.get(record.near)
        if found is None:
            found = self._near[record.near] = re.search(record.near, self._text) is not None
        return found

    def own_functions(self) -> None:
        """Find the selectors passed to functions that the checked files declare, and those assigned to variables.

        Only functions with a selector parameter, and variables that are named like a selector, count.
        """
        for name, calls in self._calls.items():
            functions = self._functions[name]
            by_name = next((one.record for one in functions if one.position is None), None)
            named = {one.position: one.record for one in functions if one.position is not None}
            for call in calls:
                count = len(call.arguments)
                read = [self._condition(call.arguments[at], known) for at, known in named.items() if at < count]
                if by_name is not None and not read:
                    for at in call.arguments:
                        if self._condition(at, by_name):
                            break
        for at, known in self._later:
            # If a call passes the variable as a selector and the text is unknown, the call has already reported this.
            if at not in self._used or self._values.argument(at).text is not None:
                self._condition(at, known)

    def texts(self) -> None:
        """Find the selectors inside longer string literals: in XML, in ``key = value`` texts, and in URIs."""
        done: set[int] = set()
        for number in self._literals:
            token = self._code[number]
            lowered = token.text.lower()
            if "selector" not in lowered and ("filter" not in lowered or "<" not in lowered):
                continue
            first, value = self._values.around(number)
            if first in done:
                continue
            done.add(first)
            text = value.text or value.parts
            if text is None:
                continue
            xml = text.part(0, len(text.text.rstrip(HOLE)))
            escape = _escape(token)
            if is_xml(xml.text):
                selectors = list(find_in_xml_literal(xml, escape))
            else:
                selectors = list(self._entry(text, escape) or find_in_text(text, None, escape))
            if selectors:
                self.found.setdefault((token.start, token.start, "text"), selectors)

    def _entry(self, text: MappedText, escape: Escape) -> list[InFile]:
        """Return the selector in ``text`` if the text has the form ``key = value``, as in some annotations."""
        entry = _ENTRY.match(text.text)
        if entry is None or not is_condition(entry["value"]):
            return []
        known = find_pattern(names_of(_KEY_STEPS.split(entry["key"])))
        is_alone = entry["key"].lower() == "selector" and is_messaging(self._text)
        if known is None and not is_alone:
            return []
        dialect, whence = (None, "selector") if known is None else (known.dialect, known.pattern)
        return list(found(text.part(*entry.span("value")), dialect, escape, whence))

    def inner(self) -> None:
        """Discard each expression that was stored as unread, if a selector was found inside it."""
        positions = sorted(record for record, *_ in self.found)
        for start, number in self._unread.items():
            behind = bisect_right(positions, start)
            if behind < len(positions) and positions[behind] < self._values.end(number):
                self.found.pop((start, start, ""), None)

    def _call(self, number: int, closed: dict[int, _Call]) -> _Call:
        names = [token.text if token.kind == "name" else "" for token in self._code[max(0, number - 3) : number]]
        name = names[-1] if names else ""
        before = None
        if number > 2 and name and self._code[number - 2].text == ".":
            called = closed.get(number - 3)
            before = squeezed(names[-3]) if called is None else f"{called.name}()"
        is_body = self._code[number].text == "{" and self._is_head(number - 1)
        is_declared = is_body or (len(names) > 1 and names[-2] in DECLARES)
        is_block = self._code[number].text == "{" and (not name or (number > 0 and self._code[number - 1].text == ")"))
        is_block |= is_body
        if is_block and number and self._code[number - 1].text in ("(", ",", "[", "{", "=", ":", "return"):
            # These braces contain an object or a map, not statements.
            is_block = False
        squeezed_name = squeezed(name)
        is_alone = self._code[number].text == "(" and (number < 2 or self._code[number - 2].text not in _BEFORE_NAMES)
        begin, declared = self._code[number].start, squeezed_name if is_declared else ""
        return _Call("" if is_declared else squeezed_name, declared, before, begin, is_block, is_alone, [number + 1])

    def _is_head(self, at: int) -> bool:
        """Return True if the token ``at`` is in the head of a declaration, after a word such as ``throws``."""
        while at >= 0 and (self._code[at].kind == "name" or self._code[at].text in _BETWEEN_NAMES):
            if self._code[at].text in _IN_HEADS:
                return True
            at -= 1
        return False

    def _key(self, number: int) -> None:
        """If the token ``number`` is a key of a data format whose value is a selector, add that value."""
        token = self._code[number]
        if not (token.kind == "text" or token.text.isupper()) or not _IN_KEYS.search(token.text):
            return
        key = content(token).text if token.kind == "text" else token.text
        known = find_pattern(names_of(_KEY_STEPS.split(key)))
        if known is None:
            return
        at = number + 1
        while at < len(self._code) and (self._code[at].text in (".", "(", ")") or self._is_read(at)):
            at += 1
        if at + 1 < len(self._code) and self._code[at].text in _BEHIND_KEYS:
            self._condition(at + 1, known)

    def _is_read(self, number: int) -> bool:
        """Return True if the token ``number`` is a member that is read, as in ``Key.SELECTOR.text``, not assigned."""
        return self._code[number - 1].text == "." and self._code[number].kind == "name"

    def _condition(self, at: int, known: SelectorPattern) -> bool:
        """Add the argument at the token ``at`` as a selector if its value is a condition; return True if it is.

        ``known`` is the record of the pattern that the call matches.
        """
        value = self._values.argument(at)
        parts = value.text or value.parts
        if parts is None or not is_condition(parts.text):
            return False
        self._add(value, self._values.behind_name(at), known.dialect, known.pattern)
        return True

    def _member(self, number: int, opened: list[_Call]) -> None:
        """Add the value assigned to the name or literal at the token ``number``, if the value is a selector.

        ``opened`` are the brackets that surround the token, from the outermost to the innermost.
        """
        following = self._code[number + 1] if number + 1 < len(self._code) else None
        at = number + 2
        if following is not None and following.text == ")" and self._is_block_of_symbol(number):
            # In RSpec, ``let(:name) { value }`` defines the name. The value begins after the brace.
            following, at = _ASSIGNS, number + 3
        if following is not None and following.text == "]" and self._code[number + 1 : number + 3][-1].text == "=":
            following, at = self._code[number + 2], number + 3
        if following is None or following.text not in _GIVES or at >= len(self._code):
            return
        token = self._code[number]
        name = squeezed(content(token).text if token.kind == "text" else token.text)
        if opened:
            opened[-1].members.append((name, at, 0))
        for known in of_assignment(name):
            if self._is_near(known):
                if known.reason:
                    self._refuse(self._values.assigned(at), at, known)
                elif known.is_certain:
                    value = self._values.assigned(at)
                    if value.text is None or _OF_NO_NAME.sub("", value.text.text).lower() != name:
                        # The constant in ``SELECTOR = "selector"`` is the key of an option and not a selector. Such a
                        # constant has a text equal to its own name, so it is skipped.
                        self._add(value, at, known.dialect, known.pattern)
                else:
                    self._later.append((at, known))
                return
        if token.kind == "text" and _IN_KEYS.search(token.text):
            key = find_pattern(names_of(_KEY_STEPS.split(content(token).text)))
            if key is not None:
                self._condition(at, key)

    def _is_block_of_symbol(self, number: int) -> bool:
        """Return True if ``(:name) { 'text' }``, a definition with RSpec's ``let``, begins at the token ``number``."""
        around = [*self._code[max(number - 2, 0) : number], *self._code[number + 2 : number + 5]]
        signs = [token.text if token.kind == "sign" else token.kind for token in around]
        return signs == ["(", ":", "{", "text", "}"]

    def _match(self, call: _Call) -> None:
        is_found = False
        for pattern, known in of_call(call.name):
            if not pattern.literals <= call.literals or not self._is_near(known):
                continue
            if (pattern.before is not None and call.before != pattern.before) or (is_found and not known.is_certain):
                continue
            for at, is_certain in self._arguments(pattern, call):
                is_only = is_certain and self._is_only(pattern, known, call, at)
                value = self._values.argument(at, is_only)
                text = "" if value.text is None else value.text.text
                if squeezed(text) in pattern.literals or not (value.kind == "text" or self._is_one(pattern, known, at)):
                    continue
                is_helper = call.is_alone and "_" in pattern.arguments and value.kind == "text"
                is_certain = is_certain and known.is_certain and not is_helper
                if is_certain or self._is_selector(value, at, len(pattern.arguments) > 1):
                    number = self._values.behind_name(at)
                    if known.reason:
                        self._refuse(value, number, known)
                        return
                    is_found |= self._add(value, number, self._dialect(known, call), known.pattern)
                    if not known.is_certain:
                        # If the pattern is not certain, only one argument of the call can be the selector, and it was
                        # found.
                        return

    def _is_only(self, pattern: CodePattern, known: SelectorPattern, call: _Call, at: int) -> bool:
        """Return True if the argument ``at`` of ``call`` can only be a selector.

        This is certain if the argument's name or the function's name states it, or if a constant is passed to the JMS
        API. ``known`` is the record of ``pattern``.
        """
        if not known.is_certain or pattern.is_any:
            return False
        if pattern.key is not None or "select" in call.name:
            return True
        is_of_api = not call.is_alone and "_" in pattern.arguments and known.dialect is None
        return is_of_api and self._values.is_called(at, _CONSTANT) and is_of_jms(self._text)

    def _is_one(self, pattern: CodePattern, known: SelectorPattern, at: int) -> bool:
        """Return True if the argument at the token ``at``, whose text is unknown, may be a selector.

        If ``pattern`` matches calls of functions with any name, the argument must also be named like a selector or
        filter.
        """
        return not pattern.is_any or (known.is_certain and self._values.is_called(at, _CALLED_SO))

    def _is_selector(self, value: Value, at: int, is_one_of_several: bool) -> bool:
        """Return True if ``value``, the argument at the token ``at``, looks like a condition.

        If its text is unknown, return True only if its name is that of a selector and the call has several arguments
        (``is_one_of_several``).
        """
        parts = value.text or value.parts
        if parts is None:
            return is_one_of_several and value.kind == "unknown" and self._values.is_called(at, _CALLED_SELECTOR)
        return is_condition(parts.text)

    def _arguments(self, pattern: CodePattern, call: _Call) -> Iterator[tuple[int, bool]]:
        """Yield the first token of each argument of ``call`` that can be a selector under ``pattern``.

        Each token comes with True, or with False if the types of the other arguments suggest another function of the
        same name.
        """
        if pattern.key is not None:
            yield from ((at, True) for name, at, level in call.members if name == pattern.key and level < _MAX_LEVELS)
            return
        kinds = pattern.arguments
        if kinds == ("...", "$", "..."):
            yield from ((at, True) for at in call.arguments)
            return
        least = len(kinds) - kinds.count("...") - kinds.count("!")
        if len(call.arguments) < least:
            return
        position = kinds.index("$")
        if "!" in kinds and len(call.arguments) > kinds.index("!"):
            flag = call.arguments[kinds.index("!")]
            if self._values.is_nothing(flag):
                return
            if self._is_no_flag(flag, call.arguments[position], call.arguments[0]):
                yield flag, True
                return
        if "..." in kinds:
            position -= len(kinds)
        positions = call.arguments if position >= 0 else call.arguments[-len(kinds) :]
        others = [at for kind, at in zip(kinds, positions, strict=False) if kind == "_"] if position >= 0 else []
        yield call.arguments[position], not any(map(self._values.begins_with_text, others))

    def _is_no_flag(self, flag: int, selector: int, first: int) -> bool:
        """Return True if the argument at ``flag`` is probably a string, not the boolean flag of an overloaded function.

        Some functions of the same name have a flag at this position. The arguments at ``selector`` and ``first`` (the
        first argument) are examined if the argument at ``flag`` has an unknown value.
        """
        value, other = self._values.argument(flag), self._values.argument(selector)
        if value.kind != "unknown":
            return value.kind == "text"
        if self._values.is_of_text(flag) or self._values.begins_with_text(first):
            return True
        parts = other.text or other.parts
        is_known = other.kind != "unknown" if parts is None else not is_condition(parts.text)
        return is_known and not self._values.is_nothing(selector)

    def _marked(self, comment: Token) -> int | None:
        """Return the literal that ``comment`` marks as a selector: the last one before it on its line, or the next one.

        Return None if there is no such literal.
        """
        line = self._text.rfind("\n", 0, comment.start) + 1
        before = bisect_right(self._ends, comment.start) - 1
        if before >= 0 and self._text[line : comment.start].strip():
            # The literal may be on an earlier line, if only closing brackets are between the literal and the comment.
            between = self._text[self._ends[before] : comment.start]
            if "\n" not in between or not between.strip(" \t\n)]},;"):
                return self._literals[before]
        behind = bisect_left(self._ends, comment.end)
        if behind < len(self._literals):
            number = self._literals[behind]
            if self._text.count("\n", comment.end, max(comment.end, self._code[number].start)) <= _NEAR:
                return number
        return None

    def _dialect(self, known: SelectorPattern, call: _Call) -> str | None:
        """Return the dialect of the selector in ``call``: that of its argument ``dialect``, or else of ``known``.

        Return None if neither names a dialect.
        """
        for name, at, level in call.members:
            if name == "dialect" and level == 0:
                text = self._values.at(at).text
                return known.dialect if text is None else known_dialect(text.text) or known.dialect
        return known.dialect

    def _refuse(self, value: Value, number: int, known: SelectorPattern) -> None:
        """Store the expression at the token ``number`` as not read, because ``value`` is a filter in another language.

        ``known`` is the record of the pattern that the call matches; it has the reason.
        """
        is_blank = value.text is not None and not value.text.text.strip()
        if value.kind not in ("text", "unknown") or is_blank:
            return
        start = self._code[number].start
        unread = UnreadSelector(start, reason=known.reason, whence=known.pattern)
        self.found.setdefault((start, start, ""), [unread])

    def _add(self, value: Value, number: int, dialect: str | None, whence: str) -> bool:
        """Add ``value``, the expression at the token ``number``, as a selector found by the pattern ``whence``.

        If its text is unknown, it is added as an ``UnreadSelector``. Return False if ``value`` cannot be a selector.
        """
        if value.kind not in ("text", "unknown"):
            return False
        self._used.add(value.begin)
        token = self._code[number]
        if value.text is None:
            unread = UnreadSelector(token.start, value.parts, dialect, value.reason, whence)
            self.found.setdefault((token.start, token.start, ""), [unread])
            self._unread[token.start] = number
        else:
            location = value.text.location(Span(0, len(value.text.text)))
            selectors = found(value.text, dialect, _escape(value.literal), whence)
            used = [
                one._replace(used=token.start, file=value.file, is_filled=value.is_filled)
                if isinstance(one, FoundSelector)
                else one._replace(offset=token.start, mapped=None)
                if value.file is not None
                else one
                for one in selectors
            ]
            key = (
                (location.start, location.end, value.text.text)
                if value.file is None
                else (token.start, token.end, value.file)
            )
            self.found.setdefault(key, used)
        return True


def _escape(literal: Token | None) -> Escape:
    quote = None if literal is None else escaped(literal)
    if quote is None:
        return as_is
    return lambda text: text.replace("\\", "\\\\").replace(quote, f"\\{quote}").replace("\n", "\\n")
