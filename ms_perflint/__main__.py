"""`python -m ms_perflint` and `ms-perflint`: the command line as a process of its own."""

import gc
import signal
import sys

ALIVE = 200_000  # objects more than there were, after which it pays to look which of them are garbage


def main() -> None:
    """Run the command line.

    What is loaded at start stays until the end: to look through it for garbage, and once more for each module on the
    way out, takes a sixth of a run over one file.
    """
    gc.set_threshold(ALIVE)
    try:
        from ms_perflint import cli

        cli.main()
    except KeyboardInterrupt:  # while it loads: `cli` takes care of later ones
        sys.exit(128 + signal.SIGINT)
    finally:
        gc.freeze()


if __name__ == "__main__":
    main()
