"""The remedy for an id that no message reads, by the messages that are there: the text that one of them reads."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace

from transpiler.base.diagnostics import Diagnostic, Fix
from transpiler.language.selector.literal_scanner import string_literal
from transpiler.message.ids import message_id_text
from transpiler.message.message import Message


def with_ids_of(messages: Sequence[Message], findings: Iterable[Diagnostic]) -> tuple[Diagnostic, ...]:
    """Return findings, those about the form of a message id with the text of the message that was meant."""
    ids = [message.properties.message_id for message in messages if message.properties is not None]
    texts = (message_id_text(value) for value in ids if value is not None)
    known = [text for text in dict.fromkeys(texts) if text is not None]
    return tuple(_with_id(finding, known) if finding.code == "id.form" else finding for finding in findings)


def _with_id(finding: Diagnostic, known: Sequence[str]) -> Diagnostic:
    assert finding.source is not None
    assert finding.span is not None
    meant = finding.source.text[slice(*finding.span)].strip("'")
    text = next((one for one in known if one.endswith(f":{meant}")), None)
    if text is None:
        return finding
    written = string_literal(text)
    return replace(finding, hint=f"the id of the message reads {written}: write that", fix=Fix(written))
