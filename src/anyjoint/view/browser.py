"""Drive a headless Chromium over its debugging pipe: only the standard library, no driver to install."""

from __future__ import annotations

import base64
import contextlib
import fcntl
import json
import os
import select
import shutil
import signal
import subprocess
import tempfile
import time
from pathlib import Path
from types import TracebackType
from typing import Any

from anyjoint.errors import AnyjointError

NAMES = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable", "chrome")
FLAGS = (
    "--headless=new",
    "--no-sandbox",
    "--use-gl=angle",
    "--use-angle=swiftshader",
    "--enable-unsafe-swiftshader",
    "--ignore-gpu-blocklist",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    "--disable-extensions",
    "--disable-dev-shm-usage",
    "--hide-scrollbars",
    "--no-first-run",
    "--remote-debugging-pipe",
)


class BrowserError(AnyjointError):
    """The browser is missing, did not answer, or the page failed in it."""


def find_browser() -> str:
    """The Chromium to use: ANYJOINT_BROWSER, else the first one on the PATH."""
    given = os.environ.get("ANYJOINT_BROWSER")
    for name in (given,) if given else NAMES:
        path = shutil.which(name)
        if path:
            return path
    raise BrowserError(
        f"no browser was found (looked for {given or ', '.join(NAMES)}); install Chromium, "
        "e.g. `apt-get install chromium`, or name one in the environment variable ANYJOINT_BROWSER"
    )


