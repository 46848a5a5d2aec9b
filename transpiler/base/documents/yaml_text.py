"""A safe reader of untrusted YAML: it limits the size, locates each value, and rejects words with surprising meanings.

YAML 1.1 reads ``NO`` as false, ``010`` as 8, ``1:30`` as 90, ``1.10`` as 1.1 and ``2024-06-24`` as a date. It reads
``1e3`` as a text, and YAML 1.2 as a number. Such a word without quotes has a ``DeferredError``, which is raised when
the value of the word is needed.

An alias repeats its whole anchor, so nine lines can contain a billion values. So the values are counted before any is
built, and each alias counts as many values as its anchor. If PyYAML's reader in C is installed, it is used, because it
is ten times as fast.
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterator
from dataclasses import replace
from typing import Any

from transpiler.base.documents.jsontext import MAX_VALUES
from transpiler.base.documents.located_values import MAX_DEPTH, DeferredError, Node, Origin, mapping
from transpiler.base.source import Span, half_surrogate

#: Maximum length of a YAML text, in characters.
MAX_LENGTH = 2**20

#: Maximum length of one word without quotes, in characters, because PyYAML's regular expressions for numbers examine
#: such words.
MAX_WORD = 4_000

_TAG = "tag:yaml.org,2002:"
_INTEGER = re.compile(r"[-+]?(0|[1-9][0-9]*)")
_FLOAT = re.compile(r"[-+]?([0-9]+\.?[0-9]*|\.[0-9]+)([eE][-+]?[0-9]+)?")
_SPECIAL = {".nan": math.nan, ".inf": math.inf, "+.inf": math.inf, "-.inf": -math.inf}

#: A number with a final zero, such as the version 1.10, which YAML reads as 1.1.
_ENDS_IN_ZERO = re.compile(r"[-+]?[0-9]+\.[0-9]+0")
_VERSION = re.compile(r"[0-9]+(\.[0-9]+){2,}")
_NUMBER_ELSEWHERE = re.compile(r"0o[0-7]+")


class YamlTextError(ValueError):
    """Error for a text that is not valid YAML or exceeds a limit. ``span`` is the location; None if it is unknown."""

    def __init__(self, message: str, span: Span | None = None, hint: str | None = None) -> None:
        super().__init__(message)
        self.message, self.span, self.hint = message, span, hint


def compose(text: str) -> list[Any]:
    """Return the root node (of PyYAML) of each non-empty document in ``text``; raise ``YamlTextError`` if invalid."""
    try:
        import yaml
    except ImportError:
        raise YamlTextError("YAML needs PyYAML", hint="pip install PyYAML") from None
    loader = _loader(text)
    try:
        return [node for node in yaml.compose_all(text, Loader=loader) if node is not None]
    except yaml.MarkedYAMLError as error:
        raise YamlTextError(f"this is not YAML: {error.problem}", _at(error.problem_mark, text)) from None
    except (yaml.YAMLError, RecursionError, ValueError) as error:
        raise YamlTextError(f"this is not YAML: {error}".splitlines()[0]) from None


def yaml_documents(origin: Origin) -> list[Node]:
    """Return the non-empty documents of a YAML file; raise an error if it is not YAML or exceeds a limit."""
    text = origin.source.text
    try:
        if len(text) > MAX_LENGTH:
            message = f"the text has {len(text):,} characters, and the limit of YAML is {MAX_LENGTH:,}"
            raise YamlTextError(message, Span(MAX_LENGTH, len(text)), "write it as JSON")
        _count(text)
        composed = compose(text)
    except YamlTextError as error:
        hint = f"perhaps {error.hint}, or write it as JSON" if error.span is None and error.hint else error.hint
        origin.refuse("yaml", error.message, error.span, hint)
    nodes = (_Reader(origin).node(node) for node in composed)
    return [node for node in nodes if node.value is not None]


def _loader(text: str) -> Any:
    import yaml

    half = half_surrogate(text)
    if half is not None:
        # PyYAML's parser in C rejects half a surrogate pair, too, but with an error that is no YAMLError and has no
        # location.
        raise YamlTextError("half of a surrogate pair is not a Unicode character", half)
    return getattr(yaml, "CSafeLoader", yaml.SafeLoader)


def _at(mark: Any, text: str) -> Span | None:
    if mark is None:
        return None
    index = min(mark.index, len(text))
    return Span(index, index + 1)


def _count(text: str) -> None:
    """Raise ``YamlTextError`` if ``text`` has too many values or nests them too deeply.

    An alias counts as many values as it repeats, because it becomes a copy of them.
    """
    try:
        import yaml
    except ImportError:
        return
    total = 0
    #: ``sizes`` maps each anchor to the number of values that an alias of it repeats. ``opened`` is a stack of the open
    #: collections: for each, the number of values before it, and its anchor or None.
    sizes: dict[str | None, int] = {}
    opened: list[tuple[int, str | None]] = []
    try:
        for event in yaml.parse(text, Loader=_loader(text)):
            here = _at(event.start_mark, text)
            if isinstance(event, yaml.AliasEvent):
                size = sizes.get(event.anchor)
                if size is None and any(anchor == event.anchor for _, anchor in opened):
                    raise YamlTextError(
                        f"the value of the anchor {event.anchor} contains an alias of the same anchor", here
                    )
                total += size or 1
            elif isinstance(event, yaml.ScalarEvent):
                total += 1
                if event.style is None and len(event.value) > MAX_WORD:
                    raise YamlTextError(f"an unquoted value has more than {MAX_WORD:,} characters", here)
                if event.anchor is not None:
                    sizes[event.anchor] = 1
            elif isinstance(event, yaml.CollectionStartEvent):
                opened.append((total, event.anchor))
                total += 1
                if len(opened) > MAX_DEPTH:
                    raise YamlTextError(f"there are more than {MAX_DEPTH} levels", here)
            elif isinstance(event, yaml.CollectionEndEvent):
                start, anchor = opened.pop()
                if anchor is not None:
                    sizes[anchor] = total - start
            if total > MAX_VALUES:
                message = (
                    f"there are more than {MAX_VALUES:,} values, where each alias counts as the values that it repeats"
                )
                raise YamlTextError(message, here)
    except yaml.YAMLError:
        # ``compose`` raises this error again, with its location.
        return


class _Reader:
    """A converter of PyYAML's nodes to ``Node`` objects. An alias becomes a copy of the value that it refers to."""

    def __init__(self, origin: Origin) -> None:
        self.origin = origin

    def span(self, composed: Any) -> Span:
        length = len(self.origin.source.text)
        first = min(composed.start_mark.index, length)
        return Span(first, max(first + 1, min(composed.end_mark.index, length)))

    def node(self, composed: Any) -> Node:
        """Return the ``Node`` for ``composed``, a node of PyYAML."""
        span = self.span(composed)
        match composed.id:
            case "sequence":
                items = tuple(self.node(item) for item in composed.value)
                return Node(items, span, self.origin, deferred=_tag_error(composed.tag, "seq"))
            case "mapping":
                own = list(self.pairs(composed))
                names = {key.value for key, _ in own}
                merged: dict[Any, tuple[Node, Node]] = {}
                for key, value in self.merged(composed):
                    merged.setdefault(key.value, (key, value))
                kept = [pair for name, pair in merged.items() if name not in names]
                return replace(mapping([*kept, *own], span, self.origin), deferred=_tag_error(composed.tag, "map"))
            case _:
                return self.scalar(composed, span)

    def pairs(self, composed: Any) -> Iterator[tuple[Node, Node]]:
        """Yield the keys and values that the mapping itself contains, without those that its merge key ``<<`` adds."""
        for key, value in composed.value:
            here = Node(key.value, self.span(key), self.origin)
            if key.id != "scalar":
                here.refuse("key", "a key is text")
            if key.tag != f"{_TAG}merge":
                yield here, self.node(value)

    def merged(self, composed: Any) -> Iterator[tuple[Node, Node]]:
        """Yield the keys and values that a merge key ``<<`` adds to a mapping.

        The caller keeps the first value of each key.
        """
        for key, value in composed.value:
            if key.tag != f"{_TAG}merge":
                continue
            for source in value.value if value.id == "sequence" else [value]:
                if source.id != "mapping":
                    Node(None, self.span(source), self.origin).refuse("type", "<< merges mappings")
                node = self.node(source)
                assert isinstance(node.value, dict)
                yield from ((node.key(name), member) for name, member in node.value.items())

    def scalar(self, composed: Any, span: Span) -> Node:
        """Return the node of a text, number, boolean or null; an ambiguous word is text with a ``deferred`` error."""
        text: str = composed.value
        value: bool | int | float | str | None = text
        deferred = None
        match composed.tag.removeprefix(_TAG):
            case "str":
                deferred = None if composed.style else _text_error(text)
            case "null":
                value = None
            case "bool" if text.lower() in ("true", "false"):
                value = text.lower() == "true"
            case "int" if _INTEGER.fullmatch(text):
                value = int(text)
            case "float" if _ENDS_IN_ZERO.fullmatch(text):
                reading = f"YAML reads {text} as the number {float(text)}"
                deferred = DeferredError(reading, f"write '{text}' for a text, or {float(text)}")
            case "float" if _FLOAT.fullmatch(text):
                value = float(text)
            case "float" if text.lower() in _SPECIAL:
                value = _SPECIAL[text.lower()]
            case "bool":
                deferred = DeferredError(
                    f"{text} without quotes is a boolean in YAML", f"write true or false, or '{text}'"
                )
            case "timestamp":
                deferred = DeferredError(f"{text} without quotes is a date in YAML", f"write '{text}'")
            case "int" | "float":
                deferred = DeferredError(f"YAML reads {text} as another number", f"write '{text}', or a decimal number")
            case _:
                deferred = _tag_error(composed.tag)
        return Node(value, span, self.origin, deferred=deferred)


