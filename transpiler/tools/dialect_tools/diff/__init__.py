"""Differences between two versions of a selector, a filter or a topology, found without data.

The idea: a change is best shown by a message that it touches. ``analysis`` finds one, or proves that there is none;
the reference evaluator and router judge it on both sides.

Invariants: every message that is shown was judged on both sides. "The same" is said only of what is proved.

Deliberately not here: rows of data (``spark_ext.diff``) and the reading of files (``cli``).

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
