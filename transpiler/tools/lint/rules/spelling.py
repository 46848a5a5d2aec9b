"""Rules on the spelling of names and words: quotes, hyphens, parentheses, and words of other languages."""

from __future__ import annotations

import re
from collections.abc import Iterator

from transpiler.base.comparison import Comparison
from transpiler.base.diagnostics import Fix, nearest
from transpiler.base.source import Span
from transpiler.language.selector import ast
from transpiler.language.selector.broker_dialects import RABBITMQ
from transpiler.language.selector.dialect_rules import DoubleQuotes, Extension, Identifiers, ReservedWords
from transpiler.language.selector.dialects import DIALECTS, JMS
from transpiler.language.selector.lexer import SelectorLexer
from transpiler.language.selector.static_typing import not_before
from transpiler.tools.lint.rule import Context, Rule, Violation

#: ``_PREFIX`` is the prefix of all reserved names, ``_PROVIDER`` that of names for JMS providers (Jakarta Messaging
#: 3.5). Names with JMSX are defined by the standard.
_PREFIX, _PROVIDER = "JMS", "JMS_"
#: Properties that ActiveMQ sets on the messages that it delivers.
_SET_BY_BROKERS = frozenset({"JMSActiveMQBrokerInTime", "JMSActiveMQBrokerOutTime"})

#: The words of a name, separated by underscores, dots, digits, or a change to upper case.
_WORDS = re.compile(r"[A-Z]+(?![a-z])|[A-Z]?[^\W\d_A-Z]+|[0-9]+")
_TWO_MINUS = re.compile(r"\s+(--)\s")
#: Names of the current time in SQL dialects and other languages.
_CLOCKS = frozenset(
    "NOW SYSDATE SYSTIMESTAMP LOCALTIMESTAMP CURRENT_DATE CURRENT_TIME CURRENT_TIMESTAMP CURRENTTIMEMILLIS".split()
)
#: Maximum length of a condition that a hint repeats with added parentheses, in characters.
_LONGEST_PRECEDENCE = 120


def _unquoted_word(node: ast.Compare, context: Context) -> Iterator[Violation]:
    left, right = node.left, node.right
    for name in ast.walk(right):
        if isinstance(name, ast.Identifier) and name.name.upper() in _CLOCKS - {*map(str.upper, context.known or ())}:
            message = f"{name.name} is the name of a property here, and a selector has no clock"
            hint = "perhaps the time of the query goes in as a number: the milliseconds since 1970-01-01 in UTC"
            yield Violation(message, name.span, hint)
            return
    if not isinstance(left, ast.Identifier) or not isinstance(right, ast.Identifier):
        return
    if not node.operator.is_equality or context.header(right) is not None:
        # Selectors cannot order texts, so a name on the right of <, > and so on is not a text whose quotes are missing.
        return
    if is_null(left, context) or is_null(right, context):
        return
    if left == right or right.name in (context.known or ()):
        return
    message = f"{right.name} is the name of a property here, not text"
    fix = Fix(f"'{right.name}'")
    # The name ``right`` is probably a text without quotes. But if the layout accepts any name, it may be a second
    # property just as well, so give only a note.
    if context.known == () or _reads_as_name(right, left, node.operator, context):
        yield Violation(message, right.span, f"if text was meant, write '{right.name}'", "info", fix)
    else:
        yield Violation(message, right.span, f"text goes into single quotes: '{right.name}'", fix=fix)


def _reads_as_name(right: ast.Identifier, left: ast.Identifier, operator: Comparison, context: Context) -> bool:
    """Return True if ``right`` looks like a property, not a text without quotes: ``shipCountry = billCountry``.

    It looks like a property if it shares a word with ``left``, or if it occurs elsewhere in the selector. So does a
    name with several words, or after <>, unless it is in upper case like a constant.
    """
    words, others = _WORDS.findall(right.name), _WORDS.findall(left.name)
    if not right.name.isupper() and (len(words) > 1 or operator is Comparison.NE):
        return True
    if {word.casefold() for word in words} & {word.casefold() for word in others}:
        return True
    return sum(1 for node in ast.walk(context.tree) if node == right) > 1


