"""Explanations: one sentence on why a message matches a selector, or why a queue did not get it.

The reference evaluator gives every verdict and every value; nothing here evaluates. This package chooses the parts that
decide, and puts into words what the evaluator said about them.

Invariants: the verdict of an explanation, and of each of its parts, is the evaluator's. The deciding parts suffice:
while they keep their verdicts, the message matches, or does not, whatever the others are. A sentence states values that
the evaluator read, and a relation between them only where it holds as written; anything else is said as the rule of the
dialect.

Not here: rows of a DataFrame (``spark_ext.reports.match_explanations``), and why SQL looks as it does
(``Transpiled.trace``).

Reading order: ``parts`` (the tree with its verdicts), ``deciding`` (which of them decide), ``wording`` (values and
names), ``facts`` (a sentence about one part), ``sentences`` (about all), ``explanation`` (the object). Then
``binding_facts`` and ``routes``, for topologies.
"""

from __future__ import annotations

from transpiler.tools.explanation.explanation import Explanation, explain_selector
from transpiler.tools.explanation.parts import Part

__all__ = ["Explanation", "Part", "explain_selector"]
