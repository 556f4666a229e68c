"""The paper's grid world: reach the key, keep off the lava.

The paper does not print its layout; this one agrees with every fact that the paper states. The
agent starts in the top-right corner, the shortest safe path to the key takes nine actions, and the
topmost lava is next to the start. Behavior cloning walks into that lava and then acts at random in
states it has never seen. Walls enclose the lava, so that it can only return to the start. From
there its own path into the lava takes nine more actions, too many for the twenty of an episode.
Its return is therefore -1.19 in every episode.
"""

from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np
from scipy import sparse

from instinct.data import Array, Dataset, Discrete
from instinct.data.assemble import assemble
from instinct.errors import BadInput
from instinct.theory.mdp import MDP, layered

LAYOUT = """\
....^
...#~
#.~.#
..#..
~K.~.
"""
FLOOR, WALL, LAVA, KEY = ".", "#", "~", "K"
HEADINGS = {"^": 0, ">": 1, "v": 2, "<": 3}
MOVES = np.array([(0, -1), (1, 0), (0, 1), (-1, 0)])
FORWARD, LEFT, RIGHT = ACTIONS = (0, 1, 2)

HORIZON = 20
OPTIMAL_EPISODE = "lffflffff"
LAVA_EPISODE = "lffllffrf"
OPTIMAL_EPISODES, LAVA_EPISODES = 100, 400


@dataclass(frozen=True)
class GridEpisodes:
    """Test episodes of a policy: true returns, lengths and visited states."""

    returns: Array
    lengths: Array
    paths: Array
    """States, [episodes, H + 1]."""


