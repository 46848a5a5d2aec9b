"""Elements of an export that RabbitMQ rejects: settings of policies, arguments of queues, weights of bindings.

A setting or an argument that the broker does not know makes the whole import fail. If the broker rejects a binding,
versions before 4.0 silently continue without the binding; from 4.0 on, the import fails. The names that each version
knows come from the sources of the releases 3.8.0 to 4.3.5: the validators of policies in ``rabbit_policies``,
``rabbit_quorum_queue``, ``rabbit_classic_queue``, ``rabbit_mirror_queue_misc`` (with ``rabbit_mirror_queue_mode_…``),
``rabbit_queue_location_validator``, ``rabbit_federation_parameters`` and other plugins, and
``rabbit_amqqueue:check_declare_arguments`` with the ``capabilities`` of each type of queue.

Other queues are not created, and the import continues without them, because it ignores the error that the declaration
returns (``rabbit_definitions:add_queue_int``): the checks of ``rabbit_quorum_queue:declare``, and from 4.3 on
``is_queue_args_combination_permitted`` and ``rabbit_classic_queue:validate_arguments``.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping
from typing import Any, NamedTuple, TypeAlias

from transpiler.base.diagnostics import meant, shortened
from transpiler.base.documents.entries import Entry, Findings
from transpiler.base.errors import TopologyError
from transpiler.language.binding_rules import read_headers_match
from transpiler.topology.broker_rules import RABBITMQ
from transpiler.topology.exchange_types import ExchangeType
from transpiler.topology.records import Binding

#: The first two numbers of a version.
Version = tuple[int, int]

#: The first version whose import fails if the broker rejects a binding.
BINDINGS_STOP = (4, 0)

#: The first version that denies transient queues that are not exclusive, and ``queue-master-locator``.
_DENIES_DEPRECATED = (4, 3)

#: All supported versions. If the version of a broker is unknown, a statement about it must hold for each of them.
_VERSIONS: tuple[Version, ...] = (
    *((3, minor) for minor in range(9, 14)),
    *((4, minor) for minor in range(5)),
)


class _Known(NamedTuple):
    """The versions of RabbitMQ that have a setting or argument: those from ``since`` on and before ``until``."""

    since: Version = (0, 0)
    until: Version = (99, 0)

    def has(self, version: Version | None) -> bool:
        """Return True if ``version`` has the setting or argument, or if the version is unknown (None)."""
        return version is None or self.since <= version < self.until


_ALWAYS = _Known()

#: The settings of policies, including the settings of the distribution's plugins, whether or not they are enabled.
_SETTINGS: Mapping[str, _Known] = {
    **dict.fromkeys(
        """alternate-exchange dead-letter-exchange dead-letter-routing-key delivery-limit expires max-in-memory-bytes
        max-in-memory-length max-length max-length-bytes message-ttl overflow queue-mode queue-master-locator
        federation-upstream federation-upstream-pattern federation-upstream-set routing-key shards-per-node""".split(),
        _ALWAYS,
    ),
    **dict.fromkeys(
        "ha-mode ha-params ha-promote-on-failure ha-promote-on-shutdown ha-sync-batch-size ha-sync-mode".split(),
        _Known(until=(4, 0)),
    ),
    **dict.fromkeys(
        "initial-cluster-size max-age queue-leader-locator stream-max-segment-size-bytes".split(), _Known((3, 9))
    ),
    **dict.fromkeys(("dead-letter-strategy", "queue-version"), _Known((3, 10))),
    "consumer-timeout": _Known((3, 12)),
    **dict.fromkeys(("stream-filter-size-bytes", "target-group-size"), _Known((3, 13))),
    # Policies can set the delayed retries of a queue since RabbitMQ 4.3.1; in 4.3.0 only the queue's arguments can.
    **dict.fromkeys(
        "consumer-disconnected-timeout delayed-retry-type delayed-retry-min delayed-retry-max".split(), _Known((4, 3))
    ),
    "member-placement-tag": _Known((4, 4)),
}

#: The settings of operator policies.
_OPERATOR_SETTINGS: Mapping[str, _Known] = {
    **dict.fromkeys(
        """expires message-ttl max-length max-length-bytes max-in-memory-length max-in-memory-bytes
        delivery-limit""".split(),
        _ALWAYS,
    ),
    **dict.fromkeys(
        "ha-mode ha-params ha-sync-mode ha-promote-on-shutdown ha-promote-on-failure".split(),
        _Known((3, 12), (4, 0)),
    ),
    **dict.fromkeys(("overflow", "queue-version", "target-group-size"), _Known((3, 13))),
    "queue-master-locator": _Known((4, 0)),
    **dict.fromkeys("delayed-retry-type delayed-retry-min delayed-retry-max".split(), _Known((4, 3))),
    "member-placement-tag": _Known((4, 4)),
}

_OF_ALL = "max-length-bytes queue-type"
_LETTERS = "dead-letter-exchange dead-letter-routing-key max-length single-active-consumer"

#: The arguments of each type of queue, without ``x-``, with the versions in which the type has them (``capabilities``).
#: The broker rejects an argument that another type has in the same version.
_ARGUMENTS: Mapping[str, Mapping[str, _Known]] = {
    "classic": {
        **dict.fromkeys(
            f"""{_OF_ALL} {_LETTERS} expires message-ttl overflow max-priority queue-mode
            queue-master-locator""".split(),
            _ALWAYS,
        ),
        **dict.fromkeys("max-in-memory-length max-in-memory-bytes".split(), _Known(until=(3, 10))),
        "queue-version": _Known((3, 10)),
        "queue-leader-locator": _Known((4, 0)),
    },
    "quorum": {
        **dict.fromkeys(
            f"""{_OF_ALL} {_LETTERS} expires overflow max-in-memory-length max-in-memory-bytes
            quorum-initial-group-size delivery-limit""".split(),
            _ALWAYS,
        ),
        **dict.fromkeys("dead-letter-strategy message-ttl queue-leader-locator".split(), _Known((3, 10))),
        **dict.fromkeys(
            """consumer-disconnected-timeout consumer-timeout delayed-retry-type delayed-retry-min
            delayed-retry-max""".split(),
            _Known((4, 3)),
        ),
        "member-placement-tag": _Known((4, 4)),
    },
    "stream": {
        **dict.fromkeys(
            f"{_OF_ALL} max-age stream-max-segment-size-bytes initial-cluster-size queue-leader-locator".split(),
            _Known((3, 9)),
        ),
        **dict.fromkeys(_LETTERS.split(), _Known((3, 9), (3, 10))),
        # Some patch releases of 4.2 and 4.3 also check this argument, but this table has no patch releases.
        "stream-filter-size-bytes": _Known((4, 4)),
    },
}

#: Arguments that queues read, although in some versions no type of queue has them in its list of arguments.
_UNLISTED = frozenset({"stream-filter-size-bytes", "quorum-target-group-size"})

_ANY_ARGUMENT = _UNLISTED.union(*_ARGUMENTS.values())


def _types_with(name: str, version: Version) -> set[str]:
    """Return the types of queues that have the argument ``name``, without ``x-``, in ``version``."""
    return {kind for kind, known in _ARGUMENTS.items() if name in known and known[name].has(version)}


def _is_of_other_types(name: str, kind: str, version: Version | None) -> bool:
    """Return True if ``version`` rejects the argument ``name`` of a queue of the type ``kind``.

    For an unknown version (None), return True if all versions reject the argument.
    """
    versions = _VERSIONS if version is None else (version,)
    found = [_types_with(name, one) for one in versions]
    return all(types and kind not in types for types in found)


class _Range(NamedTuple):
    """The integers from ``least`` to ``most``; None is no limit. A fraction or a text is not an integer."""

    least: int
    most: int | None = None

    def has(self, value: Any) -> bool:
        """Return True if ``value`` is an integer in the range."""
        is_integer = isinstance(value, int) and not isinstance(value, bool)
        return is_integer and self.least <= value and (self.most is None or value <= self.most)

    def __str__(self) -> str:
        if self.most is None:
            return f"an integer of {self.least} or more"
        return f"an integer of {self.least:,} to {self.most:,}"


class _OneOf(NamedTuple):
    """A list of allowed values."""

    values: tuple[Any, ...]

    def has(self, value: Any) -> bool:
        """Return True if ``value`` is one of the allowed values, and of the same type."""
        return any(type(one) is type(value) and one == value for one in self.values)

    def __str__(self) -> str:
        return " or ".join(map(json.dumps, self.values))


class _Kind(NamedTuple):
    """All values of one JSON type, or all texts that match ``form``; ``words`` describes the values in an error."""

    type: type
    words: str
    form: re.Pattern[str] | None = None

    def has(self, value: Any) -> bool:
        """Return True if ``value`` has the type ``type`` and, if ``form`` is set, matches this regular expression."""
        return type(value) is self.type and (self.form is None or bool(self.form.fullmatch(str(value))))

    def __str__(self) -> str:
        return self.words


_Values: TypeAlias = _Range | _OneOf | _Kind

_TEXT, _FLAG, _COUNT = _Kind(str, "text"), _Kind(bool, "true or false"), _Range(0)
#: The longest time of an argument, ten years in milliseconds (``rabbit_misc:check_expiry``).
_TEN_YEARS = 315_360_000_000
_AGE = _Kind(str, "a number with one of the units Y, M, D, h, m and s", re.compile("0*[1-9][0-9]*[YMDhms]"))
_OVERFLOW = _OneOf(("drop-head", "reject-publish", "reject-publish-dlx"))
_STRATEGY = _OneOf(("at-most-once", "at-least-once"))

_LOCATORS = ("client-local", "balanced", "random", "least-leaders")
_PROMOTE = _OneOf(("always", "when-synced"))
#: The types of queues, including the type of the MQTT plugin, and the type of a product that has JMS queues.
_TYPES = _OneOf(("classic", "quorum", "stream", "rabbit_mqtt_qos0_queue", "jms"))
_PLAIN_TYPES = _OneOf(("classic", "quorum", "stream"))

#: The allowed values of settings of policies and operator policies (``rabbit_policies:validate_policy0``).
_POLICY_VALUES: Mapping[str, _Values] = {
    **dict.fromkeys(
        """alternate-exchange dead-letter-exchange dead-letter-routing-key federation-upstream
        federation-upstream-set federation-upstream-pattern""".split(),
        _TEXT,
    ),
    "ha-mode": _OneOf(("all", "exactly", "nodes")),
    "ha-sync-mode": _OneOf(("automatic", "manual")),
    "ha-sync-batch-size": _Range(1),
    **dict.fromkeys("ha-promote-on-shutdown ha-promote-on-failure".split(), _PROMOTE),
    **dict.fromkeys("target-group-size delayed-retry-min delayed-retry-max".split(), _Range(1)),
    "delayed-retry-type": _OneOf(("all", "failed", "returned", "disabled")),
    **dict.fromkeys(
        """message-ttl max-length max-length-bytes max-in-memory-length max-in-memory-bytes consumer-timeout
        initial-cluster-size""".split(),
        _COUNT,
    ),
    "expires": _Range(1),
    "delivery-limit": _Kind(int, "an integer"),
    "dead-letter-strategy": _STRATEGY,
    "overflow": _OVERFLOW,
    "queue-mode": _OneOf(("default", "lazy")),
    "queue-version": _OneOf((1, 2)),
    "max-age": _AGE,
    "queue-leader-locator": _OneOf((*_LOCATORS, "min-masters")),
    "queue-master-locator": _OneOf((*_LOCATORS, "min-masters")),
    "stream-max-segment-size-bytes": _Range(0, 3_000_000_000),
    "stream-filter-size-bytes": _Range(16, 255),
}

#: The allowed values of arguments of queues, without the prefix ``x-`` (``rabbit_amqqueue:declare_args``).
_ARGUMENT_VALUES: Mapping[str, _Values] = {
    **dict.fromkeys("dead-letter-exchange dead-letter-routing-key".split(), _TEXT),
    **dict.fromkeys("max-length max-length-bytes max-in-memory-length max-in-memory-bytes".split(), _COUNT),
    "message-ttl": _Range(0, _TEN_YEARS),
    "expires": _Range(1, _TEN_YEARS),
    "max-priority": _Range(0, 255),
    "queue-type": _TYPES,
    "queue-mode": _OneOf(("default", "lazy")),
    "queue-version": _OneOf((1, 2)),
    "queue-leader-locator": _OneOf((*_LOCATORS, "min-masters")),
    "single-active-consumer": _FLAG,
    "overflow": _OVERFLOW,
    "dead-letter-strategy": _STRATEGY,
    "max-age": _AGE,
    **dict.fromkeys("quorum-initial-group-size initial-cluster-size".split(), _Range(1)),
    **dict.fromkeys("stream-max-segment-size-bytes stream-filter-size-bytes".split(), _COUNT),
}

#: ``_MAX_WEIGHT``: the highest weight that a binding of a consistent-hash exchange can have. ``_WITH_MAX_WEIGHT``: the
#: first version of which all releases reject a higher weight. ``_FIRST_MAX_WEIGHT``: the first release that rejects it.
_MAX_WEIGHT, _WITH_MAX_WEIGHT, _FIRST_MAX_WEIGHT = 10_000, (4, 3), "4.2.6"

#: Pattern of the weight of a binding of a consistent-hash exchange, as Erlang's ``list_to_integer`` parses it.
_WEIGHT = re.compile(r"[+-]?[0-9]+")

_REFUSED = "import.refused"


def settings_are_known(entry: Entry, version: Version | None, findings: Findings, *, of_operator: bool = False) -> bool:
    """Return True if ``version`` of RabbitMQ knows all settings of a policy; add a finding for each unknown setting."""
    definition = Entry.of(entry.data.get("definition") or {}, entry.at("definition"))
    kind, settings = ("an operator policy", _OPERATOR_SETTINGS) if of_operator else ("a policy", _SETTINGS)
    known = sorted(name for name, one in settings.items() if one.has(version))
    refused = [str(name) for name in definition.data if name not in known]
    for name in refused:
        location = definition.at(name)
        hint, fix = meant(name, known, location)
        if name in settings:
            hint, fix = _of_versions(settings[name]), None
        elif name in _SETTINGS:
            hint, fix = "only a policy has it", None
        elif name in _ANY_ARGUMENT:
            hint, fix = f"only a queue has it, as its argument x-{name}", None
        message = f"{kind} has no setting {name!r}: the broker refuses the whole file"
        findings.add(_REFUSED, location, message, hint, fix, "error")
    if not definition.data:
        message = f"the definition of {kind} contains no setting: the broker refuses the whole file"
        findings.add(_REFUSED, entry.path, message, severity="error")
        refused.append("")
    for message in _misfits(definition.data) if version is None or version < (4, 0) else ():
        findings.add(
            _REFUSED, entry.at("definition"), f"{message}: the broker refuses the whole file", severity="error"
        )
        refused.append("")
    upstreams = [name for name in definition.data if name in _UPSTREAMS]
    if len(upstreams) > 1:
        message = f"{' and '.join(upstreams)} do not go together: the broker refuses the whole file"
        findings.add(_REFUSED, definition.at(upstreams[0]), message, severity="error")
        refused.append("")
    if version is not None and version >= _DENIES_DEPRECATED and definition.has("queue-master-locator"):
        message = "queue-master-locator is not permitted: the broker refuses the whole file"
        hint = _PERMITS.format("queue_master_locator")
        findings.add(_REFUSED, definition.at("queue-master-locator"), message, hint, severity="error")
        refused.append("queue-master-locator")
    allowed = _policy_values(version)
    wrong = [name for name, value in definition.data.items() if name in known and not _is_allowed(allowed, name, value)]
    for name in wrong:
        _add_wrong_value(definition.at(name), f"{name} of {kind}", definition.data[name], allowed[name], findings)
    return not refused and not wrong


def _policy_values(version: Version | None) -> Mapping[str, _Values]:
    """Return the allowed values of settings in ``version``; for an unknown version, the values that any version allows.

    From 4.0 on, a negative delivery limit is valid and means no limit, and a leader locator can be ``min-masters``.
    """
    if version is None or version >= (4, 0):
        return _POLICY_VALUES
    earlier: dict[str, _Values] = {
        "delivery-limit": _COUNT,
        "queue-leader-locator": _OneOf(_LOCATORS),
        "queue-master-locator": _OneOf(("client-local", "random", "min-masters")),
    }
    return {**_POLICY_VALUES, **earlier}


#: The settings of which a policy has at most one (``rabbit_federation_parameters:validate_policy``).
_UPSTREAMS = ("federation-upstream", "federation-upstream-set", "federation-upstream-pattern")

#: The settings that RabbitMQ before 4.0 allows only with ``ha-mode``.
_WITH_MODE = "ha-params ha-sync-mode ha-sync-batch-size ha-promote-on-shutdown ha-promote-on-failure".split()


def _misfits(definition: Mapping[str, Any]) -> Iterator[str]:
    """Yield texts about settings of mirroring that the broker does not accept together.

    Source: ``rabbit_mirror_queue_misc:validate_policy``.
    """
    mode, params = definition.get("ha-mode"), definition.get("ha-params")
    if mode is None:
        yield from (f"{name} is there without ha-mode" for name in _WITH_MODE if definition.get(name) is not None)
    elif mode == "all" and params is not None:
        yield "ha-mode all has no ha-params"
    elif mode == "exactly" and not _Range(1).has(params):
        yield "ha-params of ha-mode exactly is an integer of 1 or more"
    elif mode == "nodes" and not (isinstance(params, list) and params and all(isinstance(one, str) for one in params)):
        yield "ha-params of ha-mode nodes is a list of names"


def _is_allowed(allowed: Mapping[str, _Values], name: str, value: Any) -> bool:
    return value is None or name not in allowed or allowed[name].has(value)


def _add_wrong_value(location: str, name: str, value: Any, allowed: _Values, findings: Findings) -> None:
    shown = shortened(json.dumps(value, ensure_ascii=False, default=str), 40)
    message = f"{name} is {shown}: the broker refuses the whole file"
    findings.add(_REFUSED, location, message, f"the allowed values are {allowed}", severity="error")


def _of_versions(known: _Known) -> str:
    if known.until < (99, 0):
        return f"RabbitMQ has it before {'.'.join(map(str, known.until))}"
    return f"RabbitMQ has it from {'.'.join(map(str, known.since))} on"


def check_arguments(entry: Entry, arguments: Entry, kind: str, version: Version | None, findings: Findings) -> None:
    """Add findings for arguments of a queue that its type does not have, and for arguments that no queue has.

    If only another type of queue has the argument in ``version``, the broker rejects the whole file. An argument with
    an unknown name is kept and ignored by the broker.
    """
    allowed = _ARGUMENT_VALUES
    if version is not None and version >= (4, 3):
        allowed = {name: values for name, values in allowed.items() if name != "queue-mode"}
    for name in arguments.data:
        plain = str(name).removeprefix("x-")
        location = arguments.at(str(name))
        if plain == name:
            if plain in _ANY_ARGUMENT:
                message = f"the queue {entry.text('name')!r} has no argument {name!r}, so the broker ignores it"
                findings.add("import.ignored", location, message, f"perhaps write x-{name}")
        elif kind in _ARGUMENTS and plain in _ANY_ARGUMENT and _is_of_other_types(plain, kind, version):
            message = f"a {kind} queue has no argument {name}: the broker refuses the whole file"
            findings.add(_REFUSED, location, message, _types_hint(plain, kind, version), severity="error")
        elif plain not in _ANY_ARGUMENT:
            hint, fix = meant(str(name), [f"x-{one}" for one in sorted(_ANY_ARGUMENT)], location)
            if hint is not None:
                message = f"the broker knows no argument {name!r} of queues, and does not look at it"
                findings.add("import.ignored", location, message, hint, fix)
        elif _is_checked(plain, kind, version) and not _is_allowed(allowed, plain, arguments.data[name]):
            _add_wrong_value(location, f"the argument {name}", arguments.data[name], _shown(allowed[plain]), findings)
    key = "x-dead-letter-routing-key"
    if arguments.data.get(key) is not None and not arguments.has("x-dead-letter-exchange"):
        message = f"{key} requires x-dead-letter-exchange, which is missing: the broker refuses the whole file"
        findings.add(_REFUSED, arguments.at(key), message, severity="error")


def _shown(values: _Values) -> _Values:
    return _PLAIN_TYPES if values is _TYPES else values


def _is_checked(name: str, kind: str, version: Version | None) -> bool:
    """Return True if the broker checks the value of the argument ``name``.

    It does if queues of the type ``kind`` have this argument in ``version``.
    """
    if version is None or kind not in _ARGUMENTS or name == "queue-type":
        return True
    return kind in _types_with(name, version)


def _types_hint(name: str, kind: str, version: Version | None) -> str:
    types = [one for one, known in _ARGUMENTS.items() if name in known and known[name].has(version) and one != kind]
    own = _ARGUMENTS[kind].get(name)
    queues = f"{' and '.join(types)} queues have it"
    return queues if own is None else f"{queues}; of {kind} queues {_of_versions(own)}"


#: Template of a hint about a deprecated feature: the setting in rabbitmq.conf that permits the feature.
_PERMITS = "the broker takes it with deprecated_features.permit.{} = true in rabbitmq.conf"


def is_created(
    entry: Entry, arguments: Entry, kind: str, *, is_bound: bool, version: Version | None, findings: Findings
) -> bool:
    """Return True if the broker creates the queue when it imports the file; otherwise add a finding, return False.

    If the queue is not created but the file binds it (``is_bound``), the broker may refuse the whole file. If the
    version is unknown (None), return True if some version creates the queue.
    """
    name, reason, since, hint = entry.text("name"), "", (3, 9), None
    is_transient = entry.data.get("durable") is False
    if kind in ("quorum", "stream") and entry.data.get("auto_delete") is True:
        reason = f"a {kind} queue cannot be auto_delete"
    elif kind in ("quorum", "stream") and is_transient:
        reason = f"a {kind} queue must be durable"
    elif is_transient and entry.data.get("exclusive") is not True:
        reason, since = "a queue that is neither durable nor exclusive is not permitted", _DENIES_DEPRECATED
        hint = _PERMITS.format("transient_nonexcl_queues")
    elif kind == "classic" and arguments.has("x-queue-master-locator"):
        reason, since = "x-queue-master-locator is not permitted", _DENIES_DEPRECATED
        hint = _PERMITS.format("queue_master_locator")
    if not reason or (_VERSIONS[0] if version is None else version) < since:
        return True
    if is_bound and version is not None and version >= BINDINGS_STOP:
        message = f"{reason}: the broker does not create {name!r}, and refuses the whole file because of its bindings"
        findings.add(_REFUSED, entry.path, message, hint, severity="error")
        return False
    message = f"{reason}: the broker goes on without the queue {name!r}, and it is left out"
    findings.add("import.refused-queue", entry.path, message, hint)
    return False


def is_bound(binding: Binding, kind: ExchangeType, version: Version | None, findings: Findings) -> bool:
    """Return True if the broker accepts ``binding`` of an exchange of the type ``kind``; else add a finding."""
    if kind == "x-consistent-hash":
        number = _WEIGHT.fullmatch(binding.key)
        is_high = number is not None and _is_above(binding.key, _MAX_WEIGHT)
        if number is not None and not is_high and int(binding.key) >= 1:
            return True
        if is_high and (version is None or version < _WITH_MAX_WEIGHT):
            message = f"RabbitMQ refuses a weight above {_MAX_WEIGHT:,} from {_FIRST_MAX_WEIGHT} on"
            findings.add("import.refused-binding", f"{binding.path}.routing_key", message)
            return True
        message = f"{binding.key!r} is not a weight: a binding key of this exchange must be an integer greater than 0"
        message += f" and {_MAX_WEIGHT:,} at most" if is_high else ""
        _add_refused_binding(f"{binding.path}.routing_key", "import.refused-binding", message, None, version, findings)
        return False
    if kind == "headers":
        try:
            read_headers_match(binding.arguments, RABBITMQ)
        except TopologyError as error:
            [refused] = error.diagnostics
            location = f"{binding.path}.arguments.x-match"
            _add_refused_binding(location, refused.code, refused.message, refused.hint, version, findings)
            return False
    return True


def _is_above(number: str, limit: int) -> bool:
    """Return True if ``number``, digits perhaps after a sign, is greater than ``limit``, which is not negative."""
    digits = number.removeprefix("+").lstrip("0")
    if digits.startswith("-"):
        return False
    # Python rejects integers with thousands of digits.
    return len(digits) > len(str(limit)) or int(digits or "0") > limit


def _add_refused_binding(
    location: str, code: str, message: str, hint: str | None, version: Version | None, findings: Findings
) -> None:
    if version is not None and version >= BINDINGS_STOP:
        findings.add(_REFUSED, location, f"{message}: the broker refuses the whole file", hint, severity="error")
        return
    message = f"{message}: the broker skips this binding, so it is skipped here, too"
    if version is None:
        message += "; from RabbitMQ 4.0 on, the broker refuses the whole file"
    findings.add(code, location, message, hint)
