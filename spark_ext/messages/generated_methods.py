"""SQL that controls in which generated Java method Spark computes an array. The value of the array does not change.

Spark generates Java methods for a query, and the JIT compiler skips methods of more than 8,000 bytes. An expression for
which Spark cannot generate code ends a method. An expression that occurs twice gets its own method.
"""

from __future__ import annotations


def codegen_barrier(array: str) -> str:
    """Return SQL that leaves ``array`` unchanged, with a function for which Spark cannot generate code.

    Spark's optimizer does not recognise the function as the identity.
    """
    return f"zip_with({array}, array(), (a, b) -> a)"


def codegen_barrier_column(array: str) -> str:
    """Return SQL that leaves ``array``, the name of a column, unchanged, and ends the Java method that computes it.

    The SQL names the column twice. If it named the column once, Spark would inline the column's expression, and would
    interpret all of it.
    """
    return f"zip_with({array}, {array}, (a, b) -> a)"


def hoist_to_method(text: str) -> str:
    """Return SQL for ``text``, an array, that Spark evaluates in a separate Java method.

    Spark does so for every subexpression that occurs twice, so the SQL makes ``text`` one. HotSpot stops inlining in a
    long method, so a long method is slow even if it is compiled.
    """
    return f"coalesce({text}, {text})"