def is_null(node: ast.Expression, context: Context) -> bool:
    """Return True if ``node`` is the name NULL in a dialect that reserves the word only in IS NULL."""
    named = isinstance(node, ast.Identifier) and node.name.upper() == "NULL"
    return named and context.dialect.reserved_words is ReservedWords.ANY_CASE_WITHOUT_NULL


def _null_name(node: ast.Compare, context: Context) -> Iterator[Violation]:
    for null, other in ((node.left, node.right), (node.right, node.left)):
        if is_null(null, context):
            shown = other.name if isinstance(other, ast.Identifier) else "…"
            test = "IS NULL" if node.operator is not Comparison.NE else "IS NOT NULL"
            message = f"NULL is the name of a property in {context.dialect.title}"
            fix = None
            if isinstance(other, ast.Identifier):
                fix = Fix(f"{shown} {test}", certain=True, span=context.bare_span(node))
            yield Violation(message, null.span, f"write {shown} {test}", fix=fix)
            return


def _unknown_header(node: ast.Identifier, context: Context) -> Iterator[Violation]:
    """Warn about a name with a reserved prefix, such as JMS, that neither the standard nor the dialect defines."""
    name, fields = node.name, context.dialect.fields
    if node.section or not fields.table:
        # A name with a section reads only that section. Such a name, and any name in a dialect without header fields,
        # may begin with the reserved prefix.
        return
    if not name.startswith(_PREFIX):
        if name[:3].upper() == _PREFIX and len(name) > 3:
            yield from _in_another_case(node, context)
        return
    if name in fields.table or name in JMS.fields.table or name in _SET_BY_BROKERS:
        return
    # Suggest only similar names with the same prefix: a provider's name is not a misspelt name of the standard.
    prefix = _PROVIDER if name.startswith(_PROVIDER) else _PREFIX
    known = {field for field in (*JMS.fields.table, *fields.table, *_SET_BY_BROKERS) if field.startswith(prefix)}
    near = nearest(name, sorted(known))
    if prefix == _PROVIDER and not near:
        return
    hint = (
        f"did you mean {near[0]}?"
        if near
        else f"names that begin with {_PREFIX} are reserved; perhaps choose another one"
    )
    titles = dict.fromkeys((JMS.title, context.dialect.title))
    fix = Fix(near[0]) if near else None
    yield Violation(f"{name} is no header field of {' or '.join(titles)}", node.span, hint, fix=fix)


def _in_another_case(node: ast.Identifier, context: Context) -> Iterator[Violation]:
    table = context.dialect.fields.table
    same = [field for field in table if field.casefold() == node.name.casefold()]
    if same and node.name not in table:
        message = f"{node.name} is a property here; the header field is {same[0]}"
        yield Violation(message, node.span, f"did you mean {same[0]}? Names are case-sensitive", fix=Fix(same[0]))


def _hyphenated_name(node: ast.Compare, context: Context) -> Iterator[Violation]:
    """Warn about a subtraction without blanks, such as ``order-id``, which was probably meant as one name."""
    for side in (node.left, node.right):
        text = context.source.text[side.span.start : side.span.end]
        names = _minuends(side)
        if len(names) < 2 or any(character.isspace() or character in "()" for character in text):
            continue
        dialect = context.dialect
        fix: Fix | None = Fix(" - ".join(names))
        if dialect.double_quotes is DoubleQuotes.IDENTIFIER:
            fix = Fix(f'"{text}"')
        elif dialect.has(Extension.BRACKETS):
            fix = Fix(f"[{text}]")
        if dialect.has(Extension.HYPHENATED):
            hint = f'write "{text}", or the prefix hyphenated_props: before the selector'
        elif dialect.double_quotes is DoubleQuotes.IDENTIFIER:
            hint = f'write "{text}" for the property of that name'
        elif dialect.has(Extension.BRACKETS):
            hint = f"write [{text}] for the property of that name"
        else:
            other = text.replace("-", "_")
            hint = f"no name has a hyphen in {dialect.title}: perhaps rename the property, such as {other}"
        message, hint = f"this is a subtraction, {' minus '.join(names)}", f"{hint}; or write {' - '.join(names)}"
        # The fix would replace the subtraction by another difference, with blanks. But a number never equals a text, so
        # if the other side is a text, only a name can be meant.
        is_difference = fix is not None and fix.text[:1] not in ('"', "[")
        if is_difference and any(isinstance(other, ast.StringLiteral) for other in (node.left, node.right)):
            hint, fix = hint.partition("; or")[0], None
        yield Violation(message, side.span, hint, fix=fix)


