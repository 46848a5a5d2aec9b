"""Writes docs/diagnostics.md from the source: python docs/diagnostics.py > docs/diagnostics.md."""

from __future__ import annotations

import ast
import re
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from importlib import import_module
from itertools import product
from pathlib import Path
from textwrap import wrap
from typing import NamedTuple

ROOT = Path(__file__).parent.parent
CODE = re.compile(r"[a-z-]+\.[a-z0-9-]+")
#: The location of a value in a document, which comes before the message.
LOCATION = re.compile(r"^(?:(?:\{(?:path|content|at|where|in file|name|location)\}|filters|address|headers)?[^ :]*: )+")
#: Maximum number of variants of one text that a call can produce. A text with more variants has placeholders instead.
MOST_VARIANTS = 24


class Hole(NamedTuple):
    """A part of a text that is an argument of the enclosing function."""

    parameter: str


#: A text whose parts are known, or arguments of the enclosing function.
Template = tuple[str | Hole, ...]


class Made(NamedTuple):
    """A diagnostic that a function makes. ``hint`` is empty if the diagnostic has no hint."""

    code: Template
    message: Template
    hint: Template

    def holes(self) -> set[str]:
        """Return the arguments of the enclosing function that are parts of the texts."""
        return {part.parameter for text in self for part in text if isinstance(part, Hole)}

    def filled(self, values: Mapping[str, Template]) -> Made:
        """Return the diagnostic in which each hole is replaced by its value."""

        def whole(text: Template) -> Template:
            parts = [values[part.parameter] if isinstance(part, Hole) else (part,) for part in text]
            return tuple(inner for part in parts for inner in part)

        return Made(whole(self.code), whole(self.message), whole(self.hint))


@dataclass(eq=False)
class Function:
    """A function of the source, and the diagnostics that it makes from its arguments."""

    module: Module
    node: ast.FunctionDef
    name: str
    wraps: set[Made] = field(default_factory=set)

    @property
    def parameters(self) -> list[str]:
        """The names of the positional parameters, except ``self``."""
        arguments = self.node.args
        names = [argument.arg for argument in (*arguments.posonlyargs, *arguments.args)]
        return names[1:] if self.is_method else names

    @property
    def is_method(self) -> bool:
        """True if the first parameter of the function is the object or the class."""
        return [argument.arg for argument in self.node.args.args][:1] in (["self"], ["cls"])

    def defaults(self) -> dict[str, ast.expr]:
        """Return the defaults of the parameters that have one."""
        arguments = self.node.args
        names = [argument.arg for argument in (*arguments.posonlyargs, *arguments.args)]
        given = dict(zip(reversed(names), reversed(arguments.defaults), strict=False))
        keywords = zip(arguments.kwonlyargs, arguments.kw_defaults, strict=True)
        return given | {argument.arg: default for argument, default in keywords if default is not None}


@dataclass(eq=False)
class Module:
    """A module of the source: the module of each imported name, the functions by name, and the
    texts of the exceptions that it raises.
    """

    name: str
    imported: dict[str, str] = field(default_factory=dict)
    functions: dict[str, list[Function]] = field(default_factory=lambda: defaultdict(list))
    raised: dict[str, list[tuple[Function, ast.expr]]] = field(default_factory=lambda: defaultdict(list))


def read_modules() -> list[Module]:
    """Parse all modules of both packages."""
    found = []
    for package in ("transpiler", "spark_ext"):
        for path in sorted((ROOT / package).rglob("*.py")):
            module = Module(".".join(path.relative_to(ROOT).with_suffix("").parts).removesuffix(".__init__"))
            collect(module, ast.parse(path.read_text(encoding="utf-8")), "")
            found.append(module)
    return found


def collect(module: Module, node: ast.AST, owner: str) -> None:
    """Add the functions below ``node``, which is in the class ``owner``, to ``module``."""
    for child in ast.iter_child_nodes(node):
        if isinstance(child, ast.ImportFrom) and child.module:
            module.imported.update((alias.name, child.module) for alias in child.names)
        if isinstance(child, ast.FunctionDef):
            name = owner if child.name == "__init__" else child.name
            function = Function(module, child, name)
            module.functions[name].append(function)
            for raised in ast.walk(child):
                match raised:
                    case ast.Raise(exc=ast.Call(func=ast.Name(id=error), args=[text, *_])):
                        module.raised[error].append((function, text))
        collect(module, child, child.name if isinstance(child, ast.ClassDef) else owner)


