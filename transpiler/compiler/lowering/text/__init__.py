"""Tests and functions of texts: LIKE in ``text_tests``, and the functions of ActiveMQ in ``functions``."""