def _tag_error(tag: str, read: str = "") -> DeferredError | None:
    """Return the error for a value with an explicit YAML tag, such as ``!!binary``.

    Return None if ``tag`` is the standard tag ``read``, the only tag that is allowed for the value.
    """
    if tag == f"{_TAG}{read}":
        return None
    shown = f"!!{tag.removeprefix(_TAG)}" if tag.startswith(_TAG) else tag
    return DeferredError(f"the tag {shown} is not supported", "write the value without the tag; put text into quotes")


def _text_error(text: str) -> DeferredError | None:
    """Return the error for an unquoted ``text`` that is ambiguous; None if it is not.

    It is ambiguous if it is text in YAML 1.1 but a number in YAML 1.2 (``1e3``), or looks like a number to people.
    """
    if _VERSION.fullmatch(text):
        return DeferredError(f"{text} without quotes looks like a number, but is not one in YAML", f"write '{text}'")
    if ("e" in text or "E" in text) and _FLOAT.fullmatch(text):
        number = float(text)
        plain = f", or {int(number) if number.is_integer() else number}" if abs(number) < 1e15 else ""
        return DeferredError(f"{text} is text in YAML 1.1 and a number in YAML 1.2", f"write '{text}'{plain}")
    if _NUMBER_ELSEWHERE.fullmatch(text):
        return DeferredError(
            f"{text} is text in YAML 1.1 and a number in YAML 1.2", f"write '{text}', or {int(text, 8)}"
        )
    return None
