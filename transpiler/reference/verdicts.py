"""The verdict of a selector, a filter or a filter set on one message: what ``transpiler`` shows of the evaluator."""

from __future__ import annotations

from transpiler.base.arguments import unexpected
from transpiler.language.filters.amqp_form import Unknown
from transpiler.language.filters.sets import FiltersLike, read_filters
from transpiler.language.selector.ast import Expression
from transpiler.language.selector.dialects import Dialect, find_dialect
from transpiler.language.selector.parsing import parse_selector
from transpiler.message.message import MessageLike, as_message
from transpiler.message.types import Truth
from transpiler.reference.evaluate import evaluate as evaluate_tree
from transpiler.reference.match import check_filter, match_filter
from transpiler.reference.receiving import Receiver


def evaluate(
    selector: str | Expression | None,
    message: MessageLike,
    dialect: str | Dialect = "jms",
    *,
    now: int | None = None,
    destination: str | None = None,
) -> Truth:
    """Evaluate a selector on one message by the reference evaluator: True, False, or None for unknown.

    ``selector`` is text or a parsed tree; an empty one, or None, matches every message. ``message`` is a Message, or a
    dict of plain properties or of message JSON. ``now`` is the current time in
    milliseconds since the epoch, without which the clock says: UTC() is that, and the JMSExpiration of a message that
    has a ttl and no time of its own is so long after it. ``destination`` is the address that the consumer was created
    with, and JMSDestination where the message has no ``to``. Where the broker's evaluation would throw, the answer is
    unknown. Text raises what ``parse_selector`` raises.
    """
    if selector is not None and not isinstance(selector, str | Expression):
        raise unexpected("selector", "text, or the tree that parse_selector returns", selector)
    tree = parse_selector(selector, dialect) if isinstance(selector, str) else selector
    return evaluate_tree(tree, as_message(message), find_dialect(dialect), now, destination)


def matches(
    filters: FiltersLike,
    message: MessageLike,
    *,
    dialect: str | Dialect = "jms",
    connection: str | None = None,
    unknown: Unknown = "error",
    now: int | None = None,
    destination: str | None = None,
) -> bool:
    """Return True if one message passes a filter, or all filters of a set, by the reference evaluator.

    The parameters are those of ``transpile_filter``, and so is what is raised.
    """
    own = find_dialect(dialect)
    whole = read_filters(filters, unknown).accepted_by(own).whole
    check_filter(whole, own, connection)
    return match_filter(whole, as_message(message), own, connection, Receiver(now, destination))
