"""The languages of brokers' filters: selectors, AMQP filters, XPath and XQuery, and the translation of header names.

This package parses text and descriptors into trees whose nodes have their positions in the text. ``reference``
evaluates a tree for one message, and ``compiler`` translates it to SQL.

In reading order: ``selector``, ``translation``, ``filters``, ``path_expressions``.
"""
