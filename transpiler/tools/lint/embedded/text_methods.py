"""String methods of programming languages whose result can be computed: methods that strip blanks or join strings."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence

from transpiler.tools.lint.embedded.selector_patterns import HOLE
from transpiler.tools.lint.embedded.selector_text import MappedText, joined

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
METHODS: Mapping[str, Callable[[MappedText], MappedText]] = {
    **dict.fromkeys(
        "trim strip trimspace trimend trimstart lstrip rstrip stripleading striptrailing".split(), _stripped
    ),
    **dict.fromkeys("trimindent stripindent dedent cleandoc".split(), _without_indentation),
    **dict.fromkeys("trimmargin stripmargin".split(), _without_margin),
    **dict.fromkeys("tostring intern to_string to_owned into as_str".split(), lambda text: text),
}


def joined_by(separator: MappedText, texts: Sequence[MappedText | None]) -> MappedText:
    """Return ``texts`` joined by ``separator``, with a ``HOLE`` for each text that is None (unknown)."""
    pieces: list[MappedText] = []
    for text in texts:
        pieces += [separator] if pieces else []
        at = separator.at
        pieces.append(MappedText(HOLE, [at], [at], at) if text is None else text)
    return joined(pieces)
