"""One-line texts for exceptions of Spark: the input that failed, and the reason."""

from __future__ import annotations

import re
from collections.abc import Iterator

from transpiler.base.diagnostics import one_line


def spark_error(error: BaseException) -> str | None:
    """Return a one-line text for an exception of Spark, with its root cause; None for an exception of another library.

    The outermost exception names the input that failed, and the innermost one the reason; those between are about
    stages and tasks.
    """
    if type(error).__module__.partition(".")[0] not in ("pyspark", "py4j"):
        return "the connection to Spark was lost" if isinstance(error, ConnectionError) else None
    try:
        messages = [text for text in _messages(error) if text]
    except Exception:
        # The messages of Java's exceptions must be fetched from the JVM, which has ended.
        return "the connection to Spark was lost"
    if not messages:
        return f"Spark failed without a reason: {type(error).__name__}"
    first, last = messages[0], messages[-1]
    return one_line(last if last in first or first.startswith("Job aborted") else f"{first}: {last}")


#: The name of a Java exception class before its message.
_CLASS = re.compile(r"(?:[\w$]+\.)+[\w$]*(?:Exception|Error): ")


def _messages(error: BaseException) -> Iterator[str]:
    """Yield the first line of the message of ``error`` and of each of its causes, without the lines of stack traces."""
    java = getattr(error, "java_exception", None) or getattr(error, "_origin", None)
    if java is None:
        yield _first_line(str(error))
    # The number of causes is limited because a chain of causes may be a cycle.
    for _ in range(50):
        if java is None:
            return
        yield _first_line(java.getMessage() or java.toString())
        java = java.getCause()


def _first_line(text: str) -> str:
    return _CLASS.sub("", next((line.strip() for line in text.splitlines() if line.strip()), ""))
