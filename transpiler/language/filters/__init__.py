"""AMQP 1.0 filters as objects: the kinds of filters, their descriptors, and their decoding and encoding.

The method ``condition`` of each kind returns the test that the filter applies to a message (``language.conditions``).
Exchange bindings use the same tests, such as topic words and header pairs.
"""
