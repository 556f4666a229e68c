"""`instinct setup`: install what an ordinary installation cannot."""

import importlib
import subprocess
import sys

import typer

from instinct.cli.output import out
from instinct.errors import InstinctError

app = typer.Typer(help="Install what an ordinary installation cannot.", no_args_is_help=True)


@app.callback()
def of() -> None:
    """Each command sets up one family of tasks."""


@app.command()
def safety() -> None:
    """Install Safety-Gymnasium into this Python environment, without what it asks for.

    It wants versions of Gymnasium and MuJoCo that the other tasks cannot run on, and does not need
    them.

    Example: instinct setup safety
    """
    from instinct.benchmarks.safety.compat import VERSION, need_safety

    packages = [f"safety-gymnasium=={VERSION}", "pyyaml>=6", "xmltodict>=0.13"]
    pip = [sys.executable, "-m", "pip", "install", "--disable-pip-version-check", "--no-deps"]
    done = subprocess.run(  # noqa: S603 - this interpreter and names of our own
        [*pip, *packages], capture_output=True, text=True, check=False, stdin=subprocess.DEVNULL
    )
    if done.returncode:
        reason = (done.stderr.strip() or "it gave no reason").splitlines()[-1]
        raise InstinctError(
            f"pip could not install Safety-Gymnasium {VERSION} ({reason}); it needs the network, "
            "or PIP_FIND_LINKS naming a folder with the wheels"
        )
    importlib.invalidate_caches()
    need_safety()
    out.print(f"Safety-Gymnasium {VERSION} is installed; its tasks are called safety:NAME.")
