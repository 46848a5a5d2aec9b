"""The AMQP 1.0 type system as bytes: values, a decoder and an encoder (OASIS AMQP 1.0, part 1).

The idea: one table of constructors (``constructors.py``) is all that decoder and encoder know of the
primitive encodings; what is left to them is nesting and bounds.

Invariants:

- Any bytes decode or raise ``DecodeError`` with the byte range as the diagnostic's span. Depth, the number of
  values and the size of the input are limited, so time and memory are bounded too.
- ``decode(encode(value))`` is the value, in the compact and in the wide form.
- A value keeps its AMQP type and forgets its encoding: smallint, int and an array's element are the same int.

Deliberately not here: what a descriptor means. Message sections belong to ``transpiler.message``, filters to
``transpiler.language.filters``; frames, performatives and connections to a client library.
"""
