"""AMQP 1.0 filters as objects: what the kinds are, how a descriptor names them, and how they are read and written.

The meaning of a filter is not here: ``reference.match`` evaluates it on one message, ``lowering.filters`` compiles it.
Exchange bindings are made of the same parts: words of a topic, pairs of headers.
"""
