"""Scans a tree of files over all cores and links their names: every reference to PyTorch in it."""

from __future__ import annotations

import contextlib
import gc
import os
from collections.abc import Callable, Generator, Iterator, Sequence
from functools import partial

import msgspec

from apidiff.errors import ApidiffError
from apidiff.forked_work import in_processes
from apidiff.model.result_types import INSTANCE, NO_OBJECT
from apidiff.model.source_names import SourceNames
from apidiff.porting.asked_names import asked_names
from apidiff.porting.bindings import ModuleFacts
from apidiff.porting.call_forms import behind_object
from apidiff.porting.file_scan import FileNames, OpenReference, Reference, Span, scan_file
from apidiff.porting.source_files import Problem, SourceFile
from apidiff.porting.star_collisions import star_collisions
from apidiff.porting.torch_names import FOREIGN, FORWARD, IN_TREE, MODULE, TorchNames, either, read_result_types
from apidiff.porting.tree_links import TreeLinks
from apidiff.porting.tree_modules import TreeModules

_SHARE = 24  # files that a process takes at a time
_FEW = 40  # so few files are scanned before a second process has started
_MOST_KINDS = 64  # of layers, by what they inherit from: each file may ask for all of them
_MOST_STARRED = 300_000  # names that star imports from PyTorch bind in all files together: each file has 763 of `torch`


class Layer(msgspec.Struct, frozen=True, gc=False):
    """A class that is a layer, or may be one.

    ``certain``: whether it is one. ``sure``: whether what defines its method ``forward`` is. ``mixin``: whether only
    classes that inherit from it are. ``bases``: the classes of its own file that it names as its bases, as ``Outer.Inner``.
    ``torch``: the classes of PyTorch that it inherits from through other files; ``stays``: whether one of these is kept by a
    comment; ``keeps``: whether the method that it inherits from there keeps its name. ``divided``: whether it is one by some of
    its definitions, or of those of its bases, and none by others.
    """

    certain: bool
    sure: bool
    mixin: bool
    bases: list[str]
    torch: list[str] = []
    stays: bool = False
    keeps: bool = False
    divided: bool = False


class ScannedFile(msgspec.Struct, frozen=True, gc=False):
    """A file with its references, in the order in which they stand.

    ``module``: its dotted name; ``layers``: its classes that are layers or may be, as ``Outer.Inner``; ``asked``: the names that
    other files take from it, ``*`` for all; ``collisions``: those of MindSpore that it may not bind, since star imports connect
    it with files that bind them otherwise; ``taken_layers``: the layers of other files that it has names for, each as the
    ``owner`` of its method; ``tree_layers``: of layers of the tree that define their method, the classes of PyTorch that each
    inherits from; the last five where code is ported.
    """

    names: FileNames
    references: list[Reference]
    module: str = ""
    layers: dict[str, Layer] = {}
    asked: frozenset[str] = frozenset()
    collisions: frozenset[str] = frozenset()
    taken_layers: tuple[tuple[str, ...], ...] = ()
    tree_layers: tuple[tuple[str, ...], ...] = ()