class Step(NamedTuple):
    """A statement on the way to a node: its block, its place in the block, and whether the block ends in a jump."""

    block: int
    place: int
    jumps: bool


#: The statements that contain a node, from the outermost to the innermost.
Steps = tuple[Step, ...]


def reaches(assignment: Steps, use: Steps) -> str:
    """Return "always" or "sometimes" if the value of an assignment can be used at ``use``, else an empty string."""
    for depth, (one, other) in enumerate(zip(assignment, use, strict=False)):
        if one != other:
            if one.block != other.block or one.place > other.place:
                return ""
            inner = assignment[depth + 1 :]
            return "always" if not inner else "" if any(step.jumps for step in inner) else "sometimes"
    return ""


class Texts:
    """The texts that the expressions of one function can have."""

    def __init__(self, function: Function) -> None:
        self.function = function
        self.holes = {argument.arg for argument in ast.walk(function.node.args) if isinstance(argument, ast.arg)}
        self.paths: dict[ast.AST, Steps] = {}
        self._locate(function.node.body, ())
        self.assigned: dict[str, list[tuple[Steps, list[ast.expr]]]] = defaultdict(list)
        for node, path in self.paths.items():
            match node:
                case ast.Assign(targets=[ast.Name(id=name)], value=value):
                    self.assigned[name].append((path, [value]))
                case ast.Assign(targets=[ast.Tuple(elts=names)], value=value):
                    for index, target in enumerate(names):
                        if isinstance(target, ast.Name):
                            tuples = [
                                one
                                for one in branches(value)
                                if isinstance(one, ast.Tuple) and len(one.elts) == len(names)
                            ]
                            if tuples:
                                self.assigned[target.id].append((path, [one.elts[index] for one in tuples]))
        self.caught = {
            node.name: node.type.id
            for node in ast.walk(function.node)
            if isinstance(node, ast.ExceptHandler) and node.name and isinstance(node.type, ast.Name)
        }
        # A parameter that the function also assigns is not what the caller passed.
        self.holes -= set(self.assigned)

    def _locate(self, block: Sequence[ast.stmt], outer: Steps) -> None:
        """Store the path of each node in ``block``, which is inside the statement with the path ``outer``."""
        ends = isinstance(block[-1], ast.Return | ast.Raise | ast.Continue | ast.Break)
        for index, statement in enumerate(block):
            path = (*outer, Step(id(block), index, ends))
            for node in ast.walk(statement):
                self.paths[node] = path
            parts = [statement, *getattr(statement, "handlers", []), *getattr(statement, "cases", [])]
            for inner in (getattr(part, name, None) for part in parts for name in ("body", "orelse", "finalbody")):
                if isinstance(inner, list) and inner:
                    self._locate(inner, path)

    def _values(self, name: ast.Name) -> list[ast.expr]:
        """Return the expressions that assignments before ``name`` may have given to it."""
        found: list[ast.expr] = []
        for path, values in sorted(self.assigned.get(name.id, []), key=lambda item: item[1][0].lineno):
            reach = reaches(path, self.paths.get(name, ()))
            if reach == "always":
                found = []
            if reach:
                found += values
        return found

    def of(self, node: ast.expr, depth: int = 0) -> list[Template]:
        """Return every text that ``node`` can have; an unknown part is a placeholder."""
        match node:
            case ast.Constant(value=None):
                return [()]
            case ast.Constant(value=value):
                return [(str(value),)]
            case ast.IfExp(body=ast.Constant(value=("" | "s") as one), orelse=ast.Constant(value=("" | "s") as other)):
                return [(one or other,)]
            case ast.IfExp(body=body, orelse=orelse):
                return [*self.of(body, depth), *self.of(orelse, depth)]
            case ast.BoolOp(op=ast.Or(), values=values):
                return [text for value in values for text in self.of(value, depth)]
            case ast.NamedExpr(value=value) | ast.FormattedValue(value=value):
                return self.of(value, depth)
            case ast.BinOp(left=left, op=ast.Add(), right=right):
                return self._joined([left, right], depth)
            case ast.JoinedStr(values=values):
                return self._joined(values, depth)
            case ast.Name(id=name) if name in self.holes:
                return [(Hole(name),)]
            case ast.Name(id=name) if depth < 4 and (
                raised := self.function.module.raised.get(self.caught.get(name, ""))
            ):
                return [tuple(map(plain, one)) for raiser, text in raised for one in Texts(raiser).of(text, depth + 1)]
            case ast.Call(func=ast.Name(id="str"), args=[value]):
                return self.of(value, depth)
            case ast.Name() if depth < 4 and (values := self._values(node)):
                return [text for value in values for text in self.of(value, depth + 1)]
            case ast.BinOp(left=ast.Constant(value=str(letters)), op=ast.Mult()):
                return [(letters,)]
            case ast.Name(id=name) if name.strip("_").isupper():
                known = getattr(import_module(self.function.module.name), name, None)
                if isinstance(known, int | str):
                    return [(f"{known:,}" if isinstance(known, int) else known,)]
        return [("{" + readable(node) + "}",)]

    def _joined(self, nodes: Sequence[ast.expr], depth: int) -> list[Template]:
        # An absent part, None, belongs to another branch than the whole text.
        variants = [[one for one in self.of(node, depth) if one] or [("{value}",)] for node in nodes]
        size = 1
        for index, texts in enumerate(variants):
            size *= len(texts)
            if size > MOST_VARIANTS:
                variants[index] = [("{" + readable(nodes[index]) + "}",)]
                size //= len(texts)
        return [tuple(part for text in texts for part in text) for texts in product(*variants)]


