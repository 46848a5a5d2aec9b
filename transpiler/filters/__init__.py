"""AMQP 1.0 filters as objects: what the kinds are, how a descriptor names them, and how they are read and written.

What a filter means is not here: ``reference.match`` says it for one message, ``lowering.filters`` in the typed core.
Exchange bindings are made of the same parts: words of a topic, pairs of headers.
"""
