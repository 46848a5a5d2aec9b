"""Certain findings about a selector of which a part is known only at run time.

The unknown parts are holes. A hole is filled in all ways in which programs usually complete selectors: with an operand,
a text, a condition, an operator, a part of a list, or nothing. If the dialect rejects every filling, the selector has
an error whatever the program inserts, and the error of the filling that parses furthest is reported. If the dialect
accepts some fillings, a warning about the known text is certain if every accepted filling has this warning.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import product
from typing import NamedTuple

from transpiler.base.diagnostics import Diagnostic
from transpiler.base.errors import TranspilerError
from transpiler.base.source import Span
from transpiler.language.selector.dialects import Dialect
from transpiler.language.selector.parsing import parse_selector
from transpiler.tools.lint.check import Checker, Finding
from transpiler.tools.lint.embedded.selector_patterns import HOLE
from transpiler.tools.lint.embedded.selector_text import MappedText, joined

#: Sample texts for an unknown part (hole) of a selector outside quotes. Most holes stand for an operand, such as those
#: in ``_OPERANDS``; ``_FRAGMENTS`` are other fragments of a selector.
_OPERANDS = ("value", "'value'", "1", "value = 1")
_FRAGMENTS = ("", "=", "AND", "'value', 'value'", "NOT", "value = 1 AND", "AND value = 1", "(", ")", "value ESCAPE")
#: The sample text for an unknown part (hole) of a selector inside quotes.
_IN_QUOTES = "x"
#: Limits for unknown parts (holes) of a selector outside quotes. A selector with more than ``_MAX_HOLES`` is not
#: judged. With more than ``_MAX_WITH_FRAGMENTS``, only operands are tried in the holes, because the fragments would
#: multiply the number of texts to parse.
_MAX_HOLES, _MAX_WITH_FRAGMENTS = 4, 2


class Filled(NamedTuple):
    """A selector whose unknown parts were filled with sample texts.

    ``findings`` do not depend on these texts.
    """

    mapped: MappedText
    findings: tuple[Finding, ...]


def judge_in_part(mapped: MappedText, dialect: Dialect, checker: Checker) -> Filled | None:
    """Return the findings about ``mapped``, a selector with unknown parts, that are certain whatever these parts are.

    Return None if nothing is certain: the selector has too many unknown parts, or no known text, or no certain error.
    """
    parts = _parts(mapped)
    quoted = _in_quotes([part.text for part in parts])
    outside = quoted.count(False)
    if outside > _MAX_HOLES or not any(part.text.strip(" \t\n()'\"") for part in parts):
        return None
    legal: list[tuple[MappedText, list[Span]]] = []
    furthest: tuple[int, int, MappedText, Diagnostic] | None = None
    for number, texts in enumerate(_fillings(outside)):
        if number >= len(_OPERANDS) ** outside and legal:
            break
        filled, spans = _filled(parts, quoted, texts)
        try:
            parse_selector(filled.text, dialect)
        except TranspilerError as error:
            [diagnostic, *_] = error.diagnostics
            span = diagnostic.span or Span(0, 0)
            # The parser came furthest in the text that has the fewest characters after the error. Offsets of the errors
            # are not comparable, because the sample texts in the holes have different lengths.
            left = len(filled.text) - span.start
            if not _touches(span, spans) and (furthest is None or left < furthest[0]):
                furthest = left, number, filled, diagnostic
        else:
            legal.append((filled, spans))
    if legal:
        return _common(legal, dialect, checker)
    if furthest is None or not checker.selection.has(furthest[3]):
        return None
    return Filled(furthest[2], (Finding(furthest[3], (dialect,)),))


def _common(legal: Sequence[tuple[MappedText, list[Span]]], dialect: Dialect, checker: Checker) -> Filled:
    """Return the warnings that do not depend on the unknown parts (holes) of a selector.

    ``legal`` contains the selector once for each choice of texts in the holes, with the spans of the holes. A warning
    is returned if all of these have it, at the same position outside the holes.
    """
    first = legal[0][0]
    common: dict[tuple[str, str, int], Finding] | None = None
    for filled, spans in legal:
        found = {}
        for finding in checker.check(filled.text, (dialect,)).findings:
            diagnostic = finding.diagnostic
            span = diagnostic.span or Span(0, 0)
            if diagnostic.severity != "info" and not _touches(span, spans):
                behind = sum(one.start < span.start for one in spans)
                shift = sum(one.end - one.start for one in spans[:behind])
                found[diagnostic.code, diagnostic.message, span.start - shift] = finding
        common = found if common is None else {key: one for key, one in common.items() if key in found}
        if not common:
            break
    return Filled(first, tuple((common or {}).values()))


def _fillings(outside: int) -> Iterator[tuple[str, ...]]:
    yield from product(_OPERANDS, repeat=outside)
    if outside <= _MAX_WITH_FRAGMENTS:
        for texts in product((*_OPERANDS, *_FRAGMENTS), repeat=outside):
            if any(text in _FRAGMENTS for text in texts):
                yield texts


def _parts(mapped: MappedText) -> list[MappedText]:
    """Return the known parts of ``mapped``: the texts before, between and after its unknown parts (holes)."""
    parts, start = [], 0
    for number, character in enumerate(mapped.text):
        if character == HOLE:
            parts.append(mapped.part(start, number))
            start = number + 1
    return [*parts, mapped.part(start, len(mapped.text))]


def _in_quotes(parts: Sequence[str]) -> list[bool]:
    """Return for each unknown part (hole) of a selector True if it is inside quotes.

    A hole is between two consecutive items of ``parts``, the known parts of the selector.
    """
    found: list[bool] = []
    quote = ""
    for part in parts:
        for character in part:
            if character == quote:
                quote = ""
            elif not quote and character in "'\"":
                quote = character
        found.append(bool(quote))
    return found[:-1]


def _filled(parts: Sequence[MappedText], quoted: Sequence[bool], texts: Sequence[str]) -> tuple[MappedText, list[Span]]:
    """Return the selector made of its known ``parts`` with ``texts`` between them, and the span of each of these texts.

    ``quoted`` has True for each text that is inside quotes.
    """
    pieces, spans = [parts[0]], []
    left, length = iter(texts), len(parts[0].text)
    for part, is_quoted in zip(parts[1:], quoted, strict=True):
        text = _IN_QUOTES if is_quoted else next(left)
        at = pieces[-1].ends[-1] if pieces[-1].ends else part.at
        pieces += [MappedText(text, [at] * len(text), [at] * len(text), at), part]
        spans.append(Span(length, length + len(text)))
        length += len(text) + len(part.text)
    return joined(pieces), spans


def _touches(span: Span, holes: Sequence[Span]) -> bool:
    """Return True if ``span`` overlaps or touches one of ``holes``, the spans of the filled unknown parts."""
    return any(span.start <= hole.end and hole.start <= span.end for hole in holes)
