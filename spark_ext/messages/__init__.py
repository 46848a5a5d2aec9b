"""Messages as DataFrames: the canonical schema, layouts from schemas, and readers of the files that brokers write.

In reading order: ``schemas``, ``message_lines``, ``message_values``, ``traces``, ``readers``, ``plain_rows`` (rows as
plain Python values), ``generated_methods``.
"""
