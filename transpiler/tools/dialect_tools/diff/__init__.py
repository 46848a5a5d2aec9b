"""Differences between two versions of a selector, a filter or a topology, found without data.

The idea: the best explanation of a change is a message that the change affects. ``analysis`` finds such a message, or
proves that there is none; the reference evaluator and router judge the message in both versions.

Invariants: every reported message was judged in both versions. "The same" is reported only if it is proved.

Deliberately not here: the comparison of rows of data (``spark_ext.diff``), and the loading of files (``cli``).

In reading order: ``conditions``, ``topology_changes``, ``name_matching``, ``rerouted``.
"""

from transpiler.tools.dialect_tools.diff.conditions import ConditionDiff, Difference, diff_filters, diff_selectors
from transpiler.tools.dialect_tools.diff.rerouted import Rerouted
from transpiler.tools.dialect_tools.diff.topology_changes import Change, TopologyDiff, diff_topologies

__all__ = [
    "Change",
    "ConditionDiff",
    "Difference",
    "Rerouted",
    "TopologyDiff",
    "diff_filters",
    "diff_selectors",
    "diff_topologies",
]
