"""Conversion of values of declared types to JSON and back. The reader checks all JSON against the declared type.

The declared type determines the JSON form of a value. A record, which is a data class or a named tuple, is the list of
its fields. A member of a union that is not a JSON scalar is a pair of its class's name and its form. A list of records
is one list for each field, and a list of lists is the list of their lengths and one list of all their elements, so that
a million rows are a few long lists. A form can name only classes that the declaration names, and only the constructor
of a class makes its values, so that a file of such values cannot run code.

Deliberately not here: limits of the size of a text, and the meaning of the values.
"""

from __future__ import annotations

import base64
import binascii
import json
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import fields, is_dataclass
from decimal import Decimal, InvalidOperation
from enum import Enum
from functools import cached_property
from itertools import chain, islice
from types import NoneType, UnionType
from typing import Any, Literal, Union, get_args, get_origin, get_type_hints
from uuid import UUID

#: A JSON value in Python, as the ``json`` module returns it.
Json = Any

#: The classes whose values are JSON scalars.
_SCALARS = (NoneType, bool, int, float, str)


class _Form(ABC):
    """The conversion of the values of one type to JSON (``write``) and back (``read``).

    ``read`` raises ``ValueError`` for JSON that ``write`` cannot return.
    """

    #: ``kinds`` are the Python classes of the values. ``word`` is the name of this form inside a union; it is "" if the
    #: JSON value alone shows its class.
    kinds: tuple[type, ...] = ()
    word = ""

    @abstractmethod
    def write(self, value: Any) -> Json:
        """Return ``value`` as JSON; raise ``TypeError`` if it has another type."""

    @abstractmethod
    def read(self, data: Json) -> Any:
        """Return the value that ``data``, the result of ``write``, represents."""

    def write_all(self, values: Sequence[Any]) -> Json:
        """Return ``values`` as one JSON value."""
        return [self.write(value) for value in values]

    def read_all(self, data: Json) -> list[Any]:
        """Return the values that ``data``, the result of ``write_all``, represents."""
        return [self.read(item) for item in _list(data)]


class TypedJson:
    """Writer and reader of Python values as JSON. The declared type of a value determines its JSON form.

    Args:
        deferred: The type for each name that a module imports only for type checking.
        members: Function that returns, for a class without fields such as a protocol, the classes of its values; empty
            for any other class.
        checks: For some classes, a function that raises ``ValueError`` for an invalid value of the class.
        open_records: The record classes whose values are allowed where ``Any`` or ``object`` is declared.
    """

    def __init__(
        self,
        deferred: Mapping[str, Any],
        members: Callable[[type], Iterable[type]],
        checks: Mapping[type, Callable[[Any], None]],
        open_records: Sequence[type] = (),
    ) -> None:
        self.deferred, self.members, self.checks = dict(deferred), members, checks
        self._open_records = open_records
        self._forms: dict[Any, _Form] = {}

    def write(self, declared: Any, value: object) -> bytes:
        """Return ``value`` as JSON text; raise ``TypeError`` if it does not have the type ``declared``."""
        try:
            form = self.form(declared).write(value)
        except (ValueError, AttributeError) as error:
            raise TypeError(f"{type(error).__name__}: {error}") from None
        return json.dumps(form, separators=(",", ":")).encode()

    def read(self, declared: Any, text: bytes) -> Any:
        """Return the value of the type ``declared`` in ``text``; raise ``ValueError`` if ``text`` has no such value."""
        try:
            return self.form(declared).read(json.loads(text))
        except RecursionError:
            raise ValueError("a value is nested too deeply") from None
        except (TypeError, KeyError, IndexError, AttributeError, OverflowError, AssertionError) as error:
            # JSON that ``write`` did not produce can make the constructor of a class raise any of these errors.
            raise ValueError(f"{type(error).__name__}: {error}") from None

    def form(self, declared: Any) -> _Form:
        """Return the writer and reader for values of the type ``declared``."""
        known = self._forms.get(declared)
        if known is None:
            known = self._forms[declared] = self._made(declared)
        return known

    def _made(self, declared: Any) -> _Form:
        origin, arguments = get_origin(declared), get_args(declared)
        if declared is Any or declared is object:
            return _Union(self, [*_SCALARS, list[Any], tuple[Any, ...], dict[str, Any], *self._open_records])
        if origin in (Union, UnionType):
            return _Union(self, arguments)
        if origin is Literal:
            return _Literal(arguments)
        if origin is tuple and arguments[-1:] != (...,):
            return _FixedTuple([self.form(argument) for argument in arguments])
        if origin in (tuple, list, frozenset):
            return _List(origin, self, arguments[0])
        if isinstance(origin, type) and issubclass(origin, Mapping):
            return _Map(self, *arguments)
        if origin is not None or not isinstance(declared, type):
            # The values of such a type, for instance a function, cannot be written. Raise an error only if there is a
            # value.
            return _Nothing(str(declared))
        if declared in _SCALARS:
            return _Text() if declared is str else _Scalar(declared)
        if declared in _SPELLED:
            return _Spelled(declared, *_SPELLED[declared])
        if issubclass(declared, Enum):
            return _Member(declared)
        if is_dataclass(declared) or hasattr(declared, "_fields"):
            return _Record(self, declared)
        chosen = list(self.members(declared))
        return _Union(self, chosen) if chosen else _Nothing(declared.__name__)


