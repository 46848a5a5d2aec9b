"""Rules on header fields: their types, ranges and units."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import timedelta
from typing import NamedTuple

from transpiler.base.diagnostics import Fix, nearest
from transpiler.base.times import EPOCH, iso_time
from transpiler.language.selector import ast
from transpiler.language.selector.dialect_rules import Ordering
from transpiler.language.selector.numbers import spelled_number
from transpiler.message.header_fields import DELIVERY_MODES, MAX_PRIORITY, Conversion, MessageField, Origin
from transpiler.message.message import Message
from transpiler.message.operand_types import OperandType
from transpiler.message.receiver import Receiver
from transpiler.message.sections import Header
from transpiler.reference.evaluate import judge
from transpiler.tools.lint.rule import Context, Rule, Violation

#: The words of a broker for the two delivery modes, first persistent, then non-persistent, for each conversion that
#: reads the header field with these words.
_MODES = {
    Conversion.DELIVERY_MODE: tuple(DELIVERY_MODES.values()),
    Conversion.DURABILITY: ("DURABLE", "NON_DURABLE"),
}
#: Message fields that contain milliseconds since the epoch.
_TIMES = frozenset({"creation_time", "absolute_expiry_time", "x-opt-delivery-time", "timestamp", "expiration"})
#: Numbers that are plausible as seconds since the epoch (2001 to 2099). As milliseconds, they would be in January or
#: February of 1970, so the author probably meant seconds.
_SECONDS = range(10**9, 4_102_444_800)


def _is_numeric(node: ast.Expression, context: Context) -> bool:
    """Return True if ``node`` is a header field that is an integer in every message."""
    field = context.header(node)
    return field is not None and field.type.integer and not field.falls_back_to_property


def _is_time(node: ast.Expression, context: Context) -> bool:
    field = context.header(node)
    return (
        field is not None
        and field.type.integer
        and any(message_field.field in _TIMES for message_field in field.message_fields)
    )


def _delivery_modes(node: ast.Expression, context: Context) -> tuple[str, ...]:
    field = context.header(node)
    if field is None:
        return ()
    return next((words for conversion, words in _MODES.items() if field.has_conversion(conversion)), ())


def _beside_literals(node: ast.Expression) -> Iterator[tuple[ast.Expression, ast.Expression]]:
    """Yield each pair of operands that ``node`` (a comparison, BETWEEN or IN) compares with each other.

    The operands of a comparison are yielded twice, in both orders.
    """
    match node:
        case ast.Compare(left=left, right=right):
            yield left, right
            yield right, left
        case ast.Between(operand=operand, low=low, high=high):
            yield operand, low
            yield operand, high
        case ast.In(operand=operand, members=members):
            for member in members:
                yield operand, member


def _delivery_mode(node: ast.Expression, context: Context) -> Iterator[Violation]:
    for named, other in _beside_literals(node):
        modes = _delivery_modes(named, context)
        if not modes:
            continue
        words = (*modes, *(word for word, read in context.dialect.fields.rewritten if read in modes))
        if isinstance(other, ast.IntegerLiteral) or (isinstance(other, ast.StringLiteral) and other.value not in words):
            hint, fix = f"the modes are '{modes[0]}' and '{modes[1]}'", None
            # Java's constants for the delivery mode are the numbers 2 (persistent) and 1 (non-persistent).
            word = {2: modes[0], 1: modes[1]}.get(other.value) if isinstance(other, ast.IntegerLiteral) else None
            spelled = str(other.value).upper().replace("-", "_")
            near = [word] if word else [spelled] if spelled in modes else nearest(spelled, modes)
            if near:
                hint, fix = f"write '{near[0]}'; {hint}", Fix(f"'{near[0]}'")
            yield Violation(f"{context.text(named)} is one of two strings", other.span, hint, fix=fix)


def _text_for_number(node: ast.Expression, context: Context) -> Iterator[Violation]:
    match node:
        # With the prefix that converts strings, comparing a string with a number is not a mistake.
        case ast.Compare() if not context.converts_strings:
            for named, other in _beside_literals(node):
                if isinstance(other, ast.StringLiteral) and _is_numeric(named, context):
                    number = iso_time(other.value) if _is_time(named, context) else None
                    written = spelled_number(other.value) if number is None else str(number)
                    hint = "a number has no quotes" if written is None else f"write it without quotes: {written}"
                    if _is_time(named, context):
                        milliseconds = "write the milliseconds since 1970-01-01"
                        hint = f"perhaps {milliseconds}" if written is None else f"{milliseconds}: {written}"
                    message = f"{context.text(named)} is a number, and a string never equals it"
                    yield Violation(message, other.span, hint, fix=None if written is None else Fix(written))
        case ast.Like(operand=operand) if _is_numeric(operand, context):
            yield Violation(f"{context.text(operand)} is a number, and LIKE is for strings", operand.span)
        case ast.In(operand=operand, members=members) if _is_numeric(operand, context):
            if all(isinstance(member, ast.StringLiteral) for member in members):
                yield Violation(f"{context.text(operand)} is a number, and IN is for strings", operand.span)


def _time_in_seconds(node: ast.Expression, context: Context) -> Iterator[Violation]:
    for named, other in _beside_literals(node):
        if isinstance(other, ast.IntegerLiteral) and other.value in _SECONDS and _is_time(named, context):
            early = (EPOCH + timedelta(milliseconds=other.value)).date()
            meant = (EPOCH + timedelta(seconds=other.value)).date()
            message = f"{context.text(named)} is in milliseconds, and {other.value} is a time of {early}"
            yield Violation(message, other.span, f"for {meant}, write {other.value}000", fix=Fix(f"{other.value}000"))


def _order_of_text(node: ast.Expression, context: Context) -> Iterator[Violation]:
    if isinstance(node, ast.Compare) and node.operator.is_equality:
        return
    ordered: dict[ast.Expression, list[ast.Expression]] = {}
    for named, other in _beside_literals(node):
        ordered.setdefault(named, []).append(other)
    sign = node.operator.value if isinstance(node, ast.Compare) else "BETWEEN"
    for named, others in ordered.items():
        numbers = any(isinstance(other, _NUMBERS) for other in others)
        if _is_text(named, context) and (numbers or context.dialect.ordering is Ordering.FALSE):
            hint = "perhaps compare it with =, <>, IN or LIKE"
            yield Violation(f"{context.text(named)} is a string, and {sign} orders numbers", named.span, hint)


def _is_text(node: ast.Expression, context: Context) -> bool:
    """Return True if ``node`` is a header field that is a string in every message.

    It is False for a name that includes a section in RabbitMQ, because a message ID there may have another type.
    """
    if not isinstance(node, ast.Identifier) or node.section:
        return False
    # A name that is no header field of the dialect is a property or an annotation, which may have any type.
    field = context.dialect.fields.table.get(node.name)
    if field is None or field.type is not OperandType.STRING or field.falls_back_to_property:
        return False
    # A name whose value is always NULL in this broker has no origin, so it is not a string either.
    return bool(field.origins or field.unavailable_because)


def _out_of_range(node: ast.Expression, context: Context) -> Iterator[Violation]:
    """Warn about a test of a header field that is TRUE for every value of the field, or for no value."""
    match node:
        case (
            ast.Compare(left=ast.Identifier() as name, right=bound)
            | ast.Compare(left=bound, right=ast.Identifier() as name)
        ):
            bounds = [bound]
        case ast.Between(operand=ast.Identifier() as name, low=low, high=high):
            bounds = [low, high]
        case _:
            return
    described = _described(name, context)
    numbers = [bound.value for bound in bounds if isinstance(bound, _NUMBERS)]
    if described is None or len(numbers) < len(bounds):
        # The value of a bound that is not a number literal is unknown here. If it is a literal of another type, another
        # rule reports it.
        return
    if described.field == "priority":
        headers = (Header(priority=count) for count in (0, MAX_PRIORITY, *range(MAX_PRIORITY), None))
    else:
        near = [int(min(max(number, 1), _MAX_COUNT - 1)) + step for number in numbers for step in (-1, 0, 1)]
        headers = (Header(delivery_count=count) for count in (0, _MAX_COUNT, *near))
    truths = (judge(node, Message(header=header), context.dialect, Receiver(0)).truth is True for header in headers)
    known = next(truths)
    if all(holds is known for holds in truths):
        always = "true for every message" if known else "never true"
        always += "" if described.certain else " of a JMS client" if known else " of a JMS client's message"
        message = f"{name.name} is {described.text}, so this is {always}"
        yield Violation(
            message, bounds[0].span.to(bounds[-1].span), "perhaps remove the comparison, or change the number"
        )


def _name_of_clients(node: ast.Identifier, context: Context) -> Iterator[Violation]:
    """Warn about a JMS name such as JMSPriority in one of Artemis' own filters, such as that of a queue or divert.

    Only JMS clients translate such names to Artemis' names. In the broker's own filters they name application
    properties.
    """
    own = context.dialect.fields.rewritten_for_clients.get(node.name)
    if own is None:
        return
    if node.name in context.dialect.fields.table:
        message = f"{node.name} is known of messages over AMQP only: it is a name of clients"
    else:
        # The broker never sets this name, and no client can set a property with it.
        message = f"{node.name} is never set here, so a comparison with it is never true: it is a name of clients"
    modes = _delivery_modes(ast.Identifier(own), context)
    hint = f"perhaps {own}, which is {' or '.join(map(repr, modes))}" if modes else f"write {own}"
    yield Violation(message, node.span, hint, fix=None if modes else Fix(own))


class _Described(NamedTuple):
    """The possible values of a header field, as text.

    ``certain`` is False if JMS limits the values but AMQP does not, so that other values are possible.
    """

    field: str
    text: str
    certain: bool


#: The largest delivery count of an AMQP header, and the classes of numeric literals.
_MAX_COUNT, _NUMBERS = 2**32 - 1, (ast.IntegerLiteral, ast.FloatLiteral)


def _described(name: ast.Identifier, context: Context) -> _Described | None:
    field = context.header(name)
    match field.origins if field is not None else ():
        case (Origin((message_field,), Conversion.PRIORITY),):
            return _Described(message_field.field, "a number from 0 to 9", True)
        case (Origin((message_field,), Conversion.DELIVERY_COUNT),):
            return _Described(message_field.field, "1 or more", True)
        case (Origin((message_field,), Conversion.AS_IS),) if message_field == _PRIORITY and name.name.startswith(
            "JMS"
        ):
            return _Described(message_field.field, "a number from 0 to 9 in JMS", False)
        case _:
            return None


_PRIORITY = MessageField("header", "priority")

RULES = (
    Rule(
        id="lint.delivery-mode",
        title="A delivery mode that does not exist",
        wrong="JMSDeliveryMode = 2",
        right="JMSDeliveryMode = 'PERSISTENT'",
        why="In Java code, a delivery mode is the number 1 or 2. In a selector, the value of `JMSDeliveryMode` is "
        "the text `'NON_PERSISTENT'` or `'PERSISTENT'` (Jakarta Messaging 3.8.1.3), which never equals a number. "
        "In Artemis' core filters, the corresponding name is `AMQDurable`, with the values `'NON_DURABLE'` and "
        "`'DURABLE'`.",
        nodes=(ast.Compare, ast.In),
        find=_delivery_mode,
        instead_of=("type.unlike",),
        claim="never",
    ),
    Rule(
        id="lint.text-for-number",
        title="A numeric header field compared with a text",
        wrong="JMSPriority = '5'",
        right="JMSPriority = 5",
        why="In all brokers, a text never equals a number. Compare `JMSPriority`, `JMSTimestamp` and other numeric "
        "header fields with numbers without quotes. Times are milliseconds since 1970-01-01.",
        nodes=(ast.Compare, ast.Like, ast.In),
        find=_text_for_number,
        instead_of=("type.unlike",),
        claim="never",
    ),
    Rule(
        id="lint.time-in-seconds",
        title="A time in seconds",
        wrong="JMSTimestamp > 1717200000",
        right="JMSTimestamp > 1717200000000",
        why="`JMSTimestamp` counts milliseconds since 1970-01-01. If you compare it with a Unix time in seconds, "
        "the number is read as milliseconds, which is a time in January or February 1970. So `>` selects every "
        "message, and `<` does not select any message.",
        nodes=(ast.Compare, ast.Between),
        find=_time_in_seconds,
    ),
    Rule(
        id="lint.order-of-text",
        title="A string header field compared by order",
        wrong="JMSMessageID BETWEEN 1 AND 2",
        right="JMSMessageID = 'ID:1'",
        why="Strings have no order in selectors: only `=`, `<>`, `IN` and `LIKE` apply to them (Jakarta Messaging "
        "3.8.1.2). So a comparison of a string header field with `<`, `>` or `BETWEEN` is never true.",
        nodes=(ast.Compare, ast.Between),
        find=_order_of_text,
        instead_of=("type.unlike",),
        claim="never",
    ),
    Rule(
        id="lint.out-of-range",
        title="A value that a header field never has",
        wrong="JMSPriority > 9",
        right="JMSPriority > 8",
        why="The priority of a message is from 0 to 9, and its delivery count is at least 1. A comparison of such "
        "a header field with a value outside its range has the same result for every message.",
        nodes=(ast.Compare, ast.Between),
        find=_out_of_range,
    ),
    Rule(
        id="lint.name-of-clients",
        title="A JMS header name, which only clients use, in a filter of the Artemis broker",
        wrong="JMSPriority > 4",
        right="AMQPriority > 4",
        why="In the selector of a JMS client, the names of JMS header fields are replaced by Artemis' own names "
        "before the broker reads the selector. In the filters of queues, diverts, bridges and broker properties, "
        "no names are replaced. In these filters, `JMSPriority` is the name of an application property, which no "
        "client sets, so a comparison with it is never true. Use Artemis' own names instead, which are `AMQDurable`, "
        "`AMQPriority`, `AMQUserID`, `AMQTimestamp`, `AMQExpiration` and `AMQGroupID`.",
        dialect="artemis-core",
        nodes=(ast.Identifier,),
        find=_name_of_clients,
    ),
)
