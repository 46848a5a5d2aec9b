"""The public functions of the evaluator: the result of a selector, a filter or a filter set for one message."""

from __future__ import annotations

from typing import Literal, Unpack, cast

from transpiler.base.arguments import check_keywords, unexpected
from transpiler.language.filters.kinds import Consumer
from transpiler.language.filters.sets import FiltersLike, is_filters, read_filters
from transpiler.language.selector.ast import Expression
from transpiler.language.selector.dialects import Dialect, find_dialect
from transpiler.language.selector.parsing import SelectorLike, parse_selector
from transpiler.message.message import MessageLike, as_message
from transpiler.message.receiver import Receiver, ReceiverOptions
from transpiler.message.types import Truth
from transpiler.reference.conditions import holds
from transpiler.reference.evaluate import evaluate as evaluate_tree


class MatchOptions(ReceiverOptions, total=False):
    """The options of ``matches``."""

    connection: str | None
    unknown: Literal["error", "ignore"]


def evaluate(
    selector: SelectorLike,
    message: MessageLike,
    dialect: str | Dialect = "jms",
    **options: Unpack[ReceiverOptions],
) -> Truth:
    """Evaluate a selector on one message with the reference evaluator.

    Args:
        selector: The text of a selector, or a parsed tree. A blank text and None match every message.
        message: A ``Message``, or a dict of plain properties or of message JSON.
        dialect: The broker's dialect, by name or as a ``Dialect``.
        now: The current time in milliseconds since the epoch, by default the clock's. UTC() returns this time. The
            JMSExpiration of a message with a ttl and without any time of its own is this time plus the ttl.
        destination: The address with which the consumer was created. It is the JMSDestination of a message without
            ``to``.

    Returns:
        True, False, or None for unknown. If the broker's evaluation would throw, the result is None.

    Raises:
        TranspilerError: ``selector`` is text, and ``parse_selector`` raises.
    """
    if selector is not None and not isinstance(selector, str | Expression):
        raise unexpected("selector", "text, or the tree that parse_selector returns", selector)
    check_keywords("evaluate", ReceiverOptions, options)
    tree = parse_selector(selector, dialect) if isinstance(selector, str) else selector
    return evaluate_tree(tree, as_message(message), find_dialect(dialect), Receiver(**options))


def matches(
    filters: FiltersLike | SelectorLike,
    message: MessageLike,
    dialect: str | Dialect = "jms",
    **options: Unpack[MatchOptions],
) -> bool:
    """Evaluate filters, or a selector, on one message with the reference evaluator.

    ``evaluate`` distinguishes FALSE from unknown; this function returns False for FALSE and for unknown.
    ``transpiler.testing.assert_matches`` accepts the same arguments.

    Args:
        filters: A filter object, a mapping of names to filters, JSON text of such a mapping, or the AMQP 1.0 bytes of
            the map; or the text of a selector, a parsed tree, or None, which matches every message.
        message: A ``Message``, or a dict of plain properties or of message JSON.
        dialect: The dialect of the selector, or of the JMS selectors in ``filters``, by name or as a ``Dialect``.
        connection: The receiver's connection, for no-local filters.
        unknown: ``"error"``, or ``"ignore"`` to skip filters of unknown types.
        now: The current time in milliseconds since the epoch, by default the clock's.
        destination: The address with which the consumer was created.

    Returns:
        True if the message matches.

    Raises:
        TranspilerError: In the same cases as ``transpile_filter`` and ``transpile_selector``.
    """
    check_keywords("matches", MatchOptions, options)
    rules = find_dialect(dialect)
    receiver = Receiver(options.get("now"), options.get("destination"))
    if is_filters(filters):
        whole = read_filters(filters, options.get("unknown", "error")).accepted_by(rules).whole
        consumer = Consumer(rules, options.get("connection"))
        return holds(whole.condition(consumer), as_message(message), receiver=receiver)
    tree = parse_selector(cast(SelectorLike, filters), rules)
    return evaluate_tree(tree, as_message(message), rules, receiver) is True
