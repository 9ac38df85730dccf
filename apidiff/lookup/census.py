"""Measures how much of what real code uses is answered, and how much of that by an answer that was run."""

from __future__ import annotations

from collections.abc import Mapping

from apidiff.database.scope import SourceScope, load_scope
from apidiff.derive.answers import compared_on, current_answer, current_target, range_at
from apidiff.lookup.index import Index
from apidiff.lookup.names import ALIAS
from apidiff.model.base import Record
from apidiff.model.verdict import Outcome
from apidiff.model.views import ClaimEntry, Entry

_MADE = {Outcome.HOLDS.value, Outcome.REFUTED.value}


class Used(Record, frozen=True, kw_only=True):
    """A name and how often it is referred to."""

    name: str
    references: int


class CensusReport(Record, frozen=True, kw_only=True):
    """References and names of a census: all, those with an answer, those whose answer at ``mindspore`` was run.

    ``unanswered``: names without an answer, the most used first.
    """

    mindspore: str
    references: int
    names: int
    answered: int
    answered_names: int
    run: int
    run_names: int
    unanswered: list[Used]

    def share(self, count: int) -> float:
        """Return ``count`` of all references in per cent."""
        return 100 * count / self.references


def census_report(index: Index, counts: Mapping[str, int]) -> CensusReport:
    """Look up each name of ``counts``, at least one of which is referred to, at the newest known MindSpore."""
    release = index.releases["mindspore"][0]
    scope = load_scope().torch
    was_run: dict[str, bool] = {}
    answered, run = [], []
    for name in counts:
        mapping = answering(index, scope, name)
        if mapping is None:
            continue
        answered.append(name)
        if mapping not in was_run:
            was_run[mapping] = is_run(index.entry(mapping), release)
        if was_run[mapping]:
            run.append(name)
    missing = sorted(counts.keys() - set(answered), key=lambda name: (-counts[name], name))
    return CensusReport(
        mindspore=release,
        references=sum(counts.values()),
        names=len(counts),
        answered=sum(counts[name] for name in answered),
        answered_names=len(answered),
        run=sum(counts[name] for name in run),
        run_names=len(run),
        unanswered=[Used(name=name, references=counts[name]) for name in missing],
    )


def answering(index: Index, scope: SourceScope, name: str) -> str | None:
    """Find the mapping of the full name ``name``: by the name or an alias, in a copy of its module, or as a class's member.

    A member of a class whose members have records of their own (``torch.Tensor``) is none of the class.
    """
    for copy, module in scope.copies().items():
        if name.startswith(f"{copy}."):
            name = module + name.removeprefix(copy)
    own = {module.name for module in scope.modules}
    while True:
        for spelling in index.names.get(name, []):
            if spelling.mapping is not None and spelling.rank <= ALIAS:
                return spelling.mapping
        name = name.rpartition(".")[0]
        if name in own or not name.rpartition(".")[2][:1].isupper():
            return None


def is_run(entry: Entry, release: str) -> bool:
    """Tell whether runs on the MindSpore ``release`` made the calls that answer ``entry``.

    Where devices only had no kernel for them, they were not made. Samples may have been made with another target that the
    answer names, for devices on which the one to use has no kernel.
    """
    if target := current_target(entry, release):
        if any(compared_on(named, release) for named in entry.targets if range_at(named.ranges, release)):
            return True
        return any(claim.subject == target.name and _made(claim, release) for claim in entry.claims)
    answer = current_answer(entry, release)
    if answer is None or answer.recipe is None:
        return False
    return any(claim.id == answer.recipe.claim and _made(claim, release) for claim in entry.claims)


def _made(claim: ClaimEntry, release: str) -> bool:
    return any(row.framework_version == release and row.outcome in _MADE for row in claim.summary)
