"""What ``writing_rules.yaml`` has a port write is Python, of names that are there: ported code is no place to find out."""

from __future__ import annotations

import ast
import builtins
import re
from collections.abc import Collection, Iterator, Mapping, Sequence
from contextlib import suppress
from fnmatch import fnmatchcase
from pathlib import Path

from apidiff.database.checks.subject import Place
from apidiff.database.data import Data
from apidiff.database.paths import docs_folder
from apidiff.database.regular_files import read_text
from apidiff.database.signatures import newest_first
from apidiff.database.writing_rules import FILE
from apidiff.database.yaml import read_yaml
from apidiff.errors import Damage, DataError
from apidiff.model.literals import literal
from apidiff.model.mapping import Mapping as ApiMapping
from apidiff.model.python_tree import NO_PYTHON, expression_tree
from apidiff.model.rule import PLACE, WritingRule, WritingRules
from apidiff.model.sample import SampleError, resolve_sample
from apidiff.model.signature import ParameterKind, Signature, SignatureFile
from apidiff.model.vocabulary import ApiKind

_Fault = tuple[Place, str, str]  # where it stands, what was found, the remedy
_WORD = re.compile(r"\w+")
_FULL = re.compile(r"\bmindspore(?:\.\w+)+")
_IN_PLACE = "in_the_place_of_"  # an argument, in code that is parsed
_CODE_REMEDY = "Write an expression of Python, with parameters of the source in braces."


def written_code_fits(data: Data) -> Iterator[DataError]:
    """Every fault of the rules, with its line. What no signature tells is taken as it is."""
    if data.rules == WritingRules():
        return
    path = data.root / FILE
    rules, lines = read_yaml(path, WritingRules)
    torch, mindspore = (newest_first(data.signatures, framework) for framework in ("torch", "mindspore"))
    unread: list[DataError] = []
    faults = [*_unknown_names(rules, data, torch, mindspore), *_missing_sections(rules, _guides(unread))]
    for source, targets in rules.targets.items():
        if (mapping := data.mappings.get(source)) is None:
            continue
        for target, rule in targets.items():
            checked = _Rule(mapping, target, rule, _told(source, torch), _told(target, mindspore))
            for at, found, remedy in [*checked.faults(), *checked.unknown_apis(mindspore)]:
                faults.append((("targets", source, target, *at), found, remedy))
    yield from unread
    for at, found, remedy in faults:
        yield DataError(path, lines.get(at), found, remedy)


def _told(name: str, files: Sequence[SignatureFile]) -> Signature | None:
    """The newest signature of an API that tells its parameters: what a port goes by."""
    return next((file.apis[name] for file in files if file.tells_parameters(name)), None)


def _unknown_names(
    rules: WritingRules, data: Data, torch: Sequence[SignatureFile], mindspore: Sequence[SignatureFile]
) -> Iterator[_Fault]:
    known = {one.name for file in torch for signature in file.apis.values() for one in signature.every_parameter}
    for name in rules.left_out.keys() - known if torch else ():
        yield ("left_out", name), f"no API of PyTorch has the parameter {name!r}", "Mend its name, or remove it."
    for pattern in rules.guides:
        if not any(fnmatchcase(name, pattern) for name in data.mappings):
            yield ("guides", pattern), f"no mapping has an ID like {pattern!r}", "Mend the pattern, or remove it."
    for source, name in rules.stand_ins.items():
        if mindspore and not any(name in file for file in mindspore):
            yield ("stand_ins", source), f"no signature file of MindSpore has {name}", "Mend its name."


def _guides(unread: list[DataError]) -> dict[Path, str]:
    """The guide in both languages; an installed package has none. What cannot be read comes into ``unread``."""
    texts: dict[Path, str] = {}
    for page in (docs_folder() / language / "guide" / "code.md" for language in ("en", "zh")):
        try:
            texts[page] = read_text(page)
        except FileNotFoundError:
            continue
        except (OSError, UnicodeDecodeError) as error:
            remedy = "Write it in UTF-8, or restore it from version control."
            unread.append(DataError(page, None, f"cannot be read: {error}", remedy, Damage.UNREADABLE))
    return texts


def _missing_sections(rules: WritingRules, guides: Mapping[Path, str]) -> Iterator[_Fault]:
    for page, text in guides.items():
        for pattern, section in rules.guides.items():
            if f"(guide-code-{section})=\n" not in text:
                yield ("guides", pattern), f"{page} has no section (guide-code-{section})=", "Name one that it has."


