"""Who vouches for a record stands beside its verdict; one for which nobody does decides nothing."""

from __future__ import annotations

import dataclasses
import re
from collections.abc import Callable

import msgspec
import pytest
from docutils import nodes
from docutils.utils import new_document
from rich.console import Console

from apidiff.database import Data
from apidiff.database.backends import load_backends
from apidiff.database.examples import load_examples
from apidiff.database.paths import examples_folder
from apidiff.derive.copied_runs import copied_runs
from apidiff.derive.verdicts_by_run import deciding
from apidiff.derive.versions_run import versions_run
from apidiff.lookup.answer import Answer
from apidiff.lookup.build import index_of
from apidiff.lookup.entry import Builder
from apidiff.lookup.lookup import lookup
from apidiff.lookup.trusted import Trusted, with_trusted
from apidiff.messages.first_screen import record_texts
from apidiff.messages.verdict_text import evidence, places, verdicts
from apidiff.model.signed import Signed, State
from apidiff.model.trace import RunRecord, TensorDump
from apidiff.model.views import ClaimEntry, Entry
from apidiff.sphinxext.claims import observed_part
from apidiff.sphinxext.page_builder import PageBuilder
from apidiff.writers.short_evidence import short_evidence
from apidiff.writers.terminal import answer_text

API = "torch.distributed.all_reduce"
HEX = "0" * 64
OURS, THEIRS = "torch-2.13.0/gloo-cpu-3-0a1b2c3d4e5f", f"torch-2.13.0/gloo-cpu-3-{HEX}"
SECOND, THIRD, FOURTH = (THEIRS.replace(HEX, digit * 64) for digit in "123")
SIGNERS = {THIRD: "Institute"}  # whose signature it is; of the others "Lab"


def _again(record: RunRecord, seconds: float = 0.5) -> RunRecord:
    """The record as another run makes it: the same results, in other times."""
    probes = [
        msgspec.structs.replace(
            run, ranks=[msgspec.structs.replace(trace, seconds=trace.seconds + seconds) for trace in run.ranks]
        )
        for run in record.probes
    ]
    return msgspec.structs.replace(record, probes=probes)


def _lying(record: RunRecord) -> RunRecord:
    """The record with other values in what came out on rank 1."""

    def other(value: object) -> object:
        return (
            msgspec.structs.replace(value, values=[7.0] * len(value.values)) if isinstance(value, TensorDump) else value
        )

    probes = [
        msgspec.structs.replace(
            run,
            ranks=[
                msgspec.structs.replace(trace, after={name: other(value) for name, value in trace.after.items()})
                if trace.rank == 1
                else trace
                for trace in run.ranks
            ],
        )
        for run in record.probes
    ]
    return msgspec.structs.replace(record, probes=probes)


@pytest.fixture(scope="module")
def ours(database: Data) -> RunRecord:
    real = next(record for key, record in database.runs if key.startswith("torch-2.13.0/gloo-cpu-3-"))
    return msgspec.structs.replace(real, probes=[run for run in real.probes if run.api == API], signatures=[])


def data_with(database: Data, records: dict[str, tuple[RunRecord, State]]) -> Data:
    def of(*states: State) -> list[tuple[str, RunRecord]]:
        return [(key, record) for key, (record, state) in records.items() if state in states]

    return dataclasses.replace(
        database,
        runs=of(State.LISTED),
        signed_runs=of(State.VERIFIED),
        unsigned_runs=of(State.UNSIGNED, State.UNKNOWN_KEY),
        signed={
            **database.signed,
            **{key: Signed(state=state, signer=SIGNERS.get(key, "Lab")) for key, (_, state) in records.items()},
        },
    )


def entry_with(database: Data, records: dict[str, tuple[RunRecord, State]]) -> Entry:
    return Builder(data_with(database, records), load_backends(), load_examples(examples_folder())).entry(
        database.mappings[API]
    )


def refuted_by_them(entry: Entry) -> ClaimEntry:
    return next(claim for claim in entry.claims if claim.disputes)


