"""Convert schemas that users give to Spark's JSON form, without Spark: a StructType, or text in any notation.

A text is DDL (``color STRING, weight BIGINT NOT NULL``), the output of ``SHOW CREATE TABLE``, ``struct<color:string>``,
JSON, the tree that ``printSchema`` prints, or the name of a file that contains one of these. Types that no selector can
use are accepted too; a column of such a type cannot be read.
"""

from __future__ import annotations

import os
import re
from collections.abc import Mapping
from pathlib import Path
from types import MappingProxyType
from typing import Any, NoReturn

from transpiler.base.diagnostics import mismatch
from transpiler.base.documents.jsontext import JsonTextError, load_json
from transpiler.base.documents.value_locations import locations_in_json
from transpiler.base.errors import LayoutError
from transpiler.base.source import Source, Span
from transpiler.compiler.layouts.columns import JSON_TYPES, SYNONYMS

#: The name of each type in Spark's JSON form, by SQL name. No property has the type DATE, VARIANT or VOID.
_TYPES: Mapping[str, str] = MappingProxyType(
    {
        **{kind.value: name for name, kind in JSON_TYPES.items()},
        "TIMESTAMP_LTZ": "timestamp",
        "DATE": "date",
        "VARIANT": "variant",
        "VOID": "void",
    }
)
_SIZED = frozenset({"DECIMAL", "DEC", "NUMERIC", "CHAR", "CHARACTER", "VARCHAR"})
_UNITS = ("YEAR", "MONTH", "DAY", "HOUR", "MINUTE", "SECOND")

#: Types that no selector can use, with the default of the type's argument: ``TIME`` means ``TIME(6)``.
_UNUSABLE = MappingProxyType({"TIME": "6", "GEOMETRY": "", "GEOGRAPHY": ""})
_SYSTEMS = MappingProxyType({"4326": "OGC:CRS84", "ANY": "SRID:ANY"})

_TEXT = r"'(?:[^'\\]|\\.|'')*'|\"(?:[^\"\\]|\\.|\"\")*\""
_TOKEN = re.compile(rf"\s*(?:(`(?:[^`]|``)*`)|(\w+)|({_TEXT})|([<>(),:])|(\.\.\.|\S))", re.DOTALL)
#: The name of a field in the output of ``simpleString``, which never quotes names.
_BARE_NAME = re.compile(r"[^\s,<>()'\"`:]+(?=\s*:)")
_CREATE = re.compile(r"\s*CREATE\s+(?:OR\s+REPLACE\s+)?(?:\w+\s+)*?TABLE\s+[^(]*\(", re.IGNORECASE)
_CONSTRAINTS = ("CONSTRAINT", "PRIMARY", "FOREIGN", "UNIQUE", "CHECK")

#: The beginning of a schema text: JSON, a tree, a CREATE statement, a struct, or a column and its type.
_SCHEMA = re.compile(
    r"""\s*(?:[{\["]|root\s*\n|\|--|CREATE\s|struct\s*<|(?:`[^`]+`|\w+)(?:\s*:\s*|\s+)[A-Za-z]\w*\s*(?:\Z|[\s,(<:]))""",
    re.IGNORECASE,
)
_TREE_LINE = re.compile(
    r"(?P<depth>(?: \|   )*) \|-- (?P<name>.*): (?P<type>[^:]*?)"
    r"(?: \((?:nullable|valueContainsNull|containsNull) = (?P<null>true|false)\))?\s*"
)
#: Maximum size of a schema file, in bytes.
_MAX_FILE = 2**26


def looks_like_schema(text: str) -> bool:
    """Return True if ``text`` begins like a schema, and not like the name of a file or layout."""
    return _SCHEMA.match(text) is not None


def schema_in(value: object) -> Mapping[str, Any]:
    """Return the schema in ``value`` in Spark's JSON form.

    ``value`` is a ``StructType``, a DataFrame, Spark's JSON form, text in any notation, or the name of a file. Other
    values raise ``LayoutError``.
    """
    if type(value).__module__.partition(".")[0] == "pandas":
        hint = "perhaps convert the data to a Spark DataFrame: spark.createDataFrame(pandas_df)"
        raise LayoutError.at("layout.schema", f"a pandas {type(value).__name__} has no Spark schema", hint=hint)
    of_frame = getattr(value, "schema", None)
    as_json = getattr(value if of_frame is None else of_frame, "jsonValue", None)
    schema = value if as_json is None else as_json()
    if isinstance(schema, Path) or (isinstance(schema, str) and not looks_like_schema(schema) and names_file(schema)):
        return parse_schema(_text_of(schema), str(schema))
    if isinstance(schema, str):
        return parse_schema(schema)
    if isinstance(schema, Mapping) and isinstance(schema.get("fields"), list):
        return schema if as_json is not None else _checked(schema, None)
    message = mismatch("a layout's name, a Layout or a schema", type(value).__name__)
    hint = "a schema is a DataFrame, a StructType, its JSON form, or DDL text such as 'color STRING, weight BIGINT'"
    raise LayoutError.at("layout.schema", message, hint=hint)


