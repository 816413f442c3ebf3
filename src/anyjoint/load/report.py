"""Problems of a file, all of them at once: errors, warnings that loading lives with, notes."""

from __future__ import annotations

from collections.abc import Collection, Iterable

from anyjoint.errors import InputError, ModelError
from anyjoint.mechanism.checks import Problem, report
from anyjoint.options import nearest

# What `allow` can let pass, and what happens then.
ALLOWABLE = {
    "encoding": "bytes that are no UTF-8 are read as Windows-1252",
    "inertia": "masses and tensors that no solid can have are kept as they are",
    "limit": "a joint whose lower limit is above the upper one moves freely",
    "locked": "coordinates that are locked move",
    "mimic": "joints that follow none that moves by one coordinate move on their own",
    "reference": "links that joints name, but that are not there, have no mass",
    "vector": "numbers that are too many are left out",
    "xacro": "elements of xacro are left out",
    "unsupported": "parts of the file that anyjoint has no counterpart for are left out",
}


class Report:
    """What is found while a file is read; problems stand in the order of the file."""

    def __init__(self, file: str, allow: Collection[str] = ()) -> None:
        self.file, self.allow = file, frozenset(allow)
        self._found: dict[str, list[tuple[int, Problem]]] = {"error": [], "warning": [], "note": []}

    def error(self, line: int, rule: str, message: str) -> None:
        """Something that makes the file unusable."""
        self._add("error", line, rule, message)

    def warn(self, line: int, rule: str, message: str) -> None:
        """Something that the user should know."""
        self._add("warning", line, rule, message)

    def note(self, line: int, rule: str, message: str) -> None:
        """A part of the file that nothing here needs."""
        self._add("note", line, rule, message)

    def refuse(self, line: int, rule: str, message: str) -> None:
        """An error, or a warning where the user allows it."""
        if rule in self.allow:
            self.warn(line, rule, f"{message}; allowed: {ALLOWABLE[rule]}")
        else:
            self.error(line, rule, f'{message}; allow={{"{rule}"}} lets it pass: {ALLOWABLE[rule]}')

    def _add(self, kind: str, line: int, rule: str, message: str) -> None:
        where = f"{self.file}:{line}" if line else self.file
        self._found[kind].append((line, Problem(rule, where, message)))

    def _sorted(self, kind: str) -> tuple[Problem, ...]:
        return tuple(problem for _, problem in sorted(self._found[kind], key=lambda item: item[0]))

    @property
    def errors(self) -> tuple[Problem, ...]:
        return self._sorted("error")

    @property
    def warnings(self) -> tuple[Problem, ...]:
        return self._sorted("warning")

    @property
    def notes(self) -> tuple[Problem, ...]:
        return self._sorted("note")

    def check(self) -> None:
        """Raise a ModelError that lists all errors, if there are any."""
        if self.errors:
            raise ModelError(report(self.file, self.errors))


def checked_allow(allow: str | Iterable[str]) -> frozenset[str]:
    """The rules to let pass, each known."""
    if not isinstance(allow, Iterable):
        raise InputError(f"load: allow={allow!r}; expected rules such as {{'inertia'}}")
    wanted = frozenset([allow] if isinstance(allow, str) else allow)
    for rule in sorted(wanted, key=str):
        if rule not in ALLOWABLE:
            raise InputError(f"load: allow={rule!r} is no rule that can be let pass{nearest(rule, ALLOWABLE)}")
    return wanted
