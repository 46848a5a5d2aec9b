"""Settings of a broker's file that have no part in routing."""

from __future__ import annotations

from typing import NamedTuple


class Setting(NamedTuple):
    """A setting of a queue, a policy or another part ``of`` a kind, which has no part in routing, as text.

    One that is ``judged`` decides about sends in a way that shows in no binding.
    """

    kind: str
    of: str
    name: str
    value: str
    judged: bool = False


#: The kind of a setting that says in words why a queue loses messages by itself.
LOSS = "loss"


def loss(queue: str, reason: str) -> Setting:
    """Return the note that a queue loses messages although it has room for dead letters, with the reason."""
    return Setting(LOSS, queue, "", reason)
