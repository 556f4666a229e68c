import numpy as np
import pytest

from instinct.errors import BadInput
from instinct.theory.bias import Bias
from instinct.theory.garnet import garnet, negatively_biased, positively_biased, sample, unbiased
from instinct.theory.mdp import layered
from instinct.theory.support import empirical_distribution, feasible, support, viable

SEEDS = range(12)


def test_garnet_has_the_requested_branching() -> None:
    mdp = garnet(30, 4, 3, 0, discount=0.95)
    assert (mdp.states, mdp.actions, mdp.discount) == (30, 4, 0.95)
    assert (np.diff(mdp.transitions.indptr) == 3).all()
    assert ((mdp.rewards >= 0) & (mdp.rewards <= 1)).all()
    tables = [garnet(30, 4, 3, seed).transitions.toarray() for seed in (0, 0, 1)]
    assert (tables[0] == tables[1]).all()
    assert (tables[0] != tables[2]).any()
    # Uniform on the simplex of three probabilities: mean 1/3 and variance 1/18.
    parts = garnet(300, 10, 3, 2).transitions.data
    assert parts.var() == pytest.approx(1 / 18, rel=0.05)


@pytest.mark.parametrize("seed", SEEDS)
def test_policies_in_positively_biased_data_are_near_optimal(seed: int) -> None:
    mdp = garnet(30, 4, 2, seed)
    for gap in (0.0, 0.1):
        covered = support(mdp, positively_biased(mdp, gap))
        bias = Bias(mdp, covered)
        assert bias.epsilon <= gap * mdp.span + 1e-9
        best = mdp.initial @ mdp.optimal(mdp.rewards, viable(mdp, covered)).V
        assert best == pytest.approx(bias.best)
    assert Bias(mdp, support(mdp, positively_biased(mdp))).degree == np.inf


@pytest.mark.parametrize("seed", SEEDS)
def test_unbiased_data_allow_all_policies_and_negatively_biased_data_the_worst(seed: int) -> None:
    mdp = garnet(30, 4, 2, seed)
    best = float(mdp.initial @ mdp.optimal().V)
    worst = -float(mdp.initial @ mdp.optimal(-mdp.rewards).V)
    assert Bias(mdp, support(mdp, unbiased(mdp))).epsilon == pytest.approx(best - worst)
    covered = support(mdp, negatively_biased(mdp, 0.05))
    assert feasible(mdp, covered)
    allowed = float(mdp.initial @ mdp.optimal(mdp.rewards, viable(mdp, covered)).V)
    assert allowed <= worst + 0.05 * mdp.span + 1e-9
    assert Bias(mdp, covered).epsilon == pytest.approx(best - worst)


def test_truncated_trajectories_lead_out_of_the_data() -> None:
    cut = 0
    for seed in SEEDS:
        mdp = garnet(30, 4, 2, seed)
        covered = support(mdp, positively_biased(mdp))
        cut += int((covered & ~viable(mdp, covered)).sum())
    assert cut > 5 * len(SEEDS)


def test_samples_follow_the_distribution_and_the_dynamics() -> None:
    mdp = garnet(6, 2, 3, 4)
    mu = unbiased(mdp)
    dataset = sample(mdp, mu, 60_000, seed=1)
    assert dataset.episodes == len(dataset) == 60_000
    assert dataset.timeouts.all()
    assert empirical_distribution(mdp, dataset) == pytest.approx(mu, abs=0.01)
    state, action = dataset.observations[:, 0], dataset.actions
    assert dataset.rewards == pytest.approx(mdp.rewards[state, action], abs=1e-6)
    table = np.zeros((12, 6))
    np.add.at(table, (state * 2 + action, dataset.next_observations[:, 0]), 1)
    table /= table.sum(axis=1, keepdims=True)
    assert table == pytest.approx(mdp.transitions.toarray(), abs=0.04)
    assert (table[mdp.transitions.toarray() == 0] == 0).all()


def test_samples_are_seeded_and_stay_in_the_support() -> None:
    mdp = garnet(20, 3, 2, 0)
    mu = positively_biased(mdp)
    one, same, other = (sample(mdp, mu, 500, seed) for seed in (3, 3, 4))
    assert one.hash == same.hash != other.hash
    assert not (empirical_distribution(mdp, one)[mu == 0]).any()
    occupancy = mdp.occupancy(mdp.optimal().policy)
    assert not empirical_distribution(mdp, sample(mdp, occupancy, 500, 0))[
        mdp.optimal().policy == 0
    ].any()


def test_bad_arguments_are_refused() -> None:
    with pytest.raises(BadInput, match="branching is 9"):
        garnet(5, 2, 9, 0)
    with pytest.raises(BadInput, match="discounted"):
        sample(layered(garnet(5, 2, 1, 0), 3), np.ones((16, 2)), 10, 0)
