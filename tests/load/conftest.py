"""What tests of loaders share."""

import pytest

import anyjoint as aj


@pytest.fixture
def loaded(tmp_path):
    """Loads a text as an OpenSim file."""

    def load(text, **options):
        (tmp_path / "m.osim").write_text(text)
        return aj.load(tmp_path / "m.osim", **options)

    return load
