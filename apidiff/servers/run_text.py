"""Says in a few lines where and with what a run was made, and who vouches for its record."""

from __future__ import annotations

from apidiff.database.data import load_one_run, recorded_ids
from apidiff.database.paths import DATA
from apidiff.database.runs import is_intact, record_path, runs_meant
from apidiff.errors import ApidiffError, DataError, shortened
from apidiff.messages.escape_invisible import one_line, quoted, unbroken
from apidiff.messages.signed_words import signed_words
from apidiff.messages.version_changes import Maker, measurer
from apidiff.model.trace import RunRecord
from apidiff.model.trust import OWN
from apidiff.writers.markdown import prose


def run_text(wanted: str) -> str:
    """Describe the record with this ID, or the only one that a part of it means. Raises ApidiffError."""
    unlisted: list[DataError] = []
    meant = runs_meant(wanted, recorded_ids(DATA, unlisted))
    if unlisted and not meant:
        raise unlisted[0]
    if len(meant) > 1:  # a file can be called as it likes
        meant = [run for run in meant if is_intact(record_path(run, DATA / "runs"))]
    if len(meant) != 1:
        which = f": {', '.join(meant[:5])}" if meant else ""
        raise ApidiffError(
            f"{shortened(wanted)!r} is the ID of {len(meant)} run records{which}. Ask with a whole ID, as answers name it."
        )
    try:
        record, signed = load_one_run(DATA, record_path(meant[0], DATA / "runs"))
    except DataError as error:
        raise ApidiffError(f"The record {meant[0]!r} is damaged: {error}") from error
    if isinstance(record, RunRecord):
        ranks, calls = f"{record.backend}, world size {record.world_size}", f"{len(record.probes)} probes"
    else:
        ranks, calls = "single process", f"{len(record.samples)} {record.inputs or 'written'} samples"
    is_ours = signed.trust in OWN
    said = one_line if is_ours else _typed
    build = said(record.packages.get(record.framework, record.framework_version))
    by = measurer(Maker(record.measured_by, signed.trust, signed.signer), "en")
    system, machine, python = map(quoted if is_ours else _typed, (record.os, record.machine, record.python))
    lines = [
        f"**{meant[0]}**",
        f"- {record.framework} {record.framework_version} ({build})",
        f"- {ranks}, {record.device}, {calls}",
        f"- {record.date}, apidiff {said(record.suite_version)}, measured by {by if is_ours else prose(by)}",
        f"- {signed_words(signed, 'en')}",
        f"- {system}, {machine}, {record.cores} cores, Python {python}",
    ]
    lines += [f"- stopped half-way: {said(record.stopped)}"] if record.stopped else []
    lines += [f"- environment: {said(name)}={said(value)}" for name, value in record.environment.items()]
    return "".join(f"{unbroken(line)}\n" for line in lines)


def _typed(text: str) -> str:
    """What a stranger's record says, in quotes; none of its marks is one of Markdown's."""
    return prose(quoted(text))
