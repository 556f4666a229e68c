"""Search for a filter: rank candidates, train the best, confirm the winner on other seeds."""

from collections.abc import Mapping
from dataclasses import asdict, dataclass, field, replace
from pathlib import Path
from typing import Any

from instinct.audits.audit import announce_time, assume_end, check, write_mask
from instinct.audits.plan import (
    algorithm_name,
    judged_in,
    require_task,
    settings_by_algorithm,
)
from instinct.audits.progress import Display, Silent
from instinct.benchmarks.registry import find_benchmark, find_dataset, find_task
from instinct.data import ALL, Dataset, Predicate, canonical_name
from instinct.engine.run_plan import MakeExecutor, run_plan
from instinct.errors import BadInput
from instinct.nudge.changes import choose_filter
from instinct.nudge.goals import check_goal, check_task, find_goal
from instinct.nudge.ranking import (
    Ranking,
    RankingOptions,
    keep_ranking,
    load_ranking,
    rank_filters,
)
from instinct.score.scale import world_of
from instinct.study.findings import Findings, read_findings
from instinct.study.plan import Plan, reads_rewards, recorded_task
from instinct.util.progress import Progress, no_progress

LABEL = "zero"
"""What all agents are told."""
ALGORITHM = "PSPI"
SEARCH, REPORT = "search", "report"
"""The folders of the two studies."""
TOLERANCE = 0.1
"""The share of the reward that a filter against costs may lose."""


@dataclass(frozen=True)
class NudgeOptions:
    """The options of a search for a filter."""

    goal: str
    filters: tuple[str | Predicate, ...] = ()
    """Filters of the user's own, besides the proposed ones."""
    best: int = 3
    """How many filters are trained."""
    keep: float = 0.1
    """The least share of the transitions that a filter must keep."""
    tolerance: float | None = None
    """With the goal cost: the share of the reward that may be lost."""
    algorithm: str = ""
    task: str | None = None
    seeds: int = 3
    """Seeds that choose among the trained filters."""
    report_seeds: int = 5
    """Other seeds, that judge the chosen one."""
    episodes: int | None = None
    settings: Mapping[str, Any] = field(default_factory=dict)
    action_range: tuple[float, float] | None = None
    score_only: bool = False
    """Rank only, and train nothing."""
    seed: int = 0
    """The seed of the ranking."""


@dataclass(frozen=True)
class Search:
    """A ranking, and the plan that trains its best filters; None if nothing is to be trained."""

    ranking: Ranking
    plan: Plan | None
    folder: Path
    report_seeds: int


@dataclass(frozen=True)
class Nudge:
    """The outcome of a search."""

    ranking: Ranking
    search: Findings | None = None
    """The trained candidates, on the seeds of the search."""
    chosen: str | None = None
    """The filter that the search chose; None if none was better than all data."""
    report: Findings | None = None
    """The chosen filter and all data, on seeds that had no part in the search."""

    @property
    def studies(self) -> tuple[Findings, ...]:
        return tuple(each for each in (self.search, self.report) if each is not None)


def begin_search(
    source: str,
    folder: Path,
    options: NudgeOptions,
    on_dataset: Progress = no_progress,
    on_progress: Progress = no_progress,
) -> Search:
    """Open a dataset, check what is asked, and rank filters; or go on with the kept ranking."""
    goal, tolerance = find_goal(options.goal), check_options(options)
    task = task_to_judge_in(source, options)
    if not options.score_only:
        check_task(goal, find_task(task))
    dataset = find_dataset(
        source, action_range=options.action_range, task=task, on_progress=on_dataset
    )
    try:
        check_goal(goal, dataset, world_of(dataset, source, task).end)
    except BadInput as fault:
        raise fault.in_file(source) from None
    plan = None if options.score_only else search_plan(source, task, dataset, options, folder)
    asked = RankingOptions(
        goal=goal.name,
        task=task,
        filters=tuple(name_filter(each, dataset, folder) for each in options.filters),
        best=options.best,
        keep=options.keep,
        tolerance=tolerance,
        seed=options.seed,
    )
    ranking = find_ranking(dataset, source, folder, asked, on_progress)
    if plan is not None:
        plan = replace(plan, filters=(ALL, *(each.name for each in ranking.best)))
    return Search(ranking, plan, folder, options.report_seeds)


