"""One browser for all tests of a worker: starting it and drawing its first page take as long as three pages."""

from collections.abc import Callable, Iterator

import pytest

from anyjoint.view.browser import Browser


@pytest.fixture(scope="session")
def sized() -> Iterator[Callable[[int, int], Browser]]:
    """Gives the browser, with a page of a given size."""
    with Browser(480, 320) as browser:

        def resized(width: int, height: int) -> Browser:
            browser.resize(width, height)
            browser.messages.clear()
            return browser

        yield resized
