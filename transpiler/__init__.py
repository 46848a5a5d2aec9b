"""Message brokers' filters as Spark SQL.

In order of use::

    from transpiler import transpile_selector, evaluate, explain_selector, Message

    transpile_selector("color = 'red' AND weight > 2500", "kafka-headers").sql   # SQL over one's own columns
    evaluate("color = 'red'", {"color": "blue"})                                 # False: one message, in Python
    explain_selector("color = 'red'", {"color": "blue"})                         # why: "color is 'blue', not 'red'"
    transpile_selector("color = 5", dialect="activemq")                          # by a broker's rules
    port_selector("color <> 5", "jms", "artemis")                                # in the words of another broker
    transpile_filter(…), matches(…)                                              # AMQP filter sets
    read_topology("definitions.json"), route_message(topology, message)          # exchanges, queues and bindings

``transpiler.stores`` has the layouts of people's tables, ``transpiler.testing`` assertions for tests, ``spark_ext`` the
same as Spark Columns. Everything raises ``TranspilerError``s, whose ``diagnostics`` say what, where and what to do.

Text is parsed to a surface tree and checked (``selector``), descriptors are read as filters (``filters``). Both are
lowered to the intermediate representation (``lowering``, ``ir``) over a layout (``layouts``), rewritten (``rewrites``),
planned for Spark (``spark_plan``) and emitted (``sql``). Beside them stands an evaluator in plain Python
(``reference``), which shares nothing with them and says what the SQL must answer on one message.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

from transpiler.base.arguments import unexpected
from transpiler.base.diagnostics import Diagnostic
from transpiler.base.errors import (
    DecodeError,
    LayoutError,
    SelectorSyntaxError,
    SelectorTypeError,
    TopologyError,
    TranspilerError,
    UnsupportedFeatureError,
)
from transpiler.compiler.layouts.layout import Layout
from transpiler.compiler.pipeline import transpile_address, transpile_filter
from transpiler.compiler.transpiled import Transpiled
from transpiler.language.selector.ast import Expression
from transpiler.language.selector.dialects import Dialect, find_dialect
from transpiler.language.selector.parsing import parse_selector
from transpiler.language.selector.printer import print_selector
from transpiler.language.translation.header_names import translate_names
from transpiler.message.types import Truth
from transpiler.version import __version__ as __version__

if TYPE_CHECKING:
    from transpiler.language.filters.amqp_form import Unknown
    from transpiler.language.filters.sets import FiltersLike
    from transpiler.message.message import Message, MessageLike
    from transpiler.reference.route import route_message
    from transpiler.tools.analysis.subsumption import equivalent, subsumes
    from transpiler.tools.dialect_tools.compare_dialects import compare_dialects
    from transpiler.tools.dialect_tools.port.port import port_selector
    from transpiler.tools.explanation import Explanation, explain_selector
    from transpiler.tools.lint.advice import transpile_selector
    from transpiler.topology.files import read_topology, topology_from_dict
    from transpiler.topology.model import Topology
    from transpiler.topology.publishing import Publisher


__all__ = [
    "DecodeError",
    "Diagnostic",
    "Dialect",
    "Explanation",
    "Layout",
    "LayoutError",
    "Message",
    "Publisher",
    "SelectorSyntaxError",
    "SelectorTypeError",
    "Topology",
    "TopologyError",
    "Transpiled",
    "TranspilerError",
    "UnsupportedFeatureError",
    "compare_dialects",
    "equivalent",
    "evaluate",
    "explain_selector",
    "matches",
    "parse_selector",
    "port_selector",
    "print_selector",
    "read_topology",
    "route_message",
    "subsumes",
    "topology_from_dict",
    "translate_names",
    "transpile_address",
    "transpile_filter",
    "transpile_selector",
]


#: Names whose modules most programs never need, and where they are; importing them takes as long as all the rest.
_LATE = {
    "Explanation": "transpiler.tools.explanation",
    "Message": "transpiler.message.message",
    "Publisher": "transpiler.topology.publishing",
    "Topology": "transpiler.topology.model",
    "compare_dialects": "transpiler.tools.dialect_tools.compare_dialects",
    "port_selector": "transpiler.tools.dialect_tools.port.port",
    "read_topology": "transpiler.topology.files",
    "topology_from_dict": "transpiler.topology.files",
    "explain_selector": "transpiler.tools.explanation",
    "route_message": "transpiler.reference.route",
    "equivalent": "transpiler.tools.analysis.subsumption",
    "subsumes": "transpiler.tools.analysis.subsumption",
    "transpile_selector": "transpiler.tools.lint.advice",
}


def __getattr__(name: str) -> Any:
    if name not in _LATE:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(import_module(_LATE[name]), name)


def __dir__() -> list[str]:
    return sorted({*globals(), *_LATE})


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
    from transpiler.message.message import as_message
    from transpiler.reference.evaluate import evaluate as evaluate_tree

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
    from transpiler.language.filters.sets import read_filters
    from transpiler.message.message import as_message
    from transpiler.reference.match import check_filter, match_filter
    from transpiler.reference.receiving import Receiver

    whole, own = read_filters(filters, unknown).whole, find_dialect(dialect)
    check_filter(whole, own, connection)
    return match_filter(whole, as_message(message), own, connection, Receiver(now, destination))
