"""Placeholders in selectors: ``${key}`` and ``${key:default}``, with the properties of the same project.

A finding in a value is one at the placeholder. A key that has several values, as profiles give it, is not replaced.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Set
from contextlib import suppress
from functools import partial

from transpiler.tools.lint.embedded.code_text import squeezed
from transpiler.tools.lint.embedded.data_text import entries, scalars
from transpiler.tools.lint.embedded.selector_places import is_complete
from transpiler.tools.lint.embedded.selector_text import FoundSelector, InFile, UnreadableError, decoded

#: A shell has another sign before its default.
_PLACEHOLDER = re.compile(r"\$\{(?P<key>[\w.-]+)(?::(?P<default>(?!-)[^{}]*))?\}")

#: The values of keys, which are compared without case, hyphens and underscores.
Properties = Mapping[str, Set[str]]


def read_properties(text: str, suffix: str) -> Iterator[tuple[str, str]]:
    """Yield the keys and values of ``.properties`` or YAML; none of another file, or of one that does not read."""
    if suffix == ".properties":
        yield from ((squeezed(key), value.text) for key, value in entries(text) if key is not None)
    elif suffix in (".yml", ".yaml"):
        with suppress(UnreadableError):
            yield from ((squeezed(".".join(path)), node.value) for path, node, _ in scalars(text))


def filled(selectors: Iterable[InFile], properties: Callable[[], Properties]) -> Iterator[InFile]:
    """Yield selectors with their placeholders replaced; one whose keys have no certain values with the reason."""
    for one in selectors:
        if isinstance(one, FoundSelector) or one.mapped is None:
            yield one
            continue
        reasons: list[str] = []
        text = decoded(one.mapped.text, 0, _PLACEHOLDER, partial(_value, properties, reasons)).within(one.mapped)
        if reasons or not is_complete(text.text):
            yield one._replace(reason=", ".join(dict.fromkeys(reasons)))
        elif text.text.strip():
            yield FoundSelector(text, one.dialect, is_filled=True, whence=one.whence)


def _value(properties: Callable[[], Properties], reasons: list[str], match: re.Match[str]) -> str:
    values = properties().get(squeezed(match["key"]), {match["default"]} - {None})
    if len(values) == 1:
        return next(iter(values))
    reasons.append(f"${{{match['key']}}} has {'several values' if values else 'no value'}")
    return match[0]
