"""Writes an answer as a few lines of Markdown: what an editor shows beside a name, and what an agent is told."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from apidiff.lookup.answer import Answer, Unmatched
from apidiff.messages.code_comments import commented
from apidiff.messages.escape_invisible import visible
from apidiff.messages.first_screen import first_screen, record_texts, standing_key, where_text
from apidiff.messages.labels import in_words, label
from apidiff.model.base import Language
from apidiff.model.views import DifferenceEntry
from apidiff.writers.markdown import code_block

_SHOWN = 5  # of each list
_CODE_LINES = 12
_RUNS = 2  # of each framework


def short_answer(answer: Answer | Unmatched, language: Language, *, runs: bool = False) -> str:
    """Write what a porter reads first: what to write, where it runs, what must change and what to watch.

    Args:
        answer: what `apidiff.lookup` found.
        language: of the text.
        runs: whether the IDs of the runs behind it are named.
    """
    if isinstance(answer, Unmatched):
        return "\n\n".join(_unmatched(answer, language)) + "\n"
    parts = [*_head(answer, language), *_code(answer, language), *_everyday(answer, language)]
    if runs and (named := answer_runs(answer)):
        comma = label("site.comma", language)
        parts.append(_lead("evidence.runs", language) + comma.join(f"`{run}`" for run in named))
    return visible("\n\n".join(part for part in parts if part)) + "\n"


def answer_runs(answer: Answer) -> list[str]:
    """The runs that an answer rests on: a few of PyTorch and of the release asked for, samples first."""
    version = answer.asked.mindspore
    compared = [run for row in answer.agreements if row.framework_version == version for run in row.runs]
    names = {answer.source, answer.target.name if answer.target else ""}
    claimed = [
        run
        for claim in answer.claims
        if claim.subject in names
        for row in claim.summary
        if row.framework == "torch" or row.framework_version == version
        for run in row.runs
    ]
    runs = dict.fromkeys([*compared, *claimed])
    ours = [run for run in runs if run.startswith("mindspore")]
    return [*[run for run in runs if run not in ours][:_RUNS], *ours[:_RUNS]]


def _head(answer: Answer, language: Language) -> Iterator[str]:
    target, version = answer.target, answer.asked.mindspore
    if target is None:
        yield f"**{answer.source}**"
        yield answer.summary.said_in(language)
        yield from _without_target(answer, language)
        return
    yield f"**{answer.source}** → **{target.name}**"
    if target.status is None:
        standing = label("terminal.absent", language, version=version)
    else:
        standing = label(
            "terminal.standing",
            language,
            version=version,
            status=label(standing_key(target.status, composed=target.composed), language),
            range=in_words(target.range or "", language),
        )
    if answer.current and answer.current != target.name:
        standing += " " + label("terminal.use_instead", language, name=answer.current)
    yield standing
    if target.note:
        yield target.note.said_in(language)


def _without_target(answer: Answer, language: Language) -> Iterator[str]:
    otherwise, version = answer.otherwise, answer.asked.mindspore
    if otherwise is None:
        yield label("box.no_current", language, version=version)
        return
    yield label("answer.at", language, version=version, answer=label(f"answer.{otherwise.answer}", language))
    yield otherwise.why.said_in(language)
    if otherwise.instead:
        yield _lead("instead", language) + otherwise.instead.said_in(language)
    if otherwise.uses:
        yield _lead("uses", language) + label("site.comma", language).join(f"`{name}`" for name in otherwise.uses)


def _code(answer: Answer, language: Language) -> Iterator[str]:
    """What to write; a recipe, which is long, is left to its page."""
    if answer.target and answer.after:
        lines = [line for line in commented(answer.after, language).splitlines() if line]
        yield code_block("\n".join(lines[:_CODE_LINES]), "python")
    for beside in answer.beside:
        devices = label("site.comma", language).join(
            label(f"on_device.{device}", language) for device in beside.devices
        )
        lines = [label("screen.beside", language, devices=devices) + f"`{beside.name}`"]
        yield "\n".join(lines + [f"- {fact.said_in(language)}" for fact in beside.watch[:_SHOWN]])


def _everyday(answer: Answer, language: Language) -> Iterator[str]:
    target = answer.target
    if target is not None:
        if target.refused:
            yield target.refused.said_in(language)
        if places := where_text(target.runs_on, target.limits):
            yield _lead("screen.where", language) + places.said_in(language)
        for text in record_texts(answer.claims, answer.agreements, answer.aside, answer.source, target.name):
            yield text.said_in(language)
    screen = first_screen(answer.differences)
    if target is not None and not screen.must and not screen.watch:
        yield label("screen.nothing", language)
    yield _listed("screen.must", screen.must, language)
    yield _listed("screen.watch", screen.watch, language)
    folded = [("screen.edge", screen.edge), ("screen.source_only", screen.source_only)]
    yield label("site.comma", language).join(
        label(key, language) + label("site.aside", language, text=len(found)) for key, found in folded if found
    )


def _listed(key: str, differences: Sequence[DifferenceEntry], language: Language) -> str:
    if not differences:
        return ""
    lines = [f"**{label(key, language)}**"]
    lines += [f"- {(difference.headline or difference.text).said_in(language)}" for difference in differences[:_SHOWN]]
    if (left := len(differences) - _SHOWN) > 0:
        lines.append(f"- {label('screen.more_short', language, count=left)}")
    return "\n".join(lines)


def _unmatched(unmatched: Unmatched, language: Language) -> Iterator[str]:
    yield f"**{unmatched.asked.api}**"
    if unmatched.why is None:
        yield label("serves.unnamed", language)
        return
    yield label("serves.none", language)
    yield unmatched.why.said_in(language)
    if unmatched.nearest:
        yield _lead("nearest", language) + label("site.comma", language).join(unmatched.nearest)


def _lead(key: str, language: Language) -> str:
    return label(key, language) + label("site.colon", language)