def test_an_unsigned_record_that_disagrees_is_shown_and_changes_nothing(database: Data, ours: RunRecord) -> None:
    alone = entry_with(database, {OURS: (ours, State.LISTED)})
    theirs = msgspec.structs.replace(_lying(ours), measured_by="this projеct")
    both = entry_with(database, {OURS: (ours, State.LISTED), THEIRS: (theirs, State.UNSIGNED)})
    claim = refuted_by_them(both)
    assert {seen.trust.value for seen in claim.observed} == {"project"}
    assert {seen.trust.value for seen in claim.unsigned} == {"unsigned"}
    assert {row.trust for row in claim.summary} == {"project"}
    assert claim.disputes[0].text.en.startswith(
        "Unsigned records, which decide nothing, disagree with others for PyTorch 2.13.0"
    )
    assert "未签名的记录与其他记录相互矛盾（不影响结论）" in claim.disputes[0].text.zh
    assert "“this projеct” (unsigned)" in claim.disputes[0].text.en
    assert "“this projеct”（未签名）" in claim.disputes[0].text.zh
    for one, other in zip(alone.claims, both.claims, strict=True):
        same = {"unsigned": [], "disputes": [], "confirmations": []}
        assert msgspec.structs.replace(one, **same) == msgspec.structs.replace(other, **same)
    plain = {"claims": []}
    assert msgspec.structs.replace(alone, **plain) == msgspec.structs.replace(both, **plain)


@pytest.mark.parametrize("size", [3, 4])
def test_a_signed_record_that_disagrees_with_ours_is_shown_and_changes_nothing(
    database: Data, ours: RunRecord, size: int
) -> None:
    """With as many ranks as ours, which is a dispute, or with others."""
    lie = msgspec.structs.replace(_lying(ours), world_size=size)
    key = THEIRS.replace("cpu-3", f"cpu-{size}")
    alone = entry_with(database, {OURS: (ours, State.LISTED)})
    both = entry_with(database, {OURS: (ours, State.LISTED), key: (lie, State.VERIFIED)})
    assert {row.trust for claim in both.claims for row in claim.summary} == {"project"}
    aside = [row for claim in both.claims for row in claim.aside]
    assert "refuted" in {row.outcome for row in aside}
    assert {(row.trust, *row.world_sizes, *row.runs) for row in aside} == {("signed", size, key)}
    disputes = [dispute for claim in both.claims for dispute in claim.disputes]
    assert all(dispute.vouched_for for dispute in disputes)
    assert all("“Lab” (signed by a known signer)" in dispute.text.en for dispute in disputes)
    assert bool(disputes) is (size == 3)
    [told] = record_texts(both.claims, [], [], API)
    assert all("“Lab”" in words for words in (told.en, told.zh))
    if size == 3:
        assert told.en.endswith(" (measured by this project; “Lab” (signed by a known signer)).")
    for one, other in zip(alone.claims, both.claims, strict=True):
        assert (one.summary, one.changes, one.contradicted) == (other.summary, other.changes, other.contradicted)
        assert deciding(one) == deciding(other)
    assert alone.targets == both.targets


# The release that a signed record is of, what the first screen says of it.
ELSEWHERE = [
    ("2.13.0", ["Records that “Lab” signed tell of more than this project ran: PyTorch 2.13.0 on gloo, 4 ranks."]),
    ("2.12.0", ["Records that “Lab” signed tell of more than this project ran: PyTorch 2.12.0 on gloo."]),
]


@pytest.mark.parametrize(("version", "said"), ELSEWHERE)
def test_what_only_a_known_signer_ran_is_told_aside_by_name(
    database: Data, ours: RunRecord, version: str, said: list[str]
) -> None:
    """Nor does it decide what ours passed over."""
    fewer = msgspec.structs.replace(ours, probes=ours.probes[:1])
    theirs = msgspec.structs.replace(_again(ours), framework_version=version, world_size=4)
    key = THEIRS.replace("2.13.0", version).replace("cpu-3", "cpu-4")
    entry = entry_with(database, {OURS: (fewer, State.LISTED), key: (theirs, State.VERIFIED)})
    assert {row.trust for claim in entry.claims for row in claim.summary} == {"project"}
    assert any(claim.aside and not claim.summary for claim in entry.claims)
    assert [text.en for text in record_texts(entry.claims, [], [], API)] == said


