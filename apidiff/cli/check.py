"""`apidiff check`: validates everything and counts what is there."""

from __future__ import annotations

import argparse
import dataclasses
from collections import Counter
from collections.abc import Callable, Iterable
from functools import partial

from rich.table import Table

from apidiff.cli.output import show
from apidiff.database import Data, InvalidData, load_valid
from apidiff.database.checks import check_records, found_in, run_checks, without_unusable_mappings
from apidiff.database.checks.digests import digests_fit
from apidiff.database.checks.messages import messages_are_there, placeholders_are_alike, placeholders_are_filled
from apidiff.database.checks.other_files import errors_of
from apidiff.database.checks.subject import Subject
from apidiff.database.data import UnknownMapping
from apidiff.database.examples import load_examples, shown_by_path
from apidiff.database.listed_records import unfit_lines
from apidiff.database.passed_over import tell_passed_over, unchecked_errors
from apidiff.database.paths import conf_file, examples_folder, in_checkout
from apidiff.database.signing import load_signers
from apidiff.derive.verdicts_by_run import deciding
from apidiff.errors import DataError
from apidiff.execute.matrix import read_matrix
from apidiff.execute.submissions import accepted, record_errors, signature_errors
from apidiff.judge.vacuity import JudgedValues, claims_are_telling
from apidiff.lookup.cache import former_index, stray_index
from apidiff.lookup.made_entries import made_entries
from apidiff.lookup.record_trial import without_failing
from apidiff.messages.labels import FOLDER, LABELS
from apidiff.model.mapping import Mapping
from apidiff.model.verdict import Outcome
from apidiff.model.views import Entry
from apidiff.model.vocabulary import AnswerKind, Framework
from apidiff.porting.finding_codes import finding_codes
from apidiff.porting.torch_names import read_result_types

_COMPARED = "facets of targets compared by runs"


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Adds the command's arguments."""
    parser.description = "Validates all data; lists every error with file, line and remedy, or counts what is there."
    parser.add_argument("ids", metavar="ID", nargs="*", help="check and count only these mappings, not what is missing")


def run(args: argparse.Namespace) -> int:
    """Prints the counts. Raises InvalidData with every error found, UnknownMapping for an ID that no mapping has."""
    # Without them no other error can be told.
    if errors := [
        *messages_are_there(FOLDER, LABELS.keys()),
        *placeholders_are_alike(FOLDER, LABELS),
        *placeholders_are_filled(FOLDER, LABELS),
    ]:
        raise InvalidData(errors)
    data = without_failing(load_valid())
    for framework in Framework:
        data.newest_release(framework.value)
    if args.ids:
        data = dataclasses.replace(data, mappings={key: _mapping(data, key) for key in args.ids})
        tell_passed_over(data.unread, data.unchecked)  # all is told where all is checked
    if errors := check_records(data) if args.ids else [*run_checks(data), *_other_errors(data)]:
        raise InvalidData(errors)
    # Traces can be made only of probes that are as they should be.
    subjects = [Subject(data, mapping) for mapping in data.mappings.values()]
    telling = partial(claims_are_telling, judged=JudgedValues())
    if errors := [error for subject in subjects for error in found_in(subject, [telling])]:
        raise InvalidData(errors)
    table = Table(show_header=False, box=None, pad_edge=False)
    table.add_column()
    table.add_column(justify="right")
    former = former_index()
    failing: dict[str, DataError] = {}
    made = list(made_entries(data, former.made_of if former else lambda _mapping, _digest: None, failing))
    if failing:
        raise InvalidData(list(failing.values()))
    samples = sum(len(mapping.samples) for mapping in data.mappings.values())
    for what, count in [*counts(entry for _, _, entry, _ in made), ("samples", samples)]:
        # Of one record only what it has is of interest, and whether its samples were run.
        if count or not args.ids or (samples and what == _COMPARED):
            table.add_row(what, str(count))
    show(table)
    return 0


def _other_errors(data: Data) -> list[DataError]:
    """What is wrong with evidence, with what stands in the place of an index, and with files that other commands read."""
    readers: list[Callable[[], object]] = [finding_codes, read_result_types]
    if in_checkout():
        readers.append(partial(read_matrix, conf_file("matrix.toml"), data.backends))
    return [*_evidence_errors(data), *stray_index(), *errors_of(readers), *digests_fit(data.root)]


def _evidence_errors(data: Data) -> list[DataError]:
    """What is wrong with run records, the list of this project's own, and signatures."""
    fits = accepted(without_unusable_mappings(data), data.backends, shown_by_path(load_examples(examples_folder())))
    errors = record_errors(data, fits, load_signers().values())
    unchecked = unchecked_errors(data.root, data.unchecked)
    return [*errors, *unfit_lines(data.root), *signature_errors(data.root), *unchecked]


def _mapping(data: Data, key: str) -> Mapping:
    if key not in data.mappings:
        raise UnknownMapping.of(key)
    return data.mappings[key]


def counts(entries: Iterable[Entry]) -> list[tuple[str, int]]:
    """What there is and how many: mappings, answers, targets, claims with and without a run, observations by outcome, facets.

    Targets that several mappings share, and their claims, count once.
    """
    entries = list(entries)
    claims = {claim.id: claim for entry in entries for claim in entry.claims}.values()
    outcomes = Counter(observed.outcome for claim in claims for observed in deciding(claim))
    answers = Counter(answer.answer for entry in entries for answer in entry.otherwise)
    compared = {
        (target.name, row.framework_version, row.device, row.facet)
        for entry in entries
        for target in entry.targets
        for row in target.agreements
    }
    return [
        ("mappings", len(entries)),
        ("targets", len({target.name for entry in entries for target in entry.targets})),
        ("other answers", sum(answers.values())),
        *((f"  {kind.value.replace('_', ' ')}", answers[kind.value]) for kind in AnswerKind),
        ("claims", len(claims)),
        ("claims with a run", sum(1 for claim in claims if claim.summary)),
        ("claims without a run", sum(1 for claim in claims if not claim.summary)),
        ("observations", sum(outcomes.values())),
        *((f"  {outcome.value}", outcomes[outcome]) for outcome in Outcome),
        (_COMPARED, len(compared)),
    ]
