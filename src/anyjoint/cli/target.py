"""What a MODEL argument means: a gallery name, a model file, or `file.py:function`."""

from __future__ import annotations

import ast
import difflib
import importlib.util
import inspect
import math
import sys
import traceback
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from types import ModuleType
from typing import TYPE_CHECKING, Any

from anyjoint.cli import gallery
from anyjoint.cli.output import UsageError, warn
from anyjoint.errors import AnyjointError, InputError, ModelError
from anyjoint.frozen import frozen

if TYPE_CHECKING:
    from anyjoint.mechanism import Mechanism
    from anyjoint.model import Model

# Names of files that are models; what they are is told by their content. Any other file is told by a slash.
SUFFIXES = (".urdf", ".xml", ".mjcf", ".osim", ".json")


@frozen
class Target:
    """A mechanism with the run that its author suggests."""

    name: str
    mechanism: Mechanism
    module: ModuleType | None = None

    @property
    def duration(self) -> float:
        """Seconds to simulate unless the user says otherwise."""
        return float(getattr(self.module, "DURATION", 10.0))

    @property
    def dt(self) -> float:
        """Step in seconds unless the user says otherwise."""
        return float(getattr(self.module, "DT", self._settings.get("dt", 1e-3)))

    @property
    def method(self) -> str:
        """Stepper unless the user says otherwise."""
        return str(getattr(self.module, "METHOD", self._settings.get("method", "rk4")))

    @property
    def acting(self) -> list[Any]:
        """The forces that act: those that `acting()` of a script returns, or those of a file that need no control."""
        own = getattr(self.module, "acting", None)
        source = getattr(self.mechanism, "source", None)
        return list(own()) if own is not None else list(source.forces if source is not None else ())

    @property
    def _settings(self) -> Mapping[str, Any]:
        """What a loaded file says of runs."""
        source = getattr(self.mechanism, "source", None)
        return source.settings if source is not None else {}

    def start(self, model: Model) -> tuple[Any, Any]:
        """Initial (q, v): from `start(model)`, `START` or the mechanism; else at rest where all joints are regular.

        A file that starts off its constraints begins where they hold, near to that.
        """
        import numpy as np

        from anyjoint.simulate.stabilise import off_constraints

        own = getattr(self.module, "start", None)
        if own is not None:
            given = own(model)
        else:
            given = getattr(self.module, "START", None) or self.mechanism.start or {}
        if not isinstance(given, Mapping):
            given = dict(zip(("q", "v"), given, strict=True))
        q, v = given.get("q", self.mechanism.neutral), given.get("v", np.zeros(model.nv))
        q, v = np.asarray(q, dtype=float), np.asarray(v, dtype=float)
        if self.module is None and (worst := off_constraints(model, q[None], v[None])):
            warn(f"{self.name} starts off its constraints: {worst}; it begins at model.assemble()")
            q, v = model.assemble(q, v)
        return q, v


def is_file(argument: str) -> bool:
    """Whether a MODEL argument is a file to load, and no script and no name of the gallery."""
    path = Path(argument)
    there = path.is_file() or ("/" in argument and path.exists())  # a folder is no model, which loading says
    return argument.lower().endswith(SUFFIXES) or (there and path.suffix != ".py")


def resolve(argument: str, settings: Sequence[str] = (), options: Mapping[str, Any] | None = None) -> Target:
    """Build the mechanism that a MODEL argument names, with `--set param=value` settings or options of `load`."""
    if is_file(argument):
        return _loaded(argument, settings, options or {})
    if options:
        raise UsageError(f"{argument}: {_flags(options)} is for files that are loaded, such as robot.urdf")
    path, function = _locate(argument)
    module = _load(path)
    build = getattr(module, function, None)
    if not callable(build):
        known = [n for n, f in vars(module).items() if inspect.isfunction(f) and f.__module__ == module.__name__]
        raise UsageError(f"{path.name} has no function {function!r}; it has {', '.join(known) or 'none'}")
    mechanism = _call(path, build, _parameters(path, build, settings))
    if not hasattr(mechanism, "compile"):
        raise ModelError(f"{path.name}:{function} returned {type(mechanism).__name__}; expected an anyjoint.Mechanism")
    return Target(getattr(mechanism, "name", path.stem), mechanism, module)


