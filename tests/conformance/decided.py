"""Cases where the default dialect deviates from four agreeing brokers, by the row of the dialect's decisions.

Rows: 4 unlike types are FALSE, and NOT of that TRUE, two literals of unlike types are an error, and LIKE and IN on a
non-string are unknown; 6 integer arithmetic has 64 bits and overflows to unknown; 10 NaN by IEEE 754; 11 only numbers
have an order; 14 LIKE requires an identifier, and no pattern ends in its escape; 20 a sign before a non-number is
arithmetic, so it is unknown, and with a boolean literal an error; 21a IS NULL requires an identifier.
"""

from __future__ import annotations

#: Selectors of the probes and suites that the dialect rejects: the row, and the code of the error.
REFUSED: dict[str, tuple[int | str, str]] = {
    "'Daft' is not null": ("21a", "type.not-a-name"),
    "'a' = 1": (4, "type.unlike"),
    "'a' = TRUE": (4, "type.unlike"),
    "'a' IS NOT NULL": ("21a", "type.not-a-name"),
    "'boo!' is null": ("21a", "type.not-a-name"),
    "'hello' = 19.0": (4, "type.unlike"),
    "(14 BETWEEN 11 and A) IS NULL": ("21a", "type.not-a-name"),
    "(14 BETWEEN A and 17) IS NULL": ("21a", "type.not-a-name"),
    "(14 NOT BETWEEN 11 and A) IS NULL": ("21a", "type.not-a-name"),
    "(A BETWEEN 40 and C) IS NULL": ("21a", "type.not-a-name"),
    "(A BETWEEN C and 45) IS NULL": ("21a", "type.not-a-name"),
    "(i = 5) IS NULL": ("21a", "type.not-a-name"),
    "0.0/0.0 IS NULL": ("21a", "type.not-a-name"),
    "13 is not null": ("21a", "type.not-a-name"),
    "42 is null": ("21a", "type.not-a-name"),
    "5 IS NULL": ("21a", "type.not-a-name"),
    "TRUE IS NOT NULL": ("21a", "type.not-a-name"),
    "i + 1 IS NOT NULL": ("21a", "type.not-a-name"),
    "i + missing IS NULL": ("21a", "type.not-a-name"),
    "missing + 1 IS NULL": ("21a", "type.not-a-name"),
    "s + missing IS NULL": ("21a", "type.not-a-name"),
    "+T": (20, "type.not-a-condition"),
    "1 = TRUE": (4, "type.unlike"),
    "+TRUE": (20, "type.not-a-condition"),
    "'abc' LIKE 'a%'": (14, "type.not-a-name"),
    "esc LIKE 'a!b!' ESCAPE '!'": (14, "syntax.pattern"),
    "'_%%_hello.th_re%' LIKE 'z_%.%z_%z%' escape 'z'": (14, "type.not-a-name"),
    "'{}[]<>,.!\"$%^&*()_-+=?/|\\' LIKE '{}[]<>,.!\"$z%^&*()z_-+=?/|\\' escape 'z'": (14, "type.not-a-name"),
    "id LIKE 'pattern*' ESCAPE '*'": (14, "syntax.pattern"),
    "id LIKE '_pattern*' ESCAPE '*'": (14, "syntax.pattern"),
}

#: Selectors of the probes and suites with another result than the brokers': the row.
SINGLE: dict[str, int] = {
    "lmax + 1 > 0": 6,
    "lmax + 1 < 0": 6,
    "-lmin = lmin": 6,
    "invalid_utf8 LIKE '_a'": 4,
    "invalid_utf8 LIKE '%a'": 4,
    "+s = 'abc'": 20,
    "+city = 'London'": 20,
}

