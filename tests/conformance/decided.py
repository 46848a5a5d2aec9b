"""Where the default dialect parts from four agreeing brokers, and the row of its decisions that says so.

Rows: 4 unlike types are FALSE, and NOT of that TRUE; 6 integer arithmetic has 64 bits and overflows to unknown;
10 NaN by IEEE 754; 11 only numbers have an order; 14 LIKE takes an identifier, and no pattern ends in its escape;
20 arithmetic with a boolean literal is an error.
"""

from __future__ import annotations

#: Selectors of the probes and suites that are refused: the row, and the code of the error.
REFUSED: dict[str, tuple[int, str]] = {
    "+TRUE": (20, "type.not-a-condition"),
    "'abc' LIKE 'a%'": (14, "type.not-a-name"),
    "esc LIKE 'a!b!' ESCAPE '!'": (14, "syntax.pattern"),
    "'_%%_hello.th_re%' LIKE 'z_%.%z_%z%' escape 'z'": (14, "type.not-a-name"),
    "'{}[]<>,.!\"$%^&*()_-+=?/|\\' LIKE '{}[]<>,.!\"$z%^&*()z_-+=?/|\\' escape 'z'": (14, "type.not-a-name"),
    "id LIKE 'pattern*' ESCAPE '*'": (14, "syntax.pattern"),
    "id LIKE '_pattern*' ESCAPE '*'": (14, "syntax.pattern"),
}

#: Selectors of the probes and suites that have another verdict.
SINGLE: dict[str, int] = {
    "lmax + 1 > 0": 6,
    "lmax + 1 < 0": 6,
    "-lmin = lmin": 6,
}

