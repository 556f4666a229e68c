"""The paper's admissible algorithms in tabular form, on the empirical model of a dataset."""

from instinct.tabular.armor import armor
from instinct.tabular.atac import atac
from instinct.tabular.bc import BCConfig, bc
from instinct.tabular.cppo import ModelConfig, cppo
from instinct.tabular.game import GameConfig
from instinct.tabular.model import Model, States
from instinct.tabular.mopo import MOPOConfig, mopo
from instinct.tabular.morel import MOReLConfig, morel
from instinct.tabular.pevi import PEVIConfig, pevi, steps_remaining, value_bounds
from instinct.tabular.ppi import ppi
from instinct.tabular.pqi import FilterConfig, pqi
from instinct.tabular.pspi import pspi
from instinct.tabular.registry import (
    ALGORITHMS,
    TabularAlgorithm,
    find_algorithm,
    register_algorithm,
)
from instinct.tabular.solution import Solution
from instinct.tabular.vi_lcb import VILCBConfig, vi_lcb

__all__ = [
    "ALGORITHMS",
    "BCConfig",
    "FilterConfig",
    "GameConfig",
    "MOPOConfig",
    "MOReLConfig",
    "Model",
    "ModelConfig",
    "PEVIConfig",
    "Solution",
    "States",
    "TabularAlgorithm",
    "VILCBConfig",
    "armor",
    "atac",
    "bc",
    "cppo",
    "find_algorithm",
    "mopo",
    "morel",
    "pevi",
    "ppi",
    "pqi",
    "pspi",
    "register_algorithm",
    "steps_remaining",
    "value_bounds",
    "vi_lcb",
]
