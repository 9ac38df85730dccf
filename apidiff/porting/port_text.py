"""Ports a piece of code: every edit that the rules of the database make in it, with its label, and comments for what is left."""

from __future__ import annotations

import ast
from bisect import bisect_left, bisect_right, insort
from collections.abc import Iterable, Iterator, Sequence
from functools import cached_property
from itertools import chain, islice

import msgspec

from apidiff.messages.labels import filled
from apidiff.model.base import Language, Text
from apidiff.model.call_facts import CallFacts, TargetFacts
from apidiff.model.source_names import SourceNames
from apidiff.model.vocabulary import Reach, Risk
from apidiff.porting.call_edits import CallWriter, NotWritten
from apidiff.porting.code_anchors import CodeAnchors
from apidiff.porting.code_text import CodeText, Edit, apply_edits
from apidiff.porting.code_tokens import NoTokens
from apidiff.porting.file_scan import Reference
from apidiff.porting.finding_codes import finding_codes
from apidiff.porting.held_names import HeldNames
from apidiff.porting.import_edits import Imports, marked
from apidiff.porting.judgement import Judge, Judgement, Label, Met, is_by_rule
from apidiff.porting.layer_edits import layer_edits
from apidiff.porting.source_text import UnreadableSource
from apidiff.porting.text_scan import scan_text
from apidiff.porting.torch_names import FORWARD, MODULE, TorchNames, read_result_types
from apidiff.porting.tree_scan import ScannedFile

_METHODS = "torch.Tensor."
_RISKS = [risk.value for risk in Risk]
_MOST = 2  # headlines that a comment holds
_MOST_REPAIRS = 20  # at once: for each the whole text is looked through, and an editor may ask for all of it


class PortOptions(msgspec.Struct, frozen=True, kw_only=True):
    """How to port. ``unsafe``: edits with conditions too; ``language``: that of comments; ``site``: the address of its pages."""

    unsafe: bool = False
    language: Language = "en"
    site: str = ""


class Change(msgspec.Struct, frozen=True, kw_only=True):
    """What is done with a place that names an API of PyTorch.

    ``state``: ``made`` (edited), ``kept`` (right as it stands), ``left`` (an edit with conditions that was not asked for) or
    ``manual``. ``why``: what has to be so for the edit to be right, or why there is none. ``edits``: those that were made,
    or would be. Lines and columns count from 1, columns in characters, the end is exclusive.
    """

    source: str
    target: str | None
    label: str
    state: str
    line: int
    column: int
    end_line: int
    end_column: int
    why: list[Text] = []
    edits: list[Edit] = []
    help: Text | None = None
    guide: str | None = None


class Ported(msgspec.Struct, frozen=True):
    """Ported code. ``edits``: all of them, imports and comments too, as bytes of the text that was given."""

    text: str
    changes: list[Change]
    edits: list[Edit]

    def count(self, state: str, label: str | None = None) -> int:
        """How many places are in ``state``, of all labels or of one."""
        return sum(one.state == state and label in {None, one.label} for one in self.changes)


class Repair(msgspec.Struct, frozen=True):
    """A change by itself: ``edits`` are its own, those of the imports that it needs, and its comment, as bytes of the text."""

    change: Change
    edits: list[Edit]


class Porter:
    """Ports code for one release and device; made once and used for many texts.

    Args:
        judge: judges references for the release and the device.
        names: what the database calls APIs.
        options: how to port.
    """

    def __init__(self, judge: Judge, names: SourceNames, options: PortOptions | None = None) -> None:
        self.judge, self.options = judge, options or PortOptions()
        self.names = TorchNames(names, read_result_types(), ported=True)

    def port_text(self, text: str, path: str = "text.py") -> Ported:
        """Port a piece of Python code by itself. ``path``: what to call it. Raises UnreadableSource for what is no Python."""
        scanned = scan_text(text, path, self.names)
        if scanned.names.problems:
            problem = scanned.names.problems[0]
            raise UnreadableSource(problem.code, problem.line, problem.detail)
        return self.port_scanned(text, scanned)

    def repairs(self, text: str, path: str, first: tuple[int, int], last: tuple[int, int]) -> list[Repair]:
        """The first changes that can be made between two places, by line and column from 1. Raises UnreadableSource."""
        return self._port(text, scan_text(text, path, self.names)).repairs(first, last)

    def port_scanned(self, text: str, scanned: ScannedFile) -> Ported:
        """Port code that was scanned, with ``ported=True``, along with the files around it. Raises UnreadableSource."""
        return self._port(text, scanned).ported()

    def _port(self, text: str, scanned: ScannedFile) -> _Port:
        try:
            code = CodeText(text)
        except SyntaxError as error:
            raise UnreadableSource("syntax", error.lineno or 1, error.msg) from error
        except (ValueError, RecursionError, MemoryError) as error:
            raise UnreadableSource("nested", 1, str(error)) from error
        return _Port(code, scanned, self.judge, self.options)


