"""Sample messages at which conditions are told apart.

The idea: a test of one name answers by the type of a value and by where the value stands to the test's constants. So
finitely many values of each place of a message, chosen by the constants, have every answer that a test can give.

Invariants: the same condition has the same samples in every run; the likeliest values come first, and a sample that few
people have is marked as rare.

Deliberately not here: what the samples are for. ``port`` accepts a rewriting by them.

In reading order: ``places``, ``constants``, ``sample_messages``.
"""
