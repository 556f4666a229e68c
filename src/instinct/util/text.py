"""Text of strangers, made harmless before it is shown."""


def plain(text: str) -> str:
    """Replace what a terminal, a page or a file of text would act on, except for line ends.

    These are control characters, marks that change the direction of text, and halves of characters.

    >>> plain("red\\x1b[31m, right\\u202eleft")
    'red\ufffd[31m, right\ufffdleft'
    """
    return "".join(each if each.isprintable() or each == "\n" else "\ufffd" for each in text)


def one_line(text: str) -> str:
    """Return a text as one harmless line."""
    return plain(" ".join(text.split("\n")))
