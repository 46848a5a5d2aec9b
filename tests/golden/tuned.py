"""Replace tuning constants while an answer is computed."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import ExitStack, contextmanager
from unittest import mock

from transpiler.compiler.spark_plan import tuning as plan_tuning
from transpiler.routing import tuning as routing_tuning


@contextmanager
def tuned(values: Mapping[str, float]) -> Iterator[None]:
    """Return a context manager in which the tuning constants of plans and of routing have the given ``values``."""
    with ExitStack() as stack:
        for module in (plan_tuning, routing_tuning):
            for name in values.keys() & vars(module).keys():
                stack.enter_context(mock.patch.object(module, name, values[name]))
        yield
