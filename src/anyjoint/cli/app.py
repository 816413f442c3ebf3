"""The commands and their options; what each does lives in a file of its own, imported when it is called."""

from enum import StrEnum
from pathlib import Path
from typing import Annotated, Any

import typer

HELP = """Dynamics of mechanisms whose joints can be any function of their coordinates.

A MODEL is a gallery name (torus-chain), a file (robot.urdf), or a function of yours that returns a mechanism
(robot.py:build).
"""
EPILOG = "Start with: anyjoint list, then: anyjoint run torus-chain --html page.html"

app = typer.Typer(
    help=HELP, epilog=EPILOG, add_completion=False, rich_markup_mode="rich", pretty_exceptions_enable=False
)

Model = Annotated[
    str, typer.Argument(metavar="MODEL", help="Gallery name, file, or file.py:function.", show_default=False)
]
Json = Annotated[bool, typer.Option("--json", help="Print JSON for machines.")]
Set = Annotated[
    list[str] | None,
    typer.Option("--set", metavar="PARAM=VALUE", help="Set a parameter of the model's function; repeatable."),
]


Base = Annotated[
    str | None,
    typer.Option(help="How a loaded root stands: fixed, free or planar.", show_default="the file's, or fixed"),
]
Allow = Annotated[
    list[str] | None,
    typer.Option(metavar="RULE", help="Let problems of a file pass, by their rule, such as inertia; repeatable."),
]
Package = Annotated[
    list[str] | None,
    typer.Option(metavar="NAME=FOLDER", help="Where the files of package://NAME are; repeatable."),
]


def _load_options(
    base: str | None, allow: list[str] | None, package: list[str] | None, meshes: str | None = None,
    contacts: str | None = None,
) -> dict[str, Any]:  # fmt: skip
    """Options of `load` from the command line; those that were not given are left out."""
    from anyjoint.cli.output import UsageError

    packages = {}
    for given in package or []:
        name, equals, folder = given.partition("=")
        if not equals or not name:
            raise UsageError(f"--package {given}: expected NAME=FOLDER")
        packages[name] = folder
    options = {"base": base, "allow": set(allow or ()), "packages": packages, "meshes": meshes, "contacts": contacts}
    return {name: value for name, value in options.items() if value}


class Format(StrEnum):
    """What `export` can write."""

    c = "c"
    js = "js"
    html = "html"
    latex = "latex"
    own = "aj.json"


@app.callback(invoke_without_command=True)
def welcome(
    context: typer.Context,
    version: Annotated[bool, typer.Option("--version", help="Print the version.")] = False,
) -> None:
    """Suggest what to do when no command is given."""
    if version:
        from importlib.metadata import version as installed

        typer.echo(f"anyjoint {installed('anyjoint')}")
        raise typer.Exit
    if context.invoked_subcommand is None:
        from anyjoint.cli.welcome import suggest

        suggest()


@app.command("list")
def list_gallery(json: Json = False) -> None:
    """Show the gallery: every mechanism that comes with anyjoint."""
    from anyjoint.cli.listing import show

    show(json)


@app.command(epilog="Example: anyjoint run torus-chain --set n=10 --duration 5 --html page.html")
def run(
    model: Model,
    duration: Annotated[float | None, typer.Option(help="Seconds to simulate.", show_default="the model's")] = None,
    dt: Annotated[float | None, typer.Option(help="Step in seconds.", show_default="the model's")] = None,
    method: Annotated[
        str | None, typer.Option(help="rk4, dopri5, bdf2, ... or auto.", show_default="the model's, or rk4")
    ] = None,
    html: Annotated[Path | None, typer.Option(help="Write a self-contained page that plays the motion.")] = None,
    plot: Annotated[Path | None, typer.Option(help="Write a plot of the run (.png, .svg, .pdf).")] = None,
    save: Annotated[Path | None, typer.Option(help="Write the trajectory: .npz (to load again) or .csv.")] = None,
    settings: Set = None,
    base: Base = None,
    allow: Allow = None,
    package: Package = None,
    contacts: Annotated[
        str | None, typer.Option(help="What geoms of an MJCF touch: ground, or all.", show_default="nothing")
    ] = None,
    json: Json = False,
) -> None:
    """Compile a model, simulate it, and say how well that went."""
    from anyjoint.cli.running import Outputs, show
    from anyjoint.cli.target import resolve

    # Meshes are read where they will be seen.
    meshes = None if html else _skip(model)
    target = resolve(model, settings or [], _load_options(base, allow, package, meshes, contacts))
    show(target, duration, dt, method, Outputs(html, plot, save), json)


@app.command(epilog="Example: anyjoint info torus-chain --set n=20")
def info(
    model: Model,
    settings: Set = None,
    base: Base = None,
    allow: Allow = None,
    package: Package = None,
    json: Json = False,
) -> None:
    """Show bodies, joints, coordinates, operations, kernels and compile time."""
    from anyjoint.cli.information import show
    from anyjoint.cli.target import resolve

    show(resolve(model, settings or [], _load_options(base, allow, package, _skip(model))), json)


