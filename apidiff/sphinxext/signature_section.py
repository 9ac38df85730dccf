"""Shows the signatures of a source and its target: those of the chosen versions, and in the evidence those of all."""

from __future__ import annotations

from collections.abc import Iterable

from docutils import nodes

from apidiff.model.version import Version
from apidiff.model.views import Entry, TargetEntry
from apidiff.sphinxext.nodes import Inline, block, code, external, literal, paragraph
from apidiff.sphinxext.page_builder import PageBuilder
from apidiff.sphinxext.versions import Releases, marked_inline
from apidiff.writers.exports.address import anchor


def signature_pair(make: PageBuilder, entry: Entry, target: TargetEntry) -> block:
    """Show both signatures beside each other: of the chosen version, or of the nearest older one that was read."""
    sides = [("torch", entry.source, entry.signatures), ("mindspore", target.name, target.signatures)]
    return block("", *(_documented_side(make, entry, *side) for side in sides), classes=["apidiff-pair"])


def _documented_side(make: PageBuilder, entry: Entry, framework: str, name: str, by_version: dict[str, str]) -> block:
    """Show the signature of one side, and below it where the framework documents the API."""
    side = _side(make, entry, framework, name, by_version)
    if name in entry.official:
        side += paragraph(*official_link(make, entry, name, framework), classes=["apidiff-official"])
    return side


def official_link(make: PageBuilder, entry: Entry, name: str, framework: str) -> Inline:
    """Link the framework's own page of an API, in the reader's language."""
    words = make.word("official_documentation", framework=make.framework(framework))
    return external(make.pick(entry.official[name]), nodes.Text(words))


def source_notices(make: PageBuilder, entry: Entry) -> list[nodes.Node]:
    """Say where the chosen version of PyTorch lacks the source, or is too old for what was read."""
    if not entry.signatures:
        return []
    releases = _telling(make, entry, "torch", entry.source)
    name, read = [literal(entry.source)], releases.read_for("torch")
    absent = {signed: told for signed, told in read.items() if signed not in entry.signatures and told}
    notices: list[nodes.Node] = []
    if absent:
        words = make.filled("source.absent", version=make.chosen("torch"), name=name)
        nearest: list[nodes.Node] = []
        for signed, told in absent.items():
            others = [version for version in told if version != signed]
            said = make.filled("nearest.signatures", nearest=[nodes.Text(signed)])
            nearest.append(make.only(marked_inline("", "", make.between_sentences(), *said), torch=others))
        notice = block("", paragraph(*words, *nearest), classes=["apidiff-notice"])
        notices.append(make.only(notice, torch=[version for told in absent.values() for version in told]))
    if older := make.releases.others("torch", [version for told in read.values() for version in told]):
        oldest = [nodes.Text(releases.signed["torch"][-1])]
        words = make.filled("source.old", version=make.chosen("torch"), name=name, oldest=oldest)
        notices.append(make.only(block("", paragraph(*words), classes=["apidiff-notice"]), torch=older))
    return notices


def _telling(make: PageBuilder, entry: Entry, framework: str, name: str) -> Releases:
    """Return the releases without those whose signatures were read without looking for the API."""
    return make.releases.without(framework, entry.unread.get(name, []))


def _side(make: PageBuilder, entry: Entry, framework: str, name: str, by_version: dict[str, str]) -> block:
    if not by_version:
        return block("", paragraph(literal(name)), make.sentence("signature.missing"))
    texts = _versions_by_text(by_version)
    releases = _telling(make, entry, framework, name)
    read = releases.read_for(framework)
    if not read:
        return block("", *_listed(make, framework, texts))
    children: list[nodes.Node] = []
    for text, versions in texts.items():
        captions = [_caption(make, framework, version, read[version]) for version in versions]
        shown = block("", *captions, code(text, "text"))
        children.append(make.only_in(shown, framework, [release for version in versions for release in read[version]]))
    children += _gaps(make, releases, framework, name, by_version, read)
    return block("", *children)


def _versions_by_text(by_version: dict[str, str]) -> dict[str, list[str]]:
    """List the versions that share a signature, newest first."""
    texts: dict[str, list[str]] = {}
    for version in sorted(by_version, key=Version, reverse=True):
        texts.setdefault(by_version[version], []).append(version)
    return texts


def _caption(make: PageBuilder, framework: str, version: str, told: list[str]) -> block:
    """Name the version that was read, and for which chosen one it stands in."""
    near = marked_inline("", "", *make.filled("signature.nearest", version=make.chosen(framework)))
    make.only_in(near, framework, [release for release in told if release != version])
    words = [nodes.Text(f"{make.framework(framework)} {version}"), nodes.Text(make.word("site.comma")), near]
    if near.get("carried"):  # the comma belongs to what follows it
        near.insert(0, words.pop(1))
    caption = block("", paragraph(*words, classes=["apidiff-caption"]))
    return make.only_in(caption, framework, told)


def _gaps(
    make: PageBuilder,
    releases: Releases,
    framework: str,
    name: str,
    by_version: dict[str, str],
    read: dict[str, list[str]],
) -> Iterable[nodes.Node]:
    """Say which versions lack the API, and which are older than all that were read."""
    title = [nodes.Text(make.framework(framework))]
    lacking = [version for signed, told in read.items() if signed not in by_version for version in told]
    said = {"framework": title, "version": make.chosen(framework)}
    if lacking:
        words = paragraph(*make.filled("signature.absent", name=[literal(name)], **said))
        yield make.only_in(block("", words), framework, lacking)
    if older := make.releases.others(framework, [version for told in read.values() for version in told]):
        oldest = [nodes.Text(releases.signed[framework][-1])]
        words = paragraph(*make.filled("signature.old", oldest=oldest, **said))
        yield make.only_in(block("", words), framework, older)


def _listed(make: PageBuilder, framework: str, texts: dict[str, list[str]]) -> list[nodes.Node]:
    """List every signature with the versions that have it."""
    shown: list[nodes.Node] = []
    for text, versions in texts.items():
        caption = f"{make.framework(framework)} {make.listed(versions)}"
        shown += [paragraph(nodes.Text(caption), classes=["apidiff-caption"]), code(text, "text")]
    return shown


def all_signatures(make: PageBuilder, entry: Entry) -> list[nodes.Node]:
    """List every signature on record of the source and of each target, with the versions that have it."""
    sides = [("torch", entry.source, entry.signatures)]
    sides += [("mindspore", target.name, target.signatures) for target in reversed(entry.targets)]
    shown: list[nodes.Node] = []
    for framework, name, by_version in sides:
        listed: list[nodes.Node] = [make.sentence("signature.missing")]
        if by_version:
            listed = _listed(make, framework, _versions_by_text(by_version))
        if name in entry.official:
            listed.append(paragraph(*official_link(make, entry, name, framework), classes=["apidiff-official"]))
        shown.append(make.lid(f"{anchor(name)}--signatures", [literal(name)], *listed))
    return shown
