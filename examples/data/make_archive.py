"""Makes messages.jsonl, a message archive, from trace.jsonl.gz, a RabbitMQ 3.10 broker's own tracing log.

The log has AMQP 0-9-1 messages as the broker published them. Headers become application properties with their types,
the routing key becomes the subject, the exchange the address, and the basic properties go where AMQP 1.0 has them.
``app_id`` is left out, for AMQP 1.0 has no field for it; so is a header that is a table or an array.
"""

from __future__ import annotations

import base64
import gzip
import json
from pathlib import Path
from typing import Any

HERE = Path(__file__).parent
SOURCE, ARCHIVE = HERE / "trace.jsonl.gz", HERE / "messages.jsonl"


def message(entry: dict[str, Any]) -> dict[str, Any]:
    """One log entry as message JSON."""
    basic = entry["properties"]
    header: dict[str, Any] = {"durable": basic.get("delivery_mode") == 2}
    if "priority" in basic:
        header["priority"] = basic["priority"]
    if "expiration" in basic:
        header["ttl"] = int(basic["expiration"])
    properties: dict[str, Any] = {"subject": entry["routing_keys"][0], "to": f"/exchanges/{entry['exchange']}"}
    for name in ("message_id", "correlation_id", "reply_to", "content_type", "content_encoding"):
        if name in basic:
            properties[name] = basic[name]
    if "user_id" in basic:
        properties["user_id"] = base64.b64encode(basic["user_id"].encode()).decode()
    if "timestamp" in basic:
        properties["creation_time"] = basic["timestamp"] * 1000
        if "expiration" in basic:
            properties["absolute_expiry_time"] = properties["creation_time"] + header["ttl"]
    result: dict[str, Any] = {"header": header, "properties": properties}
    if "type" in basic:
        result["message_annotations"] = {"x-opt-jms-type": basic["type"]}
    if "headers" in basic:
        # A table or an array is no simple value, and application properties hold nothing else.
        simple = {name: value for name, value in basic["headers"].items() if not isinstance(value, dict | list)}
        result["application_properties"] = simple
    result["body"] = {"section": "data", "data": entry["payload"]}
    return result


def main() -> None:
    """Write the archive beside this script."""
    with gzip.open(SOURCE, "rt", encoding="utf-8") as log, ARCHIVE.open("w", encoding="utf-8") as archive:
        for line in log:
            archive.write(json.dumps(message(json.loads(line)), ensure_ascii=False) + "\n")


if __name__ == "__main__":
    main()
