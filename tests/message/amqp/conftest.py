import base64
import json
from pathlib import Path

import pytest

DATA = Path(__file__).parent / "data"


def _load(name):
    """Return the JSON of each line, with the bytes that a real client library encoded for it."""
    rows = [json.loads(line) for line in (DATA / name).read_text(encoding="utf-8").splitlines()]
    return [row | {"amqp": base64.b64decode(row["amqp"])} for row in rows]


@pytest.fixture(scope="session")
def messages():
    return _load("amqp_messages.jsonl")


@pytest.fixture(scope="session")
def filter_sets():
    return _load("amqp_filter_sets.jsonl")
