"""Loaders under atheris, a fuzzer that looks for new ways through the code: `make fuzz`, or

    python tests/load/fuzz.py LOADER [options of libFuzzer, such as -max_total_time=60]

Whatever a file holds, it loads, or raises an AnyjointError that names it. Time and memory are capped; what is found
stays behind as a file crash-..., timeout-... or oom-..., and becomes a seed of test_fuzz.py when it is repaired.
"""

import sys
import tempfile
from pathlib import Path

import atheris

HERE = Path(__file__).resolve()
sys.path[:0] = [str(HERE.parents[1]), str(HERE.parents[2])]
NAMES = {"urdf": "robot.urdf", "mjcf": "model.xml", "osim": "gait.osim", "own": "hand.aj.json"}
MORE = {"urdf": {"base": "free"}, "mjcf": {"contacts": "all"}}
CAPS = ("-timeout=60", "-rss_limit_mb=3000", "-malloc_limit_mb=1000", "-max_len=60000")

with atheris.instrument_imports(include=["anyjoint.load"]):
    import anyjoint.load.mjcf
    import anyjoint.load.osim
    import anyjoint.load.own
    import anyjoint.load.urdf

import anyjoint as aj  # noqa: E402 (after those that are instrumented)
from anyjoint.load.report import ALLOWABLE  # noqa: E402
from load.mutations import mutated  # noqa: E402
from load.test_fuzz import SEEDS  # noqa: E402

# Files of odd length are let pass what may be let pass, so that more of a loader runs.
LENIENT = {"allow": set(ALLOWABLE)}


def target(loader: str, folder: Path):
    """What is run on each text."""
    name = NAMES[loader]
    path, lenient = folder / name, LENIENT | MORE.get(loader, {})

    def load(data: bytes) -> None:
        path.write_bytes(data)
        try:
            aj.load(path, **lenient if len(data) % 2 else {})
        except aj.AnyjointError as error:
            assert name in str(error), f"the error does not name the file: {error}"  # noqa: PT017

    return load


def mutate(data: bytes, most: int, seed: int) -> bytes:
    """Bytes at random seldom make XML or JSON; half of the mistakes are such as people make."""
    return mutated(data, seed)[:most] if seed % 2 else atheris.Mutate(data, most)


def main(loader: str, *options: str) -> None:
    """Begin at the seeds of the tests, and go on until the options say stop."""
    with tempfile.TemporaryDirectory() as place:
        folder, seeds = Path(place), Path(place) / "seeds"
        seeds.mkdir()
        for k, (name, data) in enumerate(SEEDS.items()):
            if Path(name).suffixes[-1] == Path(NAMES[loader]).suffixes[-1]:
                (seeds / str(k)).write_bytes(data)
        arguments = [sys.argv[0], *CAPS, *options, str(seeds)]
        atheris.Setup(arguments, target(loader, folder), custom_mutator=mutate)
        atheris.Fuzz()


if __name__ == "__main__":
    if len(sys.argv) < 2 or sys.argv[1] not in NAMES:
        sys.exit(__doc__)
    main(*sys.argv[1:])
