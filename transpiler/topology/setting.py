"""Settings of a broker's file that have no part in routing."""

from __future__ import annotations

from typing import NamedTuple


class Setting(NamedTuple):
    """A setting of a queue, a policy or another part ``of`` a kind, which has no part in routing, as text.

    One that is ``judged`` decides about sends in a way that shows in no binding. One that is ``linked`` has its effect
    in the topology's links or alternates, and is here so that a policy has all of its settings.
    """

    kind: str
    of: str
    name: str
    value: str
    judged: bool = False
    linked: bool = False


#: The setting of an exchange that holds messages back and then routes them as its type does.
DELAYED = "delayed"

#: The kind of a setting that says in words why a queue loses messages by itself.
LOSS = "loss"


def loss(queue: str, reason: str) -> Setting:
    """Return the note that a queue loses messages although it has room for dead letters, with the reason."""
    return Setting(LOSS, queue, "", reason)