def _minuends(node: ast.Expression) -> list[str]:
    match node:
        case ast.Identifier(name=name):
            return [name]
        case ast.Calculate(operator=ast.Arithmetic.SUBTRACT, left=left, right=ast.Identifier(name=name)):
            before = _minuends(left)
            return [*before, name] if before else []
        case _:
            return []


def _dotted_name(node: ast.Identifier, context: Context) -> Iterator[Violation]:
    """Warn about a name with a dot in the dialect ``jms``. Most brokers reject such a name without quotes."""
    if context.dialect is not JMS or "." not in node.name or context.header(node) is not None:
        return
    refusing = [name for name, other in DIALECTS.items() if other.identifiers in _WITHOUT_DOTS]
    message = f"{', '.join(refusing)} refuse a dot in the name {node.name}"
    scope, _, name = node.name.partition(".")
    meant = {"user": name, "sys": _SERVICE_BUS.get(name.lower())}.get(scope)
    if scope == "sys" and name.lower() in _SERVICE_BUS_ALONE and node.name not in (context.known or ()):
        hint = (
            "perhaps an SQL filter of Azure Service Bus was copied, whose name for a field that JMS does not have it is"
        )
        yield Violation(message, node.span, hint)
        return
    if meant and node.name not in (context.known or ()):
        hint = f"perhaps an SQL filter of Azure Service Bus was copied, which reads {meant} so: write {meant}"
        yield Violation(message, node.span, hint, fix=Fix(meant))
        return
    yield Violation(message, node.span, "perhaps write it in double quotes or brackets, which some of them have")


#: Header field of JMS for each name that SQL filters of Azure Service Bus use after ``sys.``, in lower case.
_SERVICE_BUS = {
    "label": "JMSType", "subject": "JMSType", "messageid": "JMSMessageID", "correlationid": "JMSCorrelationID",
    "sessionid": "JMSXGroupID", "to": "JMSDestination", "replyto": "JMSReplyTo", "deliverycount": "JMSXDeliveryCount",
    "expiresatutc": "JMSExpiration", "scheduledenqueuetimeutc": "JMSDeliveryTime",
}  # fmt: skip
#: Names after ``sys.`` in Azure Service Bus for which JMS has no header field, in lower case.
_SERVICE_BUS_ALONE = frozenset(
    "enqueuedtimeutc enqueuedsequencenumber sequencenumber timetolive contenttype replytosessionid partitionkey"
    " viapartitionkey lockeduntilutc locktoken deadlettersource deadletterreason state".split()
)
#: The grammars of names that do not allow a dot.
_WITHOUT_DOTS = (Identifiers.ASCII, Identifiers.REGULAR)


def _mixed_and_or(node: ast.Or, context: Context) -> Iterator[Violation]:
    """Warn about the first AND without parentheses inside an OR, because its precedence is easily overlooked."""
    for term in node.terms:
        # The span of an AND in parentheses includes the parentheses, so it begins before the span of the first term.
        # Such an AND is not reported.
        if not isinstance(term, ast.And) or term.span.start < term.terms[0].span.start:
            continue
        shown = " OR ".join(_in_parentheses(one, context) for one in node.terms)
        hint = f"write {shown}" if len(shown) <= _LONGEST_PRECEDENCE and "…" not in shown else "write the parentheses"
        # The added parentheses keep the present meaning, which may not be what the author meant, so the fix is not
        # certain.
        fix = Fix(f"({context.source.text[term.span.start : term.span.end]})")
        yield Violation("AND binds before OR, so these belong together", term.span, hint, fix=fix)
        return


def _in_parentheses(node: ast.Expression, context: Context) -> str:
    bare = isinstance(node, ast.And) and node.span.start == node.terms[0].span.start
    return f"({context.text(node)})" if bare else context.text(node)


