"""Checks on the data that a schema cannot make: each is a pass that yields errors with file, line and remedy."""

from __future__ import annotations

from collections.abc import Container, Iterable, Iterator, Sequence
from dataclasses import replace
from functools import cache, partial
from itertools import chain, islice
from pathlib import Path

from apidiff.database.checks.answers import answers_are_complete
from apidiff.database.checks.citations import differences_cite_claims, documents_exist
from apidiff.database.checks.claims import (
    claims_are_observable,
    claims_name_probes,
    claims_stay_few,
    probes_lead_somewhere,
)
from apidiff.database.checks.coverage import (
    mindspore_is_covered,
    mindspore_only_fits,
    pairs_have_records,
    tables_are_whole,
    torch_is_covered,
)
from apidiff.database.checks.digests import missing_files
from apidiff.database.checks.extracted import extracted_samples_fit
from apidiff.database.checks.languages import languages_agree, messages_keep_to_terms, text_faults
from apidiff.database.checks.measured_releases import releases_have_signatures
from apidiff.database.checks.names import (
    category_is_known,
    examples_exist,
    names_fit,
    targets_are_documented,
    targets_exist,
)
from apidiff.database.checks.other_files import tables_are_readable
from apidiff.database.checks.parameters import fill_fits, rows_fit
from apidiff.database.checks.places import places_are_described, without_unjudged
from apidiff.database.checks.probes import probes_call_their_framework
from apidiff.database.checks.ranges import answers_partition_the_releases, bounds_are_versions
from apidiff.database.checks.samples import samples_fit
from apidiff.database.checks.subject import Pass, Subject
from apidiff.database.checks.unseen_characters import no_unseen_characters
from apidiff.database.checks.written_code import written_code_fits
from apidiff.database.data import Data, load_valid
from apidiff.database.documented import listings_fit
from apidiff.database.odd_records import naming_the_record
from apidiff.database.scope import load_scope
from apidiff.database.terms import load_terms
from apidiff.database.undecided import undecided_fits
from apidiff.errors import DataError, InvalidData
from apidiff.model.vocabulary import Framework

_MOST_ERRORS = 50  # of one record: who made more at once made one mistake


def run_checks(data: Data, examples: Path | None = None) -> list[DataError]:
    """Every error there is: in the records, in the order of mappings and passes, what has no record, files of no record.

    ``examples``: the folder of the scripts. Raises DataError where conf/terms.yaml is broken.
    """
    from apidiff.database.paths import examples_folder

    return [
        *check_records(data, examples),
        *check_coverage(data),
        *places_are_described(data),
        *releases_have_signatures(data),
        *written_code_fits(data),
        *tables_are_readable(data.root),
        *no_unseen_characters(data.root, examples or examples_folder()),
    ]


def check_records(data: Data, examples: Path | None = None) -> list[DataError]:
    """Every error in the records that are there, each looked at by itself, and what they say that changes nothing.

    Raises and takes what `run_checks` does.
    """
    from apidiff.database.paths import examples_folder

    folder, terms = examples or examples_folder(), load_terms()
    passes: list[Pass] = [
        names_fit,
        claims_are_observable,
        probes_call_their_framework,
        samples_fit,
        differences_cite_claims,
        documents_exist,
        partial(answers_are_complete, folder=folder),
        partial(examples_exist, folder=folder),
        partial(languages_agree, faults=cache(lambda text: list(text_faults(text, terms)))),
    ]
    found: list[DataError] = []
    for mapping in data.mappings.values():
        found += found_in(Subject(data, mapping), [*passes, _at_versions])
    words = messages_keep_to_terms(data.root / "messages", terms)
    listings = listings_fit(data.root / "documented.yaml", data.listings)
    return [*found, *words, *data.unneeded, *listings]


def without_unusable(data: Data) -> Data:
    """``data`` as `without_unusable_mappings` leaves it; missing files are told as broken.

    Nor has it records that nothing can be judged by. Raises what `Data.newest_release` and `load_scope` do.
    """
    data.newest_release(Framework.MINDSPORE.value)
    return without_unusable_mappings(_telling_missing_files(without_unjudged(data)))