class Browser:
    """A headless Chromium with one page; use it in a `with` statement."""

    def __init__(self, width: int = 1280, height: int = 800, scale: float = 1.0) -> None:
        self.messages: list[str] = []  # console errors and warnings, uncaught exceptions
        self.requests: list[str] = []  # addresses that the page asked for
        self._profile = tempfile.mkdtemp(prefix="anyjoint-browser-")
        self._buffer = b""
        self._replies: dict[int, dict[str, Any]] = {}
        self._last = 0
        self._session: str | None = None
        self._start(width, height)
        try:
            self._open(width, height, scale)
        except BaseException:
            self.close()
            raise

    def _start(self, width: int, height: int) -> None:
        reader, self._write = os.pipe()  # we write, the browser reads at descriptor 3
        self._read, writer = os.pipe()  # the browser writes at descriptor 4
        flags = [*FLAGS, f"--user-data-dir={self._profile}", f"--window-size={width},{height}", "about:blank"]
        # The shell moves the pipes to descriptors 3 and 4; lifted first, so that neither overwrites the other.
        reader, writer = _lift(reader), _lift(writer)
        script = f'exec "$0" "$@" 3<&{reader} 4>&{writer}'
        self._process = subprocess.Popen(
            ["bash", "-c", script, find_browser(), *flags],
            pass_fds=(reader, writer),
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            start_new_session=True,
        )
        for fd in (reader, writer):
            os.close(fd)

    def _open(self, width: int, height: int, scale: float) -> None:
        target = self.call("Target.createTarget", url="about:blank")["targetId"]
        self._session = self.call("Target.attachToTarget", targetId=target, flatten=True)["sessionId"]
        for domain in ("Page", "Runtime", "Log", "Network"):
            self.call(f"{domain}.enable")
        self.resize(width, height, scale)

    def resize(self, width: int, height: int, scale: float = 1.0, mobile: bool = False) -> None:
        """Set the size of the page in CSS pixels."""
        self.call(
            "Emulation.setDeviceMetricsOverride", width=width, height=height, deviceScaleFactor=scale, mobile=mobile
        )

    def __enter__(self) -> Browser:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def close(self) -> None:
        """End the browser that this object started, and remove its profile."""
        with contextlib.suppress(ProcessLookupError, PermissionError):
            os.killpg(self._process.pid, signal.SIGKILL)
        self._process.wait()
        for fd in (self._read, self._write):
            with contextlib.suppress(OSError):
                os.close(fd)
        shutil.rmtree(self._profile, ignore_errors=True)

    # -- talking to the browser ---------------------------------------------------------------------------------------

    def call(self, method: str, timeout: float = 60.0, **params: Any) -> Any:
        """Send a command of the DevTools protocol and return its result."""
        self._last += 1
        message: dict[str, Any] = {"id": self._last, "method": method, "params": params}
        if self._session is not None:
            message["sessionId"] = self._session
        try:
            os.write(self._write, json.dumps(message).encode() + b"\0")
        except OSError as error:
            raise BrowserError(f"the browser went away during {method}: {error.strerror}") from error
        deadline = time.monotonic() + timeout
        while self._last not in self._replies:
            self._receive(deadline, method)
        reply = self._replies.pop(self._last)
        if "error" in reply:
            raise BrowserError(f"the browser refused {method}: {reply['error'].get('message')}")
        return reply["result"]

    def _receive(self, deadline: float, method: str) -> None:
        wait = deadline - time.monotonic()
        if wait <= 0 or not select.select([self._read], [], [], wait)[0]:
            raise BrowserError(f"the browser did not answer {method} in time; the machine may be too busy")
        chunk = os.read(self._read, 1 << 20)
        if not chunk:
            raise BrowserError(f"the browser ended during {method}; try to run it by hand to see why")
        self._buffer += chunk
        *complete, self._buffer = self._buffer.split(b"\0")
        for raw in complete:
            self._sort(json.loads(raw))

    def _sort(self, message: dict[str, Any]) -> None:
        """Keep replies, and of the events those that tell of trouble or of the network."""
        if "id" in message:
            self._replies[message["id"]] = message
            return
        params = message.get("params", {})
        match message.get("method"):
            case "Runtime.consoleAPICalled" if params["type"] in ("error", "warning", "assert"):
                self.messages.append(" ".join(str(a.get("value", a.get("description", ""))) for a in params["args"]))
            case "Runtime.exceptionThrown":
                details = params["exceptionDetails"]
                self.messages.append(details.get("exception", {}).get("description", details.get("text", "")))
            case "Log.entryAdded" if params["entry"]["level"] in ("error", "warning"):
                self.messages.append(params["entry"]["text"])
            case "Network.requestWillBeSent":
                self.requests.append(params["request"]["url"])

    # -- using the page -----------------------------------------------------------------------------------------------

    def open(self, page: str | Path, query: str = "", timeout: float = 60.0) -> None:
        """Open a page of ours and wait until its viewer has drawn a frame."""
        address = Path(page).resolve().as_uri() + (f"?{query}" if query else "")
        self.call("Page.navigate", url=address)
        self.wait("window.anyjoint && window.anyjoint.stage.frame > 0", timeout)

    def evaluate(self, expression: str) -> Any:
        """The value of a JavaScript expression in the page; a promise is awaited."""
        reply = self.call("Runtime.evaluate", expression=expression, returnByValue=True, awaitPromise=True)
        if "exceptionDetails" in reply:
            details = reply["exceptionDetails"]
            raise BrowserError(f"in the page: {details.get('exception', {}).get('description', details['text'])}")
        return reply["result"].get("value")

    def wait(self, condition: str, timeout: float = 30.0) -> None:
        """Wait until a JavaScript expression is true."""
        deadline = time.monotonic() + timeout
        while not self.evaluate(f"Boolean({condition})"):
            if time.monotonic() > deadline:
                said = "; ".join(self.messages) or "the console is silent"
                raise BrowserError(f"the page did not reach `{condition}` within {timeout:g} s ({said})")
            time.sleep(0.05)

    def press(self, key: str, shift: bool = False) -> None:
        """Press and release a key, named as in KeyboardEvent.key."""
        modifiers = 8 if shift else 0
        typed = "\r" if key == "Enter" else key
        text: dict[str, Any] = {"text": typed} if len(typed) == 1 else {}
        self.call("Input.dispatchKeyEvent", type="keyDown", key=key, modifiers=modifiers, **text)
        self.call("Input.dispatchKeyEvent", type="keyUp", key=key, modifiers=modifiers)

    def mouse(self, kind: str, x: float, y: float) -> None:
        """A mouse event: 'mousePressed', 'mouseMoved' or 'mouseReleased' with the left button."""
        buttons = 0 if kind == "mouseReleased" else 1
        self.call("Input.dispatchMouseEvent", type=kind, x=x, y=y, button="left", buttons=buttons, clickCount=1)

    def screenshot(self) -> bytes:
        """The page as PNG."""
        return base64.b64decode(self.call("Page.captureScreenshot", format="png")["data"])


def _lift(fd: int) -> int:
    """The same pipe at a descriptor above 4."""
    high = fcntl.fcntl(fd, fcntl.F_DUPFD, 10)
    os.close(fd)
    return high