def scan_tree(
    files: Sequence[SourceFile],
    names: SourceNames,
    *,
    jobs: int | None = None,
    told: Callable[[int], None] = lambda _: None,
    ported: bool = False,
    writes: Callable[[Reference], bool] = lambda _: False,
) -> list[ScannedFile]:
    """Scan ``files`` and resolve what they import from each other.

    Args:
        files: what to scan.
        names: what the database calls APIs.
        jobs: how many processes work; as many as there are cores if None.
        told: called with the number of files done since the last call.
        ported: whether names of MindSpore tell types as those that they replace do.
        writes: whether a port writes a reference otherwise, so that what it names is asked of no other file then.

    Raises ApidiffError where a process was killed.
    """
    known = TorchNames(names, read_result_types(), ported=ported)
    tree = TreeModules(files)
    workers = min(jobs or len(os.sched_getaffinity(0)), -(-len(files) // _SHARE))
    scanned: list[FileNames] = []
    with _frozen():
        several = workers > 1 and len(files) > _FEW
        parts = _in_processes(files, names, tree, workers, ported) if several else _here(files, known, tree)
        with contextlib.closing(parts):
            starred = 0
            for part in parts:
                for one in part:
                    bound = one.facts.starred if one.facts is not None else 0
                    starred += bound
                    scanned.append(one if not bound or starred <= _MOST_STARRED else _passed_over(one))
                told(len(part))
        scanned = _with_starred_names(scanned, files, known, tree)
        return link_names(scanned, known, writes)


def _passed_over(file: FileNames) -> FileNames:
    """A file whose star imports bind, with those of the files before it, more names than are kept."""
    problem = Problem(file.path, "many_starred", detail=f"{_MOST_STARRED:,}")
    return FileNames(file.path, [], [], None, [problem], {})


def _with_starred_names(
    scanned: Sequence[FileNames], files: Sequence[SourceFile], names: TorchNames, tree: TreeModules
) -> list[FileNames]:
    """Scan those files once more in which star imports bind anew what is something else before."""
    early = {file.facts.name for file in scanned if file.facts is not None and file.facts.early}
    if not early:
        return list(scanned)
    links = TreeLinks(names, {file.facts.name: file.facts for file in scanned if file.facts is not None})
    starred = {module: found for module in early if (found := links.starred(module))}
    by_path = {file.path: file for file in files}
    return [
        scan_file(by_path[one.path], names, tree, starred[one.facts.name])
        if one.facts is not None and one.facts.name in starred
        else one
        for one in scanned
    ]


def link_names(
    scanned: Sequence[FileNames], names: TorchNames, writes: Callable[[Reference], bool] = lambda _: False
) -> list[ScannedFile]:
    """Resolve what files take from each other. ``writes``: as `scan_tree` takes it."""
    links = TreeLinks(
        names,
        {file.facts.name: file.facts for file in scanned if file.facts is not None},
        {file.facts.name: file.ignored for file in scanned if file.facts is not None and file.ignored},
        {file.facts.name: file.either_bases for file in scanned if file.facts is not None and file.either_bases},
    )
    linked = [_linked(file, links) for file in scanned]
    if not names.follows_ported:
        return linked
    places = (
        (file.facts.name, one.value, one.names)
        for file in scanned
        if file.facts is not None
        for one in file.open
        if one.role == "import" or (use := _resolved(one, links)) is None or use.possible or not writes(use)
    )
    asked = asked_names(links, places)
    by_module = {one.module: one for one in linked}
    collisions = star_collisions(links.modules, lambda module, path: _keeps(by_module.get(module), path, writes))
    layers = (layer for file in scanned if file.facts is not None for layer in _defining_layers(file.facts, links))
    tree_layers = tuple(sorted(dict.fromkeys(layers), key=len)[:_MOST_KINDS])
    return [
        msgspec.structs.replace(
            one,
            asked=frozenset(asked.get(one.module, ())),
            collisions=collisions.get(one.module, frozenset()),
            tree_layers=tree_layers,
        )
        for one in linked
    ]


def _keeps(file: ScannedFile | None, path: str, writes: Callable[[Reference], bool]) -> bool:
    """Whether a file has references below a path of PyTorch that a port is not likely to write."""
    references = file.references if file is not None else ()
    return any(
        one.role != "import" and not one.possible and f"{one.name}.".startswith(f"{path}.") and not writes(one)
        for one in references
    )


def _here(files: Sequence[SourceFile], names: TorchNames, tree: TreeModules) -> Generator[list[FileNames]]:
    for file in files:
        yield [scan_file(file, names, tree)]


def _in_processes(
    files: Sequence[SourceFile], names: SourceNames, tree: TreeModules, workers: int, ported: bool
) -> Generator[list[FileNames]]:
    shares = [list(files[start : start + _SHARE]) for start in range(0, len(files), _SHARE)]
    try:
        with contextlib.closing(in_processes(partial(_begin, names, tree, ported), shares, workers)) as found:
            for content in found:
                yield content if isinstance(content, list) else msgspec.msgpack.decode(content, type=list[FileNames])
    except ChildProcessError as error:
        raise ApidiffError(
            "scan: a process that scanned files was killed. Scan fewer files, or use --jobs 1."
        ) from error


def _begin(
    names: SourceNames, tree: TreeModules, ported: bool
) -> Callable[[list[SourceFile]], bytes | list[FileNames]]:
    gc.disable()
    return partial(_scan_share, TorchNames(names, read_result_types(), ported=ported), tree)


def _scan_share(names: TorchNames, tree: TreeModules, files: list[SourceFile]) -> bytes | list[FileNames]:
    scanned = [scan_file(file, names, tree) for file in files]
    found: bytes | list[FileNames] = scanned
    with contextlib.suppress(UnicodeEncodeError):  # a file's name need not be text: that share takes longer
        found = msgspec.msgpack.encode(scanned)
    gc.collect()
    return found


class _frozen:  # noqa: N801 - a context manager
    """Keeps the garbage collector from searching the syntax trees, which hold no cycles, again and again."""

    def __enter__(self) -> None:
        self._enabled = gc.isenabled()
        gc.disable()

    def __exit__(self, *_: object) -> None:
        if self._enabled:
            gc.enable()


def _linked(file: FileNames, links: TreeLinks) -> ScannedFile:
    found = [*file.references, *(use for one in file.open if (use := _resolved(one, links)) is not None)]
    found.sort(key=lambda use: (use.span.cell or 0, use.span.line, use.span.column, use.span.end_column))
    layers = {}
    taken: tuple[tuple[str, ...], ...] = ()
    module = file.facts.name if file.facts is not None else ""
    if file.facts is not None and links.names.follows_ported:
        taken = _taken_layers(file.facts, links)
        start = f"{IN_TREE}{module}."
        for path in file.facts.classes:
            if (certain := links.is_layer(path)) is not None:
                bases = [one.removeprefix(start) for one in links.bases(path) if one.startswith(start)]
                sure = bool(links.is_layer(links.definer(path, FORWARD)))
                others = [one for one in links.bases(path) if not one.startswith(start)]
                layers[path.removeprefix(start)] = Layer(
                    certain,
                    sure,
                    path in links.mixins,
                    bases,
                    list(dict.fromkeys(name for one in others for name in links.line(one).torch)),
                    any(map(links.keeps_base, others)),
                    any(links.keeps_method(links.definer(one, FORWARD)) for one in others),
                    not certain and any(map(links.names.is_layer, links.line(path).torch)),
                )
    names = msgspec.structs.replace(file, references=[], open=[], facts=None)
    return ScannedFile(names, found, module, layers, taken_layers=taken)


def _resolved(one: OpenReference, links: TreeLinks) -> Reference | None:
    """The reference that a place is now that all files are known; None where it names nothing of PyTorch."""
    if links.names.follows_ported and FORWARD in one.names[:-1]:  # what stands behind the method is none of its own
        end = one.names.index(FORWARD) + 1
        method = OpenReference(one.value, one.names[:end], one.spans[: end + 1], "name", None)
        if (found := _resolved(method, links)) is not None:
            return found
    try:
        value = links.resolve(one.value)
        return _followed_all(value, one, links) if value is not None else _possible(one, links)
    except RecursionError:  # hundreds of classes, each of which inherits from one of several
        return _possible(one, links)


def _followed_all(value: str, one: OpenReference, links: TreeLinks) -> Reference | None:
    is_method = bool(one.names) and one.names[-1] == FORWARD and links.names.follows_ported
    if is_method:
        value, one = _at_several(value, one, links)
    parts = value.split("|")
    if len(parts) > 1 and is_method:
        uses = [_followed(part, one, links) for part in parts if part[0] not in "!~"]
        layers = [use for use in uses if use is not None]
        if len(layers) == len(uses) and len({(use.possible, use.owner[1:]) for use in layers}) == 1:
            return layers[0]
        among = [use.owner or ("", use.name.rpartition(".")[0]) for use in layers if not use.possible]
        found = _possible(one, links) if layers else None
        return msgspec.structs.replace(found, among=tuple(dict.fromkeys(among))) if found is not None else None
    found = next((use for part in parts if (use := _followed(part, one, links)) is not None), None)
    if found is not None and _are_several(parts, one.names, one, links):
        found = msgspec.structs.replace(found, divided=True)
    is_method = len(one.names) == 1 and one.names[0] != FORWARD and "|" in f"{one.value}{value}"
    if found is not None and found.role == "call" and is_method:
        is_known = None not in map(links.resolve, one.value.split("|"))  # what each of them is
        return found if is_known and not _is_own_method(parts, one.names[0], links) else _possible(one, links)
    return found


def _are_several(parts: Sequence[str], names: Sequence[str], one: OpenReference, links: TreeLinks) -> bool:
    """Where code is ported: whether paths with ``names`` behind them lead to several APIs, or to one and something else."""
    if len(parts) == 1 or not links.names.follows_ported:
        return False
    meant: set[tuple[str, str | None] | None] = set()
    for part in parts:
        if part[-1] in ")]#" or part == NO_OBJECT:
            continue
        if part[0] != IN_TREE:
            meant.add(links.names.meant(part, tuple(names), is_called=one.role == "call"))
            continue
        found = links.resolve(".".join([part, *names])) or FOREIGN
        meant.update(links.names.meant(end, (), is_called=one.role == "call") for end in found.split("|"))
    return len(meant) > 1


def _is_own_method(parts: Sequence[str], name: str, links: TreeLinks) -> bool:
    """Whether one of several objects is of the tree, and its class has a method of its own by a name."""
    objects = (part for part in parts if part[0] == IN_TREE and part.endswith(INSTANCE))
    return any(IN_TREE in (links.attribute(part, name) or "") for part in objects)


def _at_several(value: str, one: OpenReference, links: TreeLinks) -> tuple[str, OpenReference]:
    """What the last name is looked up on, with that name alone, where it may be several things; else what is given."""
    now: str | None = value
    for name in one.names[:-1]:
        if now is None or ("|" not in now and now[0] != IN_TREE):
            return value, one
        now = either(now, partial(links.attribute, name=name))
    if now is None or "|" not in now:
        return value, one
    return now, msgspec.structs.replace(one, value=now, names=one.names[-1:], spans=one.spans[-2:])


def _followed(value: str, one: OpenReference, links: TreeLinks) -> Reference | None:
    names, count = links.names, len(one.names)
    now: str | None = value
    of_class = False  # whether it was looked up on a class of the tree
    is_sure, is_divided = True, False
    for at in range(count + 1):
        if now is None or now[0] in "!~":
            return None
        if "|" in now:
            parts = now.split("|")
            is_divided = is_divided or _are_several(parts, one.names[at:], one, links)
            now = next((part for part in parts if part[0] == "t"), parts[0])
            is_sure = at + 1 != count or not _is_own_method(parts, one.names[at], links)
        if now[0] != IN_TREE and now[-1] not in ")]" and not names.is_module(now):
            end, api, unbound = at, now, of_class
            if at < count and names.is_class(now) and (member := names.attribute(now, one.names[at])) is not None:
                end, api, unbound = at + 1, member, True
            role, form = (one.role, one.form) if end == count else ("name", None)
            form = behind_object(form, api) if unbound else form
            imported = names.follows_ported and links.is_imported(".".join([one.value, *one.names[:end]]))
            return Reference(api, one.spans[end], role, form, unbound=unbound, imported=imported, divided=is_divided)
        if at == count:
            return None
        before, now = now, links.attribute(now, one.names[at])
        if now is None and links.is_cut(before):
            return _possible(one, links)
        of_class = before[0] == IN_TREE and links.is_class(before)
        if at + 1 == count:
            if names.follows_ported and one.names[at] == FORWARD and before[0] == IN_TREE:
                return _of_layer(before, now, one, links)
            if names.follows_ported and one.names[at] == FORWARD and before == f"{MODULE}{INSTANCE}":
                return Reference(f"{MODULE}.{FORWARD}", _of_name(one), one.role, one.form)
            if now is None:
                return _possible(one, links) if before[-1] == ")" else None
            if before[-1] == ")" and now[0] == "t" and now[-1] not in ")]" and "|" not in now:
                if not is_sure and one.role == "call":
                    return _possible(one, links)
                return Reference(now, one.spans[-1], one.role, one.form)
            if before[-1] == ")":
                return None
    return None


def _of_layer(owner: str, method: str | None, one: OpenReference, links: TreeLinks) -> Reference | None:
    """``forward`` of what is a layer of the tree, or may be one, looked up on it or on its class: a port renames it."""
    found = _renamed_of(owner.removesuffix(INSTANCE), links) if method is not None else None
    if found is None:
        return None
    owners, certain = found
    return Reference(f"{MODULE}.{FORWARD}", _of_name(one), one.role, one.form, possible=not certain, owner=owners)


def _renamed_of(path: str, links: TreeLinks) -> tuple[tuple[str, ...], bool] | None:
    """The ``owner`` of the method ``forward`` of a class, if a port may rename that, and whether it is certainly a layer's."""
    if not links.is_class(path) or links.is_layer(path) is None:
        return None
    definer = links.definer(path, FORWARD)
    if links.keeps_method(definer) or links.keeps_base(path):
        return None
    return (definer.removeprefix(IN_TREE), *links.line(path).torch), bool(links.is_layer(definer))


def _taken_layers(facts: ModuleFacts, links: TreeLinks) -> tuple[tuple[str, ...], ...]:
    """The layers of other files that a file has names for, each as the ``owner`` of its method."""
    own = f"{IN_TREE}{facts.name}."
    paths = (links.resolve(value) for value in facts.names.values() if not value.startswith(own))
    found = (_renamed_of(path, links) for path in dict.fromkeys(paths) if path is not None)
    return tuple(one[0] for one in found if one is not None and one[1])


def _defining_layers(facts: ModuleFacts, links: TreeLinks) -> Iterator[tuple[str, ...]]:
    """Of each layer in a file whose own method ``forward`` a port may rename: the classes of PyTorch that it inherits from."""
    for path, one in facts.classes.items():
        found = _renamed_of(path, links) if one.forward else None
        if found is not None and found[1]:
            yield found[0][1:]


def _possible(one: OpenReference, links: TreeLinks) -> Reference | None:
    """A call of what may be a method of a tensor; where code is ported, `forward` of what may be a layer."""
    if one.names and one.names[-1] == FORWARD and links.names.follows_ported:
        return Reference(f"{MODULE}.{FORWARD}", _of_name(one), one.role, one.form, True)
    if one.form is None or not one.names or one.names[-1] not in links.names.tensor_methods:
        return None
    return Reference(f"torch.Tensor.{one.names[-1]}", _of_name(one), "call", one.form, True)


def _of_name(one: OpenReference) -> Span:
    """The span of the last name alone, which stands on one line."""
    last = one.spans[-1]
    start = max(1, last.end_column - len(one.names[-1]))  # it may be written in fewer letters
    return msgspec.structs.replace(last, line=last.end_line, column=start)
