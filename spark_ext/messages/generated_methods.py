"""SQL that controls in which generated Java method Spark computes an array. The value of the array does not change.

Spark generates Java methods for a query, and the JIT compiler skips methods of more than 8,000 bytes. An expression for
which Spark cannot generate code ends a method. An expression that occurs twice gets its own method.
"""

from __future__ import annotations


def codegen_barrier(array: str) -> str:
    """Return SQL that yields ``array`` unchanged, but for which Spark cannot generate Java code.

    Spark then ends the generated method before this SQL. Its optimizer does not notice that the SQL changes nothing.
    """
    return f"zip_with({array}, array(), (a, b) -> a)"


def codegen_barrier_column(array: str) -> str:
    """Return SQL that yields the column ``array`` unchanged, and ends the Java method that computes the column.

    The SQL names the column twice. If it named the column once, Spark would inline the column's expression, and then
    generate no code for that expression either.
    """
    return f"zip_with({array}, {array}, (a, b) -> a)"


def hoist_to_method(text: str) -> str:
    """Return SQL that has the value of ``text``, SQL of an array, but that Spark evaluates in a separate Java method.

    Spark moves a subexpression into its own method if it occurs twice, so the result contains ``text`` twice. Short
    methods matter, because HotSpot stops inlining in a long method even if it compiles the method.
    """
    return f"coalesce({text}, {text})"
