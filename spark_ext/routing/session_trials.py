"""Trials of what a session's Spark can do, by its classes and not by its interface: each is made once a session."""

from __future__ import annotations

from collections.abc import Callable

from pyspark.sql import SparkSession

#: The attribute of a session that has the outcomes, so that they end with it.
_ATTRIBUTE = "_selector_sql_trials"


def is_possible(session: SparkSession, trial: Callable[[SparkSession], bool]) -> bool:
    """Return True if a trial succeeds in a session; one that raises an exception does not."""
    outcomes: dict[Callable[[SparkSession], bool], bool] = session.__dict__.setdefault(_ATTRIBUTE, {})
    if trial not in outcomes:
        try:
            outcomes[trial] = trial(session)
        # A Spark with other classes fails in ways of its own, and a trial has nothing else that can fail.
        except Exception:
            outcomes[trial] = False
    return outcomes[trial]