class _Port:
    """The port of one text."""

    def __init__(self, code: CodeText, scanned: ScannedFile, judge: Judge, options: PortOptions) -> None:
        self._code, self._scanned, self._judge, self._options = code, scanned, judge, options
        self._anchors = CodeAnchors(code)
        self._held = HeldNames(code)
        self._constructed = self._constructed_classes()

    def _constructed_classes(self) -> dict[str, set[str]]:
        """The classes that calls in the text are written with, by mapping."""
        constructed: dict[str, set[str]] = {}
        for reference in self._scanned.references:
            if reference.role == "call" and not reference.possible and not self._is_held(reference):
                judgement = self._judge.judge(reference.name, reference.role, reference.form)
                if judgement.mapping is not None and judgement.target is not None:
                    constructed.setdefault(judgement.mapping, set()).add(judgement.target)
        return constructed

    def ported(self) -> Ported:
        """The port. Raises UnreadableSource where it would be no Python."""
        changes = [*self._references(), *self._layers()]
        changes = self._without_overlaps(changes)
        made = list(dict.fromkeys(edit for one in changes if one.state == "made" for edit in one.edits))
        imports = Imports(self._code, made)
        made = [Edit(edit.start, edit.end, imports.spelled(edit.text)) for edit in made]
        edits = _ordered(imports.edits(), self._comments(changes), made)
        spelled = [
            msgspec.structs.replace(
                one, edits=[Edit(edit.start, edit.end, imports.spelled(edit.text)) for edit in one.edits]
            )
            for one in changes
        ]
        return Ported(self._written(edits), spelled, edits)

    def _written(self, edits: Sequence[Edit]) -> str:
        """The text with the edits made. Raises UnreadableSource where it is no Python then."""
        try:
            text = apply_edits(self._code.data, edits).decode()
            ast.parse(text)
        except (SyntaxError, ValueError, RecursionError, MemoryError) as error:
            raise UnreadableSource("broken", detail=str(error)) from error
        return text

    def repairs(self, first: tuple[int, int], last: tuple[int, int]) -> list[Repair]:
        """The first changes that can be made between two places, without those that would not give Python."""
        found = []
        changes = (
            change
            for change in self._without_overlaps([*self._references(), *self._layers()])
            if change.state == "made"
            and (change.line, change.column) <= last
            and first <= (change.end_line, change.end_column)
        )
        for change in islice(changes, _MOST_REPAIRS):
            imports = Imports(self._code, change.edits)
            own = [Edit(edit.start, edit.end, imports.spelled(edit.text)) for edit in change.edits]
            edits = _ordered(imports.edits(), self._comments([change]), own)
            if self._give_python(edits):
                found.append(Repair(change, edits))
        return found

    def _give_python(self, edits: Sequence[Edit]) -> bool:
        """Whether the text is Python with the edits made: where the edited statements are, the rest need not be parsed."""
        data = self._code.data
        try:
            for start, end, own in self._edited_parts(edits):
                shifted = [Edit(edit.start - start, edit.end - start, edit.text) for edit in own]
                ast.parse(apply_edits(data[start:end], shifted).decode())
        except (SyntaxError, ValueError, RecursionError, MemoryError):
            try:
                self._written(edits)
            except UnreadableSource:
                return False
        return True

    def _edited_parts(self, edits: Sequence[Edit]) -> Iterator[tuple[int, int, list[Edit]]]:
        """Whole statements at the top, from a byte up to another, with the edits in them, which are in order."""
        bounds = self._bounds
        first, last, own = 0, 0, list[Edit]()
        for edit in edits:
            begin = min(bisect_right(bounds, edit.start), len(bounds) - 1) - 1
            if own and begin >= last:
                yield bounds[first], bounds[last], own
                own = []
            first = first if own else begin
            last = max(last, begin + 1, bisect_left(bounds, edit.end))
            own.append(edit)
        if own:
            yield bounds[first], bounds[last], own

    @cached_property
    def _bounds(self) -> list[int]:
        """The bytes at which statements at the top begin, with the line, and those of the text."""
        first = [[*getattr(node, "decorator_list", []), node][0] for node in self._code.tree.body]
        starts = {self._code.line_start(self._anchors.anchor(node.lineno)) for node in first}
        return [0, *sorted(starts - {0}), len(self._code.data)]

    def _references(self) -> Iterator[Change]:
        for reference in self._scanned.references:
            if reference.possible or reference.role == "import":
                continue
            if self._is_ignored(range(reference.span.line, reference.span.end_line + 1), reference.name):
                continue
            if (change := self._of_reference(reference)) is not None:
                yield change

    def _is_ignored(self, lines: Iterable[int | None], name: str) -> bool:
        """Whether a comment on one of the lines keeps the API ``name`` out."""
        ignored = self._scanned.names.ignored
        return bool(ignored) and any(
            _keeps_out(ignored[line], name) for line in lines if line is not None and line in ignored
        )

    def _of_reference(self, reference: Reference) -> Change | None:
        name = reference.name
        if name.endswith(".forward") and self._is_attribute(reference):
            return None  # `layer_edits` looks at these
        if self._is_held(reference):
            return self._of_held(reference) if reference.role == "call" else None
        owner, _, member = name.rpartition(".")
        judgement = self._judge.judge(name, reference.role, reference.form)
        of_owner = False
        if judgement.target is None and member.startswith("__") and not self._is_attribute(reference):
            judgement = self._judge.judge(owner, "name", None)  # nn.Module.__init__
            of_owner = True
        target = self._judge.target_of(judgement)
        why = _headlines([met for met in judgement.differences if target is None or not is_by_rule(met, target)])
        edits: list[Edit] = []
        label = judgement.label
        if label in {Label.VERIFIED, Label.UNSAFE}:
            try:
                edits, conditions = self._edits(reference, judgement, of_owner=of_owner)
                why = [*conditions, *why]
                label = Label.UNSAFE if conditions else label
            except NotWritten as error:
                label, why = Label.MANUAL, [error.why]
        if label is Label.UNSAFE and not why:
            why = [filled("porting.not_run")]
        if label is Label.MANUAL:
            why = self._by_hand(judgement, why)
        return self._change(reference, judgement, label, why, edits)

    def _by_hand(self, judgement: Judgement, why: list[Text]) -> list[Text]:
        """What is told of a call that is left: first what to write, where the target's note says it and no rule writes it."""
        target = self._judge.target_of(judgement)
        if target is not None and target.note is not None and target.written != "call":
            return [filled("porting.by_hand", target=target.name, note=target.note), *why]
        return why or [filled("porting.no_rule")]

    def _is_held(self, reference: Reference) -> bool:
        """Whether a reference is a variable that holds the API: what is written for it stands where it is bound."""
        if self._is_attribute(reference):
            return False
        return self._held.holds(self._code.text(*self._place(reference)), reference.name)

    def _of_held(self, reference: Reference) -> Change | None:
        """A call of a variable: right as it stands where the API that the variable holds by then takes the same arguments."""
        judgement = self._judge.judge(reference.name, "name", None)
        facts, target = self._judge.facts_of(judgement), self._judge.target_of(judgement)
        call = self._anchors.call_at(self._place(reference)[1])
        if facts is None or target is None or call is None or reference.form is None:
            return None
        why = filled("porting.held", target=target.name)
        try:
            if not CallWriter(self._code, call, reference.form, facts, target, marked).edits().edits:
                return None
        except NotWritten:
            pass
        return self._change(reference, judgement, Label.MANUAL, [why], [])

    def _change(
        self, reference: Reference, judgement: Judgement, label: Label, why: list[Text], edits: list[Edit]
    ) -> Change:
        span = reference.span
        state = "kept"
        if label is Label.MANUAL or (
            not edits and _is_silent(judgement.differences, any_reach=judgement.guide is not None)
        ):
            state, label, edits = "manual", Label.MANUAL, []
        elif edits:
            state = "made" if label is Label.VERIFIED or self._options.unsafe else "left"
        return Change(
            source=reference.name,
            target=judgement.target,
            label=label.value,
            state=state,
            line=span.line,
            column=span.column,
            end_line=span.end_line,
            end_column=span.end_column,
            why=why,
            edits=edits,
            help=judgement.help,
            guide=judgement.guide,
        )

    def _is_attribute(self, reference: Reference) -> bool:
        """Whether a reference is a name behind a dot that follows an object, as a method does, and no path from a module."""
        start, end = self._place(reference)
        node = self._anchors.attribute_at(end)
        if node is None:
            return False
        if start > self._code.start(node):
            return True
        owner = reference.name.split(".")[-2]
        if not owner[:1].isupper():  # of a module
            return False
        before = node.value
        named = before.attr if isinstance(before, ast.Attribute) else before.id if isinstance(before, ast.Name) else ""
        return named != owner

    def _place(self, reference: Reference) -> tuple[int, int]:
        span = reference.span
        return (
            self._code.offset_of_character(span.line, span.column),
            self._code.offset_of_character(span.end_line, span.end_column),
        )

    def _edits(self, reference: Reference, judgement: Judgement, *, of_owner: bool) -> tuple[list[Edit], list[Text]]:
        """The edits that write a reference with its target, and what has to be so. Raises NotWritten.

        ``of_owner``: whether the target is that of the class whose member the reference names.
        """
        start, end = self._place(reference)
        end = self._owner_end(end) if of_owner else end
        facts, target = self._judge.facts_of(judgement), self._judge.target_of(judgement)
        if judgement.target is None or facts is None:
            raise NotWritten(filled("porting.no_rule"))
        if judgement.target == facts.stand_in:
            return self._name_edits(reference, judgement.target, start, end), [filled("porting.stand_in")]
        if target is None:  # a member of a class
            last = judgement.target.rpartition(".")[2]
            return self._renamed(reference.name.rpartition(".")[2], end, last), []
        if target.written == "annotation" and not self._anchors.is_annotation(start):
            raise NotWritten(filled("porting.only_annotation", target=target.name))
        call = self._anchors.call_at(end) if reference.role == "call" else None
        if call is not None and reference.unbound:  # its first argument is the object
            raise NotWritten(filled("porting.unbound"))
        by_form = call is not None and bool(target.rule.forms)
        name = [] if by_form else self._name_edits(reference, target.name, start, end)
        if call is None:
            rule = target.rule
            if rule.fill or rule.arguments or rule.values or rule.forms or (facts.is_class and rule.keywords):
                raise NotWritten(filled("porting.class_by_name"))
            return name, self._other_classes(facts, target) if facts.is_class and reference.role == "name" else []
        if reference.form is None:
            return name, []
        written = CallWriter(self._code, call, reference.form, facts, target, marked).edits()
        return [*(name if written.renames else []), *written.edits], written.conditions

    def _other_classes(self, facts: CallFacts, target: TargetFacts) -> list[Text]:
        """On which condition a class is named so that is not called: its objects may be made of another class.

        Raises NotWritten where calls in the same text make them so: an `isinstance` would be False without a word.
        """
        if others := self._constructed.get(facts.mapping, set()) - {target.name}:
            raise NotWritten(filled("porting.other_class", target=target.name, other=min(others)))
        possible = self._judge.other_targets(facts, target)
        if possible and self._judge.lacks_kernel(target):
            return [filled("porting.class_without_kernel", target=target.name, other=possible[0])]
        return [filled("porting.maybe_other_class", target=target.name, other=possible[0])] if possible else []

    def _name_edits(self, reference: Reference, target: str, start: int, end: int) -> list[Edit]:
        if self._is_attribute(reference):
            last, name = target.rpartition(".")[2], reference.name.rpartition(".")[2]
            if not reference.name.startswith(_METHODS) or not target.startswith("mindspore.Tensor."):
                raise NotWritten(filled("porting.no_rule"))
            return self._renamed(name, end, last)
        return [Edit(start, end, marked(target))]

    def _renamed(self, name: str, end: int, new: str) -> list[Edit]:
        """The edit of a name that ends at a byte, if it changes. Raises NotWritten where it is written in other letters."""
        if name == new:
            return []
        start = end - len(name.encode())
        if self._code.data[start:end] != name.encode():
            raise NotWritten(filled("porting.no_rule"))
        return [Edit(start, end, new)]

    def _owner_end(self, end: int) -> int:
        """The byte after what a member that ends at a byte is looked up on. Raises NotWritten."""
        node = self._anchors.attribute_at(end)
        if node is None:
            raise NotWritten(filled("porting.no_rule"))
        try:
            dot, owner = self._code.dot(node), self._code.end(node.value)
        except NoTokens as error:
            raise NotWritten(filled("porting.no_rule")) from error
        return dot if b")" in self._code.data[owner:dot] else owner

    def _layers(self) -> Iterator[Change]:
        for found in layer_edits(self._code, self._scanned):
            label = Label.VERIFIED if found.certain else Label.UNSAFE
            line, source = found.line, f"{MODULE}.{FORWARD}"
            if self._is_ignored((line, found.defined), source):
                continue
            yield Change(
                source=source,
                target="mindspore.nn.Cell.construct",
                label=label.value,
                state="made" if found.certain or self._options.unsafe else "left",
                line=line,
                column=1,
                end_line=line,
                end_column=1,
                why=[] if found.certain else [filled("porting.forward")],
                edits=[found.edit],
            )

    def _without_overlaps(self, changes: list[Change]) -> list[Change]:
        """The changes; one whose edits overlap those of an earlier one is left to the reader."""
        taken = _Taken()
        found = []
        for one in changes:
            if one.state == "made" and any(taken.meets(edit) for edit in one.edits):
                one = msgspec.structs.replace(one, state="manual", label=Label.MANUAL.value, edits=[])
            elif one.state == "made":
                taken.add(one.edits)
            found.append(one)
        return found

    def _comments(self, changes: Sequence[Change]) -> Iterator[Edit]:
        """Comments above the statements of what is manual, of edits that were made with conditions, and those within edits."""
        wanted: dict[int, dict[str, str]] = {}
        for one in changes:
            for lost in self._lost_comments(one):
                wanted.setdefault(self._anchors.anchor(one.line), {})[lost] = lost
            if one.state == "manual" or (one.state == "made" and one.label == Label.UNSAFE.value):
                anchor = self._anchors.anchor(one.line)
                start = f"# apidiff {one.label}: {one.source}"
                if not self._anchors.has_comment(anchor, start):
                    wanted.setdefault(anchor, {}).setdefault(start, self._comment(one))
        end = self._code.newline()
        for line, comments in wanted.items():
            place = self._code.line_start(line)
            indent = self._anchors.indent(line)
            yield Edit(place, place, "".join(f"{indent}{text}{end}" for text in comments.values()))

    def _lost_comments(self, one: Change) -> Iterator[str]:
        """The comments in the text that a change takes away."""
        for edit in one.edits if one.state == "made" else ():
            yield from (text for text in self._code.comments(edit.start, edit.end) if text not in edit.text)

    def _comment(self, one: Change) -> str:
        language = self._options.language
        why = _listed(one.why).said_in(language)
        if one.guide is not None and one.state == "manual":
            address = f"{self._options.site}guide/code.html#guide-code-{one.guide}"
        else:
            address = one.help.said_in(language) if one.help is not None else ""
        if address:
            why += filled("porting.address", address=address).said_in(language)
        if one.state == "made":
            text = filled(
                "porting.comment_edited", label=one.label, source=one.source, target=one.target or "", text=why
            )
        else:
            text = filled("porting.comment", label=one.label, source=one.source, text=why)
        return " ".join(text.said_in(language).split())


