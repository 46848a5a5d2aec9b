"""Makes messages.jsonl, a message archive, from trace.jsonl.gz, a RabbitMQ 3.10 broker's own tracing log.

The log has AMQP 0-9-1 messages as the broker published them. Headers become application properties with their types,
the routing key becomes the subject, the exchange the address, and the basic properties go where AMQP 1.0 has them.
``app_id`` is left out, for AMQP 1.0 has no field for it; so is a header that is a table or an array.
"""

from __future__ import annotations

import gzip
import json
from pathlib import Path

from transpiler.messages import message_json

HERE = Path(__file__).parent
SOURCE, ARCHIVE = HERE / "trace.jsonl.gz", HERE / "messages.jsonl"


def main() -> None:
    """Write the archive beside this script."""
    with gzip.open(SOURCE, "rt", encoding="utf-8") as log, ARCHIVE.open("w", encoding="utf-8") as archive:
        for line in log:
            entry = json.loads(line)
            message = message_json(entry)
            # A line of the archive has no other place for the routing key.
            message["properties"] = {"subject": entry["routing_keys"][0]} | {
                name: value for name, value in message["properties"].items() if name != "subject"
            }
            archive.write(json.dumps(message, ensure_ascii=False) + "\n")


if __name__ == "__main__":
    main()