def check_options(options: NudgeOptions) -> float | None:
    """Check the numbers of a search, and return the tolerance that its goal has."""
    for name, least in (("best", 1), ("seeds", 1), ("report_seeds", 1)):
        if getattr(options, name) < least:
            raise BadInput(f"must be at least {least}", field=name)
    if not 0 < options.keep <= 1:
        raise BadInput("must be a share above 0 and at most 1", field="keep")
    if options.tolerance is None:
        return TOLERANCE if options.goal == "cost" else None
    if options.goal != "cost":
        raise BadInput("is for the goal cost, at which reward may be lost", field="tolerance")
    if not 0 <= options.tolerance <= 1:
        raise BadInput("must be a share from 0 to 1", field="tolerance")
    return options.tolerance


def task_to_judge_in(source: str, options: NudgeOptions) -> str:
    """Return the task of a search; only a ranking can do without one."""
    if options.score_only:
        return recorded_task(source) if options.task is None else judged_in(options.task)
    return require_task(source, options.task)


def name_filter(chosen: str | Predicate, dataset: Dataset, folder: Path) -> str:
    """Return the name of a filter; a function's mask is written to a file."""
    name = chosen if isinstance(chosen, str) else write_mask(chosen, dataset, folder)
    return canonical_name(name)


def search_plan(
    source: str, task: str, dataset: Dataset, options: NudgeOptions, folder: Path
) -> Plan:
    """Plan zero-reward agents of one algorithm on all data; the filters come after the ranking."""
    benchmark = find_benchmark(task)
    deep = benchmark.algorithms == "deep"
    usual = ALGORITHM if deep else next(filter(reads_rewards, benchmark.default_algorithms))
    algorithm = algorithm_name(options.algorithm or usual, benchmark)
    plan = Plan(
        name=f"nudge of {source}: {SEARCH}",
        description=f"Zero-reward agents on {source} after filters, for the goal {options.goal}",
        datasets=(source,),
        algorithms=(algorithm,),
        labels=(LABEL,),
        filters=(ALL,),
        preset="quick",
        seeds=options.seeds,
        episodes=options.episodes or benchmark.test_episodes,
        settings=settings_by_algorithm(options.settings, (algorithm,)),
        task=task,
        action_range=options.action_range,
    )
    plan = assume_end(plan, dataset, folder / SEARCH)
    check(plan, dataset)
    return plan


def find_ranking(
    dataset: Dataset, source: str, folder: Path, options: RankingOptions, on_progress: Progress
) -> Ranking:
    """Return the ranking that is kept in the folder, or make and keep it."""
    asked = {**asdict(options), "filters": [*options.filters], "hash": dataset.hash}
    kept = load_ranking(folder, asked)
    if kept is not None:
        return kept
    ranking = rank_filters(dataset, source, options, on_progress)
    keep_ranking(folder, asked, ranking)
    return ranking


def finish_search(
    search: Search,
    display: Display | None = None,
    executor: MakeExecutor | None = None,
    *,
    retry_failed: bool = False,
) -> Nudge:
    """Train the best filters, choose one, and judge it on other seeds; or go on with that."""
    ranking, plan, display = search.ranking, search.plan, display or Silent()
    if plan is None:
        return Nudge(ranking)
    where = search.folder / SEARCH
    announce_time(plan, where, display)
    run_plan(plan, where, display.trials, executor, retry_failed=retry_failed)
    searched = read_findings(where)
    chosen = choose_filter(searched, find_goal(ranking.goal), ranking.tolerance)
    if chosen is None:
        return Nudge(ranking, searched)
    judged = replace(
        searched.plan,
        name=f"nudge of {ranking.dataset}: {REPORT}",
        filters=(ALL, chosen),
        seeds=search.report_seeds,
        first_seed=plan.final_seeds.stop,
        frozen={},
    )
    where = search.folder / REPORT
    run_plan(judged, where, display.trials, executor, retry_failed=retry_failed)
    return Nudge(ranking, searched, chosen, read_findings(where))
