"""Write the log of a synthetic clinic: python docs/clinic.py clinic.csv [choices]

Two thousand patients arrive with an infection that grows unless it is treated. At irregular hours a
nurse writes down the vitals and a doctor sets the dose of a drug, more of it the worse the vitals
are. The drug helps, but too much of it lowers the blood pressure, which is a cost. Patients who
recover are discharged, others die, some are moved to another clinic before either. The only reward
is at the end: 1 for a discharge, -1 for a death. With `choices`, doctors choose no drug, one that
is weak or one that is strong.
"""

import csv
import sys
from collections.abc import Iterator
from pathlib import Path

import numpy as np

PATIENTS = 2000
COLUMNS = (
    *("stay", "hour", "age", "ward", "pulse", "pressure", "lactate", "unit"),
    *("dose", "reward", "cost", "ended"),
)
DRUGS = {"none": 0.0, "weak": 1.0, "strong": 2.0}
"""The dose that each choice is worth."""
LONGEST = 24
"""Rows after which a patient is moved to another clinic."""


def stay(
    number: int, random: np.random.Generator, choices: bool = False
) -> Iterator[tuple[object, ...]]:
    """Yield the rows of one stay."""
    age, ward = random.integers(20, 90), random.choice(["general", "intensive", "surgery"])
    illness, low, hour = random.uniform(0.3, 0.7), 0.0, 0.0
    caution = random.uniform(0.5, 1.5)
    for _ in range(LONGEST):
        pulse = 70 + 60 * illness + random.normal(0, 5)
        pressure = 120 - 30 * illness - 40 * low + random.normal(0, 5)
        lactate = "" if random.uniform() < 0.6 else f"{1 + 4 * illness + random.normal(0, 0.3):.1f}"
        dose = float(np.clip(0.3 + 2 * illness / caution + random.normal(0, 0.3), 0, 4))
        action = f"{dose:.2f}"
        if choices:
            action = min(DRUGS, key=lambda drug: abs(DRUGS[drug] - dose))
            dose = DRUGS[action]
        illness += 0.03 + 0.15 * illness + age / 2000 - 0.1 * dose + random.normal(0, 0.08)
        low = max(0.0, 0.6 * low + 0.3 * (dose - 1.5))
        recovered, died = illness < 0.05, illness > 1
        yield (
            *(f"{number:04d}", f"{hour:.1f}", age, ward, f"{pulse:.0f}", f"{pressure:.0f}"),
            *(lactate, "mg", action, int(recovered) - int(died), int(low > 0.3)),
            int(recovered or died),
        )
        if recovered or died:
            return
        hour += random.exponential(2) + 0.5


def write_log(path: Path, choices: bool = False, patients: int = PATIENTS, seed: int = 0) -> None:
    """Write the log of all patients, by the hour in which rows were written down."""
    random = np.random.default_rng(seed)
    rows = [row for number in range(patients) for row in stay(number, random, choices)]
    rows.sort(key=lambda row: float(str(row[1])))
    with path.open("w", newline="") as file:
        columns = ["drug" if choices and name == "dose" else name for name in COLUMNS]
        csv.writer(file).writerows([columns, *rows])


if __name__ == "__main__":
    write_log(Path(sys.argv[1]), choices=sys.argv[2:] == ["choices"])
