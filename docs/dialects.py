"""Writes docs/dialects.md from the records of the dialects: python docs/dialects.py > docs/dialects.md."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import NamedTuple

from transpiler.language.selector.dialects import DIALECTS, JMS, Dialect
from transpiler.message.header_fields import PROPERTIES, RECEIVER, Conversion, HeaderField, MessageField, Origin
from transpiler.message.types import AmqpType
from transpiler.tools.dialect_tools.questions import QUESTIONS, answer


class About(NamedTuple):
    """The heading of a question on the page, and the paragraph below it, which is empty if the heading is enough."""

    title: str
    text: str = ""


#: The heading and the explanation of each question.
ABOUT = {
    "max_length": About(
        "Length of a selector",
        "A selector with more characters than this limit is an error. RabbitMQ itself sets the limit of the "
        "dialect `rabbitmq`; this project sets the limits of the other dialects.",
    ),
    "max_tokens": About(
        "Number of words and operators",
        "A selector with more words and operators than this limit is an error.",
    ),
    "blank_is_no_selector": About(
        "Empty and blank selectors",
        'In a dialect with the answer "yes", an empty or blank selector selects every message. In a dialect '
        'with the answer "no", it is an error.',
    ),
    "identifiers": About("Characters of a name"),
    "double_quotes": About(
        "Text in double quotes",
        'The selector `color = "red"`, for example, contains a text in double quotes.',
    ),
    "reserved_words": About(
        "Case of reserved words",
        "The answer says in which case a dialect recognizes reserved words such as AND and LIKE.",
    ),
    "comments": About(
        "Comments: `--` and `/* */`",
        "A dialect with comments reads `--` as the beginning of a comment only if the selector has another "
        "line after it.",
    ),
    "numeric_literals": About("Syntax of numbers"),
    "extensions": About(
        "Constructs beyond the standard",
        "Some dialects accept constructs that the JMS standard does not define. The table uses short names "
        "for these constructs. A *chained comparison* is `a = b = c`. A *null literal* is the word NULL as a "
        "value. *Not equal* is the operator `!=`. *Brackets* quote a name, as in `[order-type]`. *Convert "
        "strings* is the prefix `convert_string_expressions:` of a selector, with which comparisons convert "
        "strings to numbers; with *convert in arithmetic*, arithmetic does so, too. *Hyphenated* is the "
        "prefix `hyphenated_props:`, which allows hyphens in names. *Negated prefixes* are the same prefixes "
        "with `no_` before them. *Tests as operands* means that LIKE, IN and IS NULL may be operands of other"
        " operators, and bind tighter than any of them.",
    ),
    "not_binding": About(
        "Precedence of NOT",
        "If NOT binds looser than a comparison, `NOT a = b` negates the comparison `a = b`. If NOT binds "
        "tighter than arithmetic, `NOT a = b` negates the operand `a`.",
    ),
    "associativity": About(
        "Order of arithmetic operators",
        "In `a - b - c`, for example, a dialect computes one of the two subtractions first.",
    ),
    "signs": About(
        "Operands of a sign",
        "The answer lists the operands before which a unary plus or minus may stand.",
    ),
    "unary_plus": About(
        "Unary plus",
        "If a dialect treats a unary plus as an arithmetic operator, its operand must be a number. If a "
        "dialect ignores a unary plus, `+s = 'a'` compares the property `s` with the text `'a'`.",
    ),
    "static_typing": About(
        "Type checks of a selector",
        "Some dialects check the types of operands before they read a message. A selector that fails this "
        "check is an error.",
    ),
    "in_operand_form": About("Left side of IN"),
    "list_member": About("Members of the list of IN"),
    "like_operand_form": About("Left side of LIKE"),
    "null_operand_form": About("Left side of IS NULL"),
    "escapes": About(
        "ESCAPE",
        "The answer says what may follow ESCAPE in a selector, and before which characters of a LIKE pattern "
        "the escape character has an effect.",
    ),
    "types": About(
        "Types of values",
        "The answer lists the types of the values with which a dialect computes. [A table "
        "below](#what-a-property-of-an-amqp-type-is) lists for each AMQP type of a property the type that a "
        "selector sees.",
    ),
    "logic": About(
        "AND and OR with unknown",
        "In `qpid-java`, `unknown AND FALSE` is unknown, and `unknown OR FALSE` is FALSE.",
    ),
    "evaluation": About(
        "Evaluated sides of AND and OR",
        "Which sides of AND and OR a broker evaluates matters only if the evaluation of one side throws an exception.",
    ),
    "null_equality": About(
        "`=` with NULL",
        "A property that the message lacks is NULL.",
    ),
    "unlike_types": About(
        "Comparison of unlike types",
        "For example, `color = 5` compares values of different types if the property `color` is a string.",
    ),
    "numeric_promotion": About(
        "Comparison of numbers of different types",
        "The comparison of a long with a float is an example. If a dialect does not widen a byte or short on "
        "the right side of a comparison, this value never equals a value of a wider type.",
    ),
    "float_order": About("Comparison of NaN and -0.0"),
    "ordering": About("`<`, `<=`, `>` and `>=` on strings and booleans"),
    "integer_arithmetic": About(
        "Width of integers",
        "The answer says how many bits integers have, and what happens if a result does not fit. In a "
        'dialect with "32 or 64 bits", an operation has 64 bits if at least one of its operands has 64 bits.',
    ),
    "division": About("Division"),
    "remainder": About("Remainder: `%`"),
    "not_numbers": About("Arithmetic on strings and booleans"),
    "bare_name": About(
        "A number or string as a condition",
        "For example, the whole selector can be `urgent`, the name of a property that is a number or a string.",
    ),
    "between_meaning": About(
        "BETWEEN",
        "The answer gives the comparisons to which BETWEEN and NOT BETWEEN are equivalent.",
    ),
    "like_not_string": About("LIKE on numbers and booleans"),
    "in_not_string": About("IN on numbers and booleans"),
    "wildcards": About(
        "Wildcards of LIKE",
        "In a LIKE pattern, `_` matches one code point or one byte, depending on the dialect, and `%` matches"
        " any number of code points or bytes.",
    ),
    "on_throw": About(
        "Exceptions",
        "The answer says what a broker does if the evaluation of a selector throws an exception.",
    ),
}

#: Features of the reference evaluator that the SQL of a dialect does not have.
LIMITS = (
    "In the dialects with integers of any size, Spark computes integers as DECIMAL, which has at most 38 digits. If "
    "a sum or a product has more than 38 digits, the comparison is unknown, never a wrong TRUE or FALSE. A literal "
    "with more than 38 digits raises the error `limit.digits`.",
    "The functions REGEX, REPLACE and SPLIT of a selector accept only a literal as their regular expression, and "
    "REPLACE accepts only a literal as its replacement. If a regular expression came from a row and were invalid, "
    "the whole Spark job would fail, whereas the broker loses only one message. An argument other than a literal "
    "raises the error `spark.function`.",
    "The regular expressions of selectors are a subset of Java's: literals, classes, `\\d` `\\w` `\\s` and their "
    "opposites, groups, alternatives, greedy repeats of at most 255 rounds or without a bound, `^`, `$`, `\\A`, "
    "`\\z`, `\\Z`, and look-aheads, and `(?i)` at the beginning. A regular expression has at most 2,000 characters. "
    "Character classes, and comparisons that ignore case, know only ASCII letters. Spark (`spark.regex`) and the "
    "reference evaluator (`limit.regex`) reject every other construct with an error that gives its position: lazy "
    "and possessive repeats, back-references, look-behind, named and atomic groups, `\\b`, `\\p{…}`, and sets in "
    "sets.",
    "Because the repeats of a regular expression may backtrack, the expression is accepted only if the time of a "
    "search grows at most with the square of the text's length: `a.*b` and `^.*a.*b` are accepted, `(a+)+b` and "
    "`a.*b.*c` are refused. If the next character determines where a repeat ends, as in `[^,]*,`, the repeat need "
    "not backtrack, so it is passed to Java as a possessive repeat.",
    "REPLACE rejects a regular expression that may match the empty text. It also rejects a replacement with a "
    "reference to a group that does not take part in every match. A replacement that Java would reject, such as "
    "`$2` without a second group, raises the error `spark.regex`.",
    "If the time of a search may grow with the square of the text's length, the reference evaluator accepts texts "
    "of up to 10,000 characters, and raises `limit.regex` for a longer text.",
    "The functions SPLIT and MAKELIST create a list, which a selector can use only as an argument of INLIST. The "
    "text that SPLIT divides must be a literal.",
    "XPATH accepts the axes child, attribute, parent, self and `//`, and the functions that the reference evaluator "
    "implements. Any other expression raises the error `spark.xpath`, because Java would fail the whole Spark job.",
    "XPATH treats the body of a message as XML only if the body is a well-formed document of XML 1.0 without a "
    "document type, with at most 200 levels, 200 attributes for each element and 400 characters for each name. "
    "Names may contain ASCII letters and the common letters of Latin, Greek, Cyrillic, Hebrew, Arabic, Japanese, "
    "Chinese and Korean; the targets of instructions only ASCII letters. For any other body the result of XPATH is "
    "FALSE, in Spark and in the reference evaluator, because Java would fail the whole Spark job for some of these "
    "bodies.",
    "XPATH ignores namespaces: `/a` also matches `<p:a>` and `<a xmlns='u'>`, and a prefix need not be declared. "
    "Only for the path `//a`, Java compares the name of an element including its prefix. A broker whose XML parser "
    "reads namespaces may give other results.",
    "A `Dialect` record that you write yourself may combine rules that no broker combines. If the compiler cannot "
    "generate SQL for the combination, it raises the error `dialect.rules`.",
    "If a message ID or correlation ID is not a string, its JMS name (`JMSMessageID`, `JMSCorrelationID`) is NULL "
    "in the brokers' dialects, because we have not seen to which text the brokers convert such an ID.",
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
    "If a LIKE pattern has text between two `%`, such as `LIKE '%x%y'`, RabbitMQ 4.3 evaluates it as a regular",
    "expression with a match limit. If a search exceeds this limit, the filter does not match: for example, for a",
    "text of about 51,000 characters. The dialects `rabbitmq` and `rabbitmq-jms` do not copy this limit. They match a",
    "text of any length correctly, in a time that grows with the length of the text.",
)

#: The bindings whose selectors are evaluated.
ASKED = (
    "In a `qpid-java` topology, the selector `x-filter-jms-selector` of a binding is read in the dialect `qpid-java`,",
    "on direct, topic, fanout and headers exchanges. The Broker-J manual (4.6.3.1) names only the first three types",
    "of exchange. On a headers exchange, Broker-J also evaluates the selector, in addition to the binding's",
    "`x-match`, and this project does the same. Bindings of RabbitMQ's `x-jms-topic` exchanges have selectors in the",
    "dialect `rabbitmq-jms`. Other bindings of RabbitMQ, and bindings of other brokers with exchanges, have no",
    "selectors.",
)


def page() -> str:
    """The page of deviations, in Markdown."""
    lines = [
        "# Dialects",
        "",
        "This page is for everybody whose selectors must work on several brokers. It lists the questions about",
        "selectors on which brokers differ, and the answer of each dialect. [Which dialect stands for which",
        "broker](brokers.md) lists the dialects, and shows how to compare them for one selector.",
        "",
    ]
    brokers = [dialect for dialect in DIALECTS.values() if dialect is not JMS]
    for name in QUESTIONS:
        if name == "fields":
            continue
        answers: dict[str, list[str]] = {}
        for dialect in DIALECTS.values():
            answers.setdefault(answer(getattr(dialect, name)), []).append(f"`{dialect.name}`")
        if len(answers) == 1:
            continue
        about = ABOUT[name]
        lines += [f"## {about.title}", "", *([about.text, ""] if about.text else [])]
        lines += ["| dialects | answer |", "|---|---|"]
        lines += [f"| {names} | {_cell(text)} |" for text, names in _grouped(answers)]
        lines.append("")
    types = {amqp.value: {dialect.name: _type(dialect, amqp) for dialect in brokers} for amqp in AmqpType}
    lines += ["## What a property of an AMQP type is", "", *_table("AMQP type", types)]
    lines += ["", "## Names of header fields", ""]
    lines += [
        "If the table does not list a name for a dialect, the name is an application property there. If a",
        "message lacks the field, a selector reads the default. [The page on header names](headers.md) lists the names",
        "of `jms`.",
        "",
        "| name | dialects | read from |",
        "|---|---|---|",
    ]
    tables = {dialect: _header_fields(dialect) for dialect in brokers}
    unreadable = {name for dialect in brokers for name in dialect.fields.unreadable}
    for name in sorted({name for table in tables.values() for name in table} | unreadable):
        readers: dict[str, list[str]] = {}
        for dialect, table in tables.items():
            readers.setdefault(_field(table.get(name), dialect, name), []).append(f"`{dialect.name}`")
        lines += [f"| `{name}` | {', '.join(of)} | {cell} |" for cell, of in readers.items() if cell != "–"]
    notes: dict[str, list[str]] = {}
    for dialect in brokers:
        if prefix := dialect.fields.annotation_prefix:
            notes.setdefault(f'`"{prefix}KEY"` reads only the message annotation `KEY`', []).append(dialect.name)
        for why in dict.fromkeys(dialect.fields.unreadable.values()):
            refused = " or ".join(f"`{name}`" for name, one in dialect.fields.unreadable.items() if one == why)
            notes.setdefault(f"a selector with {refused} is refused, because this name stands for {why}", []).append(
                dialect.name
            )
    for note, of in notes.items():
        lines += ["", f"In {' and '.join(f'`{name}`' for name in of)}, {note}."]
    lines += [
        "",
        "## Versions",
        "",
        "Each dialect reproduces the behavior of its broker at one version:",
        "",
        "| dialect | broker |",
        "|---|---|",
    ]
    lines += [*VERSIONS, "", *NOT_COPIED]
    lines += ["", "## Selectors of bindings", "", *ASKED, "", "## Where Spark stops", ""]
    lines += [f"- {limit}" for limit in LIMITS]
    return "\n".join(lines) + "\n"


def _grouped(answers: Mapping[str, Sequence[str]]) -> Iterator[tuple[str, str]]:
    """Yield each answer with its dialects; the dialects of the answer that most dialects have are "the others"."""
    most = max(answers, key=lambda text: len(answers[text]))
    has_rest = len(answers[most]) > len(DIALECTS) / 2
    for text, names in answers.items():
        if not (has_rest and text == most):
            yield text, ", ".join(names)
    if has_rest:
        yield most, "the others"


def _table(head: str, rows: Mapping[str, Mapping[str, str]]) -> list[str]:
    """Return the lines of a table with a column for each dialect that has cells; dialects with equal cells share it."""
    columns: dict[tuple[str, ...], list[str]] = {}
    for name in next(iter(rows.values())):
        columns.setdefault(tuple(row[name] for row in rows.values()), []).append(name)
    shown = {cells: names for cells, names in columns.items() if set(cells) != {"–"}}
    lines = [[head, *map(", ".join, shown.values())], ["---"] * (len(shown) + 1)]
    lines += [[name, *(cells[number] for cells in shown)] for number, name in enumerate(rows)]
    return [f"| {' | '.join(line)} |".replace(" --- ", "---") for line in lines]


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
    cell = " or ".join(_origin(origin) for origin in field.origins if origin.message_fields[0].section != PROPERTIES)
    value = str(field.default).upper() if isinstance(field.default, bool) else field.default
    default = "" if value is None else f", default {value}"
    return f"{cell}{default}{', or the property' if field.falls_back_to_property else ''}"


def _origin(origin: Origin) -> str:
    match origin.conversion:
        case Conversion.EXPIRY:
            return f"now + {_field_name(origin.message_fields[0])}"
        case Conversion.EXPIRY_UNLESS_ZERO:
            return f"now + a positive {_field_name(origin.message_fields[0])}"
        case conversion:
            message_fields = " or ".join(map(_field_name, origin.message_fields))
            return message_fields if conversion is Conversion.AS_IS else f"{message_fields}, {conversion.value}"


def _field_name(message_field: MessageField) -> str:
    return (
        f"the consumer's {message_field.field}"
        if message_field.section == RECEIVER
        else f"{message_field.section}.{message_field.field}"
    )


if __name__ == "__main__":
    print(page(), end="")