def test_a_run_of_ours_of_one_framework_hides_none_of_the_other(database: Data, ours: RunRecord) -> None:
    """Releases of both may have one number, and a backend may serve both."""
    theirs = msgspec.structs.replace(_again(ours), world_size=4)
    key = THEIRS.replace("cpu-3", "cpu-4")
    entry = entry_with(database, {OURS: (ours, State.LISTED), key: (theirs, State.VERIFIED)})
    claims = [
        msgspec.structs.replace(
            claim, aside=[msgspec.structs.replace(row, framework="mindspore") for row in claim.aside]
        )
        for claim in entry.claims
    ]
    [told] = [text.en for text in record_texts(claims, [], [], API) if "tell of more" in text.en]
    assert told == "Records that “Lab” signed tell of more than this project ran: MindSpore 2.13.0 on gloo."


def test_a_lookup_lists_records_of_others_last_and_by_name(database: Data, ours: RunRecord) -> None:
    """Also where the digests of ours come after those of others."""
    mine = THEIRS.replace(HEX, "f" * 64)
    theirs, unsigned = (msgspec.structs.replace(_again(ours), measured_by=name) for name in ("Box", "Mallory"))
    entry = entry_with(
        database,
        {mine: (ours, State.LISTED), THEIRS: (theirs, State.VERIFIED), SECOND: (unsigned, State.UNSIGNED)},
    )
    releases = {name: [release.version for release in known] for name, known in database.frameworks.items()}
    console = Console(width=200, markup=False, highlight=False)
    with console.capture() as captured:
        console.print(answer_text(lookup(index_of({API: entry}, {}, releases), API), "en", everything=True))
    place = "  torch-2.13.0/gloo-cpu-3-"
    listed = [line.rstrip() for line in captured.get().splitlines()]
    assert listed[listed.index("Run records") + 1 :] == [
        f"{place}{'f' * 12}",
        f"{place}{'0' * 12} (“Lab” (signed by a known signer))",
        f"{place}{'1' * 12} (“Mallory” (unsigned))",
    ]


def test_what_many_unsigned_records_say_alike_is_one_line_of_a_claim(database: Data, ours: RunRecord) -> None:
    many = {
        THEIRS.replace(HEX, f"{number:064x}"): (
            msgspec.structs.replace(_again(ours), measured_by="Mallory"),
            State.UNSIGNED,
        )
        for number in range(3)
    }
    entry = entry_with(database, {OURS: (ours, State.LISTED), **many})
    releases = {name: [release.version for release in known] for name, known in database.frameworks.items()}
    console = Console(width=200, markup=False, highlight=False)
    with console.capture() as captured:
        console.print(answer_text(lookup(index_of({API: entry}, {}, releases), API), "en", everything=True))
    claims = [[line.strip() for line in claim.splitlines()] for claim in captured.get().split("• ")]
    told = [[line for line in claim if line.endswith("· “Mallory” (unsigned)")] for claim in claims]
    assert any(told)
    assert all(len(lines) == len({*lines}) for lines in told)


def test_releases_that_only_a_known_signer_ran_are_not_answered_for(database: Data, ours: RunRecord) -> None:
    later = msgspec.structs.replace(ours, framework_version="2.15.0")
    records = {OURS: (ours, State.LISTED), THEIRS.replace("2.13.0", "2.15.0"): (later, State.VERIFIED)}
    assert versions_run(data_with(database, records)) == versions_run(data_with(database, {OURS: records[OURS]}))


def test_an_unsigned_record_alone_is_no_verdict(database: Data, ours: RunRecord) -> None:
    theirs = msgspec.structs.replace(ours, measured_by="a lab")
    entry = entry_with(database, {THEIRS: (theirs, State.UNSIGNED)})
    for claim in entry.claims:
        assert (claim.observed, claim.summary, claim.changes) == ([], [], [])
    assert any(claim.unsigned for claim in entry.claims)


def test_independent_records_that_agree_say_so(database: Data, ours: RunRecord) -> None:
    theirs = msgspec.structs.replace(_again(ours), measured_by="a lab")
    entry = entry_with(database, {OURS: (ours, State.LISTED), THEIRS: (theirs, State.VERIFIED)})
    [confirmed] = next(claim for claim in entry.claims if claim.summary).confirmations
    assert confirmed.text.en == (
        "Independent records agree for PyTorch 2.13.0 on gloo (cpu), 3 ranks: holds, by this project; "
        "“Lab” (signed by a known signer)."
    )