def _ordered(*groups: Iterable[Edit]) -> list[Edit]:
    """Edits in their order in the text; of those that put text in at one place, those of the first group come first."""
    return sorted(chain.from_iterable(groups), key=lambda edit: (edit.start, edit.end))


def _keeps_out(listed: Sequence[str], name: str) -> bool:
    """Whether a comment keeps an API out: it lists no names, that of the API or the end of it, or a code of findings."""
    parts = name.split(".")
    names = {".".join(parts[at:]) for at in range(len(parts))}.union(finding_codes().values())
    return not listed or not names.isdisjoint(listed)


def _listed(texts: Sequence[Text]) -> Text:
    return Text(
        en="; ".join(text.en for text in texts[:_MOST]) or "-", zh="；".join(text.zh for text in texts[:_MOST]) or "-"
    )


def _headlines(differences: Sequence[Met]) -> list[Text]:
    """The headlines of differences, the worst first."""
    ordered = sorted(differences, key=lambda met: (met.reach != Reach.EVERYDAY.value, _RISKS.index(met.risk)))
    return list({met.headline.en: met.headline for met in ordered}.values())


def _is_silent(differences: Sequence[Met], *, any_reach: bool) -> bool:
    """Whether code is changed by a difference without an error: everyday code, or any."""
    return any(
        met.risk == Risk.SILENT.value and (any_reach or met.reach == Reach.EVERYDAY.value) for met in differences
    )


class _Taken:
    """The bytes that edits have taken: ranges that are replaced, in order, and places at which text is put in."""

    def __init__(self) -> None:
        self._ranges: list[tuple[int, int]] = []
        self._places: list[int] = []

    def meets(self, edit: Edit) -> bool:
        """Whether an edit overlaps one of those that were added; edits that only touch do not."""
        number = bisect_left(self._ranges, (edit.start, edit.end))
        near = self._ranges[max(0, number - 1) : number + 1]
        if any(edit.start < end and start < edit.end for start, end in near):
            return True
        return bisect_right(self._places, edit.start) < bisect_left(self._places, edit.end)

    def add(self, edits: Sequence[Edit]) -> None:
        """Take the bytes of edits, which do not overlap those before."""
        for edit in edits:
            if edit.start == edit.end:
                insort(self._places, edit.start)
            else:
                insort(self._ranges, (edit.start, edit.end))
