"""The tabular algorithms by the paper's names: a new one is one file and one line here."""

from collections.abc import Callable
from typing import Any, NamedTuple, Protocol, Self

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


class Config(Protocol):
    """Settings whose defaults are the paper's, and those that are pessimistic enough for R."""

    @classmethod
    def pessimistic(cls, model: Model, R: float) -> Self: ...


class Algorithm(NamedTuple):
    run: Callable[[Model, Any], Solution]
    config: type[Config]


ALGORITHMS = {
    "BC": Algorithm(bc, BCConfig),
    "PEVI": Algorithm(pevi, PEVIConfig),
    "VI-LCB": Algorithm(vi_lcb, VILCBConfig),
    "PPI": Algorithm(ppi, FilterConfig),
    "PQI": Algorithm(pqi, FilterConfig),
    "ATAC": Algorithm(atac, GameConfig),
    "PSPI": Algorithm(pspi, GameConfig),
    "ARMOR": Algorithm(armor, ModelConfig),
    "CPPO": Algorithm(cppo, ModelConfig),
    "MOPO": Algorithm(mopo, MOPOConfig),
    "MOReL": Algorithm(morel, MOReLConfig),
}