def _loaded(argument: str, settings: Sequence[str], options: Mapping[str, Any]) -> Target:
    from anyjoint.load import load

    if settings:
        raise UsageError(f"--set {settings[0]}: a loaded file has no parameters to build it with")
    if not Path(argument).exists():
        raise UsageError(f"there is no file {argument}")
    try:
        mechanism = load(argument, **options)
    except InputError as error:
        raise UsageError(str(error)) from error
    for warning in mechanism.source.warnings if mechanism.source else ():
        warn(str(warning))
    return Target(mechanism.name, mechanism)


def _flags(options: Mapping[str, Any]) -> str:
    return ", ".join(f"--{name}" for name in options)


def _locate(argument: str) -> tuple[Path, str]:
    """Script and function of a MODEL argument."""
    # The last colon separates the function, so that a Windows drive letter stays with its path.
    file, colon, function = argument.rpartition(":") if ".py:" in argument else (argument, "", "")
    if file.endswith(".py"):
        path = Path(file)
        if not path.is_file():
            raise UsageError(f"there is no file {file}; expected a Python file, as in file.py:function")
        return path, function if colon else "build"
    return gallery.find(argument), "build"


def _load(path: Path) -> ModuleType:
    """Run a user's script as a module of its own, as Python would: what lies beside it can be imported."""
    spec = importlib.util.spec_from_file_location(f"anyjoint_model_{path.stem}", path.resolve())
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules[module.__name__] = module  # dataclasses look their module up
    if (folder := str(path.resolve().parent)) not in sys.path:
        sys.path.insert(0, folder)
    _call(path, spec.loader.exec_module, {"module": module})
    return module


def _call(path: Path, function: Callable[..., Any], parameters: Mapping[str, Any]) -> Any:
    """Call into a user's file; whatever goes wrong there is reported with its file and line."""
    try:
        return function(**parameters)
    except Exception as error:
        frames = [f for f in traceback.extract_tb(error.__traceback__) if Path(f.filename) == path.resolve()]
        number = frames[-1].lineno if frames else getattr(error, "lineno", None)  # of a file that is no Python
        line = f":{number}" if number else ""
        said = str(error) if isinstance(error, AnyjointError) else f"{type(error).__name__}: {error}"
        raise ModelError(f"{path}{line}: {said}") from error


def _parameters(path: Path, build: Callable[..., Any], settings: Sequence[str]) -> dict[str, Any]:
    """`--set` options as keyword arguments of the builder, checked against its signature."""
    accepted = inspect.signature(build).parameters
    anything = any(p.kind is p.VAR_KEYWORD for p in accepted.values())
    parameters: dict[str, Any] = {}
    for setting in settings:
        name, equals, text = setting.partition("=")
        if not equals or not name:
            raise UsageError(f"--set {setting}: expected param=value, as in --set n=10")
        if name not in accepted and not anything:
            near = difflib.get_close_matches(name, accepted, n=1)
            hint = f"did you mean {near[0]}?" if near else f"it takes {', '.join(accepted) or 'no parameters'}"
            raise UsageError(f"--set {setting}: {path.name} has no parameter {name!r}; {hint}")
        if name in accepted:
            parameters[name] = _checked(setting, accepted[name], text, path.resolve().parent in gallery.FOLDERS)
        else:
            parameters[name] = _value(text)
    return parameters


def _value(text: str) -> Any:
    """A Python literal (10, 0.5, (1, 2), True), else the text itself."""
    try:
        return ast.literal_eval(text)
    except (ValueError, SyntaxError):
        return text


def _checked(setting: str, parameter: inspect.Parameter, text: str, in_gallery: bool) -> Any:
    """The value of a setting, of the kind that the parameter's annotation asks for."""
    declared = parameter.annotation
    kind = declared if isinstance(declared, str) else getattr(declared, "__name__", "")
    value: Any = text if kind == "str" else _value(text)
    accepts, words = KINDS.get(kind, (lambda _: True, ""))
    usual = "" if parameter.default is parameter.empty else f" (its default is {parameter.default!r})"
    if not accepts(value):
        raise UsageError(f"--set {setting}: {parameter.name} is {words}{usual}, got {text}")
    if in_gallery and kind == "int" and value < 1:  # there, whole numbers say how many bodies
        raise UsageError(f"--set {setting}: {parameter.name} says how many{usual}; give at least 1")
    return value


KINDS: dict[str, tuple[Callable[[Any], bool], str]] = {
    "bool": (lambda x: isinstance(x, bool), "True or False"),
    "int": (lambda x: isinstance(x, int) and not isinstance(x, bool), "a whole number"),
    "float": (lambda x: isinstance(x, int | float) and math.isfinite(x), "a finite number"),
}
