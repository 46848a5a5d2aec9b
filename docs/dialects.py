"""Writes docs/dialects.md from the records of the dialects: python docs/dialects.py > docs/dialects.md."""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import groupby

from transpiler.language.selector.dialects import DIALECTS, JMS, Dialect
from transpiler.message.header_fields import PROPERTIES, RECEIVER, Conversion, HeaderField, MessageField, Origin
from transpiler.message.types import AmqpType
from transpiler.tools.dialect_tools.questions import QUESTIONS, answer

#: Features of the reference evaluator that the SQL of a dialect does not have.
LIMITS = (
    "Integers of any size are DECIMAL, which has 38 digits. Where a sum or a product has more, the comparison is "
    "unknown, never a wrong TRUE or FALSE; a longer literal is the error `limit.digits`.",
    "REGEX, REPLACE and SPLIT take their regular expression from a literal, and REPLACE its replacement too. One that "
    "a row brings along could be no regular expression, and then Spark fails the whole job where the broker loses one "
    "message. Anything else is the error `spark.function`.",
    "Regular expressions are a subset of Java's: literals, classes, `\\d` `\\w` `\\s` and their opposites, groups, "
    "alternatives, greedy repeats of at most 255 rounds or without a bound, `^`, `$`, `\\A`, `\\z`, `\\Z`, and "
    "look-aheads, and `(?i)` at the beginning; at most 2,000 characters. Letters without case and classes go by ASCII. "
    "All else is refused with its place, by Spark (`spark.regex`) and by the reference evaluator (`limit.regex`): lazy "
    "and possessive repeats, back-references, look-behind, named and atomic groups, `\\b`, `\\p{…}`, sets in sets.",
    "A repeat may give back what it took only so often that a search takes at most the square of the text's length: "
    "`a.*b` and `^.*a.*b` are served, `(a+)+b` and `a.*b.*c` are refused. Where the next character decides how a "
    "repeat ends, as in `[^,]*,`, it costs nothing, and Java is given a possessive one.",
    "REPLACE takes no expression that may match the empty text, and no group in the replacement that some matches "
    "leave out. A replacement that Java would refuse, such as `$2` without a second group, is the error `spark.regex`.",
    "The reference evaluator answers for texts of up to 10,000 characters where a search may take the square of the "
    "length, and ends with `limit.regex` beyond that.",
    "A list that SPLIT or MAKELIST makes stands in INLIST only, and SPLIT splits a literal.",
    "XPATH takes the axes child, attribute, parent, self and `//`, and the functions that the reference evaluator has. "
    "What is no XPath, or another one, is the error `spark.xpath`: Java would fail the job over it.",
    "A body is XML if it is a well-formed document of XML 1.0 without a document type, of at most 200 levels, 200 "
    "attributes an element and 400 characters a name. Names have ASCII letters and common ones of Latin, Greek, "
    "Cyrillic, Hebrew, Arabic, Japanese, Chinese and Korean; targets of instructions have ASCII ones. XPATH is FALSE "
    "of any other body, here and in the reference evaluator: Java would fail the job over some of them.",
    "XPATH looks at no namespaces: `/a` takes `<p:a>` and `<a xmlns='u'>` too, and a prefix need not be declared. Java "
    "looks up the name with its prefix in one path only, `//a`. A broker whose parser reads namespaces may differ.",
    "A record of one's own whose answers no broker has together may have no SQL: that is the error `dialect.rules`.",
    "A message id or correlation id that is no string is NULL behind the JMS names of the brokers' dialects: their "
    "texts for other types of ids stand in no verdict that we have.",
)

#: The version of each broker that its dialect copies.
VERSIONS = (
    "| `activemq` | ActiveMQ Classic at c3580e79, which answers as release 5.17.2 |",
    "| `artemis` | ActiveMQ Artemis at 6700541d, selectors of clients |",
    "| `artemis-core` | ActiveMQ Artemis at 6700541d, filters of the broker itself |",
    "| `qpid-java` | Qpid Broker-J at 1df338ce |",
    "| `qpid-cpp` | the C++ broker of Qpid at 62aaa4cd |",
    "| `rabbitmq` | RabbitMQ 4 at 5b09e556, SQL filters of streams |",
    "| `rabbitmq-jms` | RabbitMQ 4 at 5b09e556, `x-jms-topic` exchanges; its JMS client at dc6ca4a |",
)

#: Answers that a limit of a broker's implementation gives, and that no dialect copies.
NOT_COPIED = (
    "RabbitMQ 4.3 gives up a pattern with text between two `%`, such as `LIKE '%x%y'`, beyond the match limit of its",
    "regular expressions: on a text of about 51,000 characters the filter does not match. The dialects `rabbitmq` and",
    "`rabbitmq-jms` match in a time that grows with the text, whatever its length, and answer what the pattern says.",
)

#: The bindings whose selectors are evaluated.
ASKED = (
    "`x-filter-jms-selector` of a `qpid-java` topology is in the dialect `qpid-java`, on direct, topic, fanout and",
    "headers exchanges. The Broker-J manual (4.6.3.1) names the first three; the broker asks the selector of a headers",
    "binding too, beside its `x-match`, and so does this project. Bindings of RabbitMQ's",
    "`x-jms-topic` exchanges have selectors in `rabbitmq-jms`; other bindings of the other brokers have none.",
)


