"""A private RabbitMQ for the live tests, with its own ports, node name and folder, and removed afterwards."""

from __future__ import annotations

import json
import logging
import math
import os
import shutil
import signal
import socket
import struct
import subprocess
import time
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from decimal import Decimal
from pathlib import Path
from typing import Any, NamedTuple

import pika
import pika.data
from pika.adapters.blocking_connection import BlockingChannel
from pika.exceptions import AMQPConnectionError

from transpiler import Message
from transpiler.message.amqp.decoder import decode
from transpiler.message.amqp.values import AmqpList, AmqpMap, Value
from transpiler.message.types import AmqpType, AmqpValue, Compound
from transpiler.topology.model import Topology
from transpiler.topology.records import Binding

# Otherwise every unroutable message would log a warning.
logging.getLogger("pika").setLevel(logging.CRITICAL)

#: Start scripts as Debian installs them. The start command of the package would require the package's own user.
SCRIPTS = sorted(Path("/usr/lib/rabbitmq/lib").glob("rabbitmq_server-*/sbin/rabbitmq-server"))

MISSING = (
    None
    if SCRIPTS and shutil.which("erl") and shutil.which("epmd")
    else "RabbitMQ is not here: install Debian's package rabbitmq-server, as .ci/run does"
)


def _free_ports(count: int) -> list[int]:
    sockets = [socket.create_server(("127.0.0.1", 0)) for _ in range(count)]
    ports = [found.getsockname()[1] for found in sockets]
    for found in sockets:
        found.close()
    return ports


def _connect(port: int, process: subprocess.Popen[bytes], log: Path) -> pika.BlockingConnection:
    parameters = pika.ConnectionParameters("127.0.0.1", port, heartbeat=0)
    until = time.monotonic() + 120
    while True:
        try:
            return pika.BlockingConnection(parameters)
        except AMQPConnectionError:
            if process.poll() is not None or time.monotonic() > until:
                raise RuntimeError(f"RabbitMQ did not start:\n{log.read_text(errors='replace')[-3000:]}") from None
            time.sleep(0.3)


@contextmanager
def running(folder: Path, plugins: Sequence[str] = ()) -> Iterator[BlockingChannel]:
    """Start a broker with ``plugins`` and yield a channel to it. The broker ends with the block.

    The broker writes only into ``folder``.
    """
    node, distribution, names = _free_ports(3)
    log = folder / "output.log"
    (folder / "enabled_plugins").write_text(f"[{','.join(plugins)}].\n")
    environment = os.environ | {
        "HOME": str(folder),
        "ERL_EPMD_PORT": str(names),
        "ERL_EPMD_ADDRESS": "127.0.0.1",
        "RABBITMQ_NODENAME": "selectors@localhost",
        "RABBITMQ_NODE_IP_ADDRESS": "127.0.0.1",
        "RABBITMQ_NODE_PORT": str(node),
        "RABBITMQ_DIST_PORT": str(distribution),
        "RABBITMQ_CONF_ENV_FILE": "/dev/null",
        "RABBITMQ_CONFIG_FILE": str(folder / "rabbitmq"),
        "RABBITMQ_MNESIA_BASE": str(folder / "mnesia"),
        "RABBITMQ_LOG_BASE": str(folder / "log"),
        "RABBITMQ_PID_FILE": str(folder / "pid"),
        "RABBITMQ_ENABLED_PLUGINS_FILE": str(folder / "enabled_plugins"),
        "RABBITMQ_SERVER_ADDITIONAL_ERL_ARGS": "-kernel inet_dist_use_interface {127,0,0,1}",
    }
    (folder / "environment.json").write_text(json.dumps(environment))
    # A port mapper started here can be stopped here. The broker would start one that keeps running.
    epmd = subprocess.Popen(
        ["epmd", "-port", str(names), "-address", "127.0.0.1"], env=environment, stderr=subprocess.DEVNULL
    )
    with log.open("wb") as output:
        broker = subprocess.Popen(
            [str(SCRIPTS[-1])], env=environment, stdout=output, stderr=output, start_new_session=True
        )
    try:
        connection = _connect(node, broker, log)
        channel = connection.channel()
        yield channel
        connection.close()
    finally:
        os.killpg(broker.pid, signal.SIGTERM)
        try:
            broker.wait(20)
        except subprocess.TimeoutExpired:
            os.killpg(broker.pid, signal.SIGKILL)
            broker.wait()
        epmd.terminate()
        epmd.wait()


