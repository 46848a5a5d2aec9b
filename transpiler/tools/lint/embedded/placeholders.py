"""Placeholders in selectors, ``${key}`` and ``${key:default}``, and their values in the properties of the project.

A finding inside a value is located at the placeholder. If a key has several values, such as one in each profile, there
are as many selectors. In each profile, a key has the profile's value, or the common value if the profile has none.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence, Set
from contextlib import suppress
from functools import partial
from itertools import islice, product

from transpiler.tools.lint.embedded.code_patterns import squeezed
from transpiler.tools.lint.embedded.data_text import entries, scalars
from transpiler.tools.lint.embedded.selector_patterns import HOLE, is_complete
from transpiler.tools.lint.embedded.selector_text import FoundSelector, InFile, MappedText, UnreadableError, decoded

#: A placeholder; not the form ``${key:-default}`` of a shell.
_PLACEHOLDER = re.compile(r"\$\{(?P<key>[\w.-]+)(?::(?P<default>(?!-)[^{}]*))?\}")

#: The values by profile and key, with common values under the empty profile name. Keys are compared without case,
#: hyphens and underscores.
Properties = Mapping[str, Mapping[str, Set[str]]]

#: Maximum number of selectors made from one text with placeholders, for each profile.
_MAX_TEXTS = 16
_DOCUMENT = re.compile(r"^---.*$", re.MULTILINE)
#: In Spring, ``_PROFILE_KEYS`` are the keys with which a YAML document names its profile. In Quarkus, a key for one
#: profile begins with ``_PROFILE_PREFIX``, such as ``%dev.``.
_PROFILE_KEYS = ("springconfigactivateonprofile", "springprofiles")
_PROFILE_PREFIX = re.compile(r"%([\w,]+)\.")


def read_properties(text: str, suffix: str) -> Iterator[tuple[str, str, str]]:
    """Yield (profile, key, value) of a ``.properties`` or YAML text; nothing for another ``suffix`` or invalid YAML."""
    if suffix == ".properties":
        parts = [[(key, value.text) for key, value in entries(text) if key is not None]]
    elif suffix in (".yml", ".yaml"):
        parts = []
        for document in _DOCUMENT.split(text):
            with suppress(UnreadableError):
                parts.append([(".".join(path), node.value) for path, node, _ in scalars(document)])
    else:
        return
    for part in parts:
        found = {squeezed(key).replace(".", ""): value for key, value in part}
        profile = next((found[key] for key in _PROFILE_KEYS if key in found), "")
        for key, value in part:
            own = _PROFILE_PREFIX.match(key.replace('"', ""))
            name = key if own is None else key.replace('"', "")[own.end() :]
            yield profile if own is None else own[1], squeezed(name), value


def filled(selectors: Iterable[InFile], properties: Callable[[], Properties]) -> Iterator[InFile]:
    """Yield ``selectors`` with their ``${key}`` placeholders replaced by the project's properties.

    ``properties()`` returns the properties. If a key has no value, an ``UnreadSelector`` with the reason is yielded.
    """
    for one in selectors:
        if isinstance(one, FoundSelector) or one.mapped is None:
            yield one
            continue
        keys = list(dict.fromkeys(match["key"] for match in _PLACEHOLDER.finditer(one.mapped.text)))
        texts: dict[str, FoundSelector] = {}
        reasons: list[str] = []
        for values in _valuations(one.mapped.text, keys, properties) if keys else ():
            missing = [f"${{{key}}} has no value" for key in keys if key not in values]
            text = decoded(one.mapped.text, 0, _PLACEHOLDER, partial(_value, values)).within(one.mapped)
            if missing or not is_complete(text.text):
                reasons = reasons or missing
            else:
                texts.setdefault(text.text, FoundSelector(text, one.dialect, is_filled=True, whence=one.whence))
        if texts:
            yield from (found for text, found in texts.items() if text.strip())
        else:
            yield one._replace(reason=", ".join(reasons) or one.reason)


def with_holes(mapped: MappedText) -> MappedText | None:
    """Return ``mapped`` with the character ``HOLE``, which stands for an unknown text, in place of each placeholder.

    The result is None if the text has no placeholder, or if it has a placeholder of another tool.
    """
    text = decoded(mapped.text, 0, _PLACEHOLDER, lambda _: HOLE).within(mapped)
    return text if HOLE in text.text and is_complete(text.text.replace(HOLE, "")) else None


def _valuations(text: str, keys: Sequence[str], properties: Callable[[], Properties]) -> Iterator[Mapping[str, str]]:
    """Yield mappings of ``keys``, the placeholders of ``text``, to values: the common values, then each profile's.

    If a key has several values, each combination is yielded, up to ``_MAX_TEXTS`` for each profile.
    """
    by_profile = properties()
    defaults = {match["key"]: match["default"] for match in _PLACEHOLDER.finditer(text) if match["default"] is not None}
    common: Mapping[str, Set[str]] = by_profile.get("", {})
    profiles = (common, *(by_profile[profile] for profile in sorted(by_profile) if profile))
    for own in profiles:
        found: dict[str, list[str]] = {}
        for key in keys:
            values = own.get(squeezed(key)) or common.get(squeezed(key)) or {defaults.get(key)} - {None}
            if values:
                found[key] = sorted(value for value in values if value is not None)
        for chosen in islice(product(*found.values()), _MAX_TEXTS):
            yield dict(zip(found, chosen, strict=True))


def _value(values: Mapping[str, str], match: re.Match[str]) -> str:
    return values.get(match["key"], match[0])