def page() -> str:
    """The page of deviations, in Markdown."""
    lines = [
        "# Dialects",
        "",
        "What each dialect answers where brokers differ. For a broker without a dialect, such as IBM MQ or Solace, see",
        "[which dialect stands for which broker](brokers.md).",
        "",
    ]
    brokers = [dialect for dialect in DIALECTS.values() if dialect is not JMS]
    for name, question in QUESTIONS.items():
        if name == "fields":
            continue
        answers: dict[str, list[str]] = {}
        for dialect in DIALECTS.values():
            answers.setdefault(answer(getattr(dialect, name)), []).append(f"`{dialect.name}`")
        if len(answers) == 1:
            continue
        lines += [f"## {question[0].upper()}{question[1:]}", "", "| dialects | answer |", "|---|---|"]
        lines += [f"| {', '.join(names)} | {_cell(text)} |" for text, names in answers.items()]
        lines.append("")
    lines += ["## What a property of an AMQP type is", "", _row("AMQP type", (d.name for d in brokers))]
    lines.append("|---" * (len(brokers) + 1) + "|")
    lines += [_row(amqp.value, (_type(dialect, amqp) for dialect in brokers)) for amqp in AmqpType]
    lines += ["", "## Names of header fields", ""]
    lines.append(
        "A name that is not here, or not of a dialect, is an application property there. A default stands where"
    )
    lines.append("the field is absent. The names of `jms` are on [the page on header names](headers.md).")
    tables = {dialect: _header_fields(dialect) for dialect in brokers}
    unreadable = {name for dialect in brokers for name in dialect.fields.unreadable}
    names = sorted({name for table in tables.values() for name in table} | unreadable)
    for _, group in groupby(names, key=lambda name: re.match("JMS|AMQ|amqp|", name)[0]):
        cells = {
            f"`{name}`": {dialect.name: _field(table.get(name), dialect, name) for dialect, table in tables.items()}
            for name in group
        }
        known = [d.name for d in brokers if any(row[d.name] != "–" for row in cells.values())]
        lines += ["", _row("name", iter(known)), "|---" * (len(known) + 1) + "|"]
        lines += [_row(name, (row[dialect] for dialect in known)) for name, row in cells.items()]
    for dialect in brokers:
        if prefix := dialect.fields.annotation_prefix:
            lines += ["", f'In `{dialect.name}`, `"{prefix}KEY"` reads the message annotation `KEY`, and nothing else.']
        lines += [
            f"A selector with `{name}` is refused: it is {why}." for name, why in dialect.fields.unreadable.items()
        ]
    lines += [
        "",
        "## Versions",
        "",
        "A dialect copies its broker at one version:",
        "",
        "| dialect | broker |",
        "|---|---|",
    ]
    lines += [*VERSIONS, "", *NOT_COPIED]
    lines += ["", "## Selectors of bindings", "", *ASKED, "", "## Where Spark stops", ""]
    lines += [f"- {limit}" for limit in LIMITS]
    return "\n".join(lines) + "\n"


def _row(head: str, cells: Iterator[str]) -> str:
    return f"| {head} | {' | '.join(cells)} |"


def _cell(text: str) -> str:
    return text.replace("|", "\\|")


def _type(dialect: Dialect, amqp: AmqpType) -> str:
    if amqp in dialect.types.throws:
        return "throws"
    operand_type = dialect.types.table.get(amqp)
    return operand_type.value if operand_type is not None else "NULL"


def _header_fields(dialect: Dialect) -> dict[str, HeaderField]:
    """Return the header fields of a dialect by the names that a selector has for them."""
    entries = (*dialect.fields.table.values(), *dialect.fields.sections.values())
    return {field.name: field for field in entries}


def _field(field: HeaderField | None, dialect: Dialect, name: str) -> str:
    if name in dialect.fields.unreadable:
        return "refused"
    if field is None:
        return "NULL" if dialect.fields.find(name) is not None else "–"
    if not field.origins:
        return "NULL"
    cell = " or ".join(_origin(origin) for origin in field.origins if origin.places[0].section != PROPERTIES)
    value = str(field.default).upper() if isinstance(field.default, bool) else field.default
    default = "" if value is None else f", default {value}"
    return f"{cell}{default}{', or the property' if field.falls_back_to_property else ''}"


def _origin(origin: Origin) -> str:
    match origin.conversion:
        case Conversion.EXPIRY:
            return f"now + {_place(origin.places[0])}"
        case Conversion.EXPIRY_UNLESS_ZERO:
            return f"now + a positive {_place(origin.places[0])}"
        case conversion:
            places = " or ".join(map(_place, origin.places))
            return places if conversion is Conversion.AS_IS else f"{places}, {conversion.value}"


def _place(place: MessageField) -> str:
    return f"the consumer's {place.field}" if place.section == RECEIVER else f"{place.section}.{place.field}"


if __name__ == "__main__":
    print(page(), end="")
