"""A duration, a hypothetical type of 32 bits of milliseconds, is a number in messages, in rows and on the wire."""

from transpiler import Message, evaluate
from transpiler.compiler.layouts.amqp import AmqpLayout
from transpiler.message.amqp.decoder import decode
from transpiler.message.amqp.encoder import encode

message = Message.from_dict({"application_properties": {"age": {"type": "duration", "value": 90_000}}})

for dialect in ("jms", "activemq", "qpid-cpp", "rabbitmq"):
    assert evaluate("age > 60000", message, dialect) is True
assert message.to_dict() == {"application_properties": {"age": {"type": "duration", "value": 90_000}}}
row = AmqpLayout().row(message)
assert row["application_properties"]["age"]["long"] == 90_000
assert AmqpLayout().message(row) == message

value = message.application_properties["age"]
assert encode(value) == bytes.fromhex("75 00 01 5f 90")
assert decode(encode(value)) == value
