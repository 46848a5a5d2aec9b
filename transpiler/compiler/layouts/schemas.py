"""Schemas in Spark's JSON form, read from what a user has: a StructType, JSON, or DDL text.

DDL text, ``color STRING, weight BIGINT NOT NULL``, is read without Spark.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from types import MappingProxyType
from typing import Any, NoReturn

from transpiler.base.diagnostics import mismatch
from transpiler.base.documents.jsontext import JsonTextError, load_json
from transpiler.base.errors import LayoutError
from transpiler.base.source import Source, Span
from transpiler.compiler.layouts.columns import JSON_TYPES, SYNONYMS

#: The JSON names of types by those of SQL; the last three are no types of a property.
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

_TOKEN = re.compile(r"\s*(?:(`(?:[^`]|``)*`)|([^\W\d]\w*|\d+)|('(?:[^']|'')*')|([<>(),:])|(\S))")


def schema_in(value: object) -> Mapping[str, Any]:
    """A schema in Spark's JSON form, from a ``StructType``, a DataFrame, that form, its text, or DDL text.

    ``LayoutError`` for anything else.
    """
    of_frame = getattr(value, "schema", None)
    as_json = getattr(value if of_frame is None else of_frame, "jsonValue", None)
    schema = value if as_json is None else as_json()
    if isinstance(schema, str) and schema.lstrip().startswith("{"):
        try:
            schema = load_json(schema)
        except JsonTextError as error:
            raise LayoutError.at("layout.schema", f"the schema is no JSON: {error.message}") from None
    if isinstance(schema, str):
        return parse_ddl(schema)
    if isinstance(schema, Mapping) and isinstance(schema.get("fields"), list):
        return schema
    message = mismatch("a layout's name, a Layout or a schema", type(value).__name__)
    hint = "a schema is a DataFrame, a StructType, its JSON form, or DDL text such as 'color STRING, weight BIGINT'"
    raise LayoutError.at("layout.schema", message, hint=hint)


def parse_ddl(text: str, name: str = "schema") -> dict[str, Any]:
    """Return the schema in Spark's JSON form; ``LayoutError`` with a caret where the text is none.

    ``name`` is what the error calls the text.
    """
    return _Parser(text, name).schema()


class _Parser:
    def __init__(self, text: str, name: str) -> None:
        self.source = Source(text, name)
        self.tokens = [
            (token[1] or token[2] or token[3] or token[4] or token[5], token.start(token.lastindex or 0))
            for token in _TOKEN.finditer(text)
            if token.lastindex
        ]
        self.place = 0

    def schema(self) -> dict[str, Any]:
        """The fields up to the end."""
        fields = [self._field()]
        while self._accept(","):
            fields.append(self._field())
        if self.place < len(self.tokens):
            self._refuse("expected a comma, or the end")
        return {"type": "struct", "fields": fields}

    def _field(self) -> dict[str, Any]:
        """A name and a type; a colon may stand between them."""
        name = self._next("a column's name")
        if name.startswith("`"):
            name = name[1:-1].replace("``", "`")
        elif not re.fullmatch(r"\w+", name):
            self.place -= 1
            self._refuse("expected a column's name")
        self._accept(":")
        collations: dict[str, str] = {}
        spark_type = self._type(name, collations)
        nullable, metadata = True, {}
        while self.place < len(self.tokens):
            if self._accept("NOT"):
                self._expect("NULL")
                nullable = False
            elif self._accept("COMMENT"):
                self._next("a text")
            else:
                break
        if collations:
            metadata = {"__COLLATIONS": collations}
        return {"name": name, "type": spark_type, "nullable": nullable, "metadata": metadata}

    def _type(self, path: str, collations: dict[str, str]) -> Any:
        """A type; ``collations`` gets those of its texts, by their paths, as Spark's JSON form has them."""
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
            fields = [self._field()]
            while self._accept(","):
                fields.append(self._field())
            self._expect(">")
            return {"type": "struct", "fields": fields}
        if word in _SIZED:
            return self._sized(word)
        if word not in _TYPES:
            self.place -= 1
            self._refuse("expected a type of Spark")
        if word == "STRING" and self._accept("COLLATE"):
            collation = self._next("a collation")
            # Spark names the provider as well: itself for the collations of bytes, ICU for those of a language.
            collations[path] = f"{'spark' if collation.upper().startswith('UTF8_') else 'icu'}.{collation}"
        return _TYPES[word]

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
        if self.place >= len(self.tokens):
            self._refuse(f"expected {expected}, and the text ends")
        self.place += 1
        return self.tokens[self.place - 1][0]

    def _accept(self, word: str) -> bool:
        if self.place < len(self.tokens) and self.tokens[self.place][0].upper() == word:
            self.place += 1
            return True
        return False

    def _expect(self, word: str) -> None:
        if not self._accept(word):
            self._refuse(f"expected {word}")

    def _refuse(self, message: str) -> NoReturn:
        text = self.source.text
        token, start = self.tokens[self.place] if self.place < len(self.tokens) else ("", len(text))
        hint = "DDL text reads 'color STRING, weight BIGINT'"
        raise LayoutError.at("layout.schema", message, self.source, Span(start, start + len(token)), hint)