def _not_before_name(node: ast.IsNull | ast.Compare, context: Context) -> Iterator[Violation]:
    """Warn about ``NOT a = b`` in a dialect that parses it as ``(NOT a) = b``."""
    operand, others = (node.operand, ()) if isinstance(node, ast.IsNull) else (node.left, (node.right,))
    # If the other side is a literal, the compiler already warns, because it compares a boolean (the NOT) with that
    # literal.
    remedy = None if isinstance(others[0] if others else None, ast.LITERALS) else _remedy(operand, node, context)
    if remedy is not None:
        message = f"this tests {context.text(operand)}, and does not negate the test"
        if isinstance(node, ast.IsNull):
            name = context.text(operand).partition(" ")[2]
            message = f"this asks if {name} is {'there' if node.negated else 'missing'}, as it does without NOT"
        yield Violation(message, operand.span, remedy[0], fix=remedy[1])


def _remedy(operand: ast.Expression, node: ast.Expression, context: Context) -> tuple[str, Fix] | None:
    is_of_name = isinstance(operand, ast.Not) and isinstance(operand.operand, ast.Identifier)
    return not_before(operand, node, context.source.text) if is_of_name else None


def _broker_limit(node: ast.Expression, context: Context) -> Iterator[Violation]:
    """Warn about a selector in the dialect ``jms`` that is too long for RabbitMQ."""
    if context.dialect is not JMS:
        return
    text = context.source.text
    if RABBITMQ.max_length < len(text):
        what = f"{len(text):,} characters", f"{RABBITMQ.max_length:,}"
    else:
        # Counting tokens is slow. A text with fewer characters than the maximum number of tokens cannot have too many
        # tokens.
        most = RABBITMQ.max_tokens or 0
        if len(text) <= most:
            return
        count = sum(1 for _ in SelectorLexer(context.source, JMS).scan())
        if count <= most:
            return
        what = f"{count:,} tokens", f"{most:,}"
    message = f"RabbitMQ refuses SQL filters of more than {what[1]} {what[0].split()[1]}, and this has {what[0]}"
    yield Violation(message, node.span, "perhaps split it into several consumers; for another broker, leave it")


def _comment_as_minus(node: ast.Calculate, context: Context) -> Iterator[Violation]:
    """Warn about ``size > 5 -- big``: here ``--`` does not begin a comment, but subtracts a negative number."""
    match = _TWO_MINUS.match(context.source.text, node.left.span.end, node.right.span.end)
    if match is not None:
        start, end = match.span(1)
        fix = Fix("", span=Span(match.start(), node.right.span.end))
        message = "these are two minus signs, and no comment"
        yield Violation(message, Span(start, end), "remove them and what stands behind, if it is one", fix=fix)


