"""Tells how to repeat the runs behind a page: the whole page, each framework version and backend, pytest, the examples."""

from __future__ import annotations

from docutils import nodes

from apidiff.model.trace import backend_name
from apidiff.model.version import Version
from apidiff.model.views import Entry, ExampleEntry
from apidiff.model.vocabulary import Execution
from apidiff.sphinxext.page_builder import PageBuilder
from apidiff.sphinxext.versions import marked_section
from apidiff.writers.exports.address import anchor

_Place = tuple[str, str, str, str]  # framework, its version, backend, device


def repeat_section(make: PageBuilder, entry: Entry, newest: str) -> nodes.section:
    """Build the section of a mapping's page. ``newest``: the newest known MindSpore version."""
    # Versions are typed at the precision people use: 2.10 for 2.10.0.
    short = ".".join(newest.split(".")[:2])
    return make.section(
        "repeat",
        make.word("repeat"),
        *make.command("repeat.samples" if _is_single(entry) else "repeat.verify", f"apidiff verify {entry.id}"),
        *_places(make, entry),
        *_examples(make, entry),
        make.section(
            "repeat--lookup",
            make.word("repeat.lookup_title"),
            *make.command("repeat.lookup", f"apidiff lookup {entry.id} --mindspore {short}"),
        ),
    )


def _is_single(entry: Entry) -> bool:
    return entry.execution == Execution.SINGLE.value


def recorded_places(entry: Entry) -> dict[_Place, list[int]]:
    """List where the mapping's claims were run, torch first and the newest version first, with the numbers of ranks."""
    sizes: dict[_Place, set[int]] = {}
    for claim in entry.claims:
        for row in claim.summary:
            place = (row.framework, row.framework_version, row.backend, row.device)
            sizes.setdefault(place, set()).update(row.world_sizes)
    ordered = sorted(sizes, key=lambda place: Version(place[1]), reverse=True)
    ordered.sort(key=lambda place: (place[0] != "torch", place[0], place[2]))
    return {place: sorted(sizes[place]) for place in ordered}


def _places(make: PageBuilder, entry: Entry) -> list[marked_section]:
    """Build a section per place, shown where its version is chosen; the newest of a framework for versions that were not run.

    A page without script shows them all.
    """
    places = recorded_places(entry)
    run: dict[str, list[str]] = {}
    for framework, version, *_ in places:
        run.setdefault(framework, []).append(version)
    sections = []
    for place, sizes in places.items():
        framework, version, *_ = place
        newest = version == max(run[framework], key=Version)
        told = [version, *(make.releases.others(framework, run[framework]) if newest else [])]
        sections.append(make.only_in(_place(make, entry, place, sizes), framework, told, hide=False))
    return sections


def _place(make: PageBuilder, entry: Entry, place: _Place, sizes: list[int]) -> marked_section:
    framework, version, backend, device = place
    name = make.framework(framework)
    title = make.word("coverage.place", framework=name, version=version, backend=backend, device=device)
    ranks, named = ",".join(map(str, sizes)), backend_name(backend, device)
    return make.section(
        anchor(f"repeat--{framework}-{version}-{named}"),
        title,
        *make.command("repeat.install", f"pip install {framework}=={version}", framework=f"{name} {version}"),
        *make.command("repeat.backend", f"apidiff verify {entry.id} --backend {named} --world-size {ranks}"),
        *make.command(
            "repeat.pytest",
            f"pytest --apidiff-backend {named} --apidiff-world-size {ranks} -k '{pytest_words(entry, framework)}'",
        ),
    )


def pytest_words(entry: Entry, framework: str) -> str:
    """Return what pytest's -k takes to choose the mapping's claims; names that begin with one of these are chosen too."""
    subjects = dict.fromkeys(claim.subject for claim in entry.claims if claim.subject.startswith(f"{framework}."))
    return " or ".join(subjects) or entry.source


def _examples(make: PageBuilder, entry: Entry) -> list[nodes.Node]:
    recipes = [answer.recipe for answer in entry.otherwise if answer.recipe]
    examples: dict[str, ExampleEntry] = {example.path: example for example in [*entry.examples, *recipes]}
    if not examples:
        return []
    children: list[nodes.Node] = [make.sentence("repeat.examples_about")]
    for example in examples.values():
        children += make.command("repeat.example", example.command, name=example.path.rpartition("/")[2])
    return [make.section("repeat--examples", make.word("examples"), *children)]
