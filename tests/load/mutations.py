"""Texts of models, broken at random: bytes, numbers, names, whole lines; the same every time."""

import random
import re

WORDS = [
    b"", b"0", b"-1", b"1e999", b"nan", b"inf", b"1 2", b"x" * 300, b"\xff", b"<", b">",
    b'"', b"{", b"[", b"/..", b"\x00", b"ground",
]  # fmt: skip


def mutated(seed: bytes, number: int) -> bytes:
    """The seed with one to four mistakes in it."""
    chance = random.Random(number)
    data = seed
    for _ in range(chance.randint(1, 4)):
        data = chance.choice(KINDS)(data, chance)
    return data


def _bytes(data, chance):
    at = chance.randrange(len(data) + 1)
    return data[:at] + chance.choice(WORDS) + data[at + chance.randint(0, 3) :]


def _value(data, chance):
    """What stands between quotes or tags becomes something else."""
    found = list(re.finditer(rb'"([^"]*)"|>([^<]+)<|: *([-\d.]+)', data))
    if not found:
        return data
    one = chance.choice(found)
    group = next(k for k in (1, 2, 3) if one[k] is not None)
    other = chance.choice(found)
    new = chance.choice([*WORDS, next(x for x in other.groups() if x is not None)])
    return data[: one.start(group)] + new + data[one.end(group) :]


def _line(data, chance):
    """A line is lost, doubled, or moved."""
    lines = data.split(b"\n")
    k = chance.randrange(len(lines))
    line = lines.pop(k) if chance.random() < 0.6 else lines[k]
    if chance.random() < 0.6:
        lines.insert(chance.randrange(len(lines) + 1), line)
    return b"\n".join(lines)


def _cut(data, chance):
    return data[: chance.randrange(len(data) + 1)]


KINDS = (_bytes, _value, _value, _value, _line, _cut)