#: Selectors of the random sets with another result: for each row, the indexes of the messages.
RANDOM: dict[tuple[str, str], dict[int, tuple[int, ...]]] = {
    ("random_full.jsonl.gz", "1 >= (weight * 9223372036854775807)"): {6: (3, 36, 40, 45)},
    ("random_full.jsonl.gz", "missing NOT IN ('true', '5', 'été') and y NOT between 0.5 AND 2500"): {10: (47,)},
    ("random_full.jsonl.gz", "0.1 < n AND n <> 5. and x NOT BETWEEN 5.0 AND 5.0"): {10: (38,)},
    ("random_full.jsonl.gz", "x <> (z + weight)"): {6: (40,)},
    ("random_full.jsonl.gz", "JMSType NOT BETWEEN -1 AND z"): {11: (1, 11, 35, 46, 51)},
    ("random_full.jsonl.gz", "z <= s or y NOT BETWEEN 0 AND -2.5"): {11: (10,), 10: (47,)},
    ("random_full.jsonl.gz", "z not BETWEEN flag AND color"): {11: (5, 12, 13, 16, 36, 43)},
    ("random_full.jsonl.gz", "y NOT BETWEEN 1E1 AND 0x5"): {10: (47,)},
    ("random_full.jsonl.gz", "x NOT BETWEEN 16777217 AND s"): {11: (30,)},
    ("random_full.jsonl.gz", "n >= (100 + z)"): {6: (2, 15, 40)},
    ("random_full.jsonl.gz", "color NOT BETWEEN flag AND x and s <> 5"): {11: (7,)},
    ("random_full.jsonl.gz", "x NOT BETWEEN 5L AND 5L"): {10: (38,)},
    (
        "random_full.jsonl.gz",
        "NOT (weight = x) and weight <> 'eu-west' AND n not LIKE 'a!_b' ESCAPE '!' OR y not between -1 AND 0x5",
    ): {4: (3, 6, 15, 18, 23, 39, 47, 52, 54, 58)},
    ("random_full.jsonl.gz", "y NOT BETWEEN 9223372036854775807 AND -2.5 or y < 7"): {10: (47,)},
    ("random_full.jsonl.gz", "(1E1 - flag) + 7 + 100 >= (9223372036854775807 + 16777217)"): {
        6: (4, 7, 11, 19, 25, 26, 30, 39, 51, 54, 55, 57)
    },
    ("random_full.jsonl.gz", "n * z > weight"): {6: (2, 15, 40)},
    ("random_full.jsonl.gz", "-1 = (z + z)"): {6: (2, 15, 24, 40)},
    ("random_full.jsonl.gz", "color BETWEEN missing AND JMSCorrelationID AND (y + 5L) = 2147483648"): {11: (19, 45)},
    ("random_full.jsonl.gz", "y NOT between 1e10 AND 5.0"): {10: (47,)},
    ("random_full.jsonl.gz", "y not between +5 AND s"): {11: (15, 17, 23, 52, 59)},
    ("random_full.jsonl.gz", "x NOT BETWEEN 5L AND 0.5 OR x IS NULL"): {10: (38,)},
    ("random_simple.jsonl.gz", "NOT (y * 2147483648 + 2147483647 - -2.5 < -1)"): {6: (16,)},
    ("random_simple.jsonl.gz", "2.5 <> (n * 16777217)"): {6: (53,)},
    ("random_simple.jsonl.gz", "((y * 5 / 9223372036854775807) = s)"): {6: (16,)},
    ("random_simple.jsonl.gz", "5.0 + 8 = (5 + z)"): {6: (6, 17)},
    ("random_full.jsonl.gz", "x LIKE 'x%y' AND flag in ('true', 'true') AND flag like 'a_c'"): {
        4: (8, 9, 12, 13, 16, 17, 20, 23, 24, 26, 31, 35, 37, 38, 39, 41, 42, 44, 45, 46, 47, 51, 53, 54, 57, 59)
    },
    ("random_full.jsonl.gz", "x and s IN ('a_b', 'abc', '5.0')"): {4: (7, 16, 18, 53, 57)},
}