#: Selectors of the random sets: the row, and the messages by their index.
RANDOM: dict[tuple[str, str], dict[int, tuple[int, ...]]] = {
    ("random_full.jsonl.gz", "1 >= (weight * 9223372036854775807)"): {6: (3, 36, 40, 45)},
    ("random_full.jsonl.gz", "missing NOT IN ('true', '5', 'été') and y NOT between 0.5 AND 2500"): {10: (47,)},
    ("random_full.jsonl.gz", "z NOT IN ('a%b') OR x"): {4: (0, 2, 3, 4, 5, 6, 15, 22, 25, 28, 29, 43, 50, 52)},
    ("random_full.jsonl.gz", "0.1 < n AND n <> 5. and x NOT BETWEEN 5.0 AND 5.0"): {10: (38,)},
    ("random_full.jsonl.gz", "x <> (z + weight)"): {6: (40,)},
    ("random_full.jsonl.gz", "JMSType NOT BETWEEN -1 AND z"): {11: (1, 11, 35, 46, 51)},
    ("random_full.jsonl.gz", "z <= s or y NOT BETWEEN 0 AND -2.5"): {11: (10,), 10: (47,)},
    ("random_full.jsonl.gz", "z not BETWEEN flag AND color"): {11: (5, 12, 13, 16, 36, 43)},
    ("random_full.jsonl.gz", "y NOT BETWEEN 1E1 AND 0x5"): {10: (47,)},
    ("random_full.jsonl.gz", "x NOT BETWEEN 16777217 AND s"): {11: (30,)},
    ("random_full.jsonl.gz", "n >= (100 + z)"): {6: (2, 15, 40)},
    ("random_full.jsonl.gz", "color NOT BETWEEN flag AND x and s <> 5"): {11: (7,)},
    ("random_full.jsonl.gz", "weight not in ('a', 'true') OR JMSType LIKE 'a!_b' ESCAPE '!'"): {
        4: (2, 8, 12, 18, 19, 21, 26, 29, 31, 32, 37, 38, 39, 45, 49, 59)
    },
    ("random_full.jsonl.gz", "x NOT BETWEEN 5L AND 5L"): {10: (38,)},
    ("random_full.jsonl.gz", "z like 'a!!b' ESCAPE '!' OR color IN ('été', '5')"): {
        4: (0, 2, 3, 13, 34, 38, 52, 57, 58)
    },
    ("random_full.jsonl.gz", "weight <> 5L AND s LIKE '%' OR n IN ('a\\b') AND n <= 0.1"): {4: (16, 28)},
    (
        "random_full.jsonl.gz",
        "NOT (weight = x) and weight <> 'eu-west' AND n not LIKE 'a!_b' ESCAPE '!' OR y not between -1 AND 0x5",
    ): {4: (3, 6, 15, 18, 39, 47, 52, 54, 58)},
    ("random_full.jsonl.gz", "y NOT BETWEEN 9223372036854775807 AND -2.5 or y < 7"): {10: (47,)},
    ("random_full.jsonl.gz", "(1E1 - flag) + 7 + 100 >= (9223372036854775807 + 16777217)"): {
        6: (4, 7, 11, 19, 25, 26, 30, 39, 51, 54, 55, 57)
    },
    ("random_full.jsonl.gz", "missing in ('a\\b', '😀') OR flag NOT in ('order')"): {
        4: (
            0,
            1,
            4,
            5,
            6,
            7,
            8,
            9,
            10,
            11,
            12,
            13,
            15,
            16,
            17,
            18,
            19,
            20,
            21,
            23,
            24,
            25,
            26,
            29,
            30,
            31,
            35,
            36,
            37,
            38,
            39,
            41,
            42,
            43,
            44,
            45,
            46,
            47,
            49,
            50,
            51,
            53,
            54,
            55,
            56,
            57,
            59,
        )
    },
    ("random_full.jsonl.gz", "n * z > weight"): {6: (2, 15, 40)},
    ("random_full.jsonl.gz", "-1 = (z + z)"): {6: (2, 15, 24, 40)},
    ("random_full.jsonl.gz", "color BETWEEN missing AND JMSCorrelationID AND (y + 5L) = 2147483648"): {11: (19, 45)},
    (
        "random_full.jsonl.gz",
        "z between color AND weight OR x and missing BETWEEN 2500 AND 0.1 OR x IN ('50%', ' ', 'été')",
    ): {4: (24, 48)},
    ("random_full.jsonl.gz", "y NOT between 1e10 AND 5.0"): {10: (47,)},
    ("random_full.jsonl.gz", "y not between +5 AND s"): {11: (15, 17, 23, 52, 59)},
    ("random_full.jsonl.gz", "x NOT BETWEEN 5L AND 0.5 OR x IS NULL"): {10: (38,)},
    ("random_simple.jsonl.gz", "s LIKE '50!%' ESCAPE '!' OR s IN ('it''s', '5.0')"): {
        4: (8, 13, 16, 19, 29, 33, 41, 54, 58)
    },
    ("random_simple.jsonl.gz", "NOT (y * 2147483648 + 2147483647 - -2.5 < -1)"): {6: (16,)},
    ("random_simple.jsonl.gz", "2.5 <> (n * 16777217)"): {6: (53,)},
    ("random_simple.jsonl.gz", "z NOT IN ('blue', 'ABC') OR y >= 9007199254740993"): {
        4: (1, 15, 17, 24, 41, 49, 56, 58, 59)
    },
    ("random_simple.jsonl.gz", "((y * 5 / 9223372036854775807) = s)"): {6: (16,)},
    ("random_simple.jsonl.gz", "5.0 + 8 = (5 + z)"): {6: (6, 17)},
    ("random_simple.jsonl.gz", "z NOT IN ('abc') OR s NOT IN ('50%', 'order')"): {4: (0, 6, 8, 19, 27, 29, 42, 44)},
    ("random_simple.jsonl.gz", "z LIKE '___' OR n IN ('a%b', '5') AND (2500 - z - weight) < x"): {
        4: (0, 1, 6, 16, 22, 24, 28, 32, 36, 37, 42, 46, 59)
    },
    ("random_simple.jsonl.gz", "s NOT IN ('a_b') AND NOT (z NOT IN ('été', 'a%b'))"): {4: (0, 6, 27, 42, 44)},
}