def control(folder: Path, *arguments: str) -> str:
    """Return the output of rabbitmqctl for the broker that runs in ``folder``."""
    environment = json.loads((folder / "environment.json").read_text())
    command = [str(SCRIPTS[-1].with_name("rabbitmqctl")), "--quiet", *arguments]
    done = subprocess.run(command, env=environment, capture_output=True, text=True, check=True, timeout=120)
    return done.stdout


_encode = pika.data.encode_value


def _encode_typed(pieces: list[bytes], value: Any) -> int:
    if not isinstance(value, Field):
        return int(_encode(pieces, value))
    pieces.append(value.data)
    return len(value.data)


# The client can read fields of all types in tables, but when it writes a table, it chooses the types itself.
pika.data.encode_value = _encode_typed

#: The tags of AMQP 0-9-1's field tables as RabbitMQ reads them, with the struct format of the value.
_TAGS: dict[AmqpType | Compound, tuple[str, str]] = {
    AmqpType.BOOLEAN: ("t", ">?"),
    AmqpType.BYTE: ("b", ">b"),
    AmqpType.UBYTE: ("B", ">B"),
    AmqpType.SHORT: ("s", ">h"),
    AmqpType.USHORT: ("u", ">H"),
    AmqpType.INT: ("I", ">i"),
    AmqpType.UINT: ("i", ">I"),
    AmqpType.LONG: ("l", ">q"),
    AmqpType.FLOAT: ("f", ">f"),
    AmqpType.DOUBLE: ("d", ">d"),
}


class Field(NamedTuple):
    """A field's tag and value in the bytes of the wire."""

    data: bytes


def fits(value: Value) -> bool:
    """Return True if a field table can contain ``value``: Erlang has no NaN or infinity, and times are in seconds."""
    match value:
        case AmqpValue(AmqpType.FLOAT | AmqpType.DOUBLE, float() as number):
            return math.isfinite(number)
        case AmqpValue(AmqpType.TIMESTAMP, int() as milliseconds):
            return milliseconds >= 0 and milliseconds % 1000 == 0
        case AmqpValue(AmqpType.DECIMAL64, Decimal() as number):
            return number.is_finite() and number >= 0 and -255 <= int(number.as_tuple().exponent) <= 0
        case AmqpValue(Compound.LIST | Compound.MAP, bytes() as data):
            return bool(data) and fits(decode(data))
        case AmqpList(items):
            return all(map(fits, items))
        case AmqpMap(entries):
            return all(fits(item) for _, item in entries)
        case AmqpValue(kind):
            return kind in _TAGS or kind in (AmqpType.NULL, AmqpType.STRING, AmqpType.SYMBOL, AmqpType.BINARY)
        case _:
            return False


