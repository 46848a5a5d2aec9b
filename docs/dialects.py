"""Writes docs/dialects.md from the records of the dialects: python docs/dialects.py > docs/dialects.md."""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import groupby

from transpiler.language.selector.dialects import DIALECTS, JMS, Dialect
from transpiler.message.header_fields import PROPERTIES, RECEIVER, Conversion, HeaderField, MessageField, Origin
from transpiler.message.types import AmqpType
from transpiler.tools.dialect_tools.questions import QUESTIONS, answer

#: The explanation of each question, which is written below the question's heading.
ABOUT = {
    "max_length": (
        "A longer selector is an error. RabbitMQ sets the limit of `rabbitmq`; this project sets the other limits."
    ),
    "max_tokens": "A selector with more words and operators is an error.",
    "blank_is_no_selector": "In the other dialects, such a selector is an error.",
    "identifiers": "The name of a property may contain only these characters.",
    "double_quotes": 'The answer says how the dialect reads `"red"` in `color = "red"`.',
    "reserved_words": "The answer says in which case the dialect recognises words such as AND and LIKE.",
    "comments": "A dialect with comments reads `--` as the beginning of a comment only if another line follows.",
    "numeric_literals": "The answer describes the syntax of numbers in a selector.",
    "extensions": (
        "The dialect accepts these constructs, although the standard does not define them. A chained comparison "
        "is `a = b = c`. A null literal is NULL as a value. Not equal is `!=`. Brackets quote a name, as in "
        "`[order-type]`. The prefix `convert_string_expressions:` makes comparisons convert strings to numbers, "
        "and in some dialects also arithmetic. The prefix `hyphenated_props:` allows hyphens in names. Negated "
        "prefixes are the same prefixes with `no_` before them. Tests as operands are LIKE, IN and IS NULL, which "
        "bind tighter than any operator."
    ),
    "not_binding": (
        "If NOT binds looser than a comparison, `NOT a = b` negates `a = b`. If NOT binds tighter than "
        "arithmetic, `NOT a = b` negates `a`."
    ),
    "associativity": "For example, the answer says which of the two subtractions in `a - b - c` is computed first.",
    "signs": "The answer lists the operands that a plus or minus may have.",
    "unary_plus": (
        "If a plus is arithmetic, its operand must be a number. If it is ignored, `+s = 'a'` compares the string."
    ),
    "static_typing": (
        "The dialect makes this check before it reads a message, and refuses a selector that fails the check."
    ),
    "in_operand_form": "The dialect accepts these operands before IN.",
    "list_member": "The dialect accepts these members in `IN (…)`.",
    "like_operand_form": "The dialect accepts these operands before LIKE.",
    "null_operand_form": "The dialect accepts these operands before IS NULL.",
    "escapes": (
        "The answer says what may follow ESCAPE, and before which characters of a pattern the escape character "
        "has an effect."
    ),
    "types": (
        "A selector sees the values of properties as these types. [A table "
        "below](#what-a-property-of-an-amqp-type-is) gives the type for each AMQP type."
    ),
    "logic": (
        "The answer gives the results of AND and OR if one side is unknown. In `qpid-java`, `unknown AND FALSE` "
        "is unknown, and `unknown OR FALSE` is FALSE."
    ),
    "evaluation": (
        "The answer says which sides of AND and OR the broker evaluates. This matters if one side throws an exception."
    ),
    "null_equality": "The answer gives the result of `=` if an operand is NULL. A missing property is NULL.",
    "unlike_types": "For example, the answer gives the result of `color = 5` if the property is a string.",
    "numeric_promotion": (
        "The answer says how two numbers of different types are compared, such as a long and a float. If a byte "
        "or short on the right is not widened, it never equals a value of a wider type."
    ),
    "float_order": "The answer says how the special values of floating point numbers are compared.",
    "ordering": "The answer gives the result of `<`, `<=`, `>` and `>=` if an operand is a string or a boolean.",
    "integer_arithmetic": (
        "The answer gives the width of integers in arithmetic, and what happens if a result does not fit. In a "
        "dialect with 32 or 64 bits, an operation has 64 bits if one of its operands has 64 bits."
    ),
    "division": "The answer says how two integers are divided, and what a division by zero returns.",
    "remainder": "The answer says which values the operator `%` takes.",
    "not_numbers": "The answer gives the result of arithmetic if an operand is a string or a boolean.",
    "bare_name": (
        "The answer gives the result of the selector `urgent` if the property `urgent` is a number or a string."
    ),
    "between_meaning": "The answer says which comparisons BETWEEN and NOT BETWEEN stand for.",
    "like_not_string": "The answer gives the result of LIKE if the property is a number or a boolean.",
    "in_not_string": "The answer gives the result of IN if the property is a number or a boolean.",
    "wildcards": "In LIKE, `_` matches one such character, and `%` matches any number of them.",
    "on_throw": "The answer says what happens if the evaluation of the selector throws an exception.",
}

