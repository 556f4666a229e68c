"""`instinct study watch`: serve the page of a study to a browser on this machine."""

from pathlib import Path
from typing import Annotated

import typer

from instinct.cli.output import out


def watch(
    folder: Annotated[
        Path, typer.Argument(metavar="FOLDER", help="The folder of a study or an audit.")
    ],
    port: Annotated[
        int, typer.Option(min=0, max=65535, metavar="N", help="The port; 0 takes a free one.")
    ] = 0,
) -> None:
    """Serve the page of a study on 127.0.0.1 until Ctrl-C, also while it runs.

    Only the page and its tables and figures are served, to this machine alone.

    Example: instinct study watch results/audit-hopper-medium
    """
    from instinct.report.serve import page_server

    with page_server(folder, port) as server:
        out.print(f"http://127.0.0.1:{server.server_port}/ (Ctrl-C ends it)", soft_wrap=True)
        try:
            server.serve_forever()
        except KeyboardInterrupt:
            out.print("Ended.")