def names_file(text: str) -> bool:
    """Return True if ``text``, which may be any text, is the name of an existing file."""
    try:
        return os.path.isfile(text)
    except ValueError:
        return False


def _text_of(path: str | Path) -> str:
    with open(path, "rb") as file:
        data = file.read(_MAX_FILE + 1)
    try:
        if len(data) <= _MAX_FILE:
            return data.decode("utf-8-sig")
        message = f"{path} has more than {_MAX_FILE:,} bytes, so it is not a schema"
    except UnicodeDecodeError as error:
        message = f"{path} is not valid UTF-8: the byte at offset {error.start} cannot be decoded"
    raise LayoutError.at("layout.schema", message)


def parse_schema(text: str, name: str = "schema") -> Mapping[str, Any]:
    """Return the schema in ``text``, in any notation, in Spark's JSON form. Invalid text raises ``LayoutError``.

    ``name`` is the name of the text in error messages.
    """
    if text.lstrip().startswith(("{", "[", '"')):
        return _parse_json(Source(text, name))
    if re.match(r"\s*root\s*\n|\s*\|--", text):
        return _parse_tree(Source(text, name))
    return parse_ddl(text, name)


def _parse_json(source: Source) -> Mapping[str, Any]:
    try:
        schema = load_json(source.text)
        if isinstance(schema, str):
            # Some programs print a schema as a JSON string that contains the JSON of the schema, so parse its content
            # again.
            return parse_schema(schema, source.name)
    except JsonTextError as error:
        message = f"{error.message}; this is not a schema in Spark's JSON form"
        hint = "df.schema.json() writes Spark's JSON form"
        raise LayoutError.at("layout.schema", message, source, error.span, hint) from None
    return _checked(schema, source)


def check_schema(schema: Mapping[str, Any]) -> None:
    """Raise ``LayoutError`` if a field of ``schema`` (in Spark's JSON form) lacks a name or a type."""
    _checked(schema, None)


def _checked(schema: Any, source: Source | None) -> Mapping[str, Any]:
    """Return ``schema`` if all its fields have names and types; otherwise raise ``LayoutError`` at the first field."""

    def refuse(path: str, message: str) -> NoReturn:
        located = f"{path}: {message}" if path else message
        hint = "a schema in Spark's JSON form is what df.schema.json() writes"
        span = None if source is None else locations_in_json(source.text, [path])[path]
        raise LayoutError.at("layout.schema", located, source, span, hint)

    def check_fields(value: Any, path: str) -> None:
        fields = value.get("fields") if isinstance(value, Mapping) else None
        if not isinstance(fields, list):
            refuse(path, "expected an object with a list of fields")
        for number, field in enumerate(fields):
            inside = f"{path}.fields[{number}]" if path else f"fields[{number}]"
            if not isinstance(field, Mapping):
                refuse(inside, "expected an object with a name and a type")
            if not isinstance(field.get("name"), str):
                refuse(inside, "this field has no name")
            if not isinstance(field.get("metadata"), Mapping | None):
                refuse(f"{inside}.metadata", "expected an object")
            check_type(field.get("type"), f"{inside}.type", inside, f"the field {field['name']} has no type")

    def check_type(value: Any, path: str, around: str, absent: str) -> None:
        match value:
            case str() | {"type": "udt"}:
                return
            case {"type": "struct"}:
                check_fields(value, path)
            case {"type": "array", "elementType": element}:
                check_type(element, f"{path}.elementType", path, "this array has no element type")
            case {"type": "map", "keyType": key, "valueType": inner}:
                check_type(key, f"{path}.keyType", path, "this map has no key type")
                check_type(inner, f"{path}.valueType", path, "this map has no value type")
            case None:
                refuse(around, absent)
            case _:
                refuse(path, "this is not a type of Spark")

    check_fields(schema, "")
    checked: Mapping[str, Any] = schema
    return checked


