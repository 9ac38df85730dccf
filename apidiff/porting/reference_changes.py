"""Finds what a port does with each reference of a text and with the methods of its layers: the edits, or why there are none."""

from __future__ import annotations

import ast
import re
from bisect import bisect_left
from collections.abc import Iterable, Iterator, Mapping, Sequence

import msgspec

from apidiff.messages.labels import filled
from apidiff.model.base import Text
from apidiff.model.call_facts import CallFacts, TargetFacts
from apidiff.model.vocabulary import Reach, Risk
from apidiff.porting.call_edits import CallWriter, NotWritten
from apidiff.porting.changes import Change, PortOptions
from apidiff.porting.code_anchors import CodeAnchors
from apidiff.porting.code_text import CodeText, Edit
from apidiff.porting.code_tokens import NoTokens
from apidiff.porting.file_scan import Reference, Span
from apidiff.porting.finding_codes import keeps_out
from apidiff.porting.held_names import HeldNames
from apidiff.porting.import_edits import marked
from apidiff.porting.judgement import OBJECTS, Judge, Judgement, Label, Met, is_by_rule
from apidiff.porting.layer_changes import METHOD, method_change, method_comment, with_methods
from apidiff.porting.layer_edits import LayerEdit, LayerEdits, construct_before, is_super
from apidiff.porting.method_strings import naming_lines
from apidiff.porting.torch_names import FORWARD, MODULE
from apidiff.porting.tree_scan import ScannedFile

_METHODS = "torch.Tensor."
_WORD = re.compile(r"\w+")
_RISKS = [risk.value for risk in Risk]


