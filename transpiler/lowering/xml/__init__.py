"""XPath over a body: the subset that Spark evaluates as the broker does, and the limits of its documents.

In reading order: ``xpath_subset``, ``xpath_limits``, ``body_queries``.
"""