@app.command(epilog="Example: anyjoint check robot.py:build   (exit code 1 when something is wrong)")
def check(
    model: Model,
    settings: Set = None,
    base: Base = None,
    allow: Allow = None,
    package: Package = None,
    oracle: Annotated[
        str | None,
        typer.Option(metavar="ENGINE", help="Compile, too, and compare with pin, mujoco or opensim at random states."),
    ] = None,
    json: Json = False,
) -> None:
    """Look for mistakes in a model and report all of them at once; a file is read, its meshes too, and not compiled."""
    from anyjoint.cli.checking import show

    show(model, settings or [], json, _load_options(base, allow, package), oracle)


@app.command(epilog="Inside the repository, `make bench` also measures every installed peer.")
def bench(
    models: Annotated[
        list[str] | None,
        typer.Argument(metavar="MODEL", help="Models to measure.", show_default="three of the gallery"),
    ] = None,
    batch: Annotated[int, typer.Option(min=1, help="States per batch.")] = 4096,
    base: Base = None,
    allow: Allow = None,
    package: Package = None,
    json: Json = False,
) -> None:
    """Measure the dynamics of some models on this machine."""
    from anyjoint.cli.benchmark import show

    show(models or [], batch, json, _load_options(base, allow, package))


@app.command(epilog="Example: anyjoint export torus-chain --to c --out generated")
def export(
    model: Model,
    to: Annotated[
        Format,
        typer.Option(
            help="c, js: source code; html: a page with live physics; latex: equations; aj.json: the model as a file."
        ),
    ],
    out: Annotated[Path, typer.Option(help="Folder to write into, or one file such as page.html.")] = Path(),
    vary: Annotated[
        list[str] | None, typer.Option(metavar="NAME", help="c: a parameter that the code can set. Repeatable.")
    ] = None,
    settings: Set = None,
    base: Base = None,
    allow: Allow = None,
    package: Package = None,
    json: Json = False,
) -> None:
    """Write the generated code, a live page, the equations, or the model as a file of our own."""
    from anyjoint.cli.exporting import show
    from anyjoint.cli.target import resolve

    options = _load_options(base, allow, package, None if to in (Format.html, Format.own) else _skip(model))
    show(resolve(model, settings or [], options), to.value, out, json, vary or ())


@app.command(
    epilog="Example: anyjoint sweep double-pendulum --set 'upper 0/mass=uniform(1,2)' -n 10000 --measure final"
)
def sweep(
    model: Model,
    settings: Annotated[
        list[str] | None,
        typer.Option(
            "--set",
            metavar="NAME=DISTRIBUTION",
            help="Vary a parameter, q0, v0 or tau: uniform(1,2), normal(1,0.1), log_normal(1,0.1), choice([1,2]), "
            "grid([1,2,3]). A plain value is fixed, or a setting of the model's function. Repeatable.",
        ),
    ] = None,
    n: Annotated[int | None, typer.Option("-n", help="How many runs; grids know it by themselves.")] = None,
    measure: Annotated[
        list[str] | None,
        typer.Option(help="final, extremes, energy_drift or trajectory; repeatable.", show_default="final"),
    ] = None,
    seed: Annotated[int, typer.Option(help="What is drawn depends on it and on the number of the run.")] = 0,
    design: Annotated[str, typer.Option(help="random, latin-hypercube or sobol.")] = "random",
    duration: Annotated[float | None, typer.Option(help="Seconds of a run.", show_default="the model's")] = None,
    dt: Annotated[float | None, typer.Option(help="Step in seconds.", show_default="the model's")] = None,
    method: Annotated[
        str | None, typer.Option(help="semi-implicit-euler, rk4 or dopri5.", show_default="the model's, or rk4")
    ] = None,
    store: Annotated[
        Path | None, typer.Option(help="Keep all chunks in a folder or in NAME.zarr; a rerun goes on where it stopped.")
    ] = None,
    cluster: Annotated[str | None, typer.Option(metavar="ADDRESS", help="A Dask scheduler, tcp://...")] = None,
    plot: Annotated[Path | None, typer.Option(help="Write an overview (.png, .svg, .pdf).")] = None,
    csv: Annotated[Path | None, typer.Option(help="Write all rows as a table.")] = None,
    base: Base = None,
    allow: Allow = None,
    package: Package = None,
    json: Json = False,
) -> None:
    """Run a model many times with other parameters, initial states and inputs, and say what comes of it."""
    from anyjoint.cli.sweeping import SweepOptions, show, split_settings
    from anyjoint.cli.target import resolve

    space, fixed, others = split_settings(settings or [])
    target = resolve(model, others, _load_options(base, allow, package, _skip(model)))
    plan = SweepOptions(n, measure or [], seed, design, store, cluster, plot, csv)
    show(target, space, fixed, plan, {"duration": duration, "dt": dt, "method": method}, json)


def _skip(model: str) -> str | None:
    """Meshes that nobody will see are not read."""
    from anyjoint.cli.target import is_file

    return "skip" if is_file(model) else None
