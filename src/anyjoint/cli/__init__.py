"""The command line: `anyjoint list | run | info | check | bench | export | sweep`."""

import io
import sys

__all__ = ["main"]


def main() -> None:
    """Run the command line; exit with 0 (fine), 1 (the model or the run failed) or 2 (the command was misspelt)."""
    from anyjoint.cli.app import app
    from anyjoint.cli.output import UsageError, complain
    from anyjoint.errors import AnyjointError

    # Where a stream is closed (`anyjoint list >&-`) there is none, and what is said goes nowhere.
    sys.stdout, sys.stderr = (stream or io.StringIO() for stream in (sys.stdout, sys.stderr))
    try:
        app(prog_name="anyjoint")
    except UsageError as error:
        complain(str(error))
        sys.exit(2)
    except (AnyjointError, OSError) as error:
        complain(str(error))
        sys.exit(1)
