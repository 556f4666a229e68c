"""`instinct setup`: install packages that pip alone cannot."""

import importlib
import subprocess
import sys

from instinct.cli.help import App
from instinct.cli.output import out
from instinct.errors import InstinctError

app = App(help="Install packages that an ordinary installation cannot.", no_args_is_help=True)


@app.callback()
def setup_options() -> None:
    """Set up one family of tasks."""


@app.command()
def safety() -> None:
    """Install Safety-Gymnasium into this Python environment, without its dependencies.

    It asks for versions of Gymnasium and MuJoCo that do not fit the other
    tasks. It works without them.

    Example: instinct setup safety
    """
    from instinct.benchmarks.safety.compat import REQUIREMENTS, VERSION, need_safety

    pip = [sys.executable, "-m", "pip", "install", "--disable-pip-version-check", "--no-deps"]
    done = subprocess.run(  # noqa: S603 - this interpreter and a file of our own
        [*pip, "--require-hashes", "-r", str(REQUIREMENTS)],
        capture_output=True,
        text=True,
        check=False,
        stdin=subprocess.DEVNULL,
    )
    if done.returncode:
        reason = (done.stderr.strip() or "no reason given").splitlines()[-1]
        raise InstinctError(
            f"pip could not install Safety-Gymnasium {VERSION} ({reason}); it needs the network, "
            "or a folder with the wheels in PIP_FIND_LINKS"
        )
    importlib.invalidate_caches()
    need_safety()
    out.print(f"Safety-Gymnasium {VERSION} is installed; its tasks are safety:NAME.")
