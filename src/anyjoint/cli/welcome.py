"""What `anyjoint` alone says."""

from anyjoint.cli import gallery
from anyjoint.cli.output import say


def suggest() -> None:
    """Name the few commands that a newcomer wants."""
    names = gallery.names()
    first = "torus-chain" if "torus-chain" in names or not names else names[0]
    say("anyjoint: any joint you can write as a function; linear-time dynamics, compiled.\n", "bold")
    say("Try one of these:\n")
    for command, purpose in (
        ("list", f"the gallery ({len(names)} mechanisms)"),
        (f"run {first} --html page.html", "simulate; the page plays the motion"),
        (f"info {first}", "bodies, joints, operations, compile time"),
        ("check robot.py:build", "find the mistakes in your own model"),
        (f"export {first} --to c --out generated", "the generated C code"),
        ("--help", "all commands"),
    ):
        say(f"  anyjoint {command:<45} {purpose}")