def _parse_tree(source: Source) -> dict[str, Any]:
    schema: dict[str, Any] = {"type": "struct", "fields": []}
    #: The types that enclose the current line, from the outermost to the innermost: a line of depth n is a field,
    #: element, key or value of the type at index n.
    opened: list[dict[str, Any]] = [schema]
    start = 0
    for line in source.text.splitlines(keepends=True):
        here, start = start, start + len(line)
        written = line.rstrip()
        if written.strip() in ("", "root"):
            continue
        match = _TREE_LINE.fullmatch(f" {written.lstrip()}" if not written.startswith(" |   ") else written)
        depth = 0 if match is None else len(match["depth"]) // 5
        if match is None or depth >= len(opened) or not _add(opened[depth], match):
            span = Span(here + len(line) - len(line.lstrip()), here + len(written))
            hint = "a line of printSchema's tree reads ' |-- color: string (nullable = true)'"
            raise LayoutError.at(
                "layout.schema",
                "this line does not have the form in which printSchema prints a schema",
                source,
                span,
                hint,
            )
        inner = _type_of_tree(match["type"])
        _set(opened[depth], match, inner)
        del opened[depth + 1 :]
        if isinstance(inner, dict):
            opened.append(inner)
    return dict(_checked(schema, None))


def _add(around: dict[str, Any], match: re.Match[str]) -> bool:
    """Return True if the line ``match`` of printSchema's tree can be directly inside the type ``around``.

    An array has only a line named ``element``, a map only ``key`` and ``value``, and a struct any.
    """
    parts = {"array": ("element",), "map": ("key", "value")}.get(around["type"])
    return parts is None or match["name"] in parts


def _set(around: dict[str, Any], match: re.Match[str], inner: Any) -> None:
    nullable = match["null"] != "false"
    match around["type"]:
        case "struct":
            around["fields"].append({"name": match["name"], "type": inner, "nullable": nullable, "metadata": {}})
        case "array":
            around |= {"elementType": inner, "containsNull": nullable}
        case _:
            around[f"{match['name']}Type"] = inner
            if match["name"] == "value":
                around["valueContainsNull"] = nullable


def _type_of_tree(name: str) -> Any:
    match name.strip():
        case "struct":
            return {"type": "struct", "fields": []}
        case "array" | "map" as kind:
            return {"type": kind}
        case simple:
            return simple


def parse_ddl(text: str, name: str = "schema") -> dict[str, Any]:
    """Return the schema in the DDL ``text`` in Spark's JSON form. ``LayoutError`` marks the position of an error.

    The text is a list of columns, ``struct<…>``, or a CREATE TABLE statement; its constraints and options are skipped.
    """
    return _Parser(text, name).schema()