def _list(data: Json) -> list[Any]:
    if not isinstance(data, list):
        raise ValueError(f"expected a list, found {_shown(data)}")
    return data


def _listed(data: Json, length: int) -> list[Any]:
    listed = _list(data)
    if len(listed) != length:
        raise ValueError(f"expected a list of length {length}, found one of length {len(listed)}")
    return listed


def _shown(data: Json) -> str:
    return f"{type(data).__name__} {str(data)[:40]!r}"


class _Scalar(_Form):
    """The JSON form of a number, boolean or null: the value itself."""

    def __init__(self, kind: type) -> None:
        self._kind, self.kinds = kind, (kind,)

    def write(self, value: Any) -> Json:
        if type(value) is not self._kind:
            raise TypeError(f"{value!r} is not of type {self._kind.__name__}")
        return value

    def read(self, data: Json) -> Any:
        if type(data) is not self._kind:
            raise ValueError(f"expected a value of type {self._kind.__name__}, found {_shown(data)}")
        return data

    def write_all(self, values: Sequence[Any]) -> Json:
        if not {*map(type, values)} <= {self._kind}:
            raise TypeError(f"a value is not of type {self._kind.__name__}")
        return list(values)

    def read_all(self, data: Json) -> list[Any]:
        if not {*map(type, _list(data))} <= {self._kind}:
            raise ValueError(f"expected a list of values of type {self._kind.__name__}")
        return _list(data)


class _Text(_Form):
    """The JSON form of a text: the text itself. ``write_all`` writes equal texts only once."""

    kinds = (str,)

    def write(self, value: Any) -> Json:
        if not isinstance(value, str):
            raise TypeError(f"{value!r} is not text")
        return str(value)

    def read(self, data: Json) -> Any:
        if type(data) is not str:
            raise ValueError(f"expected text, found {_shown(data)}")
        return data

    def write_all(self, values: Sequence[Any]) -> Json:
        texts = [self.write(value) for value in values]
        indexes = {text: index for index, text in enumerate(dict.fromkeys(texts))}
        if 2 * len(indexes) > len(texts):
            return texts
        return {"texts": list(indexes), "places": [indexes[text] for text in texts]}

    def read_all(self, data: Json) -> list[Any]:
        if isinstance(data, dict):
            texts, indexes = self.read_all(data["texts"]), data["places"]
            if not {*map(type, _list(indexes))} <= {int} or min(indexes, default=0) < 0:
                raise ValueError("the index of a text is not a number")
            return [texts[index] for index in indexes]
        if not {*map(type, _list(data))} <= {str}:
            raise ValueError("expected a list of texts")
        return _list(data)


def _decoded(text: str) -> bytes:
    return base64.b64decode(text, validate=True)