# (the records beside this project's, each with the name typed and what is known of its signature; what is left of them as makers)
MAKERS = [
    (
        "another name under the same key",
        [(THEIRS, "Lab", State.VERIFIED), (SECOND, "Other Lab", State.VERIFIED)],
        [THEIRS],
    ),
    (
        "another key under the same name",
        [(THEIRS, "Lab", State.VERIFIED), (THIRD, "Lab", State.VERIFIED)],
        [THEIRS, THIRD],
    ),
    ("an unsigned one", [(THEIRS, "a lab", State.UNSIGNED)], []),
    (
        "an unsigned one by the signer's name",
        [(THEIRS, "Lab", State.VERIFIED), (SECOND, "Lab", State.UNSIGNED)],
        [THEIRS],
    ),
]


@pytest.mark.parametrize(("others", "left"), [row[1:] for row in MAKERS], ids=[row[0] for row in MAKERS])
def test_makers_are_this_project_and_each_known_key(
    database: Data, ours: RunRecord, others: list[tuple[str, str, State]], left: list[str]
) -> None:
    records = {OURS: (ours, State.LISTED)}
    records |= {
        key: (msgspec.structs.replace(_again(ours, number), measured_by=name), state)
        for number, (key, name, state) in enumerate(others, 1)
    }
    claim = next(claim for claim in entry_with(database, records).claims if claim.summary)
    told = [SIGNERS.get(key, "Lab") for key in left]
    names = "".join(f"; “{name}” (signed by a known signer)" for name in told)
    texts = [confirmed.text.en.partition(", by ")[2] for confirmed in claim.confirmations]
    assert sorted("; ".join(sorted(text.rstrip(".").split("; "))) for text in texts) == (
        ["; ".join(sorted(f"this project{names}".split("; ")))] if left else []
    )


# (seconds by which a signed record differs from this project's and from another signed one, how many makers agree)
COPIES = [(0.0, 0.0, 0), (0.0, 0.5, 2), (0.5, 0.5, 2), (0.5, 0.7, 3)]


@pytest.mark.parametrize(("second", "third", "makers"), COPIES)
def test_a_copy_under_another_signature_is_no_maker(
    database: Data, ours: RunRecord, second: float, third: float, makers: int
) -> None:
    records = {OURS: (ours, State.LISTED)}
    records |= {key: (_again(ours, more), State.VERIFIED) for key, more in ((THEIRS, second), (THIRD, third))}
    claim = next(claim for claim in entry_with(database, records).claims if claim.summary)
    assert [len(confirmed.runs) for confirmed in claim.confirmations] == ([makers] if makers else [])


def _without_times(record: RunRecord) -> RunRecord:
    probes = [
        msgspec.structs.replace(run, ranks=[msgspec.structs.replace(trace, seconds=0.0) for trace in run.ranks])
        for run in record.probes
    ]
    return msgspec.structs.replace(record, probes=probes)


def _padded(record: RunRecord) -> RunRecord:
    """The record with three times as many probes as it copies."""
    more = [
        msgspec.structs.replace(run, probe=f"{run.probe}-{number}")
        for number in range(3)
        for run in _again(record, number + 1).probes
    ]
    return msgspec.structs.replace(record, probes=[*record.probes, *more])


def test_a_copy_that_names_another_release_is_one(ours: RunRecord) -> None:
    older = msgspec.structs.replace(ours, framework_version="2.12.0")
    signed = {OURS: Signed(state=State.LISTED), THEIRS: Signed(state=State.VERIFIED)}
    assert copied_runs([(OURS, ours), (THEIRS, older)], signed) == {THEIRS}
    assert copied_runs([(OURS, ours), (THEIRS, _again(older))], signed) == set()


@pytest.mark.parametrize("change", [_without_times, _padded])
def test_a_copy_that_hides_that_it_is_one_is_no_maker(
    database: Data, ours: RunRecord, change: Callable[[RunRecord], RunRecord]
) -> None:
    records = {OURS: (ours, State.LISTED), THEIRS: (change(ours), State.VERIFIED)}
    assert [claim.confirmations for claim in entry_with(database, records).claims if claim.confirmations] == []


