"""JMS_AMQP_CONTENT_ENCODING is a header field, not an application property of that name."""

from transpiler import Message, evaluate, transpile_selector

SELECTOR = "JMS_AMQP_CONTENT_ENCODING = 'gzip'"

assert transpile_selector(SELECTOR).sql == "(properties.content_encoding = 'gzip')"
assert evaluate(SELECTOR, {"properties": {"content_encoding": "gzip"}}) is True
assert evaluate(SELECTOR, {"application_properties": {"JMS_AMQP_CONTENT_ENCODING": "gzip"}}) is None
assert evaluate(SELECTOR, Message.of(JMS_AMQP_CONTENT_ENCODING="gzip")) is True