def branches(node: ast.expr) -> Iterator[ast.expr]:
    """Yield the values that ``node``, possibly a conditional expression, can have."""
    if isinstance(node, ast.IfExp):
        yield from branches(node.body)
        yield from branches(node.orelse)
    else:
        yield node


def readable(node: ast.expr) -> str:
    """Return a name for the value of ``node``, in words."""
    match node:
        case ast.Name(id=name) | ast.Attribute(attr=name) if name not in ("name", "text", "value"):
            return name.strip("_").replace("_", " ").lower()
        case ast.Name(id=name):
            return name
        case ast.Attribute(value=ast.Name(id="self"), attr=name):
            return name
        case ast.Attribute(value=value, attr=name):
            return f"{readable(value)} {name}" if name != "value" else readable(value)
        case ast.Call(func=ast.Name(id="len"), args=[value]):
            return f"number of {readable(value)}"
        case ast.Call(func=ast.Attribute(value=ast.Constant(value=str()), attr="join"), args=[values]):
            return readable(values)
        case ast.Call(args=[value, *_]):
            return readable(value)
        case ast.Call(func=function):
            return readable(function)
        case ast.Subscript(value=value) | ast.Starred(value=value) | ast.FormattedValue(value=value):
            return readable(value)
        case ast.GeneratorExp(elt=value) | ast.ListComp(elt=value):
            return readable(value)
        case ast.NamedExpr(target=value):
            return readable(value)
        case ast.BinOp(left=value) | ast.IfExp(body=value):
            return readable(value)
        case ast.JoinedStr(values=values):
            names = [readable(value) for value in values if isinstance(value, ast.FormattedValue)]
            return " ".join(names) or "text"
    return "value"


#: The functions that make a diagnostic from their arguments, with the names of the arguments in order.
MAKERS: dict[str, tuple[str, ...]] = {
    "Diagnostic": ("code", "severity", "message", "source", "span", "hint"),
    "at_path": ("code", "severity", "path", "message", "hint"),
    "at": ("code", "message", "source", "span", "hint"),
}


