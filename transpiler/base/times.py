"""Times of messages: milliseconds since 1970-01-01 in UTC, and their conversion from ISO 8601 texts."""

from __future__ import annotations

import re
from datetime import UTC, datetime, timedelta

#: The time from which the times in messages are counted: 1970-01-01 in UTC.
EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
_DATE = re.compile(r"[0-9]{4}-[0-9]{2}-[0-9]{2}")


def since_epoch(time: datetime) -> int:
    """Return ``time``, which has a time zone, as whole milliseconds since 1970-01-01 in UTC, rounded down."""
    return (time - EPOCH) // timedelta(milliseconds=1)


def iso_time(text: str) -> int | None:
    """Return the ISO 8601 time ``text``, by default in UTC, as milliseconds since 1970-01-01; None for other texts."""
    if not _DATE.match(text.strip()):
        return None
    try:
        time = datetime.fromisoformat(text.strip())
    except ValueError:
        return None
    return since_epoch(time.replace(tzinfo=UTC) if time.tzinfo is None else time)
