"""What `apidiff verify` does with mappings whose samples are made in single processes."""

from __future__ import annotations

import argparse
from collections.abc import Callable, Collection, Iterator
from contextlib import AbstractContextManager
from dataclasses import dataclass

import msgspec
from rich.console import Console
from rich.table import Table

from apidiff.database import Data
from apidiff.execute.run import state_folder
from apidiff.execute.single.record import write_record
from apidiff.model.agreement import Agreement
from apidiff.model.mapping import Mapping
from apidiff.model.vocabulary import Execution
from apidiff.verification.samples import AgreementChange, SingleResult, devices_here, verify_samples

Advance = Callable[[int, int, str], None]


@dataclass(frozen=True)
class Choice:
    """The mappings to verify, by execution; None stands for all of that kind, an empty list for none."""

    collective: list[str] | None
    single: list[str] | None


def choose(data: Data, args: argparse.Namespace, *, launched: bool) -> Choice:
    """What the IDs and options of a command mean. Options about ranks, and a launcher's ranks, mean collectives alone."""
    if args.ids:
        single = [name for name in args.ids if _is_single(data.mappings[name])]
        return Choice([name for name in args.ids if name not in single], single)
    about_ranks = bool(args.backend or args.world_size or launched)
    some = any(map(_is_single, data.mappings.values()))
    if args.execution == Execution.SINGLE.value:
        return Choice([], None if some else [])
    return Choice(None, None if some and args.execution is None and not about_ranks else [])


def _is_single(mapping: Mapping) -> bool:
    return mapping.execution is Execution.SINGLE


@dataclass(frozen=True)
class SampleReport:
    """What came of it, and the records that were written."""

    result: SingleResult
    written: list[str]

    @property
    def changed(self) -> bool:
        """Whether a verdict is not what is recorded."""
        return bool(self.result.changes) and not self.written

    def plain(self) -> dict[str, object]:
        """The report for JSON."""
        return {
            "execution": Execution.SINGLE.value,
            "runs": [
                {"framework": one.framework, "framework_version": one.framework_version, "device": one.device}
                for one in self.result.records
            ],
            "agreements": {
                target: {one.value: counts[one] for one in Agreement if counts[one]}
                for target, counts in self.result.counts.items()
            },
            "disagreeing": {
                target: [
                    {"facet": facet.value, "agreement": agreement.value, "samples": samples}
                    for (facet, agreement), samples in verdicts.items()
                ]
                for target, verdicts in self.result.disagreeing.items()
            },
            "written": self.written,
            "changes": [] if self.written else [_plain(one) for one in self.result.changes],
        }

    def show(self, console: Console) -> None:
        """Prints it."""
        table = Table.grid(padding=(0, 2))
        for one in self.result.records:
            table.add_row(one.device, f"{one.framework} {one.framework_version}", f"{len(one.samples)} samples")
        for target, counts in self.result.counts.items():
            said = " · ".join(f"{one.value} {counts[one]}" for one in Agreement if counts[one])
            table.add_row("", target, said)
        console.print(table)
        for line in self._disagreeing():
            console.print(line, soft_wrap=True)
        for path in self.written:
            console.print(f"written: {path}", soft_wrap=True)
        if self.written:
            return
        for change in self.result.changes:
            console.print(change.text(), soft_wrap=True)
        if self.result.changes:
            remedy = "If they are right: apidiff verify --execution single --record"
            console.print(f"{len(self.result.changes)} verdicts are not what is recorded. {remedy}", soft_wrap=True)
        else:
            console.print("Every verdict is what is recorded." if self.result.compared else "Nothing is recorded yet.")

    def _disagreeing(self) -> Iterator[str]:
        """The samples on which a target does not agree; facets of the same samples share a line."""
        for target, verdicts in self.result.disagreeing.items():
            facets: dict[tuple[Agreement, tuple[str, ...]], list[str]] = {}
            for (facet, agreement), samples in verdicts.items():
                facets.setdefault((agreement, tuple(dict.fromkeys(samples))), []).append(facet.value)
            for (agreement, names), of in facets.items():
                yield f"{target} {agreement.value} in {', '.join(of)}: {', '.join(names)}"


def _plain(change: AgreementChange) -> dict[str, object]:
    return {name: getattr(change, name) for name in ("target", "version", "device", "before", "now")}


def run_samples(
    data: Data,
    mappings: Collection[str] | None,
    args: argparse.Namespace,
    progress: Callable[[str], AbstractContextManager[Advance]],
) -> SampleReport:
    """Runs the samples of ``mappings`` (None: of all) and records or compares them, as ``args`` say."""
    with progress("single") as advance:
        result = verify_samples(data, devices_here(args.framework), state_folder() / "logs", mappings, advance)
    written = []
    if args.record:
        for record in result.records:
            made = msgspec.structs.replace(record, measured_by=args.measured_by)
            written.append(str(write_record(made, data.root / "runs")))
    return SampleReport(result, written)
