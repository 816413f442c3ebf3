"""Settings of the whole test run: repeatable random examples, and an honest word when there is no browser."""

import gc
import os
import shutil
import signal
import threading

import pytest
from hypothesis import HealthCheck, settings

settings.register_profile("anyjoint", derandomize=True, deadline=None, suppress_health_check=[HealthCheck.too_slow])
settings.load_profile("anyjoint")

WISH = os.environ.get("ANYJOINT_CODE")
COMPILER = "tests/codegen/"  # all of whose tests run machine code as users get it
BROWSERS = ("chromium", "chromium-browser", "google-chrome")


def pytest_configure() -> None:
    """Let Ctrl-C be felt, also where the run was begun in the background and shells ignore it."""
    if signal.getsignal(signal.SIGINT) is signal.SIG_IGN and threading.current_thread() is threading.main_thread():
        signal.signal(signal.SIGINT, signal.default_int_handler)


def pytest_runtest_setup(item: pytest.Item) -> None:
    """Machine code as users get it where that matters, elsewhere such as is made quickly; ANYJOINT_CODE has its way.

    Laws hold for either. But states alone and in batches may differ in last bits of quick code.
    """
    if WISH is None:
        fast = item.nodeid.startswith(COMPILER) or item.get_closest_marker("fast_code")
        os.environ["ANYJOINT_CODE"] = "fast" if fast else "quick"


def pytest_collection_finish() -> None:
    """Leave what collecting thousands of tests has made to no garbage collection: each would walk over all of it."""
    gc.collect()
    gc.freeze()


def find_browser() -> str | None:
    """The path of a Chromium that the tests can drive, or None."""
    return next((path for name in BROWSERS if (path := shutil.which(name))), None)


@pytest.fixture(scope="session")
def browser() -> str:
    """Path of the browser; tests marked `browser` are deselected when there is none."""
    path = find_browser()
    assert path is not None, "mark tests that use a browser with @pytest.mark.browser"
    return path


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Without a browser its tests are deselected; the summary below says so."""
    if find_browser():
        return
    chosen = [item for item in items if not item.get_closest_marker("browser")]
    dropped = [item for item in items if item.get_closest_marker("browser")]
    if dropped:
        config.hook.pytest_deselected(items=dropped)
        items[:] = chosen


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter) -> None:
    """Say loudly what this machine lacks, what that means and how to get it."""
    if find_browser() is None:
        terminalreporter.section("BROWSER TESTS DID NOT RUN", sep="!", red=True, bold=True)
        terminalreporter.line(f"No browser was found on PATH (looked for {', '.join(BROWSERS)}).")
        terminalreporter.line("Install one and run again, e.g. on Debian: sudo apt-get install chromium")
    for tool, package in (("cc", "gcc libc6-dev"), ("node", "nodejs")):
        if shutil.which(tool) is None:
            terminalreporter.section(f"NO {tool.upper()}: TESTS THAT NEED IT FAIL", sep="!", red=True, bold=True)
            terminalreporter.line(f"Install it and run again, e.g. on Debian: sudo apt-get install {package}")
