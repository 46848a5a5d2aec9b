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

This page is for users of AMQP 1.0 clients. It lists the filters that a client can send in the filter set of a source.
A client names the type of a filter by a symbol or by a numeric code. If two rows of the table have the same code,
this project reads the code as the filter in the first of these rows. For example, the code 0x0000468C:0x00000005
means the or-filter in the Apache document, and XQuery in the Qpid C++ broker. So a filter with this code is read as
an or-filter, with a warning, if its value is a list; if its value is a string, the filter is an error.

| symbol | code | value | capability | source | SQL of an example |
|---|---|---|---|---|---|
"""

DECISIONS = (
    ("a set of filters", "a message must match all filters; an empty set accepts all messages; a null means no filter"),
    (
        "larger units of AMQP",
        "from the bytes of a source, an attach, or the frames of a captured connection, the filter set inside is read; "
        "a source without filters causes a warning, and bytes without a source or filter set are an error",
    ),
    (
        "a selector that is unknown",
        "a filter accepts a message or rejects it: it rejects the message if the selector is unknown, and the "
        "not-filter around it then accepts the message",
    ),
    (
        "an unknown descriptor",
        'is an error; with `unknown="ignore"`, the whole named filter is left out, and `in_effect` contains the others',
    ),
    (
        "topic words",
        'the subject "" is one empty word; a message without a subject matches the pattern `#` only, not `#.#`',
    ),
    (
        "`x-match`",
        "is required in a filter, because the document says MUST: the symbol `all` or `any`. A string is accepted with "
        "a warning; any other value, or no value, is an error. A binding of an exchange may omit it, which means `all`",
    ),
    ("other keys with `x-`", "are ignored"),
    (
        "a null in a headers binding",
        "the message must have the key, with any value, even null; over a typed column, the value must not be NULL, "
        "because the column can't distinguish a null from an absent key",
    ),
    (
        "equal values",
        "values are compared within a class: all integers by value, all floating point numbers by value, strings with "
        "symbols and chars, bytes with uuids; the integer 1 does not equal 1.0",
    ),
    (
        "the payload of no-local",
        "is an empty list, or the text `NoLocalFilter{}`, which several clients send; "
        'with `unknown="ignore"`, any payload is accepted with a warning',
    ),
    (
        "header names on the wire",
        "`FilterSet.to_amqp()` writes `amqp.correlation_id` instead of `JMSCorrelationID` in a selector with the "
        "descriptor `apache.org:selector-filter:string`, by the table in its document, and leaves other selectors "
        "unchanged; `wire_names=` sets this for all selectors",
    ),
    (
        "what the peer must offer",
        "`FilterSet.capabilities` returns the capability that each filter's own document names",
    ),
    (
        "the receiver",
        "`now=` and `destination=` give [the values that depend on the receiver](meaning.md#header-names)",
    ),
    ("no-local", "accepts a message that does not say on which connection it was published"),
    (
        "the publisher's connection",
        "is the message annotation `x-opt-publisher-connection`; over typed columns, the column of that name",
    ),
    (
        "property filters",
        "`&p:` begins a prefix, `&s:` begins a suffix, and `&&` stands for an ampersand; integers and floating point "
        "numbers are compared by value",
    ),
    (
        "streams of RabbitMQ",
        "`rabbitmq:stream-filter` accepts messages whose annotation `x-stream-filter-value` equals one of its texts; "
        "with `rabbitmq:stream-match-unfiltered`, it also accepts messages without the annotation. Over a table "
        "without annotations, it is not in effect, with a warning. `rabbitmq:stream-offset-spec` says where a stream "
        "is read from, and does not filter messages",
    ),
    (
        "sessions of Service Bus",
        "`com.microsoft:session-filter` accepts messages whose `group_id` equals its text. It is a value described by "
        "its symbol or by its code 0x00000013:0x7000000C, or a text without a descriptor under that name. A null asks "
        "for the next free session and does not filter messages, with a warning",
    ),
    (
        "a null in an application-properties filter",
        "the message must have the key; in a properties filter, a null is an error",
    ),
)

TAIL = """
## Decisions

If the AMQP documents do not define a detail of a filter, or if brokers differ, this project follows the rules in this
table, both in Spark and in the reference evaluator.

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
        return "known, but not supported"
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
