"""The command `instinct`: parse, call, print."""

import logging
import sys
import traceback

from instinct.errors import InstinctError


def main() -> None:
    """Run the command; every failure is one sentence on stderr and an exit code."""
    from instinct.cli.app import build

    arguments = [argument for argument in sys.argv[1:] if argument != "--debug"]
    debug = len(arguments) < len(sys.argv) - 1
    logging.basicConfig(
        level=logging.DEBUG if debug else logging.WARNING,
        format="%(levelname)s: %(message)s",
        stream=sys.stderr,
    )
    for noisy in ("matplotlib", "fontTools", "jax"):
        logging.getLogger(noisy).setLevel(logging.WARNING)
    try:
        build(arguments)(arguments, prog_name="instinct")
    except InstinctError as error:
        fail(str(error), error.exit_code, debug)
    except BrokenPipeError:
        sys.stderr.close()
        sys.exit(1)
    except Exception as error:  # noqa: BLE001 - the last stop before the user
        kind = type(error).__name__
        fail(f"internal error ({kind}: {error}); --debug shows where", 1, debug)


def fail(message: str, code: int, debug: bool) -> None:
    if debug:
        traceback.print_exc()
    sys.stderr.write(f"instinct: {message}\n")
    sys.exit(code)
