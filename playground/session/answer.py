"""The dispatcher of requests: it calls the function for the question that a request names."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from typing import Any

from playground.session import selectors, topologies
from playground.session.examples import examples
from playground.session.messages import message_rows

QUESTIONS: Mapping[str, Callable[..., dict[str, Any]]] = {
    "choices": lambda: {**selectors.choices(), **examples()},
    "judge": selectors.judge,
    "sql": selectors.sql,
    "dialects": selectors.dialects,
    "port": selectors.port,
    "message": message_rows,
    "topology": topologies.topology,
    "publish": topologies.publish,
}


def handle(request: str) -> str:
    """Answer the JSON request ``request`` of the page with JSON.

    Raise ``KeyError`` if the question in it is unknown, which only a mistake in the page can cause.
    """
    parameters = json.loads(request)
    answer = QUESTIONS[parameters.pop("ask")](**parameters)
    return json.dumps(answer, ensure_ascii=False)
