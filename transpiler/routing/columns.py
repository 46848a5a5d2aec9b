"""The names and types of the columns that routing adds to messages, for the conditions of a plan and for an engine.

Every name begins with ``PREFIX``, which distinguishes the added columns from the message's own. Columns of constants
are named by their lookup, and ``layouts.sent`` defines the columns of senders.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from types import MappingProxyType

from transpiler.compiler.ir.column_types import Entry, Key, Path
from transpiler.topology.targets import TargetType

#: The prefix of the names of all columns that routing adds.
PREFIX = "_routing_"

#: The prefix of the added columns that a query keeps to its end. Other added columns are dropped as soon as the
#: message's queues are known.
KEPT = f"{PREFIX}kept_"

#: ``EXCHANGE``: the exchange of a message. ``KEY``: its routing key, empty if absent. ``TOPIC``: the routing key in the
#: normal form of topic exchanges, to compare it with a binding key without wildcards.
EXCHANGE, KEY, TOPIC = f"{PREFIX}exchange", f"{PREFIX}key", f"{PREFIX}topic"

#: The original routing key, NULL if absent; its words; and the array of all keys if a message can have several keys.
SUBJECT, WORDS, KEYS = f"{PREFIX}subject", f"{PREFIX}words", f"{PREFIX}keys"

#: The number of words, and the prefixes of columns for the word at one position, from the front and from the back.
COUNT, FRONT, BACK = f"{PREFIX}count", f"{PREFIX}front", f"{PREFIX}back"

#: The column with the numbers of the binding keys that the automaton has matched, for bindings with further conditions.
MATCHED = f"{PREFIX}matched"

#: ``ROW``: the name of a row of a constant table in residual predicates and lambda functions. ``ROW_DELIVERED``: the
#: column with the deliveries of such a row.
ROW, ROW_DELIVERED = f"{PREFIX}row", f"{PREFIX}delivered"

#: Prefixes of columns that routing adds. ``READ``: a value of a map. ``GRAMS``: substrings of a value that an index
#: looks up. ``BLOCK``: the deliveries of the bindings whose conditions are compiled instead of looked up.
READ, GRAMS, BLOCK = f"{PREFIX}read", f"{PREFIX}substrings", f"{PREFIX}conditions"

# Columns of a table with one row for each exchange. ``ENTRY`` is the exchange's name. The topic automaton starts at the
# states ``START`` for the words of a routing key, and at ``START_WHOLE`` for a whole routing key as one word. The other
# four describe the paths from this exchange to other exchanges.
ENTRY, START, START_WHOLE = f"{PREFIX}entry", f"{PREFIX}start", f"{PREFIX}whole"
ROOT, ROUNDS, ALTERNATES, STEPS = f"{PREFIX}root", f"{PREFIX}rounds", f"{PREFIX}alternates", f"{PREFIX}steps"

# Columns for the arrays of the topic automaton. ``TOPICS`` is the result of running the automaton on a routing key: a
# struct of the deliveries ``d`` and of the numbers ``i`` of the matching binding keys.
EDGES, OTHERWISE, LISTS = f"{PREFIX}edges", f"{PREFIX}otherwise", f"{PREFIX}lists"
ENDS, TESTED, SLOTS = f"{PREFIX}ends", f"{PREFIX}asked", f"{PREFIX}slots"
TOPICS = f"{PREFIX}topics"

#: Columns with empty arrays, whose only purpose is that Spark generates a separate Java method: for the automaton
#: (``APART``) and for the compiled conditions (``UNFUSED``).
APART, UNFUSED = f"{PREFIX}apart", f"{PREFIX}unfused"

#: ``HASH``: a hash of the lookup key of a row in a constant table. ``KNOWN``: the result that an earlier step computed
#: for the message's routing key (its queues or matching binding keys); NULL if there is no such result.
HASH, KNOWN = f"{PREFIX}hash", f"{PREFIX}known"

#: ``SO_FAR``: the deliveries that earlier generated methods found. ``BEFORE``: their copy, which the next method reads.
SO_FAR, BEFORE = f"{PREFIX}so_far", f"{PREFIX}before"

#: ``DELIVERED``: the deliveries of a message by bindings, each with its state in the exchange graph.
#: ``WITH_ALTERNATES``: these deliveries and those to alternate destinations. ``BOUND``: the states that the message
#: reaches by bindings alone.
DELIVERED, WITH_ALTERNATES, BOUND = f"{PREFIX}found", f"{PREFIX}with_alternates", f"{PREFIX}bound"

#: ``DIRECT``: TRUE if the message reaches a queue by bindings alone, without an alternate exchange. ``KNOWN_DIRECT``:
#: the value of ``DIRECT`` for a routing key that was matched before; NULL for any other key.
DIRECT, KNOWN_DIRECT = f"{PREFIX}direct", f"{PREFIX}known_direct"

#: ``UNROUTABLE_EXCHANGE``: the name of an exchange. ``UNROUTABLE``: the outcome of messages to this exchange that reach
#: no queue.
UNROUTABLE_EXCHANGE, UNROUTABLE = f"{PREFIX}unroutable_exchange", f"{PREFIX}unroutable"

# Columns for messages that are sent to the anonymous relay. ``TO``: the address of a message, which is split into
# ``TO_NAME`` and ``TO_REST``. ``NODE``, ``NODE_KIND``: a table of the broker's queues and exchanges. ``TO_WHOLE``,
# ``TO_FIRST``: the kinds of the nodes named ``TO`` and ``TO_NAME``. ``RELAY_EXCHANGE``, ``RELAY_KEY``: the exchange and
# routing key that the address stands for, NULL if it is invalid.
TO, TO_NAME, TO_REST = f"{PREFIX}to", f"{PREFIX}to_name", f"{PREFIX}to_rest"
NODE, NODE_KIND = f"{PREFIX}node", f"{PREFIX}node_kind"
TO_WHOLE, TO_FIRST = f"{PREFIX}to_whole", f"{PREFIX}to_first"
RELAY_EXCHANGE, RELAY_KEY = f"{PREFIX}relay_exchange", f"{PREFIX}relay_key"


#: Maximum length of the name of a property, and maximum number of properties, in the name of a column.
_LABEL, _LABELLED = 16, 3

#: The beginning of the name of a column that routing adds: ``PREFIX``, or ``READ`` and a number for a value of a map.
_MADE = re.compile(f"{READ}[0-9]+_|{PREFIX}")


def labelled(name: str, paths: Iterable[Path]) -> str:
    """Append the names of the properties at ``paths`` to a column's name: ``_routing_read0_color_weight``.

    A property's name is the last key of a map in its path, or else the last field. Characters other than ASCII letters
    and digits become ``_``, so that a name without ASCII letters and digits adds nothing.
    """
    read = dict.fromkeys(_MADE.sub("", _property(path), count=1) for path in paths)
    words = [re.sub("[^a-z0-9]+", "_", each.lower())[:_LABEL].strip("_") for each in list(read)[:_LABELLED]]
    return "_".join(filter(None, [name, *words]))


def _property(path: Path) -> str:
    first = str(path[0])
    if first.startswith(READ):
        return first
    names = [step.name for step in path if isinstance(step, Key | Entry)]
    return names[-1] if names else str([step for step in path if isinstance(step, str)][-1])


def word_column(index: int, back: bool = False) -> str:
    """Return the name of the column for the word at position ``index``, counted from 0 from the front or the back."""
    return f"{BACK if back else FRONT}{index}"


def reached_end(kind: TargetType, name: str = "") -> str:
    """Return the name that stands for a target other than a queue of the topology in a message's array of queues.

    Such a target is the queue that a JMS broker creates for a destination, or an outcome such as ``error``. The name
    begins with a NUL, because no queue's name does.
    """
    return f"\0{kind} {name}"


#: The types of the columns of constant tables, as DDL. Columns of deliveries are not listed: their type is a
#: ``Payload``.
TYPES: Mapping[str, str] = MappingProxyType(
    {
        ENTRY: "STRING",
        START: "ARRAY<INT>",
        START_WHOLE: "ARRAY<INT>",
        ROOT: "INT",
        ROUNDS: "INT",
        ALTERNATES: "ARRAY<STRUCT<x: INT, e: INT, q: STRING>>",
        STEPS: ("ARRAY<STRUCT<x: INT, o: ARRAY<STRUCT<e: INT, s: INT, u: STRING>>, q: STRING, a: INT, u: STRING>>"),
        EDGES: "ARRAY<BIGINT>",
        OTHERWISE: "ARRAY<INT>",
        LISTS: "ARRAY<ARRAY<INT>>",
        TESTED: "ARRAY<ARRAY<INT>>",
        SLOTS: "ARRAY<MAP<STRING, INT>>",
        UNROUTABLE_EXCHANGE: "STRING",
        UNROUTABLE: "STRING",
        NODE: "STRING",
        NODE_KIND: "STRING",
    }
)
