"""Sort the rows of a table by episode and time, and find where episodes end."""

from dataclasses import dataclass

import numpy as np

from instinct.data.arrays import Array
from instinct.data.tables.columns import Keys, Texts
from instinct.data.tables.roles import printable
from instinct.errors import BadInput


@dataclass(frozen=True)
class Order:
    """The order of the rows, the last row of every episode in it, and what was done."""

    rows: Array | None
    """The row of the table at every place; None if the table is in order."""
    last: Array
    """True where the episode changes, and in the last row."""
    repairs: tuple[str, ...] = ()

    def sort(self, values: Array) -> Array:
        return values if self.rows is None else values[self.rows]

    def row(self, place: int) -> int:
        """Return the row of the table that is at a place of the order."""
        return place if self.rows is None else int(self.rows[place])


def find_order(episode: Keys | Texts | None, time: Keys | None, rows: int) -> Order:
    """Sort by episode and time. Without a time, rows of an episode keep the table's order."""
    if episode is None:
        if time is not None:
            raise BadInput("a `time=` column needs an `episode=` column", option="episode")
        return Order(None, np.arange(rows) == rows - 1)
    if isinstance(episode, Texts):
        episode.in_order()
        if (episode.values < 0).any():
            row = int((episode.values < 0).argmax())
            raise BadInput("is missing", field=printable(episode.name), row=row)
    ids = episode.values
    keys = (ids,) if time is None else (time.values, ids)
    found = np.lexsort(keys)
    order = None if (found == np.arange(rows)).all() else found
    ids = ids if order is None else ids[order]
    last = np.append(ids[1:] != ids[:-1], True)
    by = printable(episode.name)
    if time is not None:
        by += f" and {printable(time.name)}"
        moments = time.values if order is None else time.values[order]
        check_times(episode, time, ids, moments, last)
    repairs = () if order is None else (f"rows: sorted by {by}",)
    return Order(order, last, repairs)


def check_times(episode: Keys | Texts, time: Keys, ids: Array, moments: Array, last: Array) -> None:
    """Refuse tables that have two rows of one episode at one time."""
    twice = (moments[1:] == moments[:-1]) & ~last[:-1]
    if twice.any():
        place, more = int(twice.argmax()), np.count_nonzero(twice) - 1
        value = ids[place].item()
        known = [*episode.numbers][value] if isinstance(episode, Texts) else episode.show(value)
        raise BadInput(
            f"episode {printable(known)} has two rows at {time.show(moments[place].item())}"
            + (f" (and {more} more rows)" if more else ""),
            field=printable(time.name),
        )


def ends_of(
    order: Order, terminal: Array | None, timeout: Array | None, name: str
) -> tuple[Array, Array, list[str]]:
    """Return terminals, timeouts and what was decided about them.

    The last row of an episode is a terminal if the terminal column, called `name`, says so, and a
    timeout otherwise. A terminal that is marked in all rows of its episodes, such as the outcome of
    a stay, counts in the last ones.
    """
    repairs = []
    terminals = np.zeros(len(order.last), np.bool_) if terminal is None else terminal
    inside = terminals & ~order.last
    if inside.any():
        starts = np.flatnonzero(np.append(True, order.last[:-1]))
        marked = np.add.reduceat(terminals.astype(np.int64), starts)
        lengths = np.diff(np.append(starts, len(terminals)))
        if ((marked == 0) | (marked == lengths)).all():
            terminals = terminals & order.last
            repairs.append(
                f"terminals: {printable(name)} is the same in all rows of an episode, "
                "counted in the last"
            )
        else:
            repairs.append(
                f"terminals: {np.count_nonzero(inside)} before the last row of their episode, "
                "which ends there"
            )
    timeouts = order.last & ~terminals
    if timeout is not None:
        timeouts = (timeouts | timeout) & ~terminals
    return terminals, timeouts, repairs