#: Features of the reference evaluator that the SQL of a dialect does not have.
LIMITS = (
    "Integers of any size are DECIMAL in Spark, which has at most 38 digits. If a sum or a product has more digits, "
    "the comparison is unknown, never a wrong TRUE or FALSE. A literal with more digits is the error "
    "`limit.digits`.",
    "REGEX, REPLACE and SPLIT need a literal as their regular expression, and REPLACE needs a literal as its "
    "replacement. A text from a row might not be a regular expression, and then Spark would fail the whole job, "
    "whereas the broker loses only one message. Anything other than a literal is the error `spark.function`.",
    "Regular expressions are a subset of Java's: literals, classes, `\\d` `\\w` `\\s` and their opposites, groups, "
    "alternatives, greedy repeats of at most 255 rounds or without a bound, `^`, `$`, `\\A`, `\\z`, `\\Z`, and "
    "look-aheads, and `(?i)` at the beginning. They have at most 2,000 characters. Classes, and letters regardless "
    "of case, follow ASCII. Spark (`spark.regex`) and the reference evaluator (`limit.regex`) refuse everything "
    "else and give its position: lazy and possessive repeats, back-references, look-behind, named and atomic "
    "groups, `\\b`, `\\p{…}`, and sets in sets.",
    "The repeats of a regular expression may backtrack only so often that a search takes at most the square of the "
    "text's length: `a.*b` and `^.*a.*b` are accepted, `(a+)+b` and `a.*b.*c` are refused. A repeat whose end the "
    "next character decides, as in `[^,]*,`, does not backtrack, and Java gets a possessive repeat.",
    "REPLACE refuses an expression that may match the empty text. It also refuses a group in the replacement that "
    "does not take part in every match. A replacement that Java would refuse, such as `$2` without a second group, "
    "is the error `spark.regex`.",
    "If a search may take the square of the text's length, the reference evaluator accepts texts of up to 10,000 "
    "characters, and raises `limit.regex` for a longer one.",
    "A list that SPLIT or MAKELIST creates may stand only in INLIST. SPLIT accepts only a literal as its text.",
    "XPATH accepts the axes child, attribute, parent, self and `//`, and the functions that the reference evaluator "
    "has. Any other text, and any other XPath, is the error `spark.xpath`, because Java would fail the job.",
    "A body is XML if it is a well-formed document of XML 1.0 without a document type, with at most 200 levels, 200 "
    "attributes for each element and 400 characters for each name. Names may contain ASCII letters and the common "
    "letters of Latin, Greek, Cyrillic, Hebrew, Arabic, Japanese, Chinese and Korean; the targets of instructions "
    "only ASCII letters. For any other body XPATH is FALSE, in Spark and in the reference evaluator, because Java "
    "would fail the job for some of them.",
    "XPATH ignores namespaces: `/a` also matches `<p:a>` and `<a xmlns='u'>`, and a prefix need not be declared. "
    "Java compares the name with its prefix in only one path, `//a`. A broker whose parser reads namespaces may "
    "give other answers.",
    "A `Dialect` record of your own may combine answers that no broker combines. If the compiler has no SQL for the "
    "combination, it raises the error `dialect.rules`.",
    "In the brokers' dialects, the JMS names of a message ID or correlation ID that is not a string are NULL, "
    "because we have not seen as which texts the brokers read such IDs.",
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
    "regular expressions. For example, the filter does not match a text of about 51,000 characters. The dialects",
    "`rabbitmq` and `rabbitmq-jms` do not copy this limit. They match a text of any length correctly, in a time that",
    "grows with its length.",
)

#: The bindings whose selectors are evaluated.
ASKED = (
    "In a `qpid-java` topology, `x-filter-jms-selector` is in the dialect `qpid-java`, on direct, topic, fanout and",
    "headers exchanges. The Broker-J manual (4.6.3.1) names only the first three types. For a headers exchange the",
    "broker evaluates the selector, too, in addition to the binding's `x-match`, and so does this project. Bindings of",
    "RabbitMQ's `x-jms-topic` exchanges have selectors in `rabbitmq-jms`. Other bindings of RabbitMQ, and bindings of",
    "other brokers with exchanges, have no selectors.",
)


def page() -> str:
    """The page of deviations, in Markdown."""
    lines = [
        "# Dialects",
        "",
        "This page lists the questions on which brokers differ, and the answer of each dialect. For a broker without a",
        "dialect, such as IBM MQ or Solace, see [which dialect stands for which broker](brokers.md).",
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
        lines += [f"## {question[0].upper()}{question[1:]}", "", ABOUT[name], ""]
        lines += ["| dialects | answer |", "|---|---|"]
        lines += [f"| {', '.join(names)} | {_cell(text)} |" for text, names in answers.items()]
        lines.append("")
    lines += ["## What a property of an AMQP type is", "", _row("AMQP type", (d.name for d in brokers))]
    lines.append("|---" * (len(brokers) + 1) + "|")
    lines += [_row(amqp.value, (_type(dialect, amqp) for dialect in brokers)) for amqp in AmqpType]
    lines += ["", "## Names of header fields", ""]
    lines.append(
        "In a dialect, every name for which the table has no field is an application property. A default is the value"
    )
    lines.append("if the field is absent. [The page on header names](headers.md) lists the names of `jms`.")
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
