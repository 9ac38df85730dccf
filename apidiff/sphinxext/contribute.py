"""Tells how to correct a mapping: its record, its examples, and an issue already written but for what is wrong."""

from __future__ import annotations

from urllib.parse import quote

from docutils import nodes

from apidiff.model.views import Entry
from apidiff.sphinxext.nodes import code, external, folded, literal, paragraph, relative
from apidiff.sphinxext.page_builder import PageBuilder
from apidiff.sphinxext.repeat import recorded_places
from apidiff.sphinxext.repository import Repository

# Where the site itself keeps copies of the files.
RECORDS = "_records"
EXAMPLES = "_examples"


def contribute_section(
    make: PageBuilder, entry: Entry, newest: dict[str, str], repository: Repository | None
) -> nodes.section:
    """Build the section of a mapping's page. ``newest``: framework → its newest known version."""
    record = record_path(entry.id)
    items = [_file(make, "contribute.record", record, record_file(entry.id), repository)]
    items += [
        _file(make, "contribute.example", f"executable_examples/{path}", f"{EXAMPLES}/{path}", repository)
        for path in example_paths(entry)
    ]
    title, body = issue(make, entry, newest)
    children: list[nodes.Node] = [
        make.sentence("contribute.about"),
        nodes.bullet_list("", *items),
    ]
    if repository:
        link = external(repository.issue(title, body), nodes.Text(make.word("contribute.open")))
        children.append(paragraph(*link, classes=["apidiff-issue"]))
    children.append(folded(make.word("contribute.text"), code(f"{title}\n\n{body}", "text")))
    return make.section("contribute", make.word("contribute"), *children)


def record_path(mapping_id: str) -> str:
    """Return the record's place in the repository."""
    return f"apidiff/data/mappings/{mapping_id.replace('.', '/')}.yaml"


def record_file(mapping_id: str) -> str:
    """Return the place of the record's copy on the site."""
    return f"{RECORDS}/{mapping_id}.yaml"


def example_paths(entry: Entry) -> list[str]:
    """List the scripts of the mapping, below ``executable_examples/``."""
    recipes = [answer.recipe for answer in entry.otherwise if answer.recipe]
    return list(dict.fromkeys(example.path for example in [*entry.examples, *recipes]))


def _file(make: PageBuilder, key: str, path: str, copy: str, repository: Repository | None) -> nodes.list_item:
    words: list[nodes.Node] = [make.lead(key)]
    if repository:
        words += [*external(repository.file(path), literal(path)), nodes.Text(" · ")]
        shown: nodes.Node = nodes.Text(make.word("contribute.copy"))
    else:
        shown = literal(path)
    words.append(nodes.reference("", "", shown, refuri=relative(make.docname, quote(copy)), internal=True))
    return nodes.list_item("", paragraph(*words))


def issue(make: PageBuilder, entry: Entry, newest: dict[str, str]) -> tuple[str, str]:
    """Title and text of the issue; what is wrong is left blank."""
    colon, comma = make.word("site.colon"), make.word("site.comma")
    targets = [target.name for target in entry.targets]
    runs = [
        make.word(
            "coverage.place",
            framework=make.framework(framework),
            version=version,
            backend=backend,
            device=device,
        )
        for framework, version, backend, device in recorded_places(entry)
    ]
    runs += dict.fromkeys(
        make.word(
            "agreement.where",
            source=one.source_version,
            version=one.framework_version,
            device=make.word(f"device.{one.device}"),
        )
        for target in entry.targets
        for one in target.agreements
    )
    lines = [
        f"{make.word('contribute.mapping')}{colon}{entry.id}",
        *([f"{make.word('contribute.targets')}{colon}{comma.join(targets)}"] if targets else []),
        f"{make.word('contribute.file')}{colon}{record_path(entry.id)}",
        f"{make.word('contribute.versions')}{colon}PyTorch {newest['torch']}{comma}MindSpore {newest['mindspore']}",
        f"{make.word('contribute.runs')}{colon}{make.word('site.semicolon').join(runs) or make.word('outcome.not run')}",
        "",
        f"{make.word('contribute.wrong')}{colon}",
        "",
        f"{make.word('contribute.seen')}{colon}",
        "",
        f"{make.word('repeat')}{colon}",
        f"    apidiff verify {entry.id}",
        "",
    ]
    if entry.claims:
        lines += [f"{make.word('contribute.claims')}{colon}", *(f"- {claim.id}" for claim in entry.claims)]
    return make.word("contribute.title", name=entry.id), "\n".join(lines).rstrip() + "\n"
