"""Reads what the calls of PyTorch return, and what classes and modules it has, from its source and type stubs.

Nothing is imported. What is read lets `apidiff scan` follow types through code: ``torch.zeros(3).view(3)``.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator
from contextlib import contextmanager
from functools import partial
from pathlib import Path

import msgspec

from apidiff.atomic_write import write_file
from apidiff.database.regular_files import read_regular
from apidiff.errors import Damage, DataError
from apidiff.folder_walk import walk_folders
from apidiff.model.python_tree import expression_tree, python_tree
from apidiff.model.result_types import INSTANCE, NO_OBJECT, SEQUENCE, ResultTypes
from apidiff.signatures.bounded_reading import read_bounded
from apidiff.signatures.refused_names import refused_name
from apidiff.signatures.starred_modules import starred_modules

TENSOR = f"torch.Tensor{INSTANCE}"
_MOST_SOURCE = 8 * 2**20  # bytes of a file: the largest stub of torch has an eighth of that
_NUMBERS = {"_int", "_float", "_bool", "_size", "int", "float", "bool", "str", "Number", "SymInt", "complex", "None"}
# Stubs and sources of functions, with the module that makes them public.
_FUNCTIONS = {
    "torch": ["_C/_VariableFunctions.pyi", "functional.py"],
    "torch.nn.functional": ["nn/functional.pyi", "nn/functional.py"],
    "torch.nn.init": ["nn/init.py"],
    "torch.nn.utils": ["nn/utils/clip_grad.py"],
}
# The classes of a module, in the files below its folder.
_CLASSES = {"torch.nn": "nn/modules/*.py", "torch.optim": "optim/*.py", "torch.distributions": "distributions/*.py"}
_TENSOR_FILES = ["_C/__init__.pyi", "_tensor.py"]
# Their functions are documented in text alone; each returns tensors.
_OF_TENSORS = {
    "torch.linalg": "linalg/__init__.py",
    "torch.fft": "fft/__init__.py",
    "torch.special": "special/__init__.py",
}


def read_result_types(package: Path, version: str) -> ResultTypes:
    """Read the folder ``package`` of an unpacked PyTorch.

    Raises DataError where a file is missing or cannot be parsed, or all takes far more to read than PyTorch does.
    """
    return read_bounded(package, partial(_read, package, version))


def _read(package: Path, version: str) -> ResultTypes:
    results: dict[str, str] = {}
    attributes: dict[str, str] = {}
    takes: set[str] = set()
    takes_other: set[str] = set()
    classes: dict[str, list[str]] = {"torch.Tensor": []}
    for module, files in _FUNCTIONS.items():
        for file in files:
            with _parsed(package / file) as parsed:
                for function in _functions(parsed.body):
                    _add(results, f"{module}.{function.name}", _result(function.returns))
                    first = next(iter([*function.args.posonlyargs, *function.args.args]), None)
                    (takes if first is not None and _result(first.annotation) == TENSOR else takes_other).add(
                        f"{module}.{function.name}"
                    )
    with _parsed(package / "nn/functional.py") as parsed:
        for name in _documented_builtins(parsed):
            results.setdefault(f"torch.nn.functional.{name}", TENSOR)
    for module, file in _OF_TENSORS.items():
        with _parsed(package / file) as parsed:
            for name in _documented_builtins(parsed):
                results.setdefault(f"{module}.{name}", f"{TENSOR}|{TENSOR}{SEQUENCE}")
    for file in _TENSOR_FILES:
        with _parsed(package / file) as parsed:
            for found in parsed.body:
                if isinstance(found, ast.ClassDef) and found.name in {"TensorBase", "Tensor"}:
                    _add_members(results, attributes, "torch.Tensor", found)
    for module, pattern in _CLASSES.items():
        for path in sorted(package.glob(pattern)):
            with _parsed(path) as parsed:
                for found in parsed.body:
                    if isinstance(found, ast.ClassDef) and not found.name.startswith("__"):
                        classes[f"{module}.{found.name}"] = [
                            f"{module}.{base.id}" for base in found.bases if isinstance(base, ast.Name)
                        ]
                        _add_members(results, attributes, f"{module}.{found.name}", found)
    packages = dict(_packages(package))
    aliases = _aliases(packages)
    # What a package takes from a module of the same name hides that one: torch.nn.parallel.data_parallel.
    modules = {*_modules(package)} - set(aliases.values())
    return ResultTypes(
        version=version,
        modules=sorted(modules),
        starred=sorted(one for name, body in packages.items() for one in starred_modules(name, body, modules)),
        classes={name: [base for base in bases if base in classes] for name, bases in sorted(classes.items())},
        results=dict(sorted(results.items())),
        take_tensors=sorted(takes - takes_other),
        attributes=dict(sorted(attributes.items())),
        aliases=dict(sorted(aliases.items())),
    )


def write_result_types(types: ResultTypes, path: Path) -> None:
    """Write ``types`` to ``path``."""
    write_file(path, msgspec.json.format(msgspec.json.encode(types), indent=1) + b"\n")


@contextmanager
def _parsed(path: Path) -> Iterator[ast.Module]:
    """Parse a file, to be read inside. Raises DataError for one that cannot be read or parsed, or holds too long a name."""
    content = _content(path)
    try:
        tree = python_tree(content.decode("utf-8-sig"))
        if (refused := refused_name(tree)) is not None:
            raise _damaged(path, *refused)
        yield tree
    except SyntaxError as error:
        raise _damaged(path, error.lineno, f"cannot be parsed ({error.msg})") from error
    except UnicodeDecodeError as error:
        raise _damaged(path, _line(content, error.start), "is not UTF-8 text") from error
    except (ValueError, RecursionError, MemoryError) as error:
        raise _damaged(path, None, f"cannot be parsed ({str(error) or 'it is nested too deeply'})") from error


def _content(path: Path) -> bytes:
    try:
        content = read_regular(path, _MOST_SOURCE + 1)
    except OSError as error:
        remedy = "Give the folder of an installed PyTorch."
        raise DataError(path, None, f"cannot be read ({error.strerror})", remedy, Damage.UNREADABLE) from error
    if len(content) > _MOST_SOURCE:
        raise _damaged(path, None, f"is larger than {_MOST_SOURCE // 2**20} MiB")
    if b"\0" in content:
        raise _damaged(path, _line(content, content.index(b"\0")), "holds a zero byte, which no Python file does")
    return content


def _line(content: bytes, place: int) -> int:
    return content.count(b"\n", 0, place) + 1


def _damaged(path: Path, line: int | None, found: str) -> DataError:
    return DataError(path, line, found, "Install PyTorch anew, and give the folder torch of it.", Damage.SYNTAX)


def _functions(body: list[ast.stmt]) -> Iterator[ast.FunctionDef]:
    return (found for found in body if isinstance(found, ast.FunctionDef) and not found.name.startswith("_"))


def _documented_builtins(module: ast.Module) -> Iterator[str]:
    """List the functions that a module makes public by giving a compiled one its documentation."""
    for found in module.body:
        match found:
            case ast.Assign(targets=[ast.Name(id=name)], value=ast.Call(func=ast.Name(id="_add_docstr"))):
                yield name


def _add_members(results: dict[str, str], attributes: dict[str, str], name: str, found: ast.ClassDef) -> None:
    """Add the methods of a class, ``forward`` too, and the attributes whose types it says."""
    for statement in found.body:
        match statement:
            case ast.FunctionDef(name=method) if not method.startswith("_"):
                of = attributes if statement.decorator_list and _is_property(statement) else results
                returned = f"{name}{INSTANCE}" if _is_self(statement.returns) else _result(statement.returns)
                _add(of, f"{name}.{method}", returned)
            case ast.AnnAssign(target=ast.Name(id=attribute)):
                _add(attributes, f"{name}.{attribute}", _result(statement.annotation))


def _is_self(annotation: ast.expr | None) -> bool:
    return isinstance(annotation, ast.Name) and annotation.id == "Self"


def _is_property(function: ast.FunctionDef) -> bool:
    return any(isinstance(mark, ast.Name) and mark.id == "property" for mark in function.decorator_list)


def _add(results: dict[str, str], name: str, result: str) -> None:
    """Add one way of calling; several that return different types are joined, what says no type last."""
    known = results.get(name)
    if not known:
        results[name] = result
    elif result and result not in known.split("|"):
        results[name] = f"{known}|{result}"


def _result(annotation: ast.expr | None) -> str:
    """Return the type as a scan writes it, empty where it is another. Raises SyntaxError for one in quotes that is no Python."""
    match annotation:
        case ast.Name(id="Tensor" | "Parameter"):
            return TENSOR
        case ast.Attribute(attr="Tensor"):
            return TENSOR
        case ast.Name(id=name) if name in _NUMBERS:
            return NO_OBJECT
        case ast.Name(id="Size"):
            return f"torch.Size{INSTANCE}"
        case ast.Constant(value=None):
            return NO_OBJECT
        case ast.Constant(value=str()):
            return _result(_quoted(annotation))
        case ast.BinOp(left=left, right=right):
            return _result(left) or _result(right)
        case ast.Subscript(value=ast.Name(id="Optional"), slice=inner):
            return _result(inner)
        case ast.Subscript(
            value=ast.Name(id="tuple" | "Tuple" | "list" | "List" | "Sequence" | "Iterator" | "Iterable"), slice=inner
        ):
            item = _result(inner.elts[0] if isinstance(inner, ast.Tuple) and inner.elts else inner)
            return f"{TENSOR}{SEQUENCE}" if item == TENSOR else NO_OBJECT if item == NO_OBJECT else ""
        case ast.Attribute(value=ast.Attribute(attr="return_types")):
            return f"{TENSOR}{SEQUENCE}"
    return ""


def _quoted(annotation: ast.Constant) -> ast.expr:
    """Parse a type in quotes; its lines are those of the file. Raises SyntaxError."""
    try:
        parsed = expression_tree(str(annotation.value))
    except (SyntaxError, ValueError) as error:
        found = f"the annotation {str(annotation.value)!r} is no Python"
        raise SyntaxError(found, (None, annotation.lineno, None, None)) from error
    for node in ast.walk(parsed):
        ast.copy_location(node, annotation)
    return parsed


def _modules(package: Path) -> Iterator[str]:
    """List the public modules."""
    for path in _python_files(package):
        parts = path.relative_to(package).with_suffix("").parts
        if not any(part.startswith("_") for part in parts if part != "__init__"):
            yield ".".join(["torch", *(part for part in parts if part != "__init__")])


def _python_files(package: Path) -> Iterator[Path]:
    """List the modules' files; what lies there by a name that no module can have is none."""
    for folder, _, names in walk_folders(package):
        for path in (Path(folder, name) for name in names if name.endswith(".py")):
            if all(part.isidentifier() for part in path.relative_to(package).with_suffix("").parts):
                yield path


