"""Tests and functions of texts: LIKE in ``text_tests``, then ActiveMQ's in ``functions``."""
