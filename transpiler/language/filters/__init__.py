"""AMQP 1.0 filters as objects: what the kinds are, how a descriptor names them, and how they are read and written.

The method ``condition`` of a kind of filter says what it asks of a message (``language.conditions``).
Exchange bindings are made of the same parts: words of a topic, pairs of headers.
"""
