"""The tabular algorithms by the paper's names, each with its metadata.

A new algorithm is one file and one entry here, or a call of `register_algorithm`.
"""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Literal, Protocol, Self

from instinct.errors import BadInput
from instinct.tabular.armor import armor
from instinct.tabular.atac import atac
from instinct.tabular.bc import BCConfig, bc
from instinct.tabular.cppo import ModelConfig, cppo
from instinct.tabular.game import GameConfig
from instinct.tabular.model import Model
from instinct.tabular.mopo import MOPOConfig, mopo
from instinct.tabular.morel import MOReLConfig, morel
from instinct.tabular.pevi import PEVIConfig, pevi
from instinct.tabular.ppi import ppi
from instinct.tabular.pqi import FilterConfig, pqi
from instinct.tabular.pspi import pspi
from instinct.tabular.solution import Solution
from instinct.tabular.vi_lcb import VILCBConfig, vi_lcb

LIU_2020 = (
    "Liu, Swaminathan, Agarwal and Brunskill, 'Provably Good Batch Off-Policy Reinforcement "
    "Learning Without Great Exploration', NeurIPS 2020, arXiv:2007.08202"
)


class TabularConfig(Protocol):
    """Settings of a tabular algorithm; the defaults are those of its paper."""

    @classmethod
    def pessimistic(cls, model: Model, R: float) -> Self:
        """Return settings that make the algorithm R-admissible on this model."""
        ...


@dataclass(frozen=True)
class TabularAlgorithm:
    """A tabular algorithm: how to run it, and what is known about it."""

    name: str
    run: Callable[[Model, Any], Solution]
    config: type[TabularConfig]
    citation: str
    """The paper that introduced the algorithm."""
    reads_rewards: bool = True
    pessimistic: bool = True
    """Whether the degree of pessimism R has an effect."""
    finite_horizon_only: bool = False
    """Whether the model must have a horizon."""
    actions: Literal["discrete"] = "discrete"

    def solve(self, model: Model, R: float) -> Solution:
        """Run the algorithm with settings that make it R-admissible."""
        return self.run(model, self.config.pessimistic(model, R))


BUILT_IN = (
    TabularAlgorithm(
        "BC",
        bc,
        BCConfig,
        "Pomerleau, 'ALVINN: An Autonomous Land Vehicle in a Neural Network', NeurIPS 1988",
        reads_rewards=False,
        pessimistic=False,
    ),
    TabularAlgorithm(
        "PEVI",
        pevi,
        PEVIConfig,
        "Jin, Yang and Wang, 'Is Pessimism Provably Efficient for Offline RL?', ICML 2021, "
        "arXiv:2012.15085",
        finite_horizon_only=True,
    ),
    TabularAlgorithm(
        "VI-LCB",
        vi_lcb,
        VILCBConfig,
        "Rashidinejad, Zhu, Ma, Jiao and Russell, 'Bridging Offline Reinforcement Learning and "
        "Imitation Learning: A Tale of Pessimism', NeurIPS 2021, arXiv:2103.12021",
    ),
    TabularAlgorithm("PPI", ppi, FilterConfig, LIU_2020),
    TabularAlgorithm("PQI", pqi, FilterConfig, LIU_2020),
    TabularAlgorithm(
        "ATAC",
        atac,
        GameConfig,
        "Cheng, Xie, Jiang and Agarwal, 'Adversarially Trained Actor Critic for Offline "
        "Reinforcement Learning', ICML 2022, arXiv:2202.02446",
    ),
    TabularAlgorithm(
        "PSPI",
        pspi,
        GameConfig,
        "Xie, Cheng, Jiang, Mineiro and Agarwal, 'Bellman-consistent Pessimism for Offline "
        "Reinforcement Learning', NeurIPS 2021, arXiv:2106.06926",
    ),
    TabularAlgorithm(
        "ARMOR",
        armor,
        ModelConfig,
        "Bhardwaj, Xie, Boots, Jiang and Cheng, 'Adversarial Model for Offline Reinforcement "
        "Learning', NeurIPS 2023, arXiv:2302.11048",
    ),
    TabularAlgorithm(
        "CPPO",
        cppo,
        ModelConfig,
        "Uehara and Sun, 'Pessimistic Model-based Offline Reinforcement Learning under Partial "
        "Coverage', ICLR 2022, arXiv:2107.06226",
    ),
    TabularAlgorithm(
        "MOPO",
        mopo,
        MOPOConfig,
        "Yu, Thomas, Yu, Ermon, Zou, Levine, Finn and Ma, 'MOPO: Model-based Offline Policy "
        "Optimization', NeurIPS 2020, arXiv:2005.13239",
    ),
    TabularAlgorithm(
        "MOReL",
        morel,
        MOReLConfig,
        "Kidambi, Rajeswaran, Netrapalli and Joachims, 'MOReL: Model-Based Offline Reinforcement "
        "Learning', NeurIPS 2020, arXiv:2005.05951",
    ),
)

ALGORITHMS: dict[str, TabularAlgorithm] = {algorithm.name: algorithm for algorithm in BUILT_IN}
"""All tabular algorithms by name."""


def find_algorithm(name: str) -> TabularAlgorithm:
    """Return the algorithm with this name; upper and lower case do not matter."""
    for known, algorithm in ALGORITHMS.items():
        if known.casefold() == name.casefold():
            return algorithm
    known = ", ".join(ALGORITHMS)
    raise BadInput(f"no tabular algorithm is called {name!r}; there are {known}")


def register_algorithm(algorithm: TabularAlgorithm) -> None:
    """Make an algorithm of your own known by its name; registering it again replaces it."""
    for known, other in [*ALGORITHMS.items()]:
        if known.casefold() == algorithm.name.casefold():
            if other in BUILT_IN:
                raise BadInput(f"{known!r} is the name of a built-in algorithm; choose another")
            del ALGORITHMS[known]
    ALGORITHMS[algorithm.name] = algorithm
