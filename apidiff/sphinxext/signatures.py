"""Signatures on a mapping's page: that of the chosen version, or of the nearest older one that was read."""

from __future__ import annotations

from collections.abc import Iterable

from docutils import nodes

from apidiff.model import Version
from apidiff.model.views import Entry, TargetEntry
from apidiff.sphinxext.builder import Builder
from apidiff.sphinxext.nodes import block, code, folded, literal, paragraph
from apidiff.sphinxext.version_visibility import marked_inline


def signature_pair(make: Builder, entry: Entry, target: TargetEntry) -> block:
    """Both sides beside each other."""
    sides = [("torch", entry.source, entry.signatures), ("mindspore", target.name, target.signatures)]
    return block("", *(_side(make, *side) for side in sides), classes=["apidiff-pair"])


def source_notices(make: Builder, entry: Entry) -> list[nodes.Node]:
    """What there is to say where the chosen version of PyTorch lacks the source, or is too old for what was read."""
    if not entry.signatures:
        return []
    name, read = [literal(entry.source)], make.releases.read_for("torch")
    absent = {signed: told for signed, told in read.items() if signed not in entry.signatures and told}
    found: list[nodes.Node] = []
    if absent:
        words = make.filled("source.absent", version=make.chosen("torch"), name=name)
        nearest: list[nodes.Node] = []
        for signed, told in absent.items():
            others = [one for one in told if one != signed]
            said = make.filled("nearest.signatures", nearest=[nodes.Text(signed)])
            nearest.append(make.only(marked_inline("", "", nodes.Text(" "), *said), torch=others))
        notice = block("", paragraph(*words, *nearest), classes=["apidiff-notice"])
        found.append(make.only(notice, torch=[one for told in absent.values() for one in told]))
    if older := make.releases.others("torch", [one for told in read.values() for one in told]):
        oldest = [nodes.Text(make.releases.signed["torch"][-1])]
        words = make.filled("source.old", version=make.chosen("torch"), name=name, oldest=oldest)
        found.append(make.only(block("", paragraph(*words), classes=["apidiff-notice"]), torch=older))
    return found


def _side(make: Builder, framework: str, name: str, by_version: dict[str, str]) -> block:
    if not by_version:
        return block("", paragraph(literal(name)), paragraph(nodes.Text(make.word("signature.missing"))))
    texts: dict[str, list[str]] = {}
    for version in sorted(by_version, key=Version, reverse=True):
        texts.setdefault(by_version[version], []).append(version)
    read = make.releases.read_for(framework)
    if not read:
        return block("", *_listed(make, framework, texts))
    children: list[nodes.Node] = []
    for text, versions in texts.items():
        captions = [_caption(make, framework, version, read[version]) for version in versions]
        shown = block("", *captions, code(text))
        children.append(make.only_in(shown, framework, [one for version in versions for one in read[version]]))
    children += _gaps(make, framework, name, by_version, read)
    if len(texts) > 1:
        children.append(folded(make.word("signature.all"), *_listed(make, framework, texts)))
    return block("", *children)


def _caption(make: Builder, framework: str, version: str, told: list[str]) -> block:
    """The version that was read, and for which chosen one it stands in."""
    near = marked_inline("", "", *make.filled("signature.nearest", version=make.chosen(framework)))
    make.only_in(near, framework, [one for one in told if one != version])
    words = [nodes.Text(f"{make.word(f'framework.{framework}')} {version}"), nodes.Text(make.word("site.comma")), near]
    if near.get("carried"):  # the comma belongs to what follows it
        near.insert(0, words.pop(1))
    found = block("", paragraph(*words, classes=["apidiff-caption"]))
    return make.only_in(found, framework, told)


def _gaps(
    make: Builder, framework: str, name: str, by_version: dict[str, str], read: dict[str, list[str]]
) -> Iterable[nodes.Node]:
    """Words for the versions that lack the API, and for those that are older than all that were read."""
    title = [nodes.Text(make.word(f"framework.{framework}"))]
    lacking = [one for signed, told in read.items() if signed not in by_version for one in told]
    said = {"framework": title, "version": make.chosen(framework)}
    if lacking:
        words = paragraph(*make.filled("signature.absent", name=[literal(name)], **said))
        yield make.only_in(block("", words), framework, lacking)
    if older := make.releases.others(framework, [one for told in read.values() for one in told]):
        oldest = [nodes.Text(make.releases.signed[framework][-1])]
        words = paragraph(*make.filled("signature.old", oldest=oldest, **said))
        yield make.only_in(block("", words), framework, older)


def _listed(make: Builder, framework: str, texts: dict[str, list[str]]) -> list[nodes.Node]:
    """Every signature with the versions that have it."""
    found: list[nodes.Node] = []
    for text, versions in texts.items():
        caption = f"{make.word(f'framework.{framework}')} {make.word('site.comma').join(versions)}"
        found += [paragraph(nodes.Text(caption), classes=["apidiff-caption"]), code(text)]
    return found
