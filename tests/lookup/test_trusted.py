"""Who vouches for a record stands beside its verdict; one for which nobody does decides nothing."""

from __future__ import annotations

import dataclasses

import msgspec
import pytest
from rich.console import Console

from apidiff.database import Data
from apidiff.database.backends import load_backends
from apidiff.database.examples import load_examples
from apidiff.database.paths import examples_folder
from apidiff.lookup.answer import Answer
from apidiff.lookup.build import index_of
from apidiff.lookup.entry import Builder
from apidiff.lookup.lookup import lookup
from apidiff.lookup.trusted import Trusted, with_trusted
from apidiff.model.base import Text
from apidiff.model.signed import Signed, State
from apidiff.model.trace import RunRecord, TensorDump
from apidiff.model.views import ChangeEntry, ClaimEntry, Entry, VersionSpan
from apidiff.writers.terminal import answer_text

API = "torch.distributed.all_reduce"
HEX = "0" * 64
OURS, THEIRS = "torch-2.13.0/gloo-cpu-3-0a1b2c3d4e5f", f"torch-2.13.0/gloo-cpu-3-{HEX}"


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


def entry_with(database: Data, records: dict[str, tuple[RunRecord, State]]) -> Entry:
    decide = {State.LISTED, State.VERIFIED}
    data = dataclasses.replace(
        database,
        runs=[(key, record) for key, (record, state) in records.items() if state in decide],
        unsigned_runs=[(key, record) for key, (record, state) in records.items() if state not in decide],
        signed={key: Signed(state=state, signer="Lab") for key, (_, state) in records.items()},
    )
    return Builder(data, load_backends(), load_examples(examples_folder())).entry(database.mappings[API])


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
    assert "“this projеct” (unsigned)" in claim.disputes[0].text.en
    assert "“this projеct”（未签名）" in claim.disputes[0].text.zh
    for one, other in zip(alone.claims, both.claims, strict=True):
        same = {"unsigned": [], "disputes": [], "confirmations": []}
        assert msgspec.structs.replace(one, **same) == msgspec.structs.replace(other, **same)
    plain = {"claims": []}
    assert msgspec.structs.replace(alone, **plain) == msgspec.structs.replace(both, **plain)


def test_an_unsigned_record_alone_is_no_verdict(database: Data, ours: RunRecord) -> None:
    theirs = msgspec.structs.replace(ours, measured_by="a lab")
    entry = entry_with(database, {THEIRS: (theirs, State.UNSIGNED)})
    for claim in entry.claims:
        assert (claim.observed, claim.summary, claim.changes) == ([], [], [])
    assert any(claim.unsigned for claim in entry.claims)


def test_independent_records_that_agree_say_so(database: Data, ours: RunRecord) -> None:
    theirs = msgspec.structs.replace(ours, measured_by="a lab")
    entry = entry_with(database, {OURS: (ours, State.LISTED), THEIRS: (theirs, State.VERIFIED)})
    [confirmed] = next(claim for claim in entry.claims if claim.summary).confirmations
    assert confirmed.text.en == (
        "Independent records agree for PyTorch 2.13.0 on gloo (cpu), 3 ranks: holds, by this project; "
        "“a lab” (signed by a known signer)."
    )
    # Two records of one maker are no two voices.
    again = THEIRS.replace(HEX, "1" * 64)
    entry = entry_with(database, {THEIRS: (theirs, State.VERIFIED), again: (theirs, State.VERIFIED)})
    assert not any(claim.confirmations for claim in entry.claims)


def test_a_reader_may_leave_records_out(database: Data, ours: RunRecord) -> None:
    theirs = msgspec.structs.replace(_lying(ours), measured_by="a lab")
    third = THEIRS.replace(HEX, "1" * 64)
    records = {
        OURS: (ours, State.LISTED),
        THEIRS: (theirs, State.UNSIGNED),
        third: (msgspec.structs.replace(ours, measured_by="another lab"), State.VERIFIED),
    }
    releases = {name: [release.version for release in known] for name, known in database.frameworks.items()}
    answer = lookup(index_of({API: entry_with(database, records)}, {}, releases), API)

    def told(trusted: Trusted) -> tuple[set[str], str]:
        narrowed = with_trusted(answer, trusted)
        console = Console(width=400, markup=False, highlight=False)
        with console.capture() as captured:
            console.print(answer_text(narrowed, "en", everything=True))
        return {
            seen.trust.value for claim in narrowed.claims for seen in [*claim.observed, *claim.unsigned]
        }, captured.get()

    trust, text = told(Trusted.ALL)
    assert trust == {"project", "signed", "unsigned"}
    assert "“a lab” (unsigned)" in text
    assert "this project's own run" in text
    assert HEX not in text
    trust, text = told(Trusted.SIGNED)
    assert trust == {"project", "signed"}
    assert "a lab” (unsigned)" not in text
    trust, text = told(Trusted.PROJECT)
    assert trust == {"project"}
    assert "another lab" not in text


def test_what_is_left_out_contradicts_no_document_and_changes_no_verdict(database: Data, ours: RunRecord) -> None:
    theirs = msgspec.structs.replace(_lying(ours), measured_by="a lab")
    records = {OURS: (ours, State.LISTED), THEIRS: (theirs, State.VERIFIED)}
    releases = {name: [release.version for release in known] for name, known in database.frameworks.items()}

    def answered(of: dict[str, tuple[RunRecord, State]]) -> Answer:
        return lookup(index_of({API: entry_with(database, of)}, {}, releases), API)

    both = answered(records)
    narrowed = with_trusted(both, Trusted.PROJECT)
    alone = answered({OURS: records[OURS]})
    told = [claim.contradicted for claim in narrowed.claims]
    assert told == [claim.contradicted for claim in alone.claims]
    assert told != [claim.contradicted for claim in both.claims]

    spans = [
        VersionSpan(outcome="holds", runs={"2.12.0": [OURS]}),
        VersionSpan(outcome="refuted", runs={"2.13.0": [THEIRS]}),
    ]
    text = Text(en="It changed.", zh="有变化。")
    change = ChangeEntry(framework="torch", backend="gloo", device="cpu", world_sizes=[3], spans=spans, text=text)
    disputed = next(claim for claim in both.claims if claim.disputes)
    changed = msgspec.structs.replace(both, claims=[msgspec.structs.replace(disputed, changes=[change])])
    assert [claim.changes for claim in with_trusted(changed, Trusted.SIGNED).claims] == [[change]]
    assert [claim.changes for claim in with_trusted(changed, Trusted.PROJECT).claims] == [[]]
