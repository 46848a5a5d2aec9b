"""Results of real brokers: the cases in which ActiveMQ, Artemis and both Qpid brokers agree."""

from __future__ import annotations

import base64
import gzip
import json
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import Any, NamedTuple

from tests.message.identity import identity
from transpiler import Message

DATA = Path(__file__).parent / "data"
BROKERS = ("activemq", "artemis", "qpid-java", "qpid-cpp")
TRUTHS = {"T": True, "F": False, "U": None}

#: The section and field for the JMS name of each header in the vectors.
_HEADERS = {
    "JMSPriority": ("header", "priority"),
    "JMSDeliveryMode": ("header", "durable"),
    "JMSType": ("properties", "subject"),
    "JMSCorrelationID": ("properties", "correlation_id"),
    "JMSMessageID": ("properties", "message_id"),
    "JMSTimestamp": ("properties", "creation_time"),
    "JMSDestination": ("properties", "to"),
    "JMSReplyTo": ("properties", "reply_to"),
    "JMSExpiration": ("properties", "absolute_expiry_time"),
    "JMSXGroupID": ("properties", "group_id"),
    "JMSXGroupSeq": ("properties", "group_sequence"),
    "JMSRedelivered": ("header", "delivery_count"),
    "JMSXDeliveryCount": ("header", "delivery_count"),
    "JMSXUserID": ("properties", "user_id"),
}


class Case(NamedTuple):
    """One selector on one message, and the result of all four brokers."""

    name: str
    selector: str
    message: Message
    verdict: bool | None


def read_message(data: dict[str, Any] | None) -> Message:
    """Return a message of the vectors, in which binary is hexadecimal and headers have their JMS names."""
    sections: dict[str, Any] = {"application_properties": {}}
    for name, value in ((data or {}).get("properties") or {}).items():
        if value["type"] == "binary":
            value = {"type": "binary", "value": base64.b64encode(bytes.fromhex(value["value"])).decode()}
        sections["application_properties"][name] = value
    for name, value in ((data or {}).get("headers") or {}).items():
        if name == "text":
            sections["body"] = {"section": "amqp-value", "value": value}
            continue
        section, field = _HEADERS[name]
        if name == "JMSDeliveryMode":
            value = value == "PERSISTENT"
        elif name == "JMSRedelivered":
            value = int(value)
        elif name == "JMSXDeliveryCount":
            value -= 1
        elif name == "JMSXUserID":
            value = base64.b64encode(value.encode()).decode()
        sections.setdefault(section, {})[field] = value
    for section, fields in ((data or {}).get("amqp") or {}).items():
        sections[section] = sections.get(section, {}) | {
            name: _amqp_field(name, value) for name, value in fields.items()
        }
    return Message.from_dict(sections)


def _amqp_field(name: str, value: Any) -> Any:
    """Return the value of a section's field. Only an id keeps its type, because all other fields have a fixed type."""
    if not isinstance(value, dict):
        return value
    content = value["value"]
    if value["type"] == "binary":
        content = base64.b64encode(bytes.fromhex(content)).decode()
    return {"type": value["type"], "value": content} if name in ("message_id", "correlation_id") else content


def _lines(name: str) -> list[dict[str, Any]]:
    with gzip.open(DATA / name, "rt", encoding="utf-8") as lines:
        return [json.loads(line) for line in lines]


@cache
def single_cases() -> tuple[Case, ...]:
    """Return the probes of single rules and the cases of the brokers' own suites."""
    cases = []
    for file in ("probes.jsonl.gz", "suites.jsonl.gz"):
        for number, row in enumerate(_lines(file), 1):
            verdicts = {row["verdicts"][broker] for broker in BROKERS}
            if len(verdicts) == 1 and verdicts <= TRUTHS.keys():
                name = f"{file.partition('.')[0]}:{number}"
                cases.append(Case(name, row["selector"], read_message(row["message"]), TRUTHS[verdicts.pop()]))
    return tuple(cases)


class Agreed(NamedTuple):
    """One random selector, and the result of all four brokers for those messages on which they agree, by index."""

    selector: str
    verdicts: dict[int, bool | None]


@cache
def random_messages(file: str) -> tuple[Message, ...]:
    """Return the messages of a random set."""
    return tuple(read_message(data) for data in _lines(file)[0]["messages"])


def random_selectors(file: str) -> Iterator[Agreed]:
    """Yield the selectors of a random set that all four brokers accept."""
    for row in _lines(file)[1:]:
        answers = [row["verdicts"][broker] for broker in BROKERS]
        if "P" not in answers:
            same = {
                index: TRUTHS[letters[0]]
                for index, letters in enumerate(zip(*answers, strict=True))
                if len(set(letters)) == 1 and letters[0] in TRUTHS
            }
            yield Agreed(row["selector"], same)


RANDOM_FILES = ("random_full.jsonl.gz", "random_simple.jsonl.gz")


DIALECTS = ("activemq", "artemis", "qpid-java", "qpid-cpp", "rabbitmq", "rabbitmq-jms")

#: The value of UTC() when the results were recorded, in milliseconds since the epoch.
TAKEN_AT = 1_795_230_000_000


class Row(NamedTuple):
    """One selector, the indexes of its messages, and one letter for each result; only P if it does not parse."""

    name: str
    selector: str
    messages: tuple[int, ...]
    letters: str


@cache
def all_messages() -> tuple[Message, ...]:
    """Return every distinct message of the vectors."""
    return tuple({identity(message): message for message in _every_message()}.values())


def _every_message() -> Iterator[Message]:
    for file in ("probes.jsonl.gz", "suites.jsonl.gz"):
        for row in _lines(file):
            yield read_message(row["message"])
    for file in RANDOM_FILES:
        yield from random_messages(file)


@cache
def verdicts(dialect: str) -> tuple[Row, ...]:
    """Return the results of one broker for every case."""
    return tuple(
        Row(name, selector, message_numbers, letters[dialect]) for name, selector, message_numbers, letters in _tried()
    )


@cache
def _tried() -> tuple[tuple[str, str, tuple[int, ...], dict[str, str]], ...]:
    """Return every case: its name, its selector, the indexes of its messages, and the letters of each broker."""
    numbers = {identity(message): number for number, message in enumerate(all_messages())}
    rows = []
    for file in ("probes.jsonl.gz", "suites.jsonl.gz"):
        for line, row in enumerate(_lines(file), 1):
            number = numbers[identity(read_message(row["message"]))]
            rows.append((f"{file.partition('.')[0]}:{line}", row["selector"], (number,), row["verdicts"]))
    for file in RANDOM_FILES:
        message_numbers = tuple(numbers[identity(message)] for message in random_messages(file))
        for line, row in enumerate(_lines(file)[1:], 2):
            rows.append((f"{file.partition('.')[0]}:{line}", row["selector"], message_numbers, row["verdicts"]))
    return tuple(rows)
