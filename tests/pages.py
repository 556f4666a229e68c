"""Pages as a reader sees them."""

import html
import re
from pathlib import Path


def text_of(page: Path) -> str:
    """Return the text of a page without its tags; words with an explanation are inside tags."""
    return html.unescape(re.sub(r"<[^>]+>", "", page.read_text("utf-8")))
