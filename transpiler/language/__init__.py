"""The languages that brokers filter by: selectors, filters, XPath and XQuery, and names from one to another.

Text and descriptors become trees here, with the place of each part; what a tree means is said by ``reference`` on one
message and by ``compiler`` in SQL.

In reading order: ``selector``, ``translation``, ``filters``, ``path_expressions``.
"""
