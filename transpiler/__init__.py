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

``transpiler.stores`` has the layouts of tables that known producers write, ``transpiler.layouts`` the building blocks
of other layouts, and ``transpiler.testing`` assertions for tests. ``spark_ext`` provides the same functions as Spark
Columns. All functions raise ``TranspilerError``, whose ``diagnostics`` contain the problem, its location and the fix.

A selector is parsed to a surface tree and checked (``selector``); filters are read from their descriptors
(``filters``). Both are lowered to the intermediate representation (``lowering``, ``ir``) for a layout (``layouts``),
rewritten (``rewrites``), planned for Spark (``spark_plan``) and emitted (``sql``). An independent evaluator in plain
Python (``reference``) shares no code with these steps, and defines the result that the SQL must have for one message.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from transpiler.base.on_demand import names_on_demand
from transpiler.version import __version__ as __version__

if TYPE_CHECKING:
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
    from transpiler.compiler.transpiled import Transpiled
    from transpiler.language.selector.dialects import Dialect, find_dialect
    from transpiler.language.selector.parsing import parse_selector, print_selector
    from transpiler.language.translation.header_names import translate_names
    from transpiler.message.message import Message
    from transpiler.pipeline import transpile_address, transpile_filter, transpile_selector
    from transpiler.reference.route import route_message, route_path
    from transpiler.reference.verdicts import evaluate, matches
    from transpiler.tools.analysis.subsumption import equivalent, subsumes
    from transpiler.tools.dialect_tools.compare_dialects import compare_dialects
    from transpiler.tools.dialect_tools.diff.conditions import diff_filters, diff_selectors
    from transpiler.tools.dialect_tools.port.port import port_selector
    from transpiler.tools.explanation.explanation import Explanation, explain_selector
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
    "diff_filters",
    "diff_selectors",
    "equivalent",
    "evaluate",
    "explain_selector",
    "find_dialect",
    "matches",
    "parse_selector",
    "port_selector",
    "print_selector",
    "read_topology",
    "route_message",
    "route_path",
    "subsumes",
    "topology_from_dict",
    "translate_names",
    "transpile_address",
    "transpile_filter",
    "transpile_selector",
]

#: The module of each public name, which is imported when the name is first used. A test checks that the imports for
#: type checkers above use the same modules.
_MODULES = {
    "DecodeError": "transpiler.base.errors",
    "Diagnostic": "transpiler.base.diagnostics",
    "Dialect": "transpiler.language.selector.dialects",
    "Explanation": "transpiler.tools.explanation.explanation",
    "Layout": "transpiler.compiler.layouts.layout",
    "LayoutError": "transpiler.base.errors",
    "Message": "transpiler.message.message",
    "Publisher": "transpiler.topology.publishing",
    "SelectorSyntaxError": "transpiler.base.errors",
    "SelectorTypeError": "transpiler.base.errors",
    "Topology": "transpiler.topology.model",
    "TopologyError": "transpiler.base.errors",
    "Transpiled": "transpiler.compiler.transpiled",
    "TranspilerError": "transpiler.base.errors",
    "UnsupportedFeatureError": "transpiler.base.errors",
    "compare_dialects": "transpiler.tools.dialect_tools.compare_dialects",
    "diff_filters": "transpiler.tools.dialect_tools.diff.conditions",
    "diff_selectors": "transpiler.tools.dialect_tools.diff.conditions",
    "equivalent": "transpiler.tools.analysis.subsumption",
    "evaluate": "transpiler.reference.verdicts",
    "explain_selector": "transpiler.tools.explanation.explanation",
    "find_dialect": "transpiler.language.selector.dialects",
    "matches": "transpiler.reference.verdicts",
    "parse_selector": "transpiler.language.selector.parsing",
    "port_selector": "transpiler.tools.dialect_tools.port.port",
    "print_selector": "transpiler.language.selector.parsing",
    "read_topology": "transpiler.topology.files",
    "route_message": "transpiler.reference.route",
    "route_path": "transpiler.reference.route",
    "subsumes": "transpiler.tools.analysis.subsumption",
    "topology_from_dict": "transpiler.topology.files",
    "translate_names": "transpiler.language.translation.header_names",
    "transpile_address": "transpiler.pipeline",
    "transpile_filter": "transpiler.pipeline",
    "transpile_selector": "transpiler.pipeline",
}

if not TYPE_CHECKING:
    __getattr__, __dir__ = names_on_demand(
        __name__, _MODULES, ("layouts", "messages", "stores", "testing", "topologies")
    )
