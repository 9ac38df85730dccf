"""Answers other than a target: each says enough to act on, and what it names is there."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from apidiff.database.checks.subject import Place, Subject
from apidiff.database.data import Data
from apidiff.database.scope import load_scope
from apidiff.database.signatures import newest_first
from apidiff.errors import DataError
from apidiff.model.mapping import Otherwise
from apidiff.model.vocabulary import AnswerKind


def answers_are_complete(subject: Subject, folder: Path) -> Iterator[DataError]:
    """``composed`` has a recipe that is run, ``no_counterpart`` says what to do instead, what is used exists.

    ``folder``: the one of the scripts.
    """
    for index, answer in enumerate(subject.mapping.otherwise):
        at: Place = ("otherwise", index)
        if answer.answer is AnswerKind.COMPOSED and answer.recipe is None:
            remedy = f"Add 'recipe', the path of a script below {folder}."
            yield subject.error(at, "a composed answer has no recipe", remedy)
        if answer.answer is AnswerKind.NO_COUNTERPART and answer.instead is None:
            yield subject.error(at, "nothing says what to do where there is no counterpart", "Add 'instead'.")
        if answer.recipe is not None:
            yield from _recipe_runs(subject, at, answer.recipe, folder)
        yield from _uses_exist(subject, at, answer)


def _recipe_runs(subject: Subject, at: Place, recipe: str, folder: Path) -> Iterator[DataError]:
    if not recipe.rpartition("/")[2].startswith("mindspore_"):
        remedy = "Call it mindspore_….py: the name says what runs it."
        yield subject.error((*at, "recipe"), f"the recipe {recipe!r} is not named as a MindSpore script", remedy)
    if not (folder / recipe).is_file():
        yield subject.error((*at, "recipe"), f"recipe {recipe!r} is not there", f"Add it below {folder}.")
    if not any(claim.prints and claim.prints.example == recipe for claim in subject.mapping.source.claims):
        remedy = "Add a claim 'prints' with this path as 'example' to the source."
        yield subject.error((*at, "recipe"), f"no claim of the source runs recipe {recipe!r}", remedy)


def _uses_exist(subject: Subject, at: Place, answer: Otherwise) -> Iterator[DataError]:
    for number, name in enumerate(answer.uses):
        spot = (*at, "uses", number)
        if not name.startswith("mindspore."):
            yield subject.error(spot, f"{name} is no API of MindSpore", "Write its full name, mindspore.….")
        elif load_scope().mindspore.holds_all(name) and not _exists(subject.data, name):
            remedy = "Mend the name; apidiff/data/signatures/ lists what there is."
            yield subject.error(spot, f"no signature file of MindSpore has {name}", remedy)


def _exists(data: Data, name: str) -> bool:
    """Whether some version has the API, or the class that ``name`` is a member of."""
    holder, _, member = name.rpartition(".")
    for file in newest_first(data.signatures, "mindspore"):
        if name in file:
            return True
        found = file.apis.get(holder)
        if found is not None and (member in found.members or not file.tells_members(holder)):
            return True
    return False
