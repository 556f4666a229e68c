"""Write tables for LaTeX, with the packages booktabs and xcolor."""

from collections.abc import Mapping
from pathlib import Path

from instinct.report.kit.tables import Number, Table, TableCell, note_of
from instinct.util.atomic import write_atomically
from instinct.util.text import one_line

PACKAGES = r"% \usepackage{booktabs,xcolor}"
SYMBOLS = {
    "\\": r"\textbackslash{}",
    "~": r"\textasciitilde{}",
    "^": r"\textasciicircum{}",
    **{sign: f"\\{sign}" for sign in "#$%&_{}"},
    "–": "--",
    "—": "---",
    **{
        sign: f"${command}$"
        for sign, command in {
            "<": "<", ">": ">", "|": "|", "−": "-", "±": r"\pm", "∞": r"\infty", "×": r"\times",
            "·": r"\cdot", "≤": r"\le", "≥": r"\ge", "√": r"\surd", "†": r"\dagger", "→": r"\to",
            "α": r"\alpha", "β": r"\beta", "γ": r"\gamma", "δ": r"\delta", "ε": r"\epsilon",
            "η": r"\eta", "ι": r"\iota", "κ": r"\kappa", "λ": r"\lambda", "μ": r"\mu",
            "π": r"\pi", "σ": r"\sigma", "τ": r"\tau", "Δ": r"\Delta",
        }.items()
    },
}  # fmt: skip
MARKS = {"best": r"\textbf{%s}", "gray": r"\textcolor{gray}{%s}", None: "%s"}


def latex(table: Table) -> str:
    """Write a table as a float: its caption above, its notes below."""
    notes = table.notes
    lines = [" & ".join(map(escape, table.columns))]
    lines += [" & ".join(cell_text(cell, notes) for cell in row) for row in table.rows]
    head, *body = (rf"{line} \\" for line in lines)
    foot = [
        rf"\par\smallskip{{\footnotesize\textsuperscript{{{number}}} {escape(note)}}}"
        for note, number in notes.items()
    ]
    return "\n".join(
        [
            PACKAGES,
            r"\begin{table}",
            r"\centering",
            rf"\caption{{{escape(table.caption)}}}",
            rf"\label{{tab:{table.name}}}",
            rf"\begin{{tabular}}{{{''.join('r' if right else 'l' for right in table.numeric)}}}",
            r"\toprule",
            head,
            r"\midrule",
            *body,
            r"\bottomrule",
            r"\end{tabular}",
            *foot,
            r"\end{table}",
            "",
        ]
    )


def cell_text(cell: TableCell, notes: Mapping[str, int]) -> str:
    text = escape(str(cell))
    if isinstance(cell, Number):
        text = MARKS[cell.mark] % text.replace("-", "$-$")
    note = note_of(cell)
    return rf"{text}\textsuperscript{{{notes[note]}}}" if note else text


def escape(text: str) -> str:
    """Escape a text: it holds no command, and symbols that pdflatex lacks become mathematics."""
    return "".join(SYMBOLS.get(character, character) for character in one_line(text))


def write_latex(table: Table, path: Path) -> None:
    write_atomically(path, latex(table).encode())
