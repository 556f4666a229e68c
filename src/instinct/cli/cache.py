"""`instinct cache`: show or clear the cache of datasets."""

from typing import Annotated

import typer

from instinct.cli.output import Json, out, print_json


def cache_command(
    clear: Annotated[bool, typer.Option("--clear", help="Remove all cached datasets.")] = False,
    json: Json = False,
) -> None:
    """Show how much the cache of large datasets holds, or clear it.

    Files are read faster from it, and it can be cleared at any time. It keeps at most
    INSTINCT_CACHE_GB gigabytes (an environment variable, by default 20); what was
    used least recently goes first.

    Example: instinct cache --clear
    """
    from instinct.data import cache
    from instinct.util.folders import cache_folder

    if clear:
        cache.clear()
    sizes = [path.stat().st_size for path in cache.entries()]
    if json:
        document = {"folder": str(cache_folder()), "datasets": len(sizes), "bytes": sum(sizes)}
        print_json(document | {"limit": cache.limit()})
        return
    out.print(
        f"{cache_folder()}: {len(sizes)} datasets, {sum(sizes) / 1e9:.2f} of at most "
        f"{cache.limit() / 1e9:g} GB.",
        soft_wrap=True,
        markup=False,
    )
