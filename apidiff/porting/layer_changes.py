"""Makes the changes of layers: of their methods, and of bases, which are kept where these are."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterable, Iterator, Sequence

import msgspec

from apidiff.messages.labels import filled
from apidiff.model.base import Text
from apidiff.porting.changes import Change
from apidiff.porting.code_text import CodeText, Edit
from apidiff.porting.judgement import Label
from apidiff.porting.layer_edits import BaseEdit, LayerEdits, layer_bases
from apidiff.porting.torch_names import FORWARD, MODULE
from apidiff.porting.tree_scan import Layer, ScannedFile

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


def method_change(code: CodeText, label: Label, state: str, edit: Edit, why: list[Text]) -> Change:
    """The change of a name ``forward``, for which ``edit`` writes ``construct``."""
    return _change(label, state, (*code.point(edit.start), *code.point(edit.end)), why, [edit])


def method_comment(line: int, why: Text) -> Change:
    """What is told of the method ``forward`` on a line, which stays as it is."""
    return _change(Label.MANUAL, "manual", (line, 1, line, 1), [why], [])


def _change(label: Label, state: str, span: tuple[int, int, int, int], why: list[Text], edits: list[Edit]) -> Change:
    line, column, end_line, end_column = span
    return Change(
        source=METHOD,
        target="mindspore.nn.Cell.construct",
        label=label.value,
        state=state,
        line=line,
        column=column,
        end_line=end_line,
        end_column=end_column,
        why=why,
        edits=edits,
    )


def of_layers(code: CodeText, scanned: ScannedFile, changes: Sequence[Change]) -> list[Change]:
    """The changes that are right only together: bases of layers, and what nobody would find without these.

    That is their methods and other members, edited or with a comment. A layer of PyTorch on whose objects ``forward`` is looked
    up is as a base is.
    """
    bases = sorted((code.start(base), code.end(base)) for base in layer_bases(code.tree, scanned.layers))
    starts = [start for start, _ in bases]
    classes = {
        reference.name.removesuffix(f".{FORWARD}")
        for reference in scanned.references
        if reference.name.endswith(f".{FORWARD}") and not reference.possible
    }
    for change in changes:
        for edit in change.edits:
            at = bisect_right(starts, edit.start)
            if at and edit.start < bases[at - 1][1]:
                classes.add(change.source)
    owners = {*classes, MODULE} if classes else set[str]()
    return [
        change
        for change in changes
        if (change.state == "made" and change.source in classes)
        or (change.state in {"made", "manual"} and (change.source == METHOD or _owner(change) in owners))
    ]


def _owner(change: Change) -> str:
    return change.source.rpartition(".")[0]


def depend_on_layers(layers: Iterable[Layer]) -> bool:
    """Whether some methods are those of layers on a condition that only other layers of the file tell of."""
    return any(layer.mixin or (layer.certain and not layer.sure) for layer in layers)
