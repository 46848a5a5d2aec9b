"""Explanations: one sentence on why a message matches a selector, or why a queue did not receive a message.

The reference evaluator computes every result and every value; this package evaluates nothing. It chooses the
subexpressions that decide, and puts the evaluator's results for them into words.

Invariants: the result of an explanation, and of each subexpression, is the evaluator's. The deciding subexpressions
suffice: they alone determine whether the message matches, whatever the other subexpressions are. A sentence states
values that the evaluator read, and a relation between two values only if it is true as written; any other result is
attributed to the rules of the dialect.

Not here: rows of a DataFrame (``spark_ext.reports.match_explanations``), and the reasons for the form of the SQL
(``Transpiled.trace``).

Reading order: ``parts`` (the tree with its results), ``deciding`` (which subexpressions decide), ``wording`` (values
and names), ``facts`` (a sentence about one subexpression), ``sentences`` (about all), ``explanation`` (the object).
Then ``binding_facts`` and ``routes``, for topologies.
"""

from __future__ import annotations

from transpiler.tools.explanation.explanation import Explanation, explain_selector
from transpiler.tools.explanation.parts import Part

__all__ = ["Explanation", "Part", "explain_selector"]
