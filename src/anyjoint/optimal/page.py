"""One page with the motions of the iterations of a search, and a slider that chooses."""

from __future__ import annotations

from collections.abc import Callable, Generator, Iterable, Mapping, Sequence
from contextlib import closing
from pathlib import Path
from typing import Any

import numpy as np

from anyjoint.errors import InputError
from anyjoint.simulate.trajectory import Trajectory

Runs = Callable[[Iterable[Mapping[str, Any]]], Generator[Trajectory, None, None]]


def iterations_page(
    history: Sequence[tuple[float, Mapping[str, object]]], runs: Runs, path: str | Path, most: Any, **options: Any
) -> Path:
    """Write the page; `history` has a number and the values of every iteration, of which at most `most` are shown."""
    from anyjoint.view import variants_page  # which stands above

    if isinstance(most, bool) or not isinstance(most, (int, np.integer)) or most < 1:
        raise InputError(f"to_html: most={most!r}; expected a whole number of iterations, at least 1")
    last = len(history) - 1
    kept = np.unique(np.linspace(last if most == 1 else 0, last, min(most, last + 1)).round().astype(int))
    with closing(runs([history[k][1] for k in kept])) as motions:
        shown = ((f"{k} of {last}", history[k][0], traj) for k, traj in zip(kept, motions, strict=False))
        page = variants_page(shown, path, count=len(kept), **options)
    return page
