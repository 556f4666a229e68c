"""The errors that commands report to the user, with their exit codes."""

from pathlib import Path


class InstinctError(Exception):
    """An error that the user can understand. Commands end with exit code 1."""

    exit_code = 1


class BadInput(InstinctError):
    """An error in the input. The message says where. Commands end with exit code 2."""

    exit_code = 2

    def __init__(
        self,
        problem: str,
        *,
        file: Path | str | None = None,
        field: str | None = None,
        row: int | None = None,
    ) -> None:
        self.problem, self.file, self.field, self.row = problem, file, field, row
        super().__init__(problem)

    def __str__(self) -> str:
        place = [] if self.file is None else [str(self.file)]
        if self.field is not None:
            place.append(self.field if self.row is None else f"{self.field}, row {self.row}")
        return ": ".join([*place, self.problem])

    def in_file(self, file: Path | str) -> "BadInput":
        """Return the same error with the file that it is about."""
        return BadInput(self.problem, file=file, field=self.field, row=self.row)