@dataclass(frozen=True)
class GridWorld:
    """States are (x, y, d) with heading d north, east, south or west; actions forward, left, right.

    The reward is +1 for reaching the key, where the agent then stays, -1 for entering lava, which
    it can walk through, and -0.01 for every other action.
    """

    layout: str = LAYOUT
    horizon: int = HORIZON

    @cached_property
    def squares(self) -> Array:
        """The squares by [y, x]."""
        rows = [list(row) for row in self.layout.split()]
        if len({len(row) for row in rows}) != 1:
            raise BadInput("the rows of a grid world's layout must be equally long")
        squares = np.array(rows)
        if not np.isin(squares, [FLOOR, WALL, LAVA, KEY, *HEADINGS]).all():
            raise BadInput(f"a layout is made of {FLOOR}{WALL}{LAVA}{KEY} and one of ^>v<")
        if np.isin(squares, [*HEADINGS]).sum() != 1 or (squares == KEY).sum() != 1:
            raise BadInput("a layout needs one start (^, >, v or <) and one key (K)")
        return squares

    @cached_property
    def start(self) -> int:
        """The state in which every episode starts."""
        y, x = np.argwhere(np.isin(self.squares, [*HEADINGS]))[0]
        return self.state(x, y, HEADINGS[str(self.squares[y, x])])

    @property
    def states(self) -> int:
        return self.squares.size * len(MOVES)

    def state(self, x: int, y: int, d: int) -> int:
        return int((y * self.squares.shape[1] + x) * len(MOVES) + d)

    @cached_property
    def observations(self) -> Array:
        """(x, y, d) of every state, [states, 3]."""
        y, x, d = np.unravel_index(np.arange(self.states), (*self.squares.shape, len(MOVES)))
        return np.stack([x, y, d], axis=1)

    def on(self, square: str) -> Array:
        """Tell which states are on a square of that kind."""
        x, y, _ = self.observations.T
        return np.asarray(self.squares[y, x] == square)

    @cached_property
    def successors(self) -> Array:
        """The state after every state and action, [states, actions]."""
        x, y, d = self.observations.T
        height, width = self.squares.shape
        ahead_x, ahead_y = x + MOVES[d, 0], y + MOVES[d, 1]
        inside = (ahead_x >= 0) & (ahead_x < width) & (ahead_y >= 0) & (ahead_y < height)
        ahead_x, ahead_y = np.where(inside, ahead_x, x), np.where(inside, ahead_y, y)
        free = self.squares[ahead_y, ahead_x] != WALL
        ahead_x, ahead_y = np.where(free, ahead_x, x), np.where(free, ahead_y, y)
        forward = (ahead_y * width + ahead_x) * len(MOVES) + d
        here = np.arange(self.states) - d
        moved = np.stack([forward, here + (d - 1) % 4, here + (d + 1) % 4], axis=1)
        return np.where(self.on(KEY)[:, None], np.arange(self.states)[:, None], moved)

    @cached_property
    def rewards(self) -> Array:
        """The true reward of every state and action, [states, actions]."""
        arrives = self.successors // len(MOVES) != np.arange(self.states)[:, None] // len(MOVES)
        rewards = np.full(self.successors.shape, -0.01)
        rewards[arrives & self.on(LAVA)[self.successors]] = -1
        rewards[arrives & self.on(KEY)[self.successors]] = 1
        rewards[self.on(KEY)] = 0
        return rewards

    @cached_property
    def mdp(self) -> MDP:
        """The finite-horizon MDP: states are layered by time, and the key ends an episode."""
        rows = np.arange(self.successors.size)
        table = (np.ones(len(rows)), (rows, self.successors.ravel()))
        transitions = sparse.csr_array(table, shape=(len(rows), self.states))
        initial = np.zeros(self.states)
        initial[self.start] = 1
        steps = layered(MDP(transitions, self.rewards, initial, discount=0.0), self.horizon)
        end = steps.states - 1
        arrivals = np.append(np.tile(self.on(KEY), self.horizon), False)
        target = np.where(arrivals, end, np.arange(steps.states))
        ending = sparse.csr_array((np.ones(len(target)), (np.arange(len(target)), target)))
        return replace(steps, transitions=steps.transitions @ ending)

    @property
    def best_return(self) -> float:
        """V* of the start."""
        return float(self.mdp.initial @ self.mdp.optimal().V)

    def record(self, actions: str) -> dict[str, Array]:
        """Return the transitions of one episode, given its actions as letters f, l and r."""
        states, taken = [self.start], []
        for letter in actions:
            taken.append("flr".index(letter))
            states.append(int(self.successors[states[-1], taken[-1]]))
        rewards = self.rewards[states[:-1], taken]
        terminals = self.on(KEY)[states[1:]]
        last = np.arange(len(taken)) == len(taken) - 1
        return {
            "observations": self.observations[states[:-1]],
            "actions": np.array(taken),
            "rewards": rewards,
            "next_observations": self.observations[states[1:]],
            "terminals": terminals,
            "timeouts": last & ~terminals,
        }

    def dataset(self) -> Dataset:
        """Return 100 copies of the optimal episode and 400 of one that ends in lava."""
        optimal, lava = self.record(OPTIMAL_EPISODE), self.record(LAVA_EPISODE)
        episodes = [optimal] * OPTIMAL_EPISODES + [lava] * LAVA_EPISODES
        arrays = {name: np.concatenate([each[name] for each in episodes]) for name in optimal}
        return assemble(arrays, action_space=Discrete(len(ACTIONS)))

    def rollout(self, policy: Array, episodes: int, random: np.random.Generator) -> GridEpisodes:
        """Play test episodes of a policy, [S, A] or layered by time, [H·S (+ end), A]."""
        layers = policy[: self.horizon * self.states].reshape(-1, self.states, len(ACTIONS))
        layers = np.broadcast_to(layers, (self.horizon, *layers.shape[1:]))
        paths = np.full((episodes, self.horizon + 1), self.start)
        rewards = np.zeros((episodes, self.horizon))
        for h in range(self.horizon):
            states = paths[:, h]
            chances = layers[h, states].cumsum(axis=1)
            draws = random.uniform(size=(episodes, 1)) * chances[:, -1:]
            actions = (draws >= chances).sum(axis=1)
            rewards[:, h] = self.rewards[states, actions]
            paths[:, h + 1] = self.successors[states, actions]
        return GridEpisodes(rewards.sum(axis=1), (~self.on(KEY)[paths[:, :-1]]).sum(axis=1), paths)
