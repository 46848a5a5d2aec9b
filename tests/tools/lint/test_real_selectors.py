"""Selectors of public code: a valid selector has no error, and its warnings are exactly those that were reviewed."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from transpiler.language.selector.dialects import find_dialect
from transpiler.tools.lint.check import Checker

TABLE = Path(__file__).parents[2] / "data" / "real_selectors.txt"


def _selectors() -> Iterator[tuple[str, str, bool]]:
    dialect, legal = "jms", True
    for line in TABLE.read_text(encoding="utf-8").splitlines():
        if line.startswith("# dialect: "):
            dialect = line.removeprefix("# dialect: ")
        elif line == "# illegal":
            dialect, legal = "jms", False
        elif not line.startswith("#"):
            yield line, dialect, legal


CASES = list(_selectors())

#: The warnings about valid selectors, each of which is true. All other selectors have no warning, only notes.
WARNED = {
    "JMSMessageID='sj2j22j' AND MyType='payroll'": "id.form",
    "JMSMessageID = 'id:test:1:1:1:1'": "id.form",
    "foo=bar": "lint.unquoted-word",
    "name = qiqi and age > 18": "lint.unquoted-word",
    "service = order": "lint.unquoted-word",
    "color = red": "lint.unquoted-word",
    "a = b": "lint.unquoted-word",
    "(trueProp OR falseProp) AND trueProp": "lint.implied",
    "(trueProp OR falseProp) AND falseProp": "lint.implied",
    "punctuation LIKE '!#$&()*+,-./:;<=>?@[\\]^`{|}~'": "lint.like-without-wildcard",
    "1.0 < 1.1": "lint.always-true",
    "-1.1E1 < 1.E1": "lint.always-true",
    "4E+10 < 5E+10": "lint.always-true",
    "viaje LIKE '17'": "lint.like-without-wildcard",
    "JMSType in ('closed, saleUpdate')": "lint.comma-in-string",
    "Sender <> 1 AND Type = 'PING' AND Type = 'ELECTION'": "lint.never-true",
    "sender is not null AND JMSCorrelationID = 1234": "type.unlike",
}


def test_there_are_enough_real_selectors() -> None:
    assert len(CASES) > 200


@pytest.mark.parametrize(("text", "dialect"), [(text, dialect) for text, dialect, legal in CASES if legal])
def test_a_legal_selector_has_no_error_and_no_other_warning_than_known(text: str, dialect: str) -> None:
    findings = [found.diagnostic for found in Checker().check(text, (find_dialect(dialect),)).findings]
    warnings = [found.code for found in findings if found.severity != "info"]
    assert not [found for found in findings if found.severity == "error"]
    assert warnings == ([WARNED[text]] if text in WARNED else [])


@pytest.mark.parametrize("text", [text for text, _, legal in CASES if not legal])
def test_an_illegal_one_has_an_error_with_a_place(text: str) -> None:
    findings = [found.diagnostic for found in Checker().check(text).findings]
    assert findings
    for found in findings:
        assert found.severity == "error"
        assert found.span is not None
