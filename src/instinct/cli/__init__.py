"""The command `instinct`: parse the arguments, call the package, print the result."""

import logging
import sys
import traceback

from instinct.errors import BadInput, InstinctError
from instinct.util.text import one_line, plain

FLAGS = {"folder": "--out", "settings": "--set", "filters": "--filter"}
"""Command-line options that are not called like their Python parameter."""


def main() -> None:
    """Run the command; a failure is one message on stderr and an exit code."""
    from instinct.cli.app import build_app

    arguments = [argument for argument in sys.argv[1:] if argument != "--debug"]
    debug = len(arguments) < len(sys.argv) - 1
    handler = logging.StreamHandler(sys.stderr)
    handler.setFormatter(PlainFormatter("%(levelname)s: %(message)s"))
    logging.basicConfig(level=logging.DEBUG if debug else logging.WARNING, handlers=[handler])
    for noisy in ("matplotlib", "fontTools", "jax"):
        logging.getLogger(noisy).setLevel(logging.WARNING)
    try:
        build_app()(arguments or ["--help"], prog_name="instinct")
    except InstinctError as error:
        fail(describe_error(error), error.exit_code, debug)
    except BrokenPipeError:
        sys.stderr.close()
        sys.exit(1)
    except Exception as error:  # noqa: BLE001 - the last handler before the user
        kind = type(error).__name__
        fail(f"internal error ({kind}: {error}); add --debug for the traceback", 1, debug)


class PlainFormatter(logging.Formatter):
    """Formats messages without what a terminal would act on."""

    def format(self, record: logging.LogRecord) -> str:
        return plain(super().format(record))


def describe_error(error: InstinctError) -> str:
    """Return the message with the command line's option in place of the Python parameter."""
    text = str(error)
    if not isinstance(error, BadInput) or error.option is None:
        return text
    parameter, flag = f"`{error.option}=`", flag_of(error.option)
    return text.replace(parameter, flag) if parameter in text else f"{text} ({flag})"


def flag_of(parameter: str) -> str:
    return FLAGS.get(parameter, f"--{parameter.replace('_', '-')}")


def fail(message: str, code: int, debug: bool) -> None:
    """Print the message, with the traceback when debugging, and exit with the code."""
    if debug:
        traceback.print_exc()
    sys.stderr.write(f"instinct: {one_line(message)}\n")
    sys.exit(code)