class Source:
    """All functions of both packages. A wrapper is a function that makes a diagnostic from its own arguments."""

    def __init__(self) -> None:
        self.functions = [
            function for module in read_modules() for functions in module.functions.values() for function in functions
        ]
        self.texts = {function: Texts(function) for function in self.functions}
        self.wrappers: dict[str, list[Function]] = defaultdict(list)
        self.found: set[Made] = set()

    def diagnostics(self) -> set[Made]:
        """Return the diagnostics that the calls in the source make, until no further wrapper is found."""
        calls = [
            (function, node)
            for function in self.functions
            for node in ast.walk(function.node)
            if isinstance(node, ast.Call)
        ]
        before = -1
        while (size := sum(len(function.wraps) for function in self.functions)) != before:
            before = size
            self.found.clear()
            for function, call in calls:
                for made in [*self._of(function, call)]:
                    self._keep(function, made)
        return self.found

    def _keep(self, function: Function, made: Made) -> None:
        """Add ``made`` to the result, or make ``function`` a wrapper if its callers supply the code or the message."""
        if any(isinstance(part, Hole) for part in made.code) or all(isinstance(part, Hole) for part in made.message):
            if not function.wraps:
                self.wrappers[function.name].append(function)
            function.wraps.add(made)
        else:
            self.found.add(Made(*(tuple(map(plain, text)) for text in made)))

    def _of(self, function: Function, call: ast.Call) -> Iterator[Made]:
        """Yield the diagnostics that ``call``, in ``function``, makes."""
        name = call.func.attr if isinstance(call.func, ast.Attribute) else getattr(call.func, "id", "")
        texts = self.texts[function]
        keywords = {keyword.arg: keyword.value for keyword in call.keywords if keyword.arg}
        if name in MAKERS and (name != "at" or ast.unparse(call.func).endswith("Error.at")):
            given = dict(zip(MAKERS[name], call.args, strict=False)) | keywords
            if "code" in given and "message" in given:
                parts = (given["code"], given["message"], given.get("hint", ast.Constant(None)))
                yield from map(Made._make, product(*map(texts.of, parts)))
            return
        for wrapper in self._called(function, call, name):
            given = dict(zip(wrapper.parameters, call.args, strict=False)) | keywords
            known = {parameter: self.texts[wrapper].of(value) for parameter, value in wrapper.defaults().items()}
            known |= {parameter: texts.of(value) for parameter, value in given.items()}
            for made in wrapper.wraps.copy():
                holes = sorted(made.holes())
                for values in product(*(known.get(hole) or [(plain(Hole(hole)),)] for hole in holes)):
                    yield made.filled(dict(zip(holes, values, strict=True)))

    def _called(self, function: Function, call: ast.Call, name: str) -> list[Function]:
        """Return the wrappers that ``call`` can mean: of the same module, imported, or methods that take a code."""
        wrappers = self.wrappers.get(name, [])
        if here := [wrapper for wrapper in wrappers if wrapper.module is function.module]:
            return here
        if imported := [one for one in wrappers if one.module.name == function.module.imported.get(name)]:
            return imported
        literals = [value.value for value in call.args if isinstance(value, ast.Constant)]
        if not any(isinstance(value, str) and CODE.fullmatch(value) for value in literals):
            return []
        taking = [one for one in wrappers if any(isinstance(part, Hole) for made in one.wraps for part in made.code)]
        # A name can also be a method that was passed as an argument, so it only comes second.
        taking.sort(key=lambda one: one.is_method != isinstance(call.func, ast.Attribute))
        package = function.module.name.rpartition(".")[0]
        near = [one for one in taking if one.module.name.rpartition(".")[0] == package]
        own = ast.unparse(call.func).startswith("self.")
        return near[:1] or ([] if own else taking[:1])


def plain(part: str | Hole) -> str:
    """Return a part of a text as the page shows it: a placeholder for an argument."""
    return "{" + part.parameter.replace("_", " ") + "}" if isinstance(part, Hole) else part


class Area(NamedTuple):
    """A section of the page: the first words of its codes, and a paragraph that says whom its messages concern."""

    title: str
    prefixes: tuple[str, ...]
    about: str


AREAS = (
    Area(
        "Selectors",
        ("syntax", "type", "name", "id", "portability", "dialect", "limit", "spark", "xquery"),
        "These messages are for everybody who writes a selector. The rules show an example of each code, and also the "
        "messages about words of other languages, such as `==` or `CASE`, which this page does not list.",
    ),
    Area(
        "Checks",
        ("check", "rule", "lint"),
        "These messages are for those who run `selector-sql check`. [The rules](rules/README.md) describe the other "
        "warnings of `check`, whose codes begin with `lint.`.",
    ),
    Area(
        "Tables and layouts",
        ("layout", "row", "verify"),
        "These messages are for those who evaluate selectors on a table or DataFrame: no column fits a name, or the "
        "column has a type that no property has. [Stored messages](stores/README.md) describes the layouts.",
    ),
    Area(
        "Messages",
        ("message", "amqp", "trace"),
        "These messages are for those who pass messages as JSON, as AMQP bytes or in a file. "
        "[Message JSON](messages.md#message-json) describes the form.",
    ),
    Area(
        "Filter sets and addresses",
        ("filters", "address", "jms-term", "subscription"),
        "These messages are for those who translate the filters, addresses and subscriptions of clients. "
        "[Filters](filters.md) lists the filters.",
    ),
    Area(
        "Topologies",
        ("topology", "picture"),
        "These messages are for those who write a topology. [Draw and check a topology](topologies.md) describes the "
        "format.",
    ),
    Area(
        "Files of brokers",
        ("import",),
        "These warnings are for those who read the configuration or definitions of a broker: the topology differs from "
        "the file, or the file does not contain everything that decides. `selector-sql rule` explains each code, as in "
        "`selector-sql rule import.bytes`.",
    ),
    Area(
        "Routing",
        ("route", "routing", "compiled", "backtest", "diff", "explain"),
        "These messages are for those who route messages, or who explain and compare routes on Spark. "
        "[Routing at scale](routing.md) describes the functions.",
    ),
    Area(
        "Porting",
        ("port", "names"),
        "These messages are for those who translate a selector to another dialect, with `port_selector` or "
        "`selector-sql port`.",
    ),
    Area(
        "Arguments and test cases",
        ("argument", "cases"),
        "These messages are for those who call the functions of the library, or run `selector-sql test`.",
    ),
)

