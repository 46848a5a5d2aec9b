"""Tests and functions of texts: LIKE, the functions of ActiveMQ, and values as Java writes them.

In reading order: ``java_text``, ``text_tests``, ``functions``.
"""