@pytest.mark.parametrize("change", [_lying, _again], ids=["it disagrees", "it is a copy of the signed one"])
def test_an_unsigned_record_takes_no_agreement_away(
    database: Data, ours: RunRecord, change: Callable[[RunRecord], RunRecord]
) -> None:
    theirs = msgspec.structs.replace(_again(ours), measured_by="a lab")
    other = msgspec.structs.replace(change(ours), measured_by="Mallory")
    both = {OURS: (ours, State.LISTED), THIRD: (theirs, State.VERIFIED)}
    without, beside = (entry_with(database, records) for records in (both, {**both, SECOND: (other, State.UNSIGNED)}))
    assert any(claim.confirmations for claim in without.claims)
    assert [claim.confirmations for claim in beside.claims] == [claim.confirmations for claim in without.claims]


# (what is known of the record that disagrees with this project's, whether the first screen says so)
HEADLINES = [(State.UNSIGNED, False), (State.UNKNOWN_KEY, False), (State.VERIFIED, True)]


@pytest.mark.parametrize(("state", "told"), HEADLINES)
def test_what_unsigned_records_alone_dispute_is_no_headline(
    database: Data, ours: RunRecord, state: State, told: bool
) -> None:
    lie = msgspec.structs.replace(_lying(ours), measured_by="Mallory")
    entry = entry_with(database, {OURS: (ours, State.LISTED), THEIRS: (lie, state)})
    assert any(claim.disputes for claim in entry.claims)
    assert bool(record_texts(entry.claims, [], [], API)) is told
    everything, first_screen = (_text(_answer(database, entry), everything=everything) for everything in (True, False))
    assert ("Records of PyTorch 2.13.0 disagree" in first_screen) is told
    assert ("“Mallory” (unsigned)" in everything) is not told


def test_a_record_that_is_left_out_hides_no_dispute_and_no_agreement(database: Data, ours: RunRecord) -> None:
    lie = msgspec.structs.replace(_lying(ours), measured_by="Mallory")
    trusted = {
        OURS: (ours, State.LISTED),
        THEIRS: (_again(ours), State.VERIFIED),
        THIRD: (lie, State.VERIFIED),
    }
    alone = with_trusted(_answer(database, entry_with(database, trusted)), Trusted.SIGNED)
    assert any(claim.disputes for claim in alone.claims)
    assert any(claim.confirmations for claim in alone.claims)
    for record in (ours, lie):
        unsigned = msgspec.structs.replace(record, measured_by="a lab", cores=record.cores + 1)
        entry = entry_with(database, {**trusted, FOURTH: (unsigned, State.UNSIGNED)})
        narrowed = with_trusted(_answer(database, entry), Trusted.SIGNED)
        assert narrowed.claims == alone.claims


def test_what_this_projects_records_alone_say_is_derived_from_them(database: Data, ours: RunRecord) -> None:
    """Differences, headlines, where it runs, and the release answered for: nothing of it is of a signed record."""
    later = msgspec.structs.replace(_lying(ours), measured_by="a lab", framework_version="2.14.0")
    lie = msgspec.structs.replace(_lying(ours), measured_by="a lab")
    records = {OURS: (ours, State.LISTED)}
    both = {**records, THEIRS: (lie, State.VERIFIED), SECOND: (later, State.VERIFIED)}
    entry, alone = entry_with(database, both), entry_with(database, records)
    assert entry.targets == alone.targets
    assert with_trusted(_answer(database, entry), Trusted.PROJECT) == _answer(database, alone)


def _releases(database: Data) -> dict[str, list[str]]:
    return {name: [release.version for release in known] for name, known in database.frameworks.items()}


def _answer(database: Data, entry: Entry) -> Answer:
    return lookup(index_of({API: entry}, {}, _releases(database)), API)


def _text(answer: Answer, *, everything: bool) -> str:
    console = Console(width=400, markup=False, highlight=False)
    with console.capture() as captured:
        console.print(answer_text(answer, "en", everything=everything))
    return captured.get()