RULES = (
    Rule(
        id="lint.unquoted-word",
        title="Text without quotes",
        wrong="color = red",
        right="color = 'red'",
        why="A word without quotes is the name of a property. So `color = red` compares the property `color` with "
        "the property `red`. No message has a property `red`, so the comparison selects no messages. Write text in "
        "single quotes. If `--schema` has a column with the name of the word, `check` gives no warning, because "
        "the word is then a property.",
        nodes=(ast.Compare,),
        find=_unquoted_word,
    ),
    Rule(
        id="lint.null-name",
        title="NULL compared as if it were a value",
        wrong="color = NULL",
        right="color IS NULL",
        dialect="rabbitmq-jms",
        why="In selectors of RabbitMQ's JMS client, NULL is a reserved word only after IS. In any other position, "
        "NULL is read as the name of a property, which no message has. To test whether a property is missing, "
        "write `IS NULL`.",
        nodes=(ast.Compare,),
        find=_null_name,
        instead_of=("lint.unquoted-word",),
    ),
    Rule(
        id="lint.unknown-header",
        title="The name of a header field that does not exist",
        wrong="JMSPriorty > 4",
        right="JMSPriority > 4",
        why="Names that begin with JMS are reserved for header fields (Jakarta Messaging 3.5), and names are "
        "case-sensitive. A misspelt name of a header field is read as the name of a property that no message has, "
        "so a comparison with it is never true. The standard reserves names with `JMSX` for properties that the "
        "standard defines, and names with `JMS_` and a vendor's name for the vendors of brokers. So "
        "`JMS_IBM_MsgType`, `JMS_Solace_DeliverToOne` and similar names are not misspellings, nor are "
        "`JMSActiveMQBrokerInTime` and `JMSActiveMQBrokerOutTime`, which ActiveMQ sets.",
        nodes=(ast.Identifier,),
        find=_unknown_header,
    ),
    Rule(
        id="lint.comment-as-minus",
        title="Two minus signs that do not begin a comment",
        wrong="size > 5 -- big",
        right="size > 5",
        dialect="rabbitmq",
        why="If a dialect has no comments, or if no line break follows the text after `--`, the two minus signs "
        "are a subtraction and a negation: `5 -- big` is `5 + big`. For a message without the property `big`, this "
        "sum is *unknown*.",
        nodes=(ast.Calculate,),
        find=_comment_as_minus,
    ),
    Rule(
        id="lint.hyphenated-name",
        title="A hyphen in a name",
        wrong="order-type = 5",
        right="order_type = 5",
        why="A hyphen is a minus sign: `order-type` subtracts the property `type` from the property `order`. If "
        "one of these two properties is missing or is not a number, a comparison with the difference is never "
        "true. A JMS selector cannot contain the name of a property with a hyphen. Some brokers have a syntax for "
        "such names: Artemis, Broker-J and Qpid C++ have names in double quotes, Artemis also has the prefix "
        "`hyphenated_props:`, and RabbitMQ's SQL filters have names in brackets. If you mean a subtraction, write "
        "blanks around the minus sign.",
        nodes=(ast.Compare,),
        find=_hyphenated_name,
        instead_of=("type.unlike",),
    ),
    Rule(
        id="lint.dotted-name",
        title="A dot in a name",
        severity="info",
        wrong="order.type = 'stock'",
        right="order_type = 'stock'",
        why="JMS accepts a dot in the name of a property, as Java does in the name of a class. ActiveMQ, Artemis "
        "and Broker-J refuse such a name. RabbitMQ's SQL filters read the part before the dot as the name of a "
        'message section. In dialects that accept names in quotes or brackets, write `"order.type"` or '
        "`[order.type]` for the property.",
        nodes=(ast.Identifier,),
        find=_dotted_name,
    ),
    Rule(
        id="lint.mixed-and-or",
        title="AND and OR without parentheses",
        wrong="color = 'red' OR color = 'blue' AND weight > 2500",
        right="color = 'red' OR (color = 'blue' AND weight > 2500)",
        why="AND has a higher precedence than OR, so the selector marked as wrong selects every red message, of "
        "any weight. If you want this result, add parentheses so that the next reader sees it. If you want a "
        "condition on the weight for both colors, write `(color = 'red' OR color = 'blue') AND weight > 2500`.",
        nodes=(ast.Or,),
        find=_mixed_and_or,
        claim="same",
    ),
    Rule(
        id="lint.not-before-name",
        title="NOT before a name",
        wrong="NOT color IS NULL",
        right="NOT (color IS NULL)",
        why="In ActiveMQ and Artemis, NOT applies only to the name after it: `NOT color IS NULL` is read as `(NOT "
        "color) IS NULL`. So `NOT color IS NULL` selects the messages without a color, as `color IS NULL` does. To "
        "negate the whole test, put it in parentheses.",
        dialect="activemq",
        nodes=(ast.IsNull, ast.Compare),
        find=_not_before_name,
    ),
    Rule(
        id="lint.broker-limit",
        title="A selector too long for a broker",
        severity="info",
        wrong="id IN (" + ", ".join(f"'{number}'" for number in range(100)) + ")",
        right="id IN ('1', '2', '3')",
        why="RabbitMQ refuses SQL filter expressions of more than 4,096 characters or 200 tokens. With `--dialect "
        "rabbitmq` these limits are the errors [limit.length](limit.length.md) and [limit.tokens](limit.tokens.md). "
        "The dialect `jms` stands for no particular broker, so with `jms` this note only says that the selector is "
        "not portable.",
        find=_broker_limit,
    ),
)
