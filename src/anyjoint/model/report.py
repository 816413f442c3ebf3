"""What was compiled, for people: programs, classes, kernels, operations, sizes."""

from __future__ import annotations

from typing import TYPE_CHECKING

from anyjoint.frozen import frozen

if TYPE_CHECKING:
    from .model import Model
    from .program import Program


@frozen
class ProgramReport:
    """One program: its form, kernels, operations of one state, numbers loaded, bytes of work memory."""

    quantity: str
    algorithm: str
    form: str
    kernels: int
    operations: int
    operations_per_body: float
    numbers: int
    work_bytes: int


@frozen
class Report:
    """A model's programs so far, its links, and how long its first compilation took."""

    name: str
    bodies: int
    links: int
    coordinates: int
    joint_kinds: tuple[str, ...]
    algorithm: str
    compile_seconds: float
    programs: tuple[ProgramReport, ...]

    def __str__(self) -> str:
        head = (
            f"{self.name}: {self.bodies} bodies in {self.links} moving links, {self.coordinates} coordinates\n"
            f"joints: {', '.join(self.joint_kinds)}\n"
            f"forward dynamics: {self.algorithm}; compiled in {self.compile_seconds:.3f} s\n"
        )
        rows = [("quantity", "algorithm", "form", "kernels", "operations", "per body", "numbers", "work bytes")]
        rows += [
            (
                p.quantity,
                p.algorithm,
                p.form,
                str(p.kernels),
                str(p.operations),
                f"{p.operations_per_body:.0f}",
                str(p.numbers),
                str(p.work_bytes),
            )
            for p in self.programs
        ]
        widths = [max(len(row[k]) for row in rows) for k in range(len(rows[0]))]
        lines = ["  ".join(cell.ljust(w) for cell, w in zip(row, widths, strict=True)).rstrip() for row in rows]
        return head + "\n".join(lines)


def make_report(model: Model) -> Report:
    """The report of a model."""
    links = model.plan.links
    programs = tuple(_program(quantity, p, max(len(links), 1)) for quantity, p in model.programs.items())
    kinds = tuple(dict.fromkeys(type(body.joint).__name__ for body in model.mechanism.bodies))
    return Report(
        model.mechanism.name, model.nb, len(links), model.nq, kinds, model.formulation, model.compile_seconds, programs
    )


def _program(quantity: str, program: Program, links: int) -> ProgramReport:
    total = program.op_count().total
    work = program.trace.schedule.work * program.dtype.itemsize
    return ProgramReport(
        quantity,
        program.trace.algorithm,
        program.trace.form,
        len(program.trace.schedule.kernels),
        total,
        total / links,
        len(program.numbers) - 1,
        work,
    )