def test_a_reader_may_leave_records_out(database: Data, ours: RunRecord) -> None:
    theirs = msgspec.structs.replace(_lying(ours), measured_by="a lab")
    records = {
        OURS: (ours, State.LISTED),
        THEIRS: (theirs, State.UNSIGNED),
        THIRD: (msgspec.structs.replace(_again(ours), measured_by="another lab"), State.VERIFIED),
    }
    answer = _answer(database, entry_with(database, records))

    def told(trusted: Trusted) -> tuple[set[str], str]:
        narrowed = with_trusted(answer, trusted)
        trust = {seen.trust.value for claim in narrowed.claims for seen in [*claim.observed, *claim.unsigned]}
        return trust, _text(narrowed, everything=True)

    trust, text = told(Trusted.ALL)
    assert trust == {"project", "signed", "unsigned"}
    assert "“a lab” (unsigned)" in text
    assert "this project's own run" in text
    assert HEX not in text
    trust, text = told(Trusted.SIGNED)
    assert trust == {"project", "signed"}
    assert "a lab” (unsigned)" not in text
    assert "“Institute” (signed by a known signer)" in text
    assert "another lab" not in text
    trust, text = told(Trusted.PROJECT)
    assert trust == {"project"}
    assert "Institute" not in text


@pytest.mark.parametrize("size", [3, 4])
def test_a_run_of_a_known_signer_is_not_told_as_this_projects(database: Data, ours: RunRecord, size: int) -> None:
    """Neither beside a run of this project with as many ranks, nor with another number of ranks."""
    theirs = msgspec.structs.replace(_again(ours), measured_by="a lab", world_size=size)
    key = THIRD.replace("cpu-3", f"cpu-{size}")
    entry = entry_with(database, {OURS: (ours, State.LISTED), key: (theirs, State.VERIFIED)})
    claim = next(claim for claim in entry.claims if claim.summary)
    sizes = {(row.trust, tuple(row.world_sizes)) for row in [*claim.summary, *claim.aside]}
    assert {row.trust for row in claim.summary} == {"project"}
    assert sizes == {("project", (3,)), ("signed", (size,))}
    by = "“Institute” (signed by a known signer)" if key in SIGNERS else "“Lab” (signed by a known signer)"
    ranks = ["3 ranks · this project's own run", f"{size} ranks · {by}"]
    text = _text(_answer(database, entry), everything=True)
    assert all(one in text for one in ranks)
    assert "3, 4 ranks" not in text


def test_short_evidence_tells_what_a_known_signer_ran_by_name(database: Data, ours: RunRecord) -> None:
    """Beside this project's verdicts, where there is none, and where the two disagree."""
    fewer = msgspec.structs.replace(ours, probes=ours.probes[:1])
    more = msgspec.structs.replace(_again(ours), world_size=4)
    crashed = [msgspec.structs.replace(run, end="crash", ranks=[], again=None) for run in ours.probes]
    key = THEIRS.replace("cpu-3", "cpu-4")
    entry = entry_with(database, {OURS: (fewer, State.LISTED), key: (more, State.VERIFIED)})
    by = "“Lab” (signed by a known signer)"
    assert f"4 ranks; {by}) [{key}]" in short_evidence(_answer(database, entry), "en")

    theirs = msgspec.structs.replace(_again(ours), probes=crashed)
    entry = entry_with(database, {OURS: (ours, State.LISTED), THEIRS: (theirs, State.VERIFIED)})
    first = short_evidence(_answer(database, entry), "en").splitlines()[1]
    assert f"3 ranks) [{OURS}]; crash on gloo (PyTorch 2.13.0; 3 ranks; {by}) [{THEIRS}]; Records disagree" in first


