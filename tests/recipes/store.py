"""Messages in NiFi's attributes are a store, found by name and by columns, in SQL and row by row."""

from transpiler import evaluate, stores, transpile_selector
from transpiler.compiler.presets import find_layout

SELECTOR = "JMSPriority > 6 AND weight > 2500"
SCHEMA = "flowfileUuid STRING, attributes MAP<STRING, STRING>, content BINARY"

by_name = transpile_selector(SELECTOR, "nifi-jms").sql
assert "attributes['jms_priority']" in by_name
assert "attributes['weight']" in by_name
assert find_layout(SCHEMA).name == "nifi-jms"
assert transpile_selector(SELECTOR, SCHEMA).sql == by_name
assert transpile_selector("weight > 2500", stores.nifi_jms({"weight": "BIGINT"})).sql != by_name

row = {"flowfileUuid": "0", "attributes": {"jms_priority": "7", "weight": "2501"}, "content": b""}
assert evaluate(SELECTOR, stores.nifi_jms().message(row)) is True
row["attributes"]["jms_priority"] = "6"
assert evaluate(SELECTOR, stores.nifi_jms().message(row)) is False