HEAD = """# Messages by code

This page is for everybody who has an error or a warning and wants to find its text. An example:

```console
$ selector-sql sql "a = 1 AND AND b"
selector:1:11: syntax.unexpected-token: expected an operand after AND, found AND
  1 | a = 1 AND AND b
    |           ^^^
  hint: remove the second AND
```

The code is `syntax.unexpected-token`. It stays the same in later versions, so a program can test it; the sentences may
change. The numbers are the line and the column. The tables contain the messages of each code and their hints; messages
with the same hints share a row. A word in braces, such as `{name}`, stands for a part of your input or for a number.
Before a message about a file or a JSON document, there is also the location of the value, such as `bindings[0].key`.
The tables do not contain errors without a code, such as those about the options of a command, and texts that Spark or
the operating system supplies.

[Errors](api/errors.md) lists the Python classes. [Troubleshooting](troubleshooting.md) explains what people meet first.
"""


def cell(text: str) -> str:
    """Return ``text`` for a cell of a table, without characters that Markdown would interpret."""
    return re.sub(r"([\\`*_\[\]<>|#~])", r"\\\1", text).replace("\n", " ")


def joined(text: Template) -> str:
    """Return the whole text of a template without holes."""
    return "".join(map(str, text))


def rows(prefixes: Sequence[str], found: set[Made]) -> Iterator[str]:
    """Yield the lines of the table of the codes that begin with one of ``prefixes``."""
    hints: dict[tuple[str, str], set[str]] = defaultdict(set)
    for made in found:
        hint = joined(made.hint)
        hints[joined(made.code), LOCATION.sub("", joined(made.message))].add(hint if has_words(hint) else "")
    # The messages of a code with the same hints share a line.
    messages: dict[tuple[str, tuple[str, ...]], list[str]] = defaultdict(list)
    for (code, message), advice in sorted(
        hints.items(), key=lambda item: (prefixes.index(prefix(item[0][0])), item[0])
    ):
        messages[code, tuple(sorted(advice - {""}))].append(message)
    for (code, shared), texts in messages.items():
        page = f"rules/{code}.md"
        name = f"[{code}]({page})" if (ROOT / "docs" / page).exists() else f"`{code}`"
        yield f"| {name} | {'<br>'.join(map(cell, distinct(texts)))} | {'<br>'.join(map(cell, distinct(shared)))} |"


def distinct(texts: Iterable[str]) -> list[str]:
    """Return the texts that differ in more than the names of their placeholders."""
    return list({re.sub(r"\{[^}]*\}", "{}", text): text for text in reversed(list(texts))}.values())[::-1]


def prefix(code: str) -> str:
    """Return the part of a code before the dot."""
    return code.partition(".")[0]


def says_something(made: Made) -> bool:
    """Return whether the code is whole, and the message has words of its own in addition to its placeholders."""
    return bool(CODE.fullmatch(joined(made.code))) and has_words(joined(made.message))


def has_words(text: str) -> bool:
    """Return whether ``text`` has words in addition to its placeholders."""
    return bool(re.search("[a-z]", re.sub(r"\{[^}]*\}", "", LOCATION.sub("", text))))


def page() -> str:
    """Return the whole page."""
    found = {made for made in Source().diagnostics() if says_something(made)}
    by_prefix: dict[str, set[Made]] = defaultdict(set)
    for made in found:
        by_prefix[prefix(joined(made.code))].add(made)
    described = {name for area in AREAS for name in area.prefixes}
    assert described == set(by_prefix), f"name the areas: {described ^ set(by_prefix)}"
    lines = [HEAD]
    for area in AREAS:
        lines += [
            f"## {area.title}",
            "",
            *wrap(area.about, 120, break_on_hyphens=False),
            "",
            "| code | message | hint |",
            "|---|---|---|",
        ]
        lines += [*rows(area.prefixes, {made for name in area.prefixes for made in by_prefix[name]}), ""]
    return "\n".join(lines)


if __name__ == "__main__":
    print(page(), end="")