@pytest.mark.parametrize("size", [3, 4])
def test_unsigned_records_choose_nothing_in_short_evidence(database: Data, ours: RunRecord, size: int) -> None:
    """They moved verdicts behind the last one that is shown, and hid a known signer's disagreement."""
    crashed = [msgspec.structs.replace(run, end="crash", ranks=[], again=None) for run in ours.probes]
    forged = [
        msgspec.structs.replace(_again(ours), probes=probes, world_size=size) for probes in (crashed, ours.probes)
    ]

    def told(records: dict[str, tuple[RunRecord, State]]) -> list[str]:
        text = short_evidence(_answer(database, entry_with(database, records)), "en")
        return [
            re.sub(r"(; Records disagree|; Unsigned).*", r"\1", line).removesuffix("; Unsigned")
            for line in text.splitlines()
        ]

    alone: dict[str, tuple[RunRecord, State]] = {OURS: (ours, State.LISTED)}
    few = msgspec.structs.replace(ours, probes=ours.probes[:1])
    half_refuted: dict[str, tuple[RunRecord, State]] = {OURS: (few, State.LISTED), SECOND: (_lying(ours), State.LISTED)}
    signed = {THIRD: (msgspec.structs.replace(_again(ours), probes=crashed), State.VERIFIED)}
    for records in (alone, half_refuted, alone | signed):
        keys = (f"torch-2.13.0/gloo-cpu-{size}-{digit * 64}" for digit in "45")
        unsigned = {key: (one, State.UNSIGNED) for key, one in zip(keys, forged, strict=True)}
        assert told(records | unsigned) == told(records)
    assert sum("Records disagree" in line for line in told(alone | signed | unsigned)) > 1


def test_short_evidence_tells_first_what_does_not_hold(database: Data, ours: RunRecord) -> None:
    """At the release asked for, and of PyTorch: of many backends two are told of each claim."""
    answer = _answer(database, entry_with(database, {OURS: (ours, State.LISTED)}))
    claim = next(claim for claim in answer.claims if claim.summary)
    row = claim.summary[0]
    rows = [msgspec.structs.replace(row, backend=name, outcome="holds") for name in ("one", "two")]
    refuted = msgspec.structs.replace(row, backend="three", outcome="refuted")
    older = msgspec.structs.replace(refuted, framework="mindspore", framework_version="2.4.0")
    claims = [
        msgspec.structs.replace(claim, id=f"{claim.subject}#{number}", summary=summary)
        for number, summary in enumerate([[*rows, older], [*rows, refuted]])
    ]
    lines = short_evidence(msgspec.structs.replace(answer, claims=claims), "en").splitlines()[-2:]
    assert ["refuted on three" in line for line in lines] == [True, False]
    # Of a known signer too, of a place that this project did not run.
    claims[1] = msgspec.structs.replace(claims[1], summary=rows, aside=[refuted])
    lines = short_evidence(msgspec.structs.replace(answer, claims=claims), "en").splitlines()[-2:]
    assert ["refuted on three" in line for line in lines] == [True, False]


def test_texts_of_verdicts_tell_runs_of_known_signers_apart(
    database: Data, ours: RunRecord, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Versions that say the same share a text, but not that of a version which a signer alone has run, nor of two signers."""
    theirs = msgspec.structs.replace(_again(ours), measured_by="a lab", framework_version="2.12.0")
    keys = [key.replace("2.13.0", "2.12.0") for key in (THEIRS, THIRD)]
    monkeypatch.setitem(SIGNERS, keys[1], "Institute")
    records = {OURS: (ours, State.LISTED), **dict.fromkeys(keys, (theirs, State.VERIFIED))}
    entry = entry_with(database, records)
    claim = next(claim for claim in entry.claims if claim.summary)
    text = verdicts([*claim.summary, *claim.aside])
    assert text is not None
    assert "(PyTorch 2.13.0; 3 ranks)" in text.en
    assert [(row.signer, row.runs) for row in claim.aside] == [("Lab", keys[:1]), ("Institute", keys[1:])]
    for name in ("Lab", "Institute"):
        assert f"(PyTorch 2.12.0; 3 ranks; “{name}” (signed by a known signer))" in text.en
        assert f"（PyTorch 2.12.0；3 个 rank；“{name}”（由已知签名者签名））" in text.zh
        assert f"PyTorch 2.12.0; 3 ranks; “{name}” (signed by a known signer)" in places(claim.aside).en
    assert [one.runs for one in evidence(claim)] == [[OURS]]
    table = observed_part(PageBuilder("en", new_document("test"), "x"), claim, claim.aside)
    assert [row.astext().count("2.12.0") for row in table.findall(nodes.row)][1:] == [1, 1]