def field(value: Value) -> Field:
    """Return ``value`` in its AMQP 0-9-1 encoding."""
    match value:
        case AmqpValue(_, None):
            return Field(b"V")
        case AmqpValue(AmqpType.STRING | AmqpType.SYMBOL, str() as text):
            return Field(b"S" + _sized(text.encode()))
        case AmqpValue(AmqpType.BINARY, bytes() as data):
            return Field(b"x" + _sized(data))
        case AmqpValue(AmqpType.TIMESTAMP, int() as milliseconds):
            return Field(b"T" + struct.pack(">Q", milliseconds // 1000))
        case AmqpValue(AmqpType.DECIMAL64, Decimal() as number):
            scale = -int(number.as_tuple().exponent)
            return Field(b"D" + struct.pack(">BI", scale, int(number.scaleb(scale))))
        case AmqpValue(Compound(), bytes() as data):
            return field(decode(data))
        case AmqpValue(kind, plain):
            tag, form = _TAGS[kind]
            return Field(tag.encode() + struct.pack(form, plain))
        case AmqpList(items):
            return Field(b"A" + _sized(b"".join(field(item).data for item in items)))
        case AmqpMap(entries):
            names = [str(key.value).encode() for key, _ in entries if isinstance(key, AmqpValue)]
            fields = [
                bytes([len(name)]) + name + field(item).data for name, (_, item) in zip(names, entries, strict=True)
            ]
            return Field(b"F" + _sized(b"".join(fields)))
        case _:
            raise AssertionError(value)


def _sized(data: bytes) -> bytes:
    return struct.pack(">I", len(data)) + data


def table(values: dict[str, AmqpValue] | Any) -> dict[str, Any]:
    """Return arguments or headers in the form that the client accepts."""
    return {name: field(value) for name, value in (values or {}).items()}


class Live:
    """A topology that is declared in the broker and deleted at the end of the block."""

    def __init__(self, channel: BlockingChannel, topology: Topology) -> None:
        self.channel = channel
        self.topology = topology
        #: The numbers of the messages that the broker returned.
        self.returned: set[int] = set()
        channel.add_on_return_callback(lambda _, __, properties, ___: self.returned.add(int(properties.message_id)))

    def __enter__(self) -> Live:
        for queue in self.topology.queues:
            self.channel.queue_declare(queue.name)
        for exchange in self.topology.exchanges:
            arguments = {} if exchange.alternate is None else {"alternate-exchange": exchange.alternate.name}
            self.channel.exchange_declare(exchange.name, exchange.type, arguments=arguments)
        for binding in self.topology.bindings:
            self._bind(binding)
        return self

    def _bind(self, binding: Binding) -> None:
        arguments = table(binding.arguments)
        if binding.destination_type == "queue":
            self.channel.queue_bind(binding.destination, binding.source, binding.key, arguments)
        else:
            self.channel.exchange_bind(binding.destination, binding.source, binding.key, arguments)

    def __exit__(self, *_: object) -> None:
        for queue in self.topology.queues:
            self.channel.queue_delete(queue.name)
        for exchange in self.topology.exchanges:
            self.channel.exchange_delete(exchange.name)
        for binding in self.topology.bindings:
            if binding.destination_type == "exchange":
                self.channel.exchange_unbind(binding.destination, binding.source, binding.key, table(binding.arguments))

    def publish(self, number: int, message: Message, exchange: str, keys: list[str], copies: str) -> None:
        """Publish a message, which the broker returns if no queue gets it.

        All keys except the first go into the header ``copies``.
        """
        headers = table(message.application_properties)
        if len(keys) > 1:
            headers[copies] = keys[1:]
        properties = pika.BasicProperties(headers=headers, message_id=str(number))
        self.channel.basic_publish(exchange, keys[0], b"", properties, mandatory=True)

    def received(self) -> Iterator[tuple[str, int, dict[str, Any]]]:
        """Yield and remove all messages in the queues: the queue, the message's number, and its headers."""
        for queue in self.topology.queues:
            while True:
                method, properties, _ = self.channel.basic_get(queue.name, auto_ack=True)
                if method is None:
                    break
                yield queue.name, int(properties.message_id), properties.headers or {}
        # Returned messages arrive before the last answer, and are processed here.
        self.channel.connection.process_data_events()


def gathered(count: int, received: Iterable[tuple[str, int, dict[str, Any]]]) -> list[list[str]]:
    """Return the sorted queues of each message. A queue that got a message twice is listed twice."""
    queues: list[list[str]] = [[] for _ in range(count)]
    for queue, number, _ in received:
        queues[number].append(queue)
    return [sorted(found) for found in queues]