#: For each class whose values are written as texts: its ``word``, the function from value to text, and its inverse.
_SPELLED: dict[type, tuple[str, Callable[[Any], str], Callable[[str], Any]]] = {
    bytes: ("bytes", lambda value: base64.b64encode(value).decode(), _decoded),
    Decimal: ("decimal", str, Decimal),
    UUID: ("uuid", str, UUID),
}


class _Spelled(_Form):
    """The JSON form of a value that JSON does not have, such as a decimal number: a text."""

    def __init__(self, kind: type, word: str, spell: Callable[[Any], str], read: Callable[[str], Any]) -> None:
        self.kinds, self.word, self._spell, self._read = (kind,), word, spell, read

    def write(self, value: Any) -> Json:
        if type(value) not in self.kinds:
            raise TypeError(f"{value!r} is not of type {self.word}")
        return self._spell(value)

    def read(self, data: Json) -> Any:
        if type(data) is not str:
            raise ValueError(f"expected text, found {_shown(data)}")
        try:
            value = self._read(data)
        except (InvalidOperation, binascii.Error):
            raise ValueError(f"{data[:40]!r} is not a valid value of type {self.word}") from None
        if self._spell(value) != data:
            raise ValueError(f"{data[:40]!r} is not the canonical spelling of its {self.word}")
        return value


class _Member(_Form):
    """The JSON form of a member of an enumeration: its name."""

    def __init__(self, kind: type[Enum]) -> None:
        self.kinds, self.word, self._members = (kind,), kind.__name__, kind.__members__

    def write(self, value: Any) -> Json:
        if type(value) not in self.kinds:
            raise TypeError(f"{value!r} is not of type {self.word}")
        return value.name

    def read(self, data: Json) -> Any:
        if type(data) is not str or data not in self._members:
            raise ValueError(f"{_shown(data)} is not a name of {self.word}")
        return self._members[data]


class _Literal(_Form):
    """The JSON form of a ``Literal``: the constant itself."""

    def __init__(self, constants: tuple[Any, ...]) -> None:
        self._constants, self.kinds = constants, tuple({type(constant) for constant in constants})

    def write(self, value: Any) -> Json:
        return self.read(value)

    def read(self, data: Json) -> Any:
        for constant in self._constants:
            if type(constant) is type(data) and constant == data:
                return constant
        raise ValueError(f"{_shown(data)} is not one of {self._constants}")


class _Nothing(_Form):
    """The form of a type whose values are not data, such as a function: ``write`` and ``read`` raise an error."""

    def __init__(self, name: str) -> None:
        self._name = name

    def write(self, value: Any) -> Json:
        raise TypeError(f"{value!r} cannot be written as JSON")

    def read(self, data: Json) -> Any:
        raise ValueError(f"{_shown(data)} cannot be read, because no {self._name} is ever written")


class _FixedTuple(_Form):
    """The JSON form of a tuple of fixed length: the list of its elements."""

    kinds, word = (tuple,), "tuple"

    def __init__(self, parts: Sequence[_Form]) -> None:
        self._parts = parts

    def write(self, value: Any) -> Json:
        return [part.write(item) for part, item in zip(self._parts, value, strict=True)]

    def read(self, data: Json) -> Any:
        listed = _listed(data, len(self._parts))
        return tuple([part.read(item) for part, item in zip(self._parts, listed, strict=True)])

    def write_all(self, values: Sequence[Any]) -> Json:
        columns = zip(*values, strict=True) if values else [()] * len(self._parts)
        return [part.write_all(column) for part, column in zip(self._parts, columns, strict=True)]

    def read_all(self, data: Json) -> list[Any]:
        listed = _listed(data, len(self._parts))
        columns = [part.read_all(column) for part, column in zip(self._parts, listed, strict=True)]
        return list(zip(*columns, strict=True))