def _packages(package: Path) -> Iterator[tuple[str, list[ast.stmt]]]:
    """List the public modules that have others below them, each with the statements of its ``__init__.py``."""
    for path in _python_files(package):
        parts = ["torch", *path.relative_to(package).parent.parts]
        if path.name != "__init__.py" or any(part.startswith("_") for part in parts):
            continue
        with _parsed(path) as parsed:
            statements = parsed.body
        yield ".".join(parts), statements


def _aliases(packages: dict[str, list[ast.stmt]]) -> dict[str, str]:
    """Find the shorter public name of what a public module takes from a module below it: ``torch.nn.modules.linear.Linear``."""
    found: dict[str, str] = {}
    stars: dict[str, str] = {}
    for one, statements in packages.items():
        parts = one.split(".")
        for statement in statements:
            if not isinstance(statement, ast.ImportFrom) or (
                statement.level == 0 and not (statement.module or "").startswith("torch.")
            ):
                continue
            module = statement.module or ""
            base = parts[: len(parts) - statement.level + 1] if statement.level else []
            source = ".".join([*base, *([module] if module else [])])
            for alias in statement.names:
                if alias.name == "*":
                    stars[f"{source}."] = ".".join([*parts, ""])
                name, public = f"{source}.{alias.name}", ".".join([*parts, alias.asname or alias.name])
                if alias.name != "*" and len(public) < len(name) and not alias.name.startswith("_"):
                    found[name] = public
    return {name: _shortest(public, found, stars) for name, public in found.items()}


def _shortest(name: str, found: dict[str, str], stars: dict[str, str]) -> str:
    while True:
        module = f"{name.rpartition('.')[0]}."
        shorter = found.get(name) or stars.get(module, module) + name.removeprefix(module)
        if len(shorter) >= len(name):
            return name
        name = shorter
