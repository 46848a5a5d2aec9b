"""The AMQP 1.0 type system as bytes: values, a decoder and an encoder (OASIS AMQP 1.0, part 1).

The idea: one table of constructors (``constructors.py``) contains everything about the primitive encodings; decoder
and encoder add only nesting and limits.

Invariants:

- Any bytes decode or raise ``DecodeError`` with the byte range as the diagnostic's span. Nesting depth, the number of
  values and the size of the input are limited, so time and memory are bounded too.
- ``decode(encode(value))`` equals ``value``, for the compact and for the wide encoding.
- A value keeps its AMQP type but not its encoding: smallint, int and an array's element are the same int.

Deliberately not here: the meaning of descriptors. Message sections belong to ``transpiler.message``, filters to
``transpiler.language.filters``; frames, performatives and connections to a client library.
"""
