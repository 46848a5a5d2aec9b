"""JSON on several lines: the elements of an array, or several objects in sequence."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterator
from itertools import accumulate
from json import JSONDecodeError, JSONDecoder

from transpiler.base.source import Source
from transpiler.tools.message_files.record import BLANK, Record
from transpiler.tools.message_files.record_errors import Errors, location_of, refuse

_DECODER = JSONDecoder()


def is_cut(text: str) -> bool:
    """Return True if ``text`` is the beginning of a JSON object that continues on the next line."""
    try:
        _DECODER.raw_decode(text)
    except JSONDecodeError as error:
        return error.pos >= len(text)
    except (ValueError, RecursionError):
        pass
    return False


def json_values(file: str, lines: list[tuple[int, str]], errors: Errors) -> Iterator[Record]:
    """Yield a record for each element of a JSON array, or for each of several JSON objects in sequence."""
    numbers = [number for number, _ in lines]
    source = Source("\n".join(line for _, line in lines), file)
    text = source.text
    starts = list(accumulate((len(line) + 1 for _, line in lines), initial=0))
    index = _skip(text, 0)
    in_array = text[index] == "["
    index = _skip(text, index + in_array)
    done = in_array and text[index : index + 1] == "]"
    while not done:
        try:
            _, end = _DECODER.raw_decode(text, index)
        except JSONDecodeError as error:
            _refuse(source, numbers, error.pos, f"this is not JSON: {error.msg}", errors)
            return
        except (ValueError, RecursionError):
            _refuse(source, numbers, index, "this is not JSON that can be read", errors)
            return
        # Find the line by binary search, because counting the lines before each element would take quadratic time.
        yield Record(file, numbers[bisect_right(starts, index) - 1], text[index:end])
        index = _skip(text, end)
        mark = text[index : index + 1]
        done = mark == ("]" if in_array else "")
        if in_array and mark == ",":
            index = _skip(text, index + 1)
        elif in_array and not done:
            _refuse(source, numbers, index, "this is not JSON: expected a comma or the end of the array", errors)
            return
    if (rest := _skip(text, index + 1)) < len(text):
        _refuse(source, numbers, rest, "there is text behind the array", errors)


def member_elements(text: str, name: str) -> Iterator[tuple[int, int]]:
    """Yield the start and end offset of each element of the array in the member ``name`` of the object ``text``."""
    position = _skip(text, text.index("{") + 1)
    while text[position] != "}":
        key, position = _DECODER.raw_decode(text, position)
        position = _skip(text, _skip(text, position) + 1)
        if key == name and text[position] == "[":
            position = _skip(text, position + 1)
            while text[position] != "]":
                start = position
                _, position = _DECODER.raw_decode(text, position)
                yield start, position
                position = _skip(text, position)
                position = _skip(text, position + (text[position] == ","))
            return
        _, position = _DECODER.raw_decode(text, position)
        position = _skip(text, position)
        position = _skip(text, position + (text[position] == ","))


def _skip(text: str, index: int) -> int:
    while index < len(text) and text[index] in BLANK:
        index += 1
    return index


def _refuse(source: Source, numbers: list[int], index: int, message: str, errors: Errors) -> None:
    line, column = source.position(min(index, len(source.text)))
    with errors.reported():
        refuse(location_of(source.name, numbers[min(line, len(numbers)) - 1], column), message)
