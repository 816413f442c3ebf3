"""Derivatives of what a model answers, times vectors: along directions, of weighted sums, and of second order."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from anyjoint.options import named_options
from anyjoint.scalar.array import ArrayLike, Floats

from .part import Part


class ProductQuestions(Part):
    """The part of Model that differentiates."""

    @named_options
    def jvp(
        self, quantity: str, point: Sequence[ArrayLike], direction: Sequence[object] | Mapping[str, object], *,
        raw: bool = False, threads: int = 1,
    ) -> tuple[Any, Any]:  # fmt: skip
        """A quantity at a point, and its derivative along a direction.

        `point` are the quantity's arguments; `direction` their changes in the same order (None: none), or changes by
        name, of parameters, too. Changes of coordinates are as velocities see them, q(d) = q + T(q) d where
        dq/dt = T(q) v; with raw=True they are of coordinates themselves. One state or a batch.

        >>> y, dy = model.jvp("forward_dynamics", ([0.1], [0.0], [0.0]), {"q": [1.0]})
        >>> bool(abs(dy[0] + 9.81 * np.cos(0.1)) < 1e-12)
        True
        """
        from .asked_product import asked_jvp  # imported when something is differentiated

        return asked_jvp(self.whole, quantity, point, direction, raw, threads)

    @named_options
    def vjp(
        self, quantity: str, point: Sequence[ArrayLike], weights: Any, *, wrt: Sequence[str] | None = None,
        raw: bool = False, threads: int = 1,
    ) -> tuple[Any, dict[str, Floats]]:  # fmt: skip
        """A quantity at a point, and the gradient of the sum of weights times its entries, by name.

        `wrt` are names of the quantity's arguments (default all of them) and of parameters: "rod/mass", "gravity",
        "wheel/joint/R". The gradient by q is by changes as velocities see them, or with raw=True by coordinates; that
        by a placement K is by the twist xi of K exp(xi), angular part first. In a batch every state has its gradient.

        >>> y, gradient = model.vjp("forward_dynamics", ([0.1], [0.0], [0.0]), [1.0], wrt=("q", "gravity"))
        >>> bool(abs(gradient["q"][0] + 9.81 * np.cos(0.1)) < 1e-12), gradient["gravity"].shape
        (True, (3,))
        """
        from .asked_product import asked_vjp  # imported when something is differentiated

        return asked_vjp(self.whole, quantity, point, weights, wrt, raw, threads)

    @named_options
    def hvp(
        self, quantity: str, point: Sequence[ArrayLike], weights: Any,
        direction: Sequence[object] | Mapping[str, object], *, wrt: Sequence[str] | None = None, raw: bool = False,
        threads: int = 1,
    ) -> dict[str, Floats]:  # fmt: skip
        """The derivative of the gradient that `vjp` gives, along a direction: second derivatives times a vector.

        `wrt` are the names whose gradient is meant, and by default those of the direction and all arguments. What
        velocities see of coordinates is seen from the point (T(q) is held): second derivatives are symmetric.

        >>> h = model.hvp("forward_dynamics", ([0.1], [0.0], [0.0]), [1.0], {"q": [1.0]})
        >>> bool(abs(h["q"][0] - 9.81 * np.sin(0.1)) < 1e-12)
        True
        """
        from .asked_product import asked_hvp  # imported when something is differentiated

        return asked_hvp(self.whole, quantity, point, weights, direction, wrt, raw, threads)