class ReferenceChanges:
    """The changes of one text."""

    def __init__(
        self, code: CodeText, anchors: CodeAnchors, scanned: ScannedFile, judge: Judge, options: PortOptions
    ) -> None:
        self._code, self._anchors, self._scanned, self._judge, self._options = code, anchors, scanned, judge, options
        self._held = HeldNames(code)
        self._told: set[str] = set()  # names that may be PyTorch's or another's, paths to one API or another
        self._constructed = self._constructed_classes()

    def _constructed_classes(self) -> dict[str, set[str]]:
        """The classes that calls in the text are written with, by mapping."""
        constructed: dict[str, set[str]] = {}
        for reference in self._scanned.references:
            is_call = reference.role == "call" and not reference.possible and not reference.divided
            if is_call and not self._is_held(reference):
                judgement = self._judge.judge(reference.name, reference.role, reference.form)
                if judgement.mapping is not None and judgement.target is not None:
                    constructed.setdefault(judgement.mapping, set()).add(judgement.target)
        return constructed

    def all(self) -> Iterator[Change]:
        """The changes, in the order in which one goes before another that overlaps it."""
        self._told.clear()
        found: list[Change] = []
        kept: list[int] = []  # bytes at which references begin that stay
        held: list[Reference] = []  # variables that hold APIs
        states: dict[str, set[bool]] = {}  # whether what is written in place of an API is one of MindSpore
        on_ranks: list[str] = []  # calls that stay and use the process group of PyTorch
        for reference in self._scanned.references:
            if reference.possible or reference.role == "import":
                continue
            change = None if self._is_reference_ignored(reference) else self._of_reference(reference)
            if change is not None:
                found.append(change)
            if self._is_held(reference):
                held.append(reference)
                continue
            states.setdefault(reference.name, set()).add(is_made := change is not None and change.state == "made")
            if not is_made:
                kept.append(self._place(reference)[0])
                if reference.role == "call" and self._judge.is_on_ranks(reference.name):
                    on_ranks.append(reference.name)
        if on_ranks:
            found = [self._beside_group(one, on_ranks[0]) for one in found]
        found += self._of_branches()
        kept += [  # of an API that nothing here names another file has told
            self._place(one)[0] for one in held if False in states.get(one.name, {self._is_written(one.name)})
        ]
        layers = self._layer_edits(sorted(kept))
        found = list(with_methods(self._code, found, layers, unsafe=self._options.unsafe))
        yield from found
        yield from self._layers(found, layers)

    def _beside_group(self, change: Change, staying: str) -> Change:
        """``change``, on condition that ``staying`` is ported too where both use process groups: each framework has its own."""
        proven = change.state == "made" and change.label == Label.VERIFIED.value
        if not proven or not self._judge.is_on_ranks(change.source):
            return change
        return msgspec.structs.replace(
            change,
            label=Label.UNSAFE.value,
            state="made" if self._options.unsafe else "left",
            why=[filled("porting.group_stays", name=staying), *change.why],
        )

    def _is_reference_ignored(self, reference: Reference) -> bool:
        return self._is_ignored(range(reference.span.line, reference.span.end_line + 1), reference.name)

    def _is_ignored(self, lines: Iterable[int], name: str) -> bool:
        """Whether a comment on one of the lines keeps the API ``name`` out."""
        ignored = self._scanned.names.ignored
        return bool(ignored) and any(keeps_out(ignored[line], name) for line in lines if line in ignored)

    def _of_reference(self, reference: Reference) -> Change | None:
        name = reference.name
        owner, _, member = name.rpartition(".")
        is_path = not self._is_attribute(reference)
        if member == FORWARD and not is_path:
            return None  # `_layers` looks at these
        if self._is_held(reference):
            if reference.role != "call":
                return None
            return self._of_held(reference) or self._of_either(reference) or self._of_taken(reference)
        judgement = self._judge.judge(name, self._role(reference), reference.form)
        # nn.Module.__init__, nn.Linear.forward
        of_owner = is_path and (member == FORWARD or (judgement.target is None and member.startswith("__")))
        if of_owner:
            judgement = self._judge.judge(owner, "name", None)
        target = self._judge.target_of(judgement)
        why = _headlines([met for met in judgement.differences if target is None or not is_by_rule(met, target)])
        edits: list[Edit] = []
        label = judgement.label
        if label in {Label.VERIFIED, Label.UNSAFE}:
            try:
                edits, conditions = self._edits(reference, judgement, of_owner=of_owner)
                if member == FORWARD and (method := construct_before(self._code, self._place(reference)[1])):
                    edits = [*edits, method]
                why = [*conditions, *why]
                label = Label.UNSAFE if conditions else label
            except NotWritten as error:
                label, why = Label.MANUAL, [error.why]
        if label is Label.UNSAFE and not why:
            why = [filled("porting.not_run")]
        if label is Label.MANUAL:
            why = self._by_hand(judgement, why)
        change = self._change(reference, judgement, label, why, edits)
        return self._of_divided(reference, judgement) if reference.divided and change.edits else change

    def _role(self, reference: Reference) -> str:
        """The role of a reference, that of a class apart of which objects may be made where it is handed to."""
        is_type = reference.name == MODULE or self._anchors.is_type(*self._place(reference))
        return OBJECTS if reference.role == "name" and not is_type else reference.role

    def _check_partial(self, end: int, facts: CallFacts, target: TargetFacts) -> None:
        """Raise NotWritten where what is given to `functools.partial` is not what the target takes by the same names."""
        call = self._anchors.partial_at(end)
        if call is None:
            return
        names = {name.strip("*/=") for way in target.ways for name in way}
        for keyword in call.keywords:
            name = keyword.arg
            if name is not None and (
                name not in names or target.renamed.get(name, name) != name or name in target.missing
            ):
                raise NotWritten(filled("porting.lacks", name=name, target=target.name))
        for place in range(len(call.args) - 1):
            for way in facts.ways[:1]:
                name = way[place].strip("*/=") if place < len(way) else ""
                there = [one[place].strip("*/=") for one in target.ways if place < len(one) and one[place][-1] != "="]
                if name and target.renamed.get(name, name) not in there:
                    raise NotWritten(filled("porting.lacks", name=name, target=target.name))

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
        start, end = self._place(reference)
        return self._held.holds(self._code.text(start, end), start, reference.name, imported=reference.imported)

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
        self._told.add(self._code.text(*self._place(reference)).partition(".")[0].strip())
        return self._change(reference, judgement, Label.MANUAL, [why], [])

    def _of_either(self, reference: Reference) -> Change | None:
        """The first call of what a name holds that may still be PyTorch's: an import stays, and so does a module."""
        start, end = self._place(reference)
        first, *others = (name.strip() for name in self._code.text(start, end).split("."))
        stays = self._held.is_either(first, start) and (bool(others) or self._held.is_imported(first, start))
        if not stays or first in self._told:
            return None
        line = self._held.either_lines.get(first)
        if line is not None and self._is_ignored((line,), reference.name):
            return None
        self._told.add(first)
        message = "porting.either_star" if self._held.is_from_star(first, start) else "porting.either"
        judgement = self._judge.judge(reference.name, reference.role, reference.form)
        return self._change(reference, judgement, Label.MANUAL, [filled(message, name=first)], [])

    def _of_taken(self, reference: Reference) -> Change | None:
        """The first call of what is taken from another file, and may be one API or another there."""
        place = self._place(reference)
        first = self._code.text(*place).partition(".")[0].strip()
        if not reference.divided or not self._held.is_taken(first, place[0]):
            return None
        return self._of_divided(reference, self._judge.judge(reference.name, reference.role, reference.form))

    def _of_divided(self, reference: Reference, judgement: Judgement) -> Change | None:
        """The first of the places where a path may lead to several APIs, none of which can be written there."""
        path = ".".join(_WORD.findall(self._code.text(*self._place(reference))))
        if path in self._told:
            return None
        self._told.add(path)
        return self._change(reference, judgement, Label.MANUAL, [filled("porting.divided", name=path)], [])

    def _of_branches(self) -> Iterator[Change]:
        """For each name that an import binds to something of PyTorch in one branch: its first use, where no call tells of it."""
        for use in self._held.either_uses:
            node, place = use.node, self._code.start(use.node)
            if node.id in self._told or self._is_ignored((use.line, node.lineno), use.api):
                continue
            self._told.add(node.id)
            _, column = self._code.point(place)
            span = Span(node.lineno, column, node.lineno, column + len(node.id))
            judgement = self._judge.judge(use.api, "name", None)
            reference = Reference(use.api, span, "name", None)
            yield self._change(reference, judgement, Label.MANUAL, [filled("porting.either", name=node.id)], [])

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
            if _needs_call(facts, target):
                raise NotWritten(filled("porting.class_by_name"))
            self._check_partial(end, facts, target)
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

    def _layer_edits(self, kept: Sequence[int]) -> LayerEdits:
        """The edits of layers. ``kept``: the bytes at which references begin that stay."""
        return LayerEdits(
            self._code,
            self._scanned,
            lambda base: self._keeps(base, kept),
            self._is_written,
            lambda line: self._is_ignored((line,), METHOD),
        )

    def _layers(self, changes: Sequence[Change], layers: LayerEdits) -> Iterator[Change]:
        """The changes of the method ``forward``, where the layer that it is looked up on is one of MindSpore then.

        ``changes``: of references.
        """
        states: dict[str, set[str]] = {}
        for change in changes:
            states.setdefault(change.source, set()).add(change.state)
        found = {one.edit: one for one in layers.all() if not self._is_ignored((one.line,), METHOD)}
        is_renamed = any(one.condition is None or self._options.unsafe for one in found.values())
        is_renamed = is_renamed or self._is_any_ported(self._scanned.taken_layers)
        unknown = list[Reference]()
        for reference in self._scanned.references:
            if not reference.name.endswith(f".{FORWARD}") or self._is_reference_ignored(reference):
                continue
            if not reference.owner and (reference.possible or not _is_of_class(reference.name)):
                unknown.append(reference)
            elif not self._is_attribute(reference):
                continue  # with its class: nn.Linear.forward
            elif self._is_of_ported(reference, states) and (one := self._method(layers, reference)) is not None:
                found.setdefault(one.edit, one)
        for one in sorted(found.values()):
            yield self._of_method(one)
        # What nobody knows to be another object may be a layer whose method has another name now.
        for reference in unknown:
            if not is_renamed and not self._is_any_ported(reference.among):
                continue
            end = self._place(reference)[1]
            edit, node = construct_before(self._code, end), self._anchors.attribute_at(end)
            if edit is not None and edit not in found and node is not None and not is_super(node.value):
                why, line = filled("porting.forward_unknown"), reference.span.end_line
                yield method_comment(line, why)
        is_renamed = is_renamed or any(one.condition is None or self._options.unsafe for one in found.values())
        yield from self._named(layers, is_renamed=is_renamed)

    def _named(self, layers: LayerEdits, *, is_renamed: bool) -> Iterator[Change]:
        """What names the method ``forward`` in a string, or binds it by an import in a layer: once for each statement.

        ``is_renamed``: whether the text, or a layer of another file that it takes, has the method under another name then.
        """
        lines, named = list(layers.imports()), list(naming_lines(self._code.tree))
        if named and (is_renamed or any(all(map(self._is_written, torch)) for torch in self._scanned.tree_layers)):
            lines += named
        ordered = sorted((line for line in lines if not self._is_ignored((line,), METHOD)), reverse=True)
        first = {self._anchors.anchor(line): line for line in ordered}
        for line in sorted(first.values()):
            yield method_comment(line, filled("porting.forward_named"))

    def _keeps(self, base: ast.expr, kept: Sequence[int]) -> bool:
        """Whether the base of a class names something of PyTorch still, or a name that may be."""
        start, end = self._code.start(base), self._code.end(base)
        return self._held.is_either_base(base) or bisect_left(kept, start) < bisect_left(kept, end)

    def _is_of_ported(self, reference: Reference, states: Mapping[str, set[str]]) -> bool:
        """Whether the class on which ``forward`` is looked up is one of MindSpore in ported code."""
        if reference.owner:
            path, *torch = reference.owner
            return self._own_class(path) is not None or all(map(self._is_written, torch))
        owner = reference.name.rpartition(".")[0]
        return states[owner] == {"made"} if owner in states else self._is_written(owner)

    def _is_any_ported(self, owners: Iterable[tuple[str, ...]]) -> bool:
        """Whether one of several classes, each as the ``owner`` of a reference, is of another file and ported there."""
        return any(self._own_class(path) is None and all(map(self._is_written, torch)) for path, *torch in owners)

    def _is_written(self, name: str) -> bool:
        """Whether a class of PyTorch is written with one of MindSpore where another file names it as a base."""
        judgement = self._judge.judge(name, "name", None)
        facts, target = self._judge.facts_of(judgement), self._judge.target_of(judgement)
        if facts is None or target is None or target.written == "annotation" or _needs_call(facts, target):
            return False
        is_plain = judgement.label is Label.VERIFIED and not self._judge.other_targets(facts, target)
        return is_plain or (self._options.unsafe and judgement.label is not Label.MANUAL)

    def _own_class(self, path: str) -> str | None:
        """The path of a class within this file; None where it is in another."""
        start = f"{self._scanned.module}."
        within = path.removeprefix(start) if path.startswith(start) else None
        return within if within in self._scanned.layers else None

    def _method(self, layers: LayerEdits, reference: Reference) -> LayerEdit | None:
        path = self._own_class(reference.owner[0]) if reference.owner else None
        found = layers.at(self._place(reference)[1], reference.span.end_line, path)
        if found is None or found.condition is not None or not reference.possible:
            return found
        return found._replace(condition="porting.forward")

    def _of_method(self, found: LayerEdit) -> Change:
        if found.condition is None:
            return method_change(self._code, Label.VERIFIED, "made", found.edit, [])
        state = "made" if self._options.unsafe else "left"
        return method_change(self._code, Label.UNSAFE, state, found.edit, [filled(found.condition)])


def _needs_call(facts: CallFacts, target: TargetFacts) -> bool:
    """Whether a name alone cannot be written with a target: calls of it take other arguments."""
    rule = target.rule
    return bool(rule.fill or rule.arguments or rule.values or rule.forms or (facts.is_class and rule.keywords))


def _is_of_class(method: str) -> bool:
    """Whether a method is that of a class of PyTorch's layers, not of what one holds."""
    owner = method.rpartition(".")[0]
    return owner.count(".") == 2 and owner.startswith("torch.nn.")


def _headlines(differences: Sequence[Met]) -> list[Text]:
    """The headlines of differences, the worst first."""
    ordered = sorted(differences, key=lambda met: (met.reach != Reach.EVERYDAY.value, _RISKS.index(met.risk)))
    return list({met.headline.en: met.headline for met in ordered}.values())


def _is_silent(differences: Sequence[Met], *, any_reach: bool) -> bool:
    """Whether code is changed by a difference without an error: everyday code, or any."""
    return any(
        met.risk == Risk.SILENT.value and (any_reach or met.reach == Reach.EVERYDAY.value) for met in differences
    )
