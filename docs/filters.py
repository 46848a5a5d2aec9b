"""Writes docs/filters.md from the table of descriptors: python docs/filters.py > docs/filters.md."""

from __future__ import annotations

from typing import Any

from transpiler import transpile_filter
from transpiler.language.filters.descriptors import DESCRIPTORS, Descriptor

INNER = {"descriptor": "apache.org:legacy-amqp-direct-binding:string", "value": "usd"}
OTHER = {"descriptor": "apache.org:legacy-amqp-topic-binding:string", "value": "eur.#"}

#: A value for each kind of filter.
EXAMPLES: dict[str, Any] = {
    "SqlFilter": "properties.subject LIKE 'usd%' AND header.priority > 4",
    "DirectBinding": "usd.stock",
    "TopicBinding": "*.stock.#",
    "HeadersBinding": {"x-match": "any", "area": "Viking", "speed": 5, "urgent": None},
    "NoLocal": [],
    "JmsSelector": "JMSPriority > 6 AND area = 'Viking'",
    "OrFilter": [INNER, OTHER],
    "AndFilter": [INNER, OTHER],
    "NotFilter": [INNER],
    "PropertiesFilter": {"subject": "&p:usd.", "content-type": "text/plain"},
    "ApplicationPropertiesFilter": {"area": "&s:ing", "speed": 5},
}

HEAD = """# Filters

What an AMQP 1.0 client can send in a source's filter set. A symbol decides what a filter is. A code stands for the
first row that has it; 0x0000468C:0x00000005 is the or-filter in the Apache document and XQuery in the C++ broker, so a
list under that code is an or-filter, with a warning, and a string is an error.

| symbol | code | value | capability | source | SQL of an example |
|---|---|---|---|---|---|
"""

DECISIONS = (
    ("a set of filters", "all must hold; an empty one accepts every message; a null is no filter"),
    (
        "larger pieces of AMQP",
        "of a source, an attach, or frames as bytes the filter set inside is read; what holds none is an error",
    ),
    (
        "what a filter answers",
        "accepted or not: a selector that is unknown does not select, and `not` around it accepts",
    ),
    (
        "an unknown descriptor",
        'an error; with `unknown="ignore"` the whole named filter is left out, and `in_effect` says what stays',
    ),
    (
        "topic words",
        'the subject "" is one empty word; an absent subject matches the pattern `#` only, not `#.#`',
    ),
    (
        "`x-match`",
        "demanded, for the document has a MUST there: `all` or `any`, a symbol; a string is read with a warning; "
        "anything else, or none, is an error. A binding of an exchange may leave it out, and then asks for `all`",
    ),
    ("other keys with `x-`", "ignored"),
    (
        "a null in a headers binding",
        "the key is there, be it with a null value; a typed column cannot tell, and has to have a value",
    ),
    (
        "equal values",
        "within a class: all integers by value, all floating point numbers, strings with symbols and chars, bytes with "
        "uuids; 1 is not 1.0",
    ),
    (
        "the payload of no-local",
        "an empty list, or the text `NoLocalFilter{}` that several clients send; "
        'with `unknown="ignore"` anything, with a warning',
    ),
    (
        "header names on the wire",
        "`FilterSet.to_amqp()` writes `amqp.correlation_id` for `JMSCorrelationID` in a selector with the descriptor "
        "`apache.org:selector-filter:string`, by the table of its document, and leaves others as they are; "
        "`wire_names=` decides for all",
    ),
    ("what a peer must offer", "`FilterSet.capabilities`: the capability of each filter's own document"),
    (
        "the receiver",
        "`now=` is the time for a JMSExpiration by a ttl, `destination=` the JMSDestination of a message without `to`",
    ),
    ("no-local", "a message that does not say on which connection it was published is accepted"),
    (
        "the publisher's connection",
        "message annotation `x-opt-publisher-connection`; over typed columns a column of that name",
    ),
    (
        "property filters",
        "`&p:` prefix, `&s:` suffix, `&&` an ampersand; numbers compare across integers and floating point",
    ),
    (
        "streams of RabbitMQ",
        "`rabbitmq:stream-filter` takes messages whose annotation `x-stream-filter-value` is one of its texts, and "
        "with `rabbitmq:stream-match-unfiltered` those without one; over a table without annotations it is not in "
        "effect, with a finding. `rabbitmq:stream-offset-spec` says where a stream is read from, and selects nothing",
    ),
    (
        "sessions of Service Bus",
        "`com.microsoft:session-filter` takes messages whose `group_id` is its text, be it described, by its symbol or "
        "its code 0x00000013:0x7000000C, or a text by that name without a descriptor; with a null it asks for the next "
        "session that is free, which selects nothing, with a finding",
    ),
    ("a null in an application-properties filter", "the key is there; in a properties filter it is an error"),
)

TAIL = """
## Decisions

Where the documents are silent or brokers differ, this holds, in Spark and in the reference alike.

| question | answer |
|---|---|
"""


def code(text: str) -> str:
    """Text in a cell of a table, as it is."""
    escaped = text.replace("|", "\\|")
    return f"``{escaped}``" if "`" in text else f"`{escaped}`"


def example(row: Descriptor) -> str:
    """The SQL of an example, or why there is none."""
    if row.kind is None:
        return "known, and not available here"
    value = EXAMPLES.get(row.kind.__name__)
    if value is None:
        raise ValueError(f"no example of {row.kind.__name__}")
    return code(transpile_filter({"descriptor": row.symbol, "value": value}, connection="c1").sql)


def page() -> str:
    """The whole page."""
    rows = (
        f"| `{row.symbol}` | `{row.code_text}` | {row.payload.value} | "
        f"{code(row.capability) if row.capability else '—'} | {row.source} | {example(row)} |\n"
        for row in DESCRIPTORS
    )
    decisions = (f"| {question} | {answer} |\n" for question, answer in DECISIONS)
    return HEAD + "".join(rows) + TAIL + "".join(decisions)


if __name__ == "__main__":
    print(page(), end="")
