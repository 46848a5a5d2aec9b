"""Message brokers' filters as Spark SQL.

Text is parsed to a surface tree and checked (``selector``), descriptors are read as filters (``filters``). Both are
lowered to the intermediate representation (``lowering``, ``ir``) over a layout (``layouts``), rewritten (``rewrites``),
planned for Spark (``spark_plan``) and emitted (``sql``). Beside them stands an evaluator in plain Python
(``reference``), which shares nothing with them and says what the SQL must answer on one message.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

from transpiler.compiler import (
    Transpiled,
    parse_selector,
    translate_names,
    transpile_address,
    transpile_filter,
    transpile_selector,
)
from transpiler.diagnostics import Diagnostic
from transpiler.errors import (
    DecodeError,
    LayoutError,
    SelectorSyntaxError,
    SelectorTypeError,
    TopologyError,
    TranspilerError,
    UnsupportedFeatureError,
)
from transpiler.layouts.layout import Layout
from transpiler.message.types import Truth
from transpiler.selector.ast import Expression
from transpiler.selector.dialects import Dialect, find_dialect
from transpiler.selector.printer import print_selector

if TYPE_CHECKING:
    from transpiler.filters.sets import FiltersLike
    from transpiler.filters.values import Unknown
    from transpiler.lint.subsumption import subsumes
    from transpiler.message.message import Message
    from transpiler.reference.route import route_message
    from transpiler.topology.model import Topology

__version__ = "0.1.0"

__all__ = [
    "DecodeError",
    "Diagnostic",
    "Dialect",
    "Layout",
    "LayoutError",
    "Message",
    "SelectorSyntaxError",
    "SelectorTypeError",
    "Topology",
    "TopologyError",
    "Transpiled",
    "TranspilerError",
    "UnsupportedFeatureError",
    "evaluate",
    "matches",
    "parse_selector",
    "print_selector",
    "route_message",
    "subsumes",
    "translate_names",
    "transpile_address",
    "transpile_filter",
    "transpile_selector",
]


#: Names whose modules most programs never need, and where they are; importing them takes as long as all the rest.
_LATE = {
    "Message": "transpiler.message.message",
    "Topology": "transpiler.topology.model",
    "route_message": "transpiler.reference.route",
    "subsumes": "transpiler.lint.subsumption",
}


def __getattr__(name: str) -> Any:
    if name not in _LATE:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(import_module(_LATE[name]), name)


def __dir__() -> list[str]:
    return sorted({*globals(), *_LATE})


def evaluate(
    selector: str | Expression | None,
    message: Message,
    dialect: str | Dialect = "jms",
    *,
    now: int | None = None,
    destination: str | None = None,
) -> Truth:
    """Whether one message matches, by the reference evaluator: True, False, or None for unknown.

    ``selector`` is text or a parsed tree; an empty one, or None, matches every message. ``now`` is the current time in
    milliseconds since the epoch, without which the clock says: UTC() is that, and the JMSExpiration of a message that
    has a ttl and no time of its own is so long after it. ``destination`` is the address that the consumer was created
    with, and JMSDestination where the message has no ``to``. Where the broker's evaluation would throw, the answer is
    unknown. Text raises what ``parse_selector`` raises.
    """
    from transpiler.reference.evaluate import evaluate as evaluate_tree

    tree = parse_selector(selector, dialect) if isinstance(selector, str) else selector
    return evaluate_tree(tree, message, find_dialect(dialect), now, destination)


def matches(
    filters: FiltersLike,
    message: Message,
    *,
    dialect: str | Dialect = "jms",
    connection: str | None = None,
    unknown: Unknown = "error",
    now: int | None = None,
    destination: str | None = None,
) -> bool:
    """Whether one message passes a filter, or all filters of a set, by the reference evaluator.

    The parameters are those of ``transpile_filter``, and so is what is raised.
    """
    from transpiler.filters.sets import read_filters
    from transpiler.reference.match import check_filter, match_filter
    from transpiler.reference.receiving import Receiver

    whole, own = read_filters(filters, unknown).whole, find_dialect(dialect)
    check_filter(whole, own, connection)
    return match_filter(whole, message, own, connection, Receiver(now, destination))
