"""Apply the fixes of findings to a selector or file: one requested fix, or all certain fixes.

A parser stops at the first error. If that error has no certain fix, the condition with the error is replaced by a
placeholder that every dialect accepts, so that errors in the other conditions are found and fixed, too.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import replace
from typing import NamedTuple

from transpiler.base.diagnostics import Diagnostic, Fix
from transpiler.base.source import Source, Span
from transpiler.language.selector.dialects import JMS, Dialect, find_dialect
from transpiler.language.selector.mistakes.words import Reading, Word
from transpiler.language.selector.parsing import prefixes
from transpiler.tools.lint.check import Checker
from transpiler.tools.lint.embedded import Declarations, FoundSelector, find_selectors
from transpiler.tools.lint.embedded.markers import IgnoreComments
from transpiler.tools.lint.report import Lines

#: Maximum number of fixes of one selector; a text that needs more is probably in another language.
_MAX_FIXES = 50
#: Maximum number of conditions with errors that are replaced by placeholders in one selector.
_MAX_BROKEN = 20
#: A condition that every dialect accepts, which replaces a condition with an error.
_PLACEHOLDER = "x = 1"
#: The words and signs that join two conditions.
_JOINTS = frozenset(("AND", "OR", "&&", "||"))


def fixed(text: str, fix: Fix, dialect: Dialect, checker: Checker | None = None) -> str | None:
    """Return the selector ``text`` after ``fix``; None if the fix adds an error or does not improve the selector.

    If ``text`` was legal, the fix must not add a warning either, because the warning would show that the meaning
    changed.
    """
    checker = checker or Checker()
    changed = fix.apply(text)
    if changed == text:
        return None
    before, after = _first_error(checker, text, dialect), _first_error(checker, changed, dialect)
    if before is None or (before.parses and after is not None):
        severity = "warning" if before is None else "error"
        own, new = (_codes(checker, one, dialect, severity) for one in (text, changed))
        # A selector that parsed has been checked to its end, so all its errors are known, and fewer errors mean
        # progress. After a syntax error, the number of errors says nothing.
        is_better = after is None if before is None else new.total() < own.total()
        return changed if is_better and not new - own else None
    return changed if after is None or _is_progress(text, before, changed, after) else None


def mended(text: str, fix: Fix, dialect: Dialect) -> str | None:
    """Return the selector ``text`` after ``fix`` and all further fixes that are certain, not only probable.

    Return None if the result still has an error.
    """
    checker = Checker()
    changed = fixed(text, fix, dialect, checker)
    if changed is None or _first_error(checker, changed, dialect) is None:
        return changed
    changed, _ = fix_all(changed, [dialect], checker)
    return changed if _first_error(checker, changed, dialect) is None else None


def fix_all(text: str, dialects: Sequence[Dialect], checker: Checker | None = None) -> tuple[str, list[Fix]]:
    """Return the selector ``text`` after all fixes that are certain, and these fixes in the order of their application.

    A fix is certain if the source can mean nothing else. Its span refers to the text after the fixes before it.
    """
    checker = checker or Checker()
    done: list[Fix] = []
    while len(done) < _MAX_FIXES:
        made, text = _fix_conditions(text, dialects, checker)
        if not made:
            break
        done += made
    return text, done


def _fix_conditions(text: str, dialects: Sequence[Dialect], checker: Checker) -> tuple[list[Fix], str]:
    """Return the fixes of ``text`` that are certain (the source can mean nothing else), and the text after these fixes.

    A condition with an error but without such a fix is skipped, so that the conditions after it are fixed as well.
    """
    done: list[Fix] = []
    broken: list[Span] = []
    while len(done) < _MAX_FIXES and len(broken) < _MAX_BROKEN:
        filled = _with_placeholders(text, broken)
        made = _certain_fix(filled, dialects, checker)
        own = None if made is None else _without_spans(made, broken)
        if made is not None and own is None:
            break
        if own is not None:
            assert own.span is not None
            longer = len(own.spaced(text)) - (own.span.end - own.span.start)
            text = own.apply(text)
            broken = [span if span.end <= own.span.start else _shifted(span, longer) for span in broken]
            done.append(own)
            continue
        error = _first_error(checker, filled, dialects[0])
        next_broken = None if error is None or error.parses else _broken_condition(filled, error.start, dialects[0])
        if next_broken is None:
            break
        span = _without_placeholders(next_broken, broken)
        if span is None or (broken and span.start < broken[-1].end):
            break
        broken.append(span)
    return done, text


def _certain_fix(text: str, dialects: Sequence[Dialect], checker: Checker) -> Fix | None:
    """Return the first fix of ``text`` that is certain and improves the selector; None if there is no such fix."""
    for found in checker.check(text, dialects).findings:
        fix = found.diagnostic.fix
        # Fix the selector only if all its dialects report the finding: in any other dialect, the text may be correct as
        # it is.
        is_certain = isinstance(fix, Fix) and fix.certain and len(found.dialects) == len(dialects)
        if is_certain and isinstance(fix, Fix) and fixed(text, fix, dialects[0], checker) is not None:
            return fix
    return None


def _with_placeholders(text: str, broken: Sequence[Span]) -> str:
    """Return the selector ``text`` with a valid placeholder condition in place of each span of ``broken``.

    The spans are those of conditions with errors.
    """
    for span in reversed(broken):
        text = text[: span.start] + _placeholder(span) + text[span.end :]
    return text


def _placeholder(span: Span) -> str:
    """Return the condition that replaces the text at ``span``.

    If ``span`` is empty, because a condition is missing there, a blank follows, so that the next word stays separate.
    """
    return _PLACEHOLDER if span.end > span.start else f"{_PLACEHOLDER} "


def _without_placeholders(span: Span, broken: Sequence[Span]) -> Span | None:
    """Return ``span``, a span of the selector with placeholders, as a span of the original selector.

    Return None if the span overlaps a placeholder.
    """
    shift = 0
    for one in broken:
        start = one.start + shift
        longer = len(_placeholder(one)) - (one.end - one.start)
        if span.end <= start:
            break
        if span.start < one.end + shift + longer:
            return None
        shift += longer
    return _shifted(span, -shift)


def _without_spans(fix: Fix, broken: Sequence[Span]) -> Fix | None:
    assert fix.span is not None
    span = _without_placeholders(fix.span, broken)
    return None if span is None else replace(fix, span=span)


def _shifted(span: Span, by: int) -> Span:
    return Span(span.start + by, span.end + by)


def _broken_condition(text: str, error: int, dialect: Dialect) -> Span | None:
    """Return the span of the condition in which the parser stops at ``error``; empty if a condition is missing there.

    Return None if the end of the condition is not certain, because a quote or the parenthesis of a list is not closed.
    """
    reading = Reading(Source(text), dialect, prefixes(text, dialect)[0], error)
    if any(word.text[:1] in ("'", '"') and not word.is_closed for word in reading.words):
        return None
    joints = _joints(reading)
    first = behind = reading.position
    while first > 0 and first - 1 not in joints:
        first = reading.partners.get(first - 1, first - 1) if reading.at(first - 1).kind == "close" else first - 1
        if reading.at(first).kind == "open" and reading.partners.get(first, behind) >= behind:
            # If a list or the arguments of a function enclose the error, the end of the condition is unknown.
            if first not in reading.partners:
                return None
            behind = reading.partners[first] + 1
    while behind not in joints and reading.at(behind).kind != "end":
        behind = reading.partners.get(behind, behind) + 1
    if first == behind:
        return Span(reading.at(behind).start, reading.at(behind).start)
    return Span(reading.at(first).start, reading.at(behind - 1).end)


def _joints(reading: Reading) -> frozenset[int]:
    """Return the indices of the words at which conditions begin or end: AND, OR, and parentheses around conditions."""
    joints, is_range = set(), False
    for number, word in enumerate(reading.words):
        before = reading.at(number - 1)
        is_range = is_range or word.key == "BETWEEN"
        # If the parser stops at an operator ``||``, this dialect does not use it as OR. It may be meant to concatenate
        # texts, so do not end the condition there.
        if word.key in _JOINTS and not (number == reading.position and word.kind == "operator"):
            if not (is_range and word.key == "AND"):
                joints.add(number)
            is_range = False
        elif word.kind == "open" and (number == 0 or _begins_condition(before)):
            joints.add(number)
            if number in reading.partners:
                joints.add(reading.partners[number])
    return frozenset(joints)


def _begins_condition(before: Word) -> bool:
    """Return True if a parenthesis after the word ``before`` encloses conditions, not a list, argument or number."""
    return before.key in (*_JOINTS, "NOT", "!") or before.kind == "open"


class _Error(NamedTuple):
    """The first error of a selector; ``start`` is its offset.

    ``parses`` is False for a syntax error, True for other errors.
    """

    parses: bool
    start: int


def _is_progress(text: str, before: _Error, changed: str, after: _Error) -> bool:
    """Return True if ``changed``, whose first error is ``after``, is better than ``text`` with the error ``before``.

    It is better if only ``changed`` can be parsed, or if its first error comes later.
    """
    return after.parses or len(text) - before.start > len(changed) - after.start


def _first_error(checker: Checker, text: str, dialect: Dialect) -> _Error | None:
    """Return the first error of the selector ``text`` in ``dialect``; None if it has no error."""
    errors = [
        _Error(not finding.code.startswith("syntax."), (finding.span or Span(0, 0)).start)
        for finding in _findings(checker, text, dialect)
        if finding.severity == "error"
    ]
    return min(errors, default=None)


def _findings(checker: Checker, text: str, dialect: Dialect) -> list[Diagnostic]:
    return [finding.diagnostic for finding in checker.check(text, [dialect]).findings]


def _codes(checker: Checker, text: str, dialect: Dialect, severity: str) -> Counter[str]:
    """Return the number of findings of ``severity`` in the selector ``text``, by code."""
    return Counter(one.code for one in _findings(checker, text, dialect) if one.severity == severity)


def fix_file(
    content: str,
    name: str,
    dialects: Sequence[Dialect],
    checker: Checker,
    declarations: Declarations | None = None,
    used_elsewhere: Sequence[FoundSelector] = (),
) -> tuple[str, int]:
    """Return the text of the file ``name`` after all certain fixes of its selectors, and the number of fixes.

    ``used_elsewhere`` are constants in this file that other files use as selectors. A selector is not fixed if a
    comment on its line suppresses findings, or if its fix changes characters that are not contiguous in the file. If
    the new text does not contain exactly the fixed selectors, nothing is changed. Raises ``UnreadableError``.
    """
    own_selectors = _of_file(content, name, declarations)
    locations = {one.mapped.location(Span(0, len(one.mapped.text))) for one in own_selectors}
    others = [one for one in used_elsewhere if one.mapped.location(Span(0, len(one.mapped.text))) not in locations]
    lines = Lines(content)
    ignored = IgnoreComments(lines.texts)
    #: The changes of the file by span. Two selectors may share a constant, which is changed only once.
    edits: dict[Span, str] = {}
    meant, count = [], 0
    for number, one in enumerate((*own_selectors, *others)):
        text = one.mapped.text
        line = lines.location(one.mapped.location(Span(0, 1))).line
        own = dialects or (JMS if one.dialect is None else find_dialect(one.dialect),)
        changed, fixes = (text, []) if any(ignored.at(line)) else fix_all(text, own, checker)
        changes = _changes(text, fixes)
        if all(one.mapped.is_contiguous(span) for span, _ in changes):
            own_edits = {one.mapped.location(span): one.escape(new) for span, new in changes}
            count += len(fixes) if own_edits.keys() - edits.keys() else 0
            edits |= own_edits
        else:
            changed = text
        if number < len(own_selectors):
            meant.append(changed)
    written = content
    for span, new in sorted(edits.items(), reverse=True):
        written = written[: span.start] + new + written[span.end :]
    read = [one.mapped.text for one in _of_file(written, name, declarations)]
    return (written, count) if read == meant else (content, 0)


def _of_file(content: str, name: str, declarations: Declarations | None) -> list[FoundSelector]:
    """Return the selectors in ``content``, the text of the file ``name``, whose whole text is in this file.

    A selector is excluded if its text is a constant of another file, or has values in place of placeholders.
    """
    found = find_selectors(content, name, declarations)
    return [one for one in found if isinstance(one, FoundSelector) and one.file is None and not one.is_filled]


def _changes(text: str, fixes: Sequence[Fix]) -> list[tuple[Span, str]]:
    """Return the changes that ``fixes``, applied in order, make to ``text``: spans of ``text`` and new texts."""
    characters: list[tuple[str, int | None]] = [(character, number) for number, character in enumerate(text)]
    for fix in fixes:
        assert fix.span is not None
        current = "".join(character for character, _ in characters)
        new: list[tuple[str, int | None]] = [(character, None) for character in fix.spaced(current)]
        characters[fix.span.start : fix.span.end] = new
    changes, index, written = [], 0, ""
    for character, number in (*characters, ("", len(text))):
        if number is None:
            written += character
            continue
        if number == index and written and index:
            # A change must replace a non-empty span. So text that is inserted becomes a replacement of the character
            # before it by the same character and the new text.
            changes.append((Span(index - 1, index), text[index - 1] + written))
        elif number > index:
            changes.append((Span(index, number), written))
        index, written = number + 1, ""
    return changes
