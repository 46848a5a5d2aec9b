"""Changes that findings propose, as texts: one that somebody asks for, or all that are certain."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from typing import NamedTuple

from transpiler.base.diagnostics import Fix
from transpiler.base.source import Span
from transpiler.language.selector.dialects import JMS, Dialect, find_dialect
from transpiler.tools.lint.check import Checker
from transpiler.tools.lint.embedded import Declarations, FoundSelector, find_selectors
from transpiler.tools.lint.embedded.markers import IgnoreComments
from transpiler.tools.lint.report import Lines

#: Changes of one selector; a person who needs more has another language in mind.
_MAX_FIXES = 50


def fixed(text: str, fix: Fix, dialect: Dialect, checker: Checker | None = None) -> str | None:
    """Return a selector after a change; None if it brings an error that was not there, or leads no further.

    A change of a selector that was legal brings no warning that was not there: its meaning was another one.
    """
    checker = checker or Checker()
    changed = fix.apply(text)
    before, after = _first_error(checker, text, dialect), _first_error(checker, changed, dialect)
    if changed == text or (after is not None and (before is None or not _is_progress(text, before, changed, after))):
        return None
    if before is None and _warnings(checker, changed, dialect) - _warnings(checker, text, dialect):
        return None
    return changed


def _warnings(checker: Checker, text: str, dialect: Dialect) -> Counter[str]:
    findings = (finding.diagnostic for finding in checker.check(text, [dialect]).findings)
    return Counter(one.code for one in findings if one.severity == "warning")


def mended(text: str, fix: Fix, dialect: Dialect) -> str | None:
    """Return a selector after a change and those that are certain then; None if an error is left."""
    checker = Checker()
    changed = fixed(text, fix, dialect, checker)
    if changed is None or _first_error(checker, changed, dialect) is None:
        return changed
    changed, _ = fix_all(changed, [dialect], checker)
    return changed if _first_error(checker, changed, dialect) is None else None


def fix_all(text: str, dialects: Sequence[Dialect], checker: Checker | None = None) -> tuple[str, list[Fix]]:
    """Return a selector after all changes that are certain, and these, each of the text after those before it."""
    checker = checker or Checker()
    done: list[Fix] = []
    while len(done) < _MAX_FIXES:
        found = checker.check(text, dialects).findings
        # A text that one dialect takes as it is may mean something else in another.
        fixes = [one.diagnostic.fix for one in found if len(one.dialects) == len(dialects)]
        certain = [fix for fix in fixes if isinstance(fix, Fix) and fix.certain]
        made = next(
            ((fix, new) for fix in certain if (new := fixed(text, fix, dialects[0], checker)) is not None), None
        )
        if made is None:
            break
        done.append(made[0])
        text = made[1]
    return text, done


class _Error(NamedTuple):
    """The first error of a selector: False if the selector does not parse, and the offset of the error."""

    parses: bool
    start: int


def _is_progress(text: str, before: _Error, changed: str, after: _Error) -> bool:
    """Return True if a change leads to a later error: types are checked once a selector parses."""
    if before.parses is not after.parses:
        return after.parses
    return len(text) - before.start > len(changed) - after.start


def _first_error(checker: Checker, text: str, dialect: Dialect) -> _Error | None:
    """Return a selector's first error."""
    errors = [
        _Error(not finding.diagnostic.code.startswith("syntax."), (finding.diagnostic.span or Span(0, 0)).start)
        for finding in checker.check(text, [dialect]).findings
        if finding.diagnostic.severity == "error"
    ]
    return min(errors, default=None)


def fix_file(
    content: str,
    name: str,
    dialects: Sequence[Dialect],
    checker: Checker,
    declarations: Declarations | None = None,
    used_elsewhere: Sequence[FoundSelector] = (),
) -> tuple[str, int]:
    """Return a file's text after the changes of its selectors that are certain, and their number.

    ``used_elsewhere`` are constants of the file that other files use as selectors.

    A selector whose changed characters are apart in the file, or whose line ignores a rule, stays as it is. What comes
    out reads as the selectors that were meant; otherwise nothing is changed. Raises ``UnreadableError``.
    """
    own_selectors = _of_file(content, name, declarations)
    places = {one.mapped.place(Span(0, len(one.mapped.text))) for one in own_selectors}
    others = [one for one in used_elsewhere if one.mapped.place(Span(0, len(one.mapped.text))) not in places]
    lines = Lines(content)
    ignored = IgnoreComments(lines.texts)
    #: Two selectors may have one constant, which is changed once.
    edits: dict[Span, str] = {}
    meant, count = [], 0
    for number, one in enumerate((*own_selectors, *others)):
        text = one.mapped.text
        line = lines.place(one.mapped.place(Span(0, 1))).line
        own = dialects or (JMS if one.dialect is None else find_dialect(one.dialect),)
        changed, fixes = (text, []) if any(ignored.at(line)) else fix_all(text, own, checker)
        changes = _changes(text, fixes)
        if all(one.mapped.is_contiguous(span) for span, _ in changes):
            own_edits = {one.mapped.place(span): one.escape(new) for span, new in changes}
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
    """Return the selectors of a file that stand in it as a whole."""
    found = find_selectors(content, name, declarations)
    return [one for one in found if isinstance(one, FoundSelector) and one.file is None and not one.is_filled]


def _changes(text: str, fixes: Sequence[Fix]) -> list[tuple[Span, str]]:
    """Return the parts of a text that are others after some changes, one after the other."""
    characters: list[tuple[str, int | None]] = [(character, number) for number, character in enumerate(text)]
    for fix in fixes:
        assert fix.span is not None
        current = "".join(character for character, _ in characters)
        new: list[tuple[str, int | None]] = [(character, None) for character in fix.spaced(current)]
        characters[fix.span.start : fix.span.end] = new
    changes, place, written = [], 0, ""
    for character, number in (*characters, ("", len(text))):
        if number is None:
            written += character
            continue
        if number == place and written and place:
            # An insertion has an empty span, so it replaces the character before it by that and the new text.
            changes.append((Span(place - 1, place), text[place - 1] + written))
        elif number > place:
            changes.append((Span(place, number), written))
        place, written = number + 1, ""
    return changes