class _Parser:
    def __init__(self, text: str, name: str) -> None:
        self.source = Source(text, name)
        created = _CREATE.match(text)
        self.is_table = created is not None
        self.tokens = [
            (token[1] or token[2] or token[3] or token[4] or token[5], token.start(token.lastindex or 0))
            for token in _TOKEN.finditer(text, 0 if created is None else created.end())
            if token.lastindex
        ]
        self.position = 0

    def schema(self) -> dict[str, Any]:
        """Parse fields up to the end of the text, or of the column list of a CREATE TABLE statement."""
        if self._is("STRUCT") and self._is("<", 1):
            schema: dict[str, Any] = self._type("", {})
            fields = schema["fields"]
        else:
            fields = self._fields()
        if self.is_table:
            self._expect(")")
        elif self.position < len(self.tokens):
            self._refuse("expected a comma, or the end")
        return {"type": "struct", "fields": fields}

    def _fields(self) -> list[dict[str, Any]]:
        fields = [self._field()]
        while self._accept(","):
            if self.is_table and any(map(self._is, _CONSTRAINTS)):
                self._skip(())
            else:
                fields.append(self._field())
        return fields

    def _field(self) -> dict[str, Any]:
        """Parse a name and a type, with an optional colon between them."""
        name = self._name()
        self._accept(":")
        collations: dict[str, str] = {}
        spark_type = self._type(name, collations)
        nullable, metadata = True, {}
        while self.position < len(self.tokens):
            if self._accept("NOT"):
                self._expect("NULL")
                nullable = False
            elif self._accept("COMMENT"):
                self._next("a text")
            elif self._accept("DEFAULT"):
                self._skip(("COMMENT", "NOT", "GENERATED"))
            elif self._accept("GENERATED"):
                self._skip(("COMMENT", "NOT", "DEFAULT"))
            else:
                break
        if collations:
            metadata = {"__COLLATIONS": collations}
        return {"name": name, "type": spark_type, "nullable": nullable, "metadata": metadata}

    def _name(self) -> str:
        """Parse a name: a name in backquotes, a word, or any text up to a colon."""
        begin = self.tokens[self.position][1] if self.position < len(self.tokens) else len(self.source.text)
        bare = _BARE_NAME.match(self.source.text, begin)
        name = self._next("a column's name")
        if name.startswith("`"):
            return name[1:-1].replace("``", "`")
        if bare is not None and name != "...":
            while self.position < len(self.tokens) and self.tokens[self.position][1] < bare.end():
                self.position += 1
            return bare[0]
        if not re.fullmatch(r"\w+", name):
            self.position -= 1
            if name == "...":
                self._refuse("this schema is truncated", "df.schema.json() prints the whole schema")
            self._refuse("expected a column's name")
        return name

    def _skip(self, ends: tuple[str, ...]) -> None:
        """Skip an expression: up to a comma, a closing bracket, or a word of ``ends`` after the first token."""
        depth, first = 0, self.position
        while self.position < len(self.tokens):
            word = self.tokens[self.position][0].upper()
            if depth == 0 and (word in (",", ")", ">") or (word in ends and self.position > first)):
                return
            depth += (word == "(") - (word == ")")
            self.position += 1

    def _type(self, path: str, collations: dict[str, str]) -> Any:
        """Parse the type of the field ``path``, and add the collations of the strings in it to ``collations``.

        ``collations`` maps the path of each string to its collation, both written as in Spark's JSON form of a schema.
        """
        written = self._next("a type").upper()
        word = SYNONYMS.get(written, written)
        if word == "ARRAY":
            self._expect("<")
            element = self._type(f"{path}.element", collations)
            self._expect(">")
            return {"type": "array", "elementType": element, "containsNull": True}
        if word == "MAP":
            self._expect("<")
            key = self._type(f"{path}.key", collations)
            self._expect(",")
            value = self._type(f"{path}.value", collations)
            self._expect(">")
            return {"type": "map", "keyType": key, "valueType": value, "valueContainsNull": True}
        if word == "STRUCT":
            self._expect("<")
            fields = self._fields()
            self._expect(">")
            return {"type": "struct", "fields": fields}
        if word in _SIZED:
            return self._sized(word)
        if word in _UNUSABLE:
            return self._unusable(word)
        if word == "INTERVAL":
            return self._interval()
        if word == "TIMESTAMP" and (self._is("WITHOUT") or self._is("WITH")):
            word = "TIMESTAMP_NTZ" if self._is("WITHOUT") else word
            for part in ("WITHOUT",) if word == "TIMESTAMP_NTZ" else ("WITH", "LOCAL"):
                self._expect(part)
            self._expect("TIME")
            self._expect("ZONE")
        if word not in _TYPES:
            self.position -= 1
            self._refuse("expected a type of Spark")
        if word == "STRING" and self._accept("COLLATE"):
            collation = self._next("a collation")
            # Spark prefixes the provider: "spark" for collations of bytes, "icu" for collations of languages.
            collations[path] = f"{'spark' if collation.upper().startswith('UTF8_') else 'icu'}.{collation}"
        return _TYPES[word]

    def _unusable(self, word: str) -> str:
        argument = _UNUSABLE[word]
        if self._accept("("):
            begin = self.position
            self._skip(())
            argument = "".join(token for token, _ in self.tokens[begin : self.position])
            self._expect(")")
        if word == "TIME" and self._accept("WITHOUT"):
            self._expect("TIME")
            self._expect("ZONE")
        argument = _SYSTEMS.get(argument.upper(), argument)
        return f"{word.lower()}({argument})" if argument else word.lower()

    def _interval(self) -> str:
        """Parse the units after ``INTERVAL``: none, one, or a range of two."""
        for unit in _UNITS:
            if self._accept(unit):
                if not self._accept("TO"):
                    return f"interval {unit.lower()}"
                return f"interval {unit.lower()} to {self._next('a unit').lower()}"
        return "interval"

    def _sized(self, word: str) -> str:
        sizes: list[str] = []
        if self._accept("("):
            sizes.append(self._next("a number"))
            if self._accept(","):
                sizes.append(self._next("a number"))
            self._expect(")")
        if word in ("CHAR", "CHARACTER", "VARCHAR"):
            return f"{'varchar' if word == 'VARCHAR' else 'char'}({sizes[0] if sizes else 1})"
        precision, scale = [*sizes, *("10", "0")[len(sizes) :]]
        return f"decimal({precision},{scale})"

    def _next(self, expected: str) -> str:
        if self.position >= len(self.tokens):
            self._refuse(f"expected {expected}, found the end of the text")
        self.position += 1
        return self.tokens[self.position - 1][0]

    def _is(self, word: str, ahead: int = 0) -> bool:
        index = self.position + ahead
        return index < len(self.tokens) and self.tokens[index][0].upper() == word

    def _accept(self, word: str) -> bool:
        accepted = self._is(word)
        self.position += accepted
        return accepted

    def _expect(self, word: str) -> None:
        if not self._accept(word):
            self._refuse(f"expected {word}")

    def _refuse(self, message: str, hint: str = "DDL text reads 'color STRING, weight BIGINT'") -> NoReturn:
        text = self.source.text
        token, start = self.tokens[self.position] if self.position < len(self.tokens) else ("", len(text))
        raise LayoutError.at("layout.schema", message, self.source, Span(start, start + len(token)), hint)