class _Several(_Form):
    """The JSON form of a collection. ``write_all`` writes a list of all lengths, and a list of all elements."""

    def __init__(self, kind: Any) -> None:
        self._kind, self.kinds = kind, (kind,)
        self.word = kind.__name__

    @abstractmethod
    def _together(self, values: Iterable[Any], lengths: list[int]) -> Json:
        """Return the concatenated elements of all collections in ``values`` as one JSON value.

        ``lengths`` contains the length of each collection.
        """

    @abstractmethod
    def _apart(self, data: Json, lengths: list[int]) -> list[Any]:
        """Split ``data``, the concatenated elements of several collections, by the ``lengths`` of the collections.

        If ``lengths`` is ``[-1]``, all elements belong to one collection.
        """

    def write(self, value: Any) -> Json:
        if not isinstance(value, self._kind):
            raise TypeError(f"{value!r} is not of type {self.word}")
        return self._together([value], [len(value)])

    def read(self, data: Json) -> Any:
        [value] = self._apart(data, [-1])
        return value

    def write_all(self, values: Sequence[Any]) -> Json:
        lengths = [len(value) for value in values]
        return [lengths, self._together(values, lengths)]

    def read_all(self, data: Json) -> list[Any]:
        lengths, together = _listed(data, 2)
        if not {*map(type, _list(lengths))} <= {int} or min(lengths, default=0) < 0:
            raise ValueError("a length is not a number")
        return self._apart(together, lengths)


class _List(_Several):
    """The JSON form of a list, tuple or frozenset whose elements have one type."""

    def __init__(self, kind: Any, typed: TypedJson, element: Any) -> None:
        super().__init__(kind)
        self._typed, self._element = typed, element

    @cached_property
    def _form(self) -> _Form:
        return self._typed.form(self._element)

    def _together(self, values: Iterable[Any], lengths: list[int]) -> Json:  # noqa: ARG002
        if self._kind is frozenset:
            values = map(sorted, values)
        return self._form.write_all(list(chain.from_iterable(values)))

    def _apart(self, data: Json, lengths: list[int]) -> list[Any]:
        elements = self._form.read_all(data)
        if lengths == [-1]:
            lengths = [len(elements)]
        if sum(lengths) != len(elements):
            raise ValueError("the lengths of lists are not those of their elements")
        if self._kind is list and {*lengths} == {1}:
            return [[element] for element in elements]
        if self._kind is tuple and len({*lengths}) == 1 and lengths[0]:
            return list(zip(*[iter(elements)] * lengths[0], strict=True))
        remaining = iter(elements)
        return [self._kind(islice(remaining, length)) for length in lengths]


class _Map(_Several):
    """The JSON form of a mapping: its keys and its values. The order of the keys is kept."""

    def __init__(self, typed: TypedJson, key: Any, value: Any) -> None:
        super().__init__(dict)
        self._typed, self._key, self._value = typed, key, value

    def write(self, value: Any) -> Json:
        if not isinstance(value, Mapping):
            raise TypeError(f"{value!r} is not a mapping")
        return self._together([value], [len(value)])

    def _together(self, values: Iterable[Any], lengths: list[int]) -> Json:  # noqa: ARG002
        mappings = list(values)
        keys = list(chain.from_iterable(mappings))
        held = list(chain.from_iterable(mapping.values() for mapping in mappings))
        return [self._typed.form(self._key).write_all(keys), self._typed.form(self._value).write_all(held)]

    def _apart(self, data: Json, lengths: list[int]) -> list[Any]:
        written, held = _listed(data, 2)
        keys = self._typed.form(self._key).read_all(written)
        values = self._typed.form(self._value).read_all(held)
        if lengths == [-1]:
            lengths = [len(keys)]
        if len(keys) != len(values) or sum(lengths) != len(keys):
            raise ValueError("the lengths of mappings are not those of their keys and values")
        pairs = zip(keys, values, strict=True)
        mappings = [dict(islice(pairs, length)) for length in lengths]
        if sum(map(len, mappings)) != len(keys):
            raise ValueError("a mapping contains a key twice")
        return mappings


