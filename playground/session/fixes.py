"""Changes of a selector that a finding's hint proposes, for a button.

A hint is a sentence for people. The text that it proposes is tried at the finding's place, and offered only where the
selector then parses and the finding is gone.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from transpiler.compiler import parse_selector
from transpiler.diagnostics import Diagnostic
from transpiler.lint.check import Checker
from transpiler.selector.dialects import Dialect
from transpiler.source import Span

#: The words in front of a proposal. It ends at the end of the hint, at a semicolon, or where alternatives follow.
_PROPOSAL = re.compile(r"(?:did you mean|write|reads|quotes:) +(?P<text>\S.*?)(?=\?$|;| or '|$)")

#: The beginning of a text in wrong quotes, of which a finding marks the first one.
_QUOTED = re.compile('["`´‘’“”][^"`´‘’“”\']*["`´‘’“”\']')

#: Findings about how a selector is written: a change keeps its tree.
_SAME_MEANING = ("lint.mixed-and-or",)

#: Proposals that are tried for one finding.
_MAX_TRIED = 4


@dataclass(frozen=True, slots=True)
class Fix:
    """The selector after a change, and the text that was put in."""

    label: str
    selector: str


def find_fix(text: str, finding: Diagnostic, findings: Sequence[Diagnostic], dialect: Dialect) -> Fix | None:
    """Return the change that a hint proposes, if it removes the finding and brings no error."""
    proposal = _PROPOSAL.search(finding.hint or "")
    if proposal is None or finding.span is None:
        return None
    label = proposal["text"]
    before = len(findings)
    for number, changed in enumerate(_changes(text, finding.span, label)):
        if number == _MAX_TRIED:
            break
        after = [one.diagnostic for one in Checker().check(changed, [dialect]).findings]
        removed = finding.code not in {one.code for one in after} or len(after) < before
        if any(one.severity == "error" for one in after) or not removed:
            continue
        if finding.code not in _SAME_MEANING or parse_selector(changed, dialect) == parse_selector(text, dialect):
            return Fix(label, changed)
    return None


def _changes(text: str, span: Span, proposal: str) -> Iterator[str]:
    """Yield the text with the proposal over what it spells anew, over a text in wrong quotes, or over the span."""
    respelled = _respelled(text, span, proposal)
    if respelled is not None:
        yield text[: respelled.start] + proposal + text[respelled.end :]
        return
    quoted = _QUOTED.match(text, span.start)
    if quoted is not None:
        yield text[: span.start] + proposal + text[quoted.end() :]
        yield _QUOTED.sub(lambda match: "'" + match[0][1:-1] + "'", text)
    yield text[: span.start] + proposal + text[span.end :]
    # An operator's proposal may show its operands.
    around = re.search(r"\S+\s*$", text[: span.start])
    behind = re.match(r"\s*\S+", text[span.end :])
    if around is not None and behind is not None:
        yield text[: around.start()] + proposal + text[span.end + behind.end() :]


def _respelled(text: str, span: Span, proposal: str) -> Span | None:
    """Return the part of the text around a span that the proposal is, but for parentheses, blanks and case."""
    places = [at for at, character in enumerate(text) if _counts(character)]
    squeezed = "".join(text[at] for at in places).casefold()
    wording = "".join(filter(_counts, proposal)).casefold()
    if len(squeezed) != len(places) or wording == "".join(filter(_counts, text[span.start : span.end])).casefold():
        return None
    at = squeezed.find(wording)
    while at >= 0:
        place = Span(places[at], places[at + len(wording) - 1] + 1)
        if place.start <= span.start and span.end <= place.end:
            return place
        at = squeezed.find(wording, at + 1)
    return None


def _counts(character: str) -> bool:
    return not character.isspace() and character not in "()"
