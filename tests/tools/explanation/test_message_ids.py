"""For an id that no message contains, the hint proposes the text of the id that the message has."""

from __future__ import annotations

from typing import Any

import pytest

from transpiler import Message, evaluate, transpile_selector
from transpiler.base.diagnostics import Fix
from transpiler.cli.explain import with_ids_of

#: The id of the message, and the text of the hint; None if the hint is not about a particular message.
IDS: tuple[tuple[Any, str | None], ...] = (
    ("1234", "'ID:AMQP_NO_PREFIX:1234'"),
    ("ID:1234", "'ID:1234'"),
    ({"type": "ulong", "value": 1234}, "'ID:AMQP_ULONG:1234'"),
    ("ID:99", None),
    (None, None),
)


@pytest.mark.parametrize(("identifier", "written"), IDS)
def test_the_remedy_for_an_id_is_the_id_of_the_message(identifier: Any, written: str | None) -> None:
    selector = "JMSMessageID = '1234'"
    message = Message.from_dict({"properties": {"message_id": identifier}} if identifier is not None else {})
    [general] = transpile_selector(selector).diagnostics
    [finding] = with_ids_of([message], [general])
    if written is None:
        assert finding == general
        return
    assert isinstance(finding.fix, Fix)
    assert (finding.fix.text, written in (finding.hint or "")) == (written, True)
    assert evaluate(finding.fix.apply(selector), message) is True
