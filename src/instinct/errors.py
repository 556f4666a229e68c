"""The errors that users see: a clear message, and the exit code of the command."""

from pathlib import Path
from typing import Self


class InstinctError(Exception):
    """A failure that the user can understand; commands end with exit code 1."""

    exit_code = 1


class Stopped(InstinctError):
    """The work was stopped and can go on; commands end with exit code 130."""

    exit_code = 130


class BadInput(InstinctError):
    """Wrong input; the message names the place, and commands end with exit code 2.

    `option` is the Python parameter that can fix the problem. The message names it in backquotes
    with an equals sign, and the command line replaces that text by its own option.

    Example::

        >>> print(BadInput("choose another `folder=`", option="folder"))
        choose another `folder=`
    """

    exit_code = 2

    def __init__(
        self,
        problem: str,
        *,
        file: Path | str | None = None,
        field: str | None = None,
        row: int | None = None,
        option: str | None = None,
    ) -> None:
        self.problem, self.file, self.field, self.row = problem, file, field, row
        self.option = option
        super().__init__(problem)

    def __str__(self) -> str:
        place = [] if self.file is None else [str(self.file)]
        if self.field is not None:
            place.append(self.field if self.row is None else f"{self.field}, row {self.row}")
        return ": ".join([*place, self.problem])

    def in_file(self, file: Path | str) -> Self:
        """Return the same error with the file in which it was found."""
        return type(self)(
            self.problem, file=file, field=self.field, row=self.row, option=self.option
        )


def missing_extra(package: str, extra: str) -> BadInput:
    """Return the error for a package that only an extra installs."""
    return BadInput(f"{package} is not installed; run: pip install 'survival-instinct[{extra}]'")


class Damaged(BadInput):
    """A file that was written here and is no longer as it was written.

    Whoever can make the file again does so and says it; for all others it is wrong input.
    """