def without_unusable_mappings(data: Data) -> Data:
    """``data`` without the mappings of which no entry can be made; ``passed_over`` tells them.

    Such a one names a category, claim, document, example or probe that is not there, or has samples that cannot be called or
    ends of ranges that are no versions. One whose target is written in a mapping with such an API goes with it. `check_records`
    names all that is wrong with each. Raises what `load_scope` does.
    """
    from apidiff.database.paths import examples_folder

    load_scope()  # no mapping is to blame for it
    of_apis: list[Pass] = [
        documents_exist,
        partial(examples_exist, folder=examples_folder()),
        probes_lead_somewhere,
        claims_name_probes,
        claims_stay_few,
        samples_fit,
    ]
    shared = _first_faults(data, of_apis)
    faults = _first_faults(data, [category_is_known, differences_cite_claims, bounds_are_versions]) | shared
    users = {
        key: shared[target.api.defined_in]
        for key, mapping in data.mappings.items()
        for target in mapping.targets
        if target.api.defined_in in shared
    }
    return passing_over(data, faults, users | faults)


def load_usable() -> Data:
    """What `load_valid` reads, for a caller who runs what mappings hold: an entry can be made of each.

    Raises what `load_valid` and `load_scope` do, and InvalidData with the first error of each mapping of which none can.
    """
    data = without_unusable_mappings(load_valid())
    if data.broken:
        raise InvalidData(data.broken)
    return data


def _telling_missing_files(data: Data) -> Data:
    """``data`` whose ``broken`` tells files that are gone, too: what rested on them would seem never to have been."""
    told = {error.path for error in data.broken}
    missing = {error.path: error for error in [*missing_files(data.root), *releases_have_signatures(data)]}
    found = [error for path, error in missing.items() if not told & {path, path.parent}]
    return replace(data, broken=[*data.broken, *found]) if found else data


def passing_over(data: Data, faults: dict[str, DataError], passed_over: dict[str, DataError]) -> Data:
    """``data`` without the mappings ``passed_over``, of which ``faults`` are told as broken; both by ID."""
    if not passed_over:
        return data
    mappings = {key: mapping for key, mapping in data.mappings.items() if key not in passed_over}
    return replace(
        data, mappings=mappings, broken=[*data.broken, *faults.values()], passed_over=data.passed_over | passed_over
    )


def with_entries(data: Data, entries: Container[str]) -> Data:
    """``data`` without the mappings of which no entry could be made, which is told where they are made. ``entries``: by ID."""
    return replace(data, mappings={key: mapping for key, mapping in data.mappings.items() if key in entries})


def _first_faults(data: Data, passes: Sequence[Pass]) -> dict[str, DataError]:
    """The first error that ``passes`` find in each mapping, by its ID."""
    found: dict[str, DataError] = {}
    for key, mapping in data.mappings.items():
        error = next(found_in(Subject(data, mapping), passes), None)
        if error is not None:
            found[key] = error
    return found


def found_in(subject: Subject, passes: Iterable[Pass]) -> Iterator[DataError]:
    """What ``passes`` find in one record; the last is that one of them failed on it, or that there is more."""
    path = subject.data.path_of(subject.mapping.id)
    try:
        with naming_the_record(path):
            every = chain.from_iterable(check(subject) for check in passes)
            yield from islice(every, _MOST_ERRORS)
            if next(every, None) is not None:
                yield DataError(path, None, f"has more than these {_MOST_ERRORS} errors", "Mend these first.")
    except DataError as error:
        yield error


def _at_versions(subject: Subject) -> Iterator[DataError]:
    """What is checked at each version; ranges whose ends are no versions are told first, and alone."""
    broken = list(bounds_are_versions(subject))
    if broken:
        yield from broken
        return
    yield from answers_partition_the_releases(subject)
    yield from targets_exist(subject)
    yield from targets_are_documented(subject)
    yield from rows_fit(subject)
    yield from fill_fits(subject)


def check_coverage(data: Data) -> list[DataError]:
    """What has no record or names nothing: public names, pairs, profiles, notes, extracted samples; faults of those lists."""
    return [
        *data.unused,
        *extracted_samples_fit(data),
        *torch_is_covered(data),
        *pairs_have_records(data),
        *tables_are_whole(data),
        *mindspore_is_covered(data),
        *mindspore_only_fits(data, load_terms()),
        *undecided_fits(data),
    ]
