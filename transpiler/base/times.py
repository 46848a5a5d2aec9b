"""Times of messages: milliseconds since the epoch, and the ISO 8601 that people write for them."""

from __future__ import annotations

import re
from datetime import UTC, datetime, timedelta

#: The origin of all times in messages.
EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
_DATE = re.compile(r"[0-9]{4}-[0-9]{2}-[0-9]{2}")


def since_epoch(time: datetime) -> int:
    """Return a time with a zone in whole milliseconds since 1970-01-01 in UTC."""
    return (time - EPOCH) // timedelta(milliseconds=1)


def iso_time(text: str) -> int | None:
    """Return a time of ISO 8601 in milliseconds since 1970-01-01, in UTC where it has no zone; None for other text."""
    if not _DATE.match(text.strip()):
        return None
    try:
        time = datetime.fromisoformat(text.strip())
    except ValueError:
        return None
    return since_epoch(time.replace(tzinfo=UTC) if time.tzinfo is None else time)