class _Record(_Form):
    """The JSON form of a data class or named tuple: the list of its fields, without those that the class computes."""

    def __init__(self, typed: TypedJson, kind: Any) -> None:
        self._typed, self._kind, self.kinds, self.word = typed, kind, (kind,), kind.__name__
        self._check = typed.checks.get(kind)

    @cached_property
    def _parts(self) -> dict[str, _Form]:
        kind = self._kind
        names = [field.name for field in fields(kind) if field.init] if is_dataclass(kind) else kind._fields
        hints = get_type_hints(kind, localns=self._typed.deferred)
        return {name: self._typed.form(hints[name]) for name in names}

    def write(self, value: Any) -> Json:
        if type(value) is not self._kind:
            raise TypeError(f"{value!r} is not of type {self.word}")
        return [form.write(getattr(value, name)) for name, form in self._parts.items()]

    def read(self, data: Json) -> Any:
        listed = _listed(data, len(self._parts))
        made = self._kind(*[form.read(item) for form, item in zip(self._parts.values(), listed, strict=True)])
        if self._check is not None:
            self._check(made)
        return made

    def write_all(self, values: Sequence[Any]) -> Json:
        if not {*map(type, values)} <= {self._kind}:
            raise TypeError(f"a value is not of type {self.word}")
        if not self._parts:
            return [[] for _ in values]
        return [form.write_all([getattr(value, name) for value in values]) for name, form in self._parts.items()]

    def read_all(self, data: Json) -> list[Any]:
        if not self._parts:
            return super().read_all(data)
        listed = _listed(data, len(self._parts))
        columns = [form.read_all(column) for form, column in zip(self._parts.values(), listed, strict=True)]
        if len({*map(len, columns)}) != 1:
            raise ValueError(f"the fields of a list of {self.word} are not of one length")
        made = list(map(self._kind, *columns))
        if self._check is not None:
            for each in made:
                self._check(each)
        return made


class _Union(_Form):
    """The JSON form of a union: a JSON scalar as it is, and any other value with the ``word`` of its type."""

    def __init__(self, typed: TypedJson, members: Iterable[Any]) -> None:
        self._typed, self._members = typed, list(members)

    @cached_property
    def _forms(self) -> list[_Form]:
        found: list[_Form] = []
        for member in self._members:
            form = self._typed.form(member)
            # A union may contain another union: add the forms of the inner union's members.
            found += form._forms if isinstance(form, _Union) else [form]
        return found

    @cached_property
    def _scalars(self) -> dict[type, _Form]:
        return {kind: form for form in self._forms if not form.word for kind in form.kinds}

    @cached_property
    def _by_word(self) -> dict[str, _Form]:
        return {form.word: form for form in self._forms if form.word}

    @cached_property
    def _by_kind(self) -> dict[type, _Form]:
        return {kind: form for form in self._forms if form.word for kind in form.kinds}

    @cached_property
    def _plain(self) -> set[type]:
        """The Python classes in this union whose values are written to JSON unchanged."""
        return {kind for kind, form in self._scalars.items() if isinstance(form, _Scalar | _Text)}

    def write(self, value: Any) -> Json:
        scalar = self._scalars.get(type(value))
        if scalar is not None:
            return scalar.write(value)
        form = self._by_kind.get(type(value))
        if form is None:
            # The class of ``value`` is not declared itself. It may be a subclass of str, or another class of mapping,
            # such as a read-only one.
            form = self._scalars.get(str) if isinstance(value, str) else None
            form = self._by_kind.get(dict) if isinstance(value, Mapping) else form
            if form is None:
                raise TypeError(f"{value!r} cannot be written as JSON")
        return [form.word, form.write(value)] if form.word else form.write(value)

    def read(self, data: Json) -> Any:
        if type(data) is list:
            word, written = _listed(data, 2)
            form = self._by_word.get(word) if isinstance(word, str) else None
            if form is None:
                raise ValueError(f"{_shown(word)} is not a type that is allowed here")
            return form.read(written)
        scalar = self._scalars.get(type(data))
        if scalar is None:
            raise ValueError(f"{_shown(data)} is not of a type that is allowed here")
        return scalar.read(data)

    def write_all(self, values: Sequence[Any]) -> Json:
        kinds = {*map(type, values)}
        if kinds == {str} and str in self._plain:
            return self._scalars[str].write_all(values)
        return list(values) if kinds <= self._plain else super().write_all(values)

    def read_all(self, data: Json) -> list[Any]:
        if isinstance(data, dict):
            return self._scalars[str].read_all(data)
        return data if {*map(type, _list(data))} <= self._plain else super().read_all(data)
