"""Exceptions of Spark as one line: which input failed, and why."""

from __future__ import annotations

import re
from collections.abc import Iterator

from transpiler.base.diagnostics import one_line


def spark_error(error: BaseException) -> str | None:
    """Return one line for an exception of Spark, with its first cause, or None if it is another library's.

    The outermost exception says which input failed, the innermost one why; between them are stages and tasks.
    """
    if type(error).__module__.partition(".")[0] not in ("pyspark", "py4j"):
        return "the connection to Spark was lost" if isinstance(error, ConnectionError) else None
    try:
        told = [text for text in _messages(error) if text]
    except Exception:
        # Java's messages are asked from the JVM, and it is gone.
        return "the connection to Spark was lost"
    if not told:
        return f"Spark failed without a reason: {type(error).__name__}"
    first, last = told[0], told[-1]
    return one_line(last if last in first or first.startswith("Job aborted") else f"{first}: {last}")


#: The name of a Java class before its message.
_CLASS = re.compile(r"(?:[\w$]+\.)+[\w$]*(?:Exception|Error): ")


def _messages(error: BaseException) -> Iterator[str]:
    """Yield the first line of the message of an exception and of each of its causes; a stack trace is none."""
    java = getattr(error, "java_exception", None) or getattr(error, "_origin", None)
    if java is None:
        yield _first_line(str(error))
    # A cause of a cause may be the exception itself.
    for _ in range(50):
        if java is None:
            return
        yield _first_line(java.getMessage() or java.toString())
        java = java.getCause()


def _first_line(text: str) -> str:
    return _CLASS.sub("", next((line.strip() for line in text.splitlines() if line.strip()), ""))
