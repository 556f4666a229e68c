"""The words of the page that not every reader knows: shown by hovering, and at the page's end."""

import re
from collections.abc import Iterable
from functools import cache

from markupsafe import Markup, escape

GLOSSARY = {
    "wrong reward": (
        "A reward that is not that of the task: zero (always 0), random (drawn from 0 to 1 at "
        "every step) or negative (the true reward times -1)."
    ),
    "true reward": "The reward that was recorded with the data and that policies are judged by.",
    "positive bias": (
        "How much of the best possible result the data teach under any reward: J* divided by "
        "the gap between J* and the result under the worst wrong reward. 1 means that this "
        "policy reaches nothing, 10 that it lacks a tenth of J*, ∞ that it lacks nothing."
    ),
    "∞": "Infinite: the policy under the worst wrong reward reaches J*, so the gap that one "
    "divides by is 0.",
    "J*": "The result of the best possible policy of the task; 100 in normalized scores, 1 in "
    "success rates.",
    "behavior": "The policy, or the people, that the data were recorded from.",
    "imitation": "Copying the recorded actions without looking at rewards (BC).",
    "normalized score": "The return, scaled so that a random policy has 0 and an expert 100.",
    "return": "The sum of the true rewards of an episode.",
    "normalized cost": (
        "The cost of an episode divided by the cost that is allowed: at most 1 is safe."
    ),
    "seed": "The number that all randomness of a training derives from. Two seeds are two "
    "independent trainings.",
    "95% interval": (
        "Where the mean over infinitely many seeds probably is (Student's t). Few seeds give "
        "wide intervals; one seed gives none."
    ),
    "standard error": (
        "How far the mean over these seeds typically is from that over infinitely many."
    ),
    "terminal": (
        "An end of an episode in the world itself, such as a fall or a goal, rather than the "
        "end of the recording."
    ),
    "offline RL": (
        "Learning a policy from recorded data and their rewards, without trying anything out."
    ),
    "pessimistic": (
        "An algorithm is pessimistic if it expects the worst of what the data do not show."
    ),
    "live unit": "A unit of a critic's network that is active at any recorded state.",
    "quick preset": "Short trainings that give a first look in minutes.",
    "paper preset": "The paper's settings and its million steps.",
    "BC": "Behavior cloning: imitates the recorded actions and reads no rewards (Pomerleau, 1988).",
    "PSPI": "Pessimistic soft policy iteration, offline RL (Xie et al., NeurIPS 2021, "
    "arXiv:2106.06926).",
    "ATAC": "Adversarially trained actor critic, offline RL (Cheng et al., ICML 2022, "
    "arXiv:2202.02446).",
    "IQL": "Implicit Q-learning, offline RL (Kostrikov et al., ICLR 2022, arXiv:2110.06169).",
    "CQL": "Conservative Q-learning, offline RL (Kumar et al., NeurIPS 2020, arXiv:2006.04779).",
    "CQL3": "CQL with three hidden layers.",
    "DT": "Decision transformer: predicts actions from the return that is asked for (Chen et "
    "al., NeurIPS 2021, arXiv:2106.01345).",
    "PEVI": "Pessimistic value iteration, tabular offline RL (Jin et al., ICML 2021, "
    "arXiv:2012.15085).",
    "VI-LCB": "Value iteration with lower confidence bounds, tabular (Rashidinejad et al., NeurIPS "
    "2021).",
    "PPI": "Pessimistic policy iteration on the supported pairs, tabular (Liu et al., NeurIPS "
    "2020).",
    "PQI": "Pessimistic Q iteration on the supported pairs, tabular (Liu et al., NeurIPS 2020).",
    "ARMOR": "Offline RL with an adversarial model (Bhardwaj et al., NeurIPS 2023, "
    "arXiv:2302.11048).",
    "CPPO": "Constrained pessimistic policy optimization, tabular (Uehara and Sun, ICLR 2022).",
    "MOPO": "Model-based offline policy optimization (Yu et al., NeurIPS 2020, arXiv:2005.13239).",
    "MOReL": "Model-based offline RL with a pessimistic model (Kidambi et al., NeurIPS 2020, "
    "arXiv:2005.05951).",
    "COMBO": "Conservative model-based policy optimization, offline RL (Yu et al., NeurIPS 2021, "
    "arXiv:2102.08363).",
    "NoPessimism": "The control of ATAC and PSPI: the same agents without their pessimism.",
    "AWR": "Advantage-weighted regression: imitates good actions more (Peng et al., 2019, "
    "arXiv:1910.00177).",
    "TD3+BC": "TD3 with a weight on imitation, offline RL (Fujimoto and Gu, NeurIPS 2021, "
    "arXiv:2106.06860).",
    "ReBRAC": "TD3+BC with imitation in policy and critics, offline RL (Tarasov et al., NeurIPS "
    "2023, arXiv:2305.09836).",
    "EDAC": "Actor-critic with many diverse critics, offline RL (An et al., NeurIPS 2021, "
    "arXiv:2110.01548).",
}
"""Terms and what they mean; longer terms are found first."""


@cache
def pattern() -> re.Pattern[str]:
    """Match any term as a whole word: acronyms as they are, words in any letters and number."""
    names = sorted(GLOSSARY, key=len, reverse=True)
    parts = (f"(?i:{re.escape(name)}s?)" if name.islower() else re.escape(name) for name in names)
    return re.compile(rf"(?<![\w-])(?:{'|'.join(parts)})(?![\w-])")


def find_term(text: str) -> str:
    """Return the term of the glossary that a matched text is.

    >>> find_term("Wrong rewards"), find_term("BC")
    ('wrong reward', 'BC')
    """
    lower = text.lower()
    return next(term for term in (text, lower, lower.removesuffix("s")) if term in GLOSSARY)


class Explainer:
    """Explains every term where it is first used, and again after `restart`.

    >>> explain = Explainer()
    >>> str(explain("1 < 2 seeds"))[:25], str(explain("3 seeds"))
    ('1 &lt; 2 <abbr title="The', '3 seeds')
    """

    def __init__(self) -> None:
        self.said: set[str] = set()

    def restart(self) -> str:
        """Begin a new part of the page."""
        self.said.clear()
        return ""

    def __call__(self, text: str) -> Markup:
        """Return a text as HTML in which terms are explained."""
        parts, end = list[Markup](), 0
        for match in pattern().finditer(text):
            term = find_term(match[0])
            if term not in self.said:
                self.said.add(term)
                parts += [escape(text[end : match.start()]), explained(match[0])]
                end = match.end()
        return Markup("").join([*parts, escape(text[end:])])


def explained(text: str) -> Markup:
    """Return a text as HTML, explained if all of it is a term."""
    if not pattern().fullmatch(text):
        return escape(text)
    return Markup('<abbr title="{}">{}</abbr>').format(GLOSSARY[find_term(text)], text)


def terms_in(texts: Iterable[str]) -> dict[str, str]:
    """Return the terms that texts use, in the order of the glossary."""
    used = {find_term(match[0]) for text in texts for match in pattern().finditer(text)}
    return {term: meaning for term, meaning in GLOSSARY.items() if term in used}
