"""YAML from anybody: an alias stands for its whole anchor, so nine lines can stand for a billion values.

The events are counted before anything is built, each alias as what it stands for. PyYAML's reader in C is used where
it is there, for it is ten times as fast.
"""

from __future__ import annotations

from typing import Any

import yaml

from transpiler.base.source import Span

#: Characters of a text, values in it with those that aliases repeat, and levels.
MAX_LENGTH = 2**20
MAX_VALUES = 200_000
MAX_DEPTH = 50

#: Characters of one word without quotes: longer ones are looked at with regular expressions that read them as numbers.
MAX_WORD = 4_000

_LOADER: Any = getattr(yaml, "CSafeLoader", yaml.SafeLoader)


class YamlTextError(ValueError):
    """The text is no YAML that can be read; ``span`` is where, if that is known."""

    def __init__(self, message: str, span: Span | None = None, hint: str | None = None) -> None:
        super().__init__(message)
        self.message, self.span, self.hint = message, span, hint


def load_yaml(text: str) -> Any:
    """Load the value of a text; raise ``YamlTextError`` where it has none, or too many."""
    if len(text) > MAX_LENGTH:
        message = f"the text has {len(text):,} characters, and the limit of YAML is {MAX_LENGTH:,}"
        raise YamlTextError(message, Span(MAX_LENGTH, len(text)), "write it as JSON")
    try:
        _count(text)
        return yaml.load(text, Loader=_LOADER)
    except yaml.MarkedYAMLError as error:
        span = None if error.problem_mark is None else _at(error.problem_mark, text)
        raise YamlTextError(f"this is not YAML: {error.problem}", span) from None
    except (yaml.YAMLError, ValueError, RecursionError, ArithmeticError) as error:
        if isinstance(error, YamlTextError):
            raise
        # Not every timestamp and number that the pattern allows exists.
        raise YamlTextError(f"this is not YAML: {error}") from None


def _at(mark: Any, text: str) -> Span:
    index = min(mark.index, len(text))
    return Span(index, index + 1)


def _count(text: str) -> None:
    """Refuse what would be too large or too deep once it is built."""
    total = 0
    #: What each anchor stands for in values; the sizes at which the open collections began, and their anchors.
    sizes: dict[str | None, int] = {}
    opened: list[tuple[int, str | None]] = []
    for event in yaml.parse(text, Loader=_LOADER):
        if isinstance(event, yaml.AliasEvent):
            size = sizes.get(event.anchor)
            if size is None and any(anchor == event.anchor for _, anchor in opened):
                raise YamlTextError(f"the anchor {event.anchor} holds itself", _at(event.start_mark, text))
            total += size or 1
        elif isinstance(event, yaml.ScalarEvent):
            total += 1
            if event.style is None and len(event.value) > MAX_WORD:
                raise YamlTextError(
                    f"a word without quotes has more than {MAX_WORD:,} characters", _at(event.start_mark, text)
                )
            if event.anchor is not None:
                sizes[event.anchor] = 1
        elif isinstance(event, yaml.CollectionStartEvent):
            opened.append((total, event.anchor))
            total += 1
            if len(opened) > MAX_DEPTH:
                raise YamlTextError(f"this is nested more than {MAX_DEPTH} levels deep", _at(event.start_mark, text))
        elif isinstance(event, yaml.CollectionEndEvent):
            start, anchor = opened.pop()
            if anchor is not None:
                sizes[anchor] = total - start
        if total > MAX_VALUES:
            message = f"there are more than {MAX_VALUES:,} values, each alias counted as what it stands for"
            raise YamlTextError(message, _at(event.start_mark, text))
