"""The columns that a message has while it is routed, in a condition of a plan or in an engine, with the types of these.

Every name begins with ``PREFIX``, by which an engine tells the columns that it added from the message's own. Those of
constants are named by their look-up, and those of ``layouts.sent`` stand there.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from types import MappingProxyType

from transpiler.compiler.ir.column_types import Entry, Key, Path
from transpiler.topology.targets import TargetType

#: The beginning of all names.
PREFIX = "_routing_"

#: The beginning of those that stay through all passes of an engine; any other is dropped at the end of one.
KEPT = f"{PREFIX}kept_"

#: The exchange, the routing key, and the same without the empty words that the broker drops.
EXCHANGE, KEY, TOPIC = f"{PREFIX}exchange", f"{PREFIX}key", f"{PREFIX}topic"

#: The routing key as it is, NULL where there is none, and its words; all keys, where a message can have several.
SUBJECT, WORDS, KEYS = f"{PREFIX}subject", f"{PREFIX}words", f"{PREFIX}keys"

#: The number of words, and the beginnings of the names of those in one place, from the front and from the back.
COUNT, FRONT, BACK = f"{PREFIX}count", f"{PREFIX}front", f"{PREFIX}back"

#: The numbers of the binding keys that a message's key matches, of those whose bindings have a residual predicate.
MATCHED = f"{PREFIX}matched"

#: A row of constants, as the residual sees it and as the variable of a lambda, and what it delivers.
ROW, ROW_DELIVERED = f"{PREFIX}row", f"{PREFIX}delivered"

#: The beginnings of the names of columns that stand for values of maps, hold substrings, or compiled conditions.
READ, GRAMS, BLOCK = f"{PREFIX}read", f"{PREFIX}substrings", f"{PREFIX}conditions"

# The row of an exchange: where the trie begins for the words of a key and for a key as one word, and how answers are
# put together.
ENTRY, START, START_WHOLE = f"{PREFIX}entry", f"{PREFIX}start", f"{PREFIX}whole"
ROOT, ROUNDS, ALTERNATES, STEPS = f"{PREFIX}root", f"{PREFIX}rounds", f"{PREFIX}alternates", f"{PREFIX}steps"

# The automaton of topics, and its answer: the deliveries ``d`` and the numbers ``i`` of matching patterns.
EDGES, OTHERWISE, LISTS = f"{PREFIX}edges", f"{PREFIX}otherwise", f"{PREFIX}lists"
ENDS, TESTED, SLOTS = f"{PREFIX}ends", f"{PREFIX}asked", f"{PREFIX}slots"
TOPICS = f"{PREFIX}topics"

#: Empty arrays that keep the walk, and compiled conditions, in methods of their own.
APART, UNFUSED = f"{PREFIX}apart", f"{PREFIX}unfused"

#: The hash of a row's keys, and the answer for keys that were matched before.
HASH, KNOWN = f"{PREFIX}hash", f"{PREFIX}known"

#: The deliveries that earlier methods found, and the same as the next method has them.
SO_FAR, BEFORE = f"{PREFIX}so_far", f"{PREFIX}before"

#: The deliveries of a message, each with the state that it belongs to; with those of alternates; and the states that
#: bindings alone lead to.
DELIVERED, WITH_ALTERNATES, BOUND = f"{PREFIX}found", f"{PREFIX}with_alternates", f"{PREFIX}bound"

#: TRUE if bindings alone, without an alternate, bring the message to a queue; and the same of its key, where the keys
#: were matched before.
DIRECT, KNOWN_DIRECT = f"{PREFIX}direct", f"{PREFIX}known_direct"

#: An exchange, and the outcome of a message that reaches no queue from it.
UNROUTABLE_EXCHANGE, UNROUTABLE = f"{PREFIX}unroutable_exchange", f"{PREFIX}unroutable"

# The anonymous relay: the address, its parts, a node of the broker with its kind, and the kinds of the nodes that the
# whole address and its first part name; then the exchange and the key that it stands for, NULL where it leads nowhere.
TO, TO_NAME, TO_REST = f"{PREFIX}to", f"{PREFIX}to_name", f"{PREFIX}to_rest"
NODE, NODE_KIND = f"{PREFIX}node", f"{PREFIX}node_kind"
TO_WHOLE, TO_FIRST = f"{PREFIX}to_whole", f"{PREFIX}to_first"
RELAY_EXCHANGE, RELAY_KEY = f"{PREFIX}relay_exchange", f"{PREFIX}relay_key"


#: Maximum length of the name of a property, and maximum number of properties, in the name of a column.
_LABEL, _LABELLED = 16, 3

#: The prefix of a column for a value of a map, or of any other column that routing adds.
_MADE = re.compile(f"{READ}[0-9]+_|{PREFIX}")


def labelled(name: str, paths: Iterable[Path]) -> str:
    """Append the names of the properties at ``paths`` to a column's name: ``_routing_read0`` and ``_color_weight``.

    A property's name is the last key of a map in its path, or else the last field. Characters other than ASCII letters
    and digits become ``_``, so that a name without any adds nothing.
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


def word_column(place: int, back: bool = False) -> str:
    """Return the name of the column with the word in a place, counted from 0, from the front or from the back."""
    return f"{BACK if back else FRONT}{place}"


def reached_end(kind: TargetType, name: str = "") -> str:
    """Return the entry among the queues of a message for an end that is no queue.

    No queue's name begins so. It is the destination's own queue, or an outcome of a JMS broker.
    """
    return f"\0{kind} {name}"


#: The types of the columns of tables, as DDL. Those of the automaton's deliveries are the payload's.
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