class _Rule:
    """A rule beside the newest signatures of both sides, None where they are not known."""

    def __init__(
        self, mapping: ApiMapping, name: str, rule: WritingRule, source: Signature | None, target: Signature | None
    ) -> None:
        self._mapping, self._name, self._rule = mapping, name, rule
        self._is_method = mapping.source.kind is ApiKind.METHOD
        self._source, self._target = _names(source), _names(target)
        ways = (source.overloads or [source.parameters]) if source else []
        self._ways = [[one.name for one in way] for way in ways]

    def faults(self) -> Iterator[_Fault]:
        rule = self._rule
        for name, other in rule.keywords.items():
            yield from _unknown(("keywords", name), name, self._source, "source")
            yield from _unknown(("keywords", name), other, self._target, "target")
        for name, text in rule.fill.items():
            yield from _unknown(("fill", name), name, self._target, "target")
            for place in PLACE.findall(text):
                yield from _unknown(("fill", name), place, self._source, "source")
            yield from _no_argument(("fill", name), text, _with_places(text))
        for name, written in rule.values.items():
            yield from _unknown(("values", name), name, self._source, "source")
            for value, text in written.items():
                yield from _no_literal(("values", name, value), value)
                yield from _no_argument(("values", name, value), text, text)
        for name, text in rule.arguments.items():
            yield from _unknown(("arguments", name), name, self._source, "source")
            if PLACE.findall(text) != [name]:
                found = f"{text!r} does not hold {{{name}}} once and no other argument"
                yield ("arguments", name), found, "Write it around its argument."
            yield from _no_argument(("arguments", name), text, _with_places(text))
        for index, name in enumerate(rule.numbers):
            yield from _unknown(("numbers", index), name, self._source, "source")
        for key, text in rule.forms.items():
            yield from self._form(key, text)
        for index, sample in enumerate(rule.samples):
            if sample not in self._mapping.samples:
                found = f"{self._mapping.id} has no sample {sample!r}"
                yield ("samples", index), found, f"It has: {', '.join(self._mapping.samples) or 'none'}."

    def _form(self, key: str, text: str) -> Iterator[_Fault]:
        at: Place = ("forms", key)
        passed = key.split(",") if key else []
        if self._ways and not any(passed == [name for name in way if name in passed] for way in self._ways):
            ways = " or ".join(f"({', '.join(way)})" for way in self._ways)
            yield at, f"no call of the source passes {key!r}", f"Name its parameters in their order: {ways}."
        places = [*passed, *(["self"] if self._is_method else [])]
        for place in set(PLACE.findall(text)).difference(places):
            known = ", ".join(f"{{{name}}}" for name in places) or "none"
            yield at, f"a call that passes {key!r} has nothing for {{{place}}}", f"It has: {known}."
        # It is written in the place of a call, with anything behind it.
        tree = _parsed(f"{_with_places(text)}.behind")
        if not isinstance(tree, ast.Attribute) or tree.attr != "behind":
            yield at, f"{text!r} is no expression that binds as a call does", _CODE_REMEDY
            return
        yield from _free_names(at, tree, {"mindspore"})

    def unknown_apis(self, mindspore: Sequence[SignatureFile]) -> Iterator[_Fault]:
        """APIs in forms that no signature file has, and that code which the rule's samples ran does not name."""
        code: list[dict[str, str]] = []
        for name in (self._mapping.samples.keys() & {*self._rule.samples}) if mindspore else ():
            with suppress(SampleError):  # which `samples_fit` tells
                code.append(resolve_sample(self._mapping.samples, name).code or {})
        ran = set(_WORD.findall(" ".join(one.get(self._name, one.get("mindspore", "")) for one in code)))
        for key, text in self._rule.forms.items():
            for name in _FULL.findall(text) if mindspore else ():
                if name.rpartition(".")[2] not in ran and not any(name in file for file in mindspore):
                    yield ("forms", key), f"no signature file of MindSpore has {name}", "Mend its name."


def _names(signature: Signature | None) -> set[str] | None:
    """The parameters of an API; None where it may have others."""
    if signature is None or any(one.kind is ParameterKind.VARIADIC_KEYWORD for one in signature.every_parameter):
        return None
    return {one.name for one in signature.every_parameter}


def _unknown(at: Place, name: str, known: set[str] | None, side: str) -> Iterator[_Fault]:
    if known is not None and name not in known:
        yield at, f"the {side} has no parameter {name!r}", f"It has: {', '.join(sorted(known)) or 'none'}."


def _no_literal(at: Place, text: str) -> Iterator[_Fault]:
    try:
        if repr(literal(text)) == text:
            return
    except ValueError:
        pass
    yield at, f"{text!r} is not how Python shows a literal", "Write it so: 'mean' in quotes, 1.0, None."


def _no_argument(at: Place, text: str, code: str) -> Iterator[_Fault]:
    """Whether ``text``, written as ``code``, is not one argument."""
    match _parsed(f"call(name={code})"):
        case ast.Call(func=ast.Name(id="call"), args=[], keywords=[ast.keyword(arg="name", value=value)]):
            yield from _free_names(at, value, set())
        case _:
            yield at, f"{text!r} is no code of an argument", _CODE_REMEDY


def _with_places(text: str) -> str:
    return PLACE.sub(lambda found: f"{_IN_PLACE}{found[1]}", text)


def _parsed(code: str) -> ast.expr | None:
    try:
        return expression_tree(code)
    except NO_PYTHON:
        return None


def _free_names(at: Place, tree: ast.expr, known: Collection[str]) -> Iterator[_Fault]:
    """Names of what a ported file need not have."""
    names = (node.id for node in ast.walk(tree) if isinstance(node, ast.Name))
    for name in names:
        if not name.startswith(_IN_PLACE) and name not in known and not hasattr(builtins, name):
            yield at, f"{name!r} is no name that ported code has", "Write a parameter of the source in braces."
