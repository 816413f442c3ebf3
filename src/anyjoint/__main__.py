"""`python -m anyjoint` is the command line."""

from anyjoint.cli import main

if __name__ == "__main__":
    main()
