"""What a model is used for, by folders that stand above it: runs, pages, code to take away.

They are imported when they are asked for, so that a model alone is quick to have.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from anyjoint.options import named_options
from anyjoint.scalar.array import ArrayLike

from .modes import ALONE
from .parameter_rows import Given
from .part import Part, WhichBody

if TYPE_CHECKING:
    from anyjoint.forces.force import Force
    from anyjoint.simulate import Trajectory
    from anyjoint.simulate.drive import Torques
    from anyjoint.simulate.events import Events
    from anyjoint.simulate.hard_stop import Restitution
    from anyjoint.simulate.progress import Telling
    from anyjoint.simulate.stabilise import Stabilise


class Uses(Part):
    """The part of Model that hands it on."""

    @named_options
    def simulate(
        self, q0: ArrayLike | None = None, v0: ArrayLike | None = None, duration: float = 10.0, dt: float = 1e-3,
        method: str = "rk4", *, rtol: float = 1e-8, atol: float = 1e-10, tau: Torques = None,
        forces: Sequence[Force] = (), events: Events = (), save_every: int | None = None, progress: Telling = None,
        threads: int = 1, limits: bool | str = True, restitution: Restitution = None, hold: int | None = None,
        stabilise: Stabilise = "project", parameters: Given | None = None, gradient: bool = False,
        memory: int = 1 << 30,
    ) -> Trajectory:  # fmt: skip
        """Integrate the motion from (q0, v0); without them from the mechanism's own start.

        The `method` "rk4" or "semi-implicit-euler" takes steps of `dt` seconds, as do "implicit-euler", "bdf1", "bdf2"
        and "implicit-midpoint", for stiff mechanisms, and "time-stepping", for contacts and dry friction; "auto"
        chooses. "dopri5" and the stiff "adaptive-bdf2" choose their steps by `rtol` and `atol`, and `dt` is the
        distance of samples. `tau` are generalized forces: a row, values over time, or a
        function tau(t, q, v), asked at every stage or, with `hold=k`, every k steps; `forces` are springs, wrenches and
        servos of `anyjoint.forces`; `events` are functions of (t, q, v) or `aj.Event`s. Limits that joints declare hold
        unless `limits` is False: by stops that push back or, with limits="impact", by impacts whose `restitution` is
        from 0 to 1, one number or some by name. `stabilise` keeps the motion on constraints: "project" after every
        step, ("baumgarte", a, b), or None. Every `save_every`-th step is kept (default all). `progress=True` shows a
        bar. Batches (batch, n) run on `threads`; `parameters` gives each state its own. With `gradient`, the trajectory
        can be differentiated (`traj.gradient`, `traj.tangent`) with states in at most `memory` bytes. Trouble ends the
        run early, with a status that says why.

        >>> traj = model.simulate([0.1], [0.0], duration=1.0, dt=1e-3)
        >>> traj.status.ok, len(traj.t)
        (True, 1001)
        """
        from anyjoint.simulate import simulate

        return simulate(
            self.whole, q0, v0, duration, dt, method, rtol=rtol, atol=atol, tau=tau, forces=forces, events=events,
            save_every=save_every, progress=progress, threads=threads, limits=limits, restitution=restitution,
            hold=hold, stabilise=stabilise, parameters=parameters, gradient=gradient, memory=memory,
        )  # fmt: skip

    @named_options
    def to_html(
        self, path: str | Path, *, live: bool = True, q0: ArrayLike | None = None, v0: ArrayLike | None = None,
        dt: float = 2e-3, method: str = "rk4", title: str | None = None, description: str = "",
        theme: str | None = None, lite: bool | None = None, autoplay: bool | None = None, forces: Sequence[Force] = (),
        limits: bool = True, rtol: float = 1e-8, atol: float = 1e-10,
    ) -> Path:  # fmt: skip
        """Write a page that runs the dynamics live in the browser, or with live=False one that shows the start pose.

        The page starts at (q0, v0), else at the mechanism's own start, and steps by `dt` seconds and `method`, any of
        `simulate`; those that choose their steps do so by `rtol` and `atol`, and are shown every `dt` seconds. `theme`
        is "light" or "dark" (default: as the system), `lite` leaves effects out that slow graphics cannot draw;
        `autoplay=False` waits for the play button, as pages of loaded robots do that nothing keeps from falling;
        `forces` are those of `anyjoint.forces`, with fixed numbers. Limits that joints declare hold as in `simulate`,
        unless `limits` is False. What has coordinates without inertia is posed by sliders, and does not move.
        """
        looks: dict[str, Any] = {"title": title, "description": description, "theme": theme, "lite": lite}
        looks["autoplay"] = autoplay
        if not live and self.whole.is_regular:
            return self.simulate(q0, v0, duration=0.0, limits=limits).to_html(path, **looks)
        self.whole.refuse_modes("to_html", "simulate, then traj.to_html(path)")
        from anyjoint.view import model_page

        given: dict[str, Any] = {"method": method, "forces": forces, "limits": limits, "rtol": rtol, "atol": atol}
        return model_page(self.whole, path, q0, v0, dt, **given, **looks)

    @named_options
    def export(
        self, language: str, folder: str | Path, prefix: str | None = None, products: Sequence[str] = (),
        steps: Sequence[str] | None = None, prescribed: Sequence[WhichBody] = (), forces: Sequence[Force] = (),
    ) -> list[Path]:  # fmt: skip
        """Write code to take away into a folder: "c" (a package for C and C++), "js" or "latex".

        Names in the code begin with `prefix`, by default the mechanism's name, so that several models fit one program.
        `products` are derivatives to go with it: "vjp forward_dynamics", "jvp step", ... by all arguments, or by those
        and parameters that are named: "vjp forward_dynamics by q, gravity, rod/mass".
        `steps` are steppers beside `step`, which is rk4: ["bdf1", "time-stepping"] become step_bdf1, step_time_stepping
        (default: explicit ones). With bodies that are `prescribed`, hybrid_dynamics goes with it; with `forces`,
        applied_forces, the generalized forces of all of them, whose functions of time it is given as `signals`.

        >>> paths = model.export("c", "generated", prefix="pendulum")
        >>> sorted(path.name for path in paths)[:2]
        ['CMakeLists.txt', 'main.c']
        """
        self.whole.refuse_modes("export", ALONE)
        from anyjoint.export import PLAIN, Beside, export

        beside = Beside(products, PLAIN if steps is None else steps, prescribed, forces)
        return export(self.whole, language, folder, prefix, beside)

    def source(self, language: str, quantity: str = "forward_dynamics") -> str:
        """Generated source of a quantity: "c", "js" or "llvm"; or "latex": the mechanism's equations, to read."""
        if language == "latex":
            from anyjoint.export.latex import document

            return document(self.workshop)
        return str(self.whole.program(quantity).code.source(language))
