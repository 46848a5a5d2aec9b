"""SQL that decides in which generated method Spark computes an array: the array is the same, with or without.

Spark compiles a query into methods, and the JIT compiles those of up to 8,000 bytes. An expression that Spark cannot
compile ends one; one that it meets twice gets its own.
"""

from __future__ import annotations


def codegen_barrier(array: str) -> str:
    """Return an array unchanged, by a function that Spark cannot compile and does not know to be the identity."""
    return f"zip_with({array}, array(), (a, b) -> a)"


def codegen_barrier_column(array: str) -> str:
    """Return the array of a column unchanged, which is computed before, in the method that ends there.

    Spark inlines an expression that is used once, and here all of it would be interpreted.
    """
    return f"zip_with({array}, {array}, (a, b) -> a)"


def hoist_to_method(text: str) -> str:
    """Compute an array in a method of its own, as Spark does with any common subexpression.

    HotSpot gives up on inlining in a long method, so that it is slow even where it is compiled.
    """
    return f"coalesce({text}, {text})"
