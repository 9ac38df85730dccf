"""Makes the changes of layers: of their methods, and of bases, which are kept where these are."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterable, Iterator

import msgspec

from apidiff.messages.labels import filled
from apidiff.model.base import Text
from apidiff.porting.changes import Change
from apidiff.porting.code_text import CodeText, Edit
from apidiff.porting.judgement import Label
from apidiff.porting.layer_edits import BaseEdit, LayerEdits
from apidiff.porting.torch_names import FORWARD, MODULE

METHOD = f"{MODULE}.{FORWARD}"


def with_methods(code: CodeText, changes: Iterable[Change], layers: LayerEdits, *, unsafe: bool) -> Iterator[Change]:
    """The changes of references; a base is not written where the method of its class is not: it stays, or waits as that does."""
    bases = {code.start(one.base): one for one in layers.bases_with_methods()}  # none of them stands within another
    starts = sorted(bases)
    for change in changes:
        for edit in change.edits if change.state == "made" else ():
            at = bisect_right(starts, edit.start)
            if at and edit.start < code.end((base := bases[starts[at - 1]]).base):
                change = _of_base(change, base, unsafe=unsafe)
                break
        yield change


def _of_base(change: Change, base: BaseEdit, *, unsafe: bool) -> Change:
    if base.stays:
        why = [filled("porting.class_stays", name=base.name)]
        return msgspec.structs.replace(change, state="manual", label=Label.MANUAL.value, edits=[], why=why)
    why = [filled("porting.class_unsure", name=base.name), *change.why]
    return msgspec.structs.replace(change, state="made" if unsafe else "left", label=Label.UNSAFE.value, why=why)


def method_change(label: Label, state: str, line: int, why: list[Text], edits: list[Edit]) -> Change:
    """The change of the method ``forward`` on a line."""
    return Change(
        source=METHOD,
        target="mindspore.nn.Cell.construct",
        label=label.value,
        state=state,
        line=line,
        column=1,
        end_line=line,
        end_column=1,
        why=why,
        edits=edits,
    )
