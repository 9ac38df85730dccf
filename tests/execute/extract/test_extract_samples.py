"""Samples drawn from PyTorch's own test inputs: the same each time, what was drawn, and one error for a broken file."""

import argparse
import errno
import gzip
import os
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Collection, Sequence
from contextlib import nullcontext
from pathlib import Path
from typing import Any

import msgspec
import psutil
import pytest
import torch

from apidiff import atomic_write
from apidiff.cli import samples
from apidiff.database import Data
from apidiff.database.checks.extracted import extracted_samples_fit
from apidiff.database.extracted_samples import (
    SUFFIX,
    extracted_path,
    load_extracted,
    read_extracted,
    unnamed_parameters,
    write_extracted,
)
from apidiff.errors import ApidiffError, DataError
from apidiff.execute.extract.binding import NotBound, bound
from apidiff.execute.extract.choosing import Candidate, choose
from apidiff.execute.extract.variations import variations
from apidiff.execute.extract.writing import NotWritable, Writer
from apidiff.execute.single.torch_adapter import TorchSingle
from apidiff.model.extracted_samples import ExtractedSamples
from apidiff.model.mapping import Api
from apidiff.model.probe import Layout
from apidiff.model.sample import Sample, SampleArgument, SampleInput
from apidiff.model.signature import ParameterKind, Signature, SignatureKind, SignatureParameter
from apidiff.process_group import start

# Together at most 10 MB for the 2,300 names that code uses.
MOST_BYTES_AN_API = 10_000_000 // 2300
# A function with overloads, an in-place method, a module, one whose entry has a wrapper in place of the function, one whose
# function calls itself under a default device, another name of `torch.softmax`, with the same last part, two whose refused inputs
# PyTorch's tests never write, two whose inputs are all larger than others', and one of which a variation ends the process.
SOME = [
    "torch.sum",
    "torch.Tensor.add_",
    "torch.nn.Linear",
    "torch.where",
    "torch.meshgrid",
    "torch.nn.functional.embedding",
    "torch.nn.functional.softmax",
    "torch.gather",
    "torch.multinomial",
    "torch.slice_scatter",
    "torch.nn.LPPool3d",
    "torch.linalg.eigvals",
]


@pytest.fixture(scope="module")
def shipped(database: Data) -> dict[str, ExtractedSamples]:
    return database.extracted


@pytest.mark.turning(days=2, group="of PyTorch")
def test_they_are_made_again_with_the_same_digest(tmp_path: Path, shipped: dict[str, ExtractedSamples]) -> None:
    """By the command; meshgrid's inputs are drawn in the order of a set."""
    command = [sys.executable, "-m", "apidiff", "samples", "extract", *SOME, "--into", str(tmp_path)]
    subprocess.run(command, check=True)
    made, _ = load_extracted(tmp_path)
    assert {api: one.digest for api, one in made.items()} == {api: shipped[api].digest for api in SOME}


def test_a_file_holds_what_was_written(tmp_path: Path, shipped: dict[str, ExtractedSamples]) -> None:
    for api in SOME:
        path = write_extracted(shipped[api], tmp_path)
        assert read_extracted(path) == shipped[api]
        first = path.read_bytes()
        assert write_extracted(shipped[api], tmp_path).read_bytes() == first


def test_they_stay_small_and_have_every_dtype(database: Data, shipped: dict[str, ExtractedSamples]) -> None:
    from apidiff.execute.extract.extract import DTYPES  # imports PyTorch's own tests: four seconds

    folder = database.root / "samples"
    assert sum(path.stat().st_size for path in folder.iterdir()) < MOST_BYTES_AN_API * len(shipped)
    assert {len(one.samples) for one in shipped.values()} <= set(range(1, 25))
    names = {name for one in shipped.values() for name in one.samples}
    assert {*DTYPES} - {"float32"} <= names
    assert {"empty", "zero-dim", "strided", "part-of-larger", "nan-inf", "other-sign-dim", "tuple-dim"} <= names
    assert {"python-number", "mixed-int64", "out", "refused-1", "float32-1"} <= names


def test_a_changed_byte_is_one_error(tmp_path: Path, shipped: dict[str, ExtractedSamples]) -> None:
    path = write_extracted(shipped["torch.sum"], tmp_path)
    whole = path.read_bytes()
    for place in range(20, len(whole), 40):
        path.write_bytes(whole[:place] + bytes([whole[place] ^ 1]) + whole[place + 1 :])
        with pytest.raises(DataError, match=r"apidiff samples extract torch\.sum"):
            read_extracted(path)
    text = gzip.decompress(whole)
    path.write_bytes(gzip.compress(text.replace(b"true", b"null", 1)))
    with pytest.raises(DataError, match="it was changed"):
        read_extracted(path)


@pytest.mark.parametrize("line", [b"[]", b"1", b"null", b"{}", b"[" * 100_000, b'{"name":"a"}\n' * 1_001])
def test_a_line_that_is_no_sample_is_one_error(
    line: bytes, tmp_path: Path, shipped: dict[str, ExtractedSamples]
) -> None:
    path = write_extracted(shipped["torch.sum"], tmp_path)
    head, _, _ = gzip.decompress(path.read_bytes()).partition(b"\n")
    path.write_bytes(gzip.compress(head + b"\n" + line + b"\n"))
    with pytest.raises(DataError, match="holds no sample"):
        read_extracted(path)


def test_a_file_that_unpacks_to_much_is_one_error(tmp_path: Path) -> None:
    path = tmp_path / "torch.sum.jsonl.gz"
    path.write_bytes(gzip.compress(b"[" * 2**23))
    with pytest.raises(DataError, match="is larger than 1 MiB"):
        read_extracted(path)


def test_files_that_make_too_much_together_are_passed_over(
    tmp_path: Path, shipped: dict[str, ExtractedSamples], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Packed to 5 kB each, a few dozen took 3 GB of memory."""
    for name in ("torch.abs", "torch.sum"):
        write_extracted(shipped[name], tmp_path)
    size = len(gzip.decompress(extracted_path(tmp_path, "torch.abs").read_bytes()))
    monkeypatch.setattr("apidiff.database.extracted_samples._MAX_TOGETHER", size)
    found, [error] = load_extracted(tmp_path)
    assert list(found) == ["torch.abs"]
    assert "torch.sum" + SUFFIX + ": makes more than" in str(error)


def test_a_sample_that_names_no_parameter_is_an_error(database: Data, shipped: dict[str, ExtractedSamples]) -> None:
    assert list(extracted_samples_fit(database)) == []
    odd = msgspec.structs.replace(shipped["torch.sum"], samples={"odd": Sample(kwargs={"dims": 1})})
    signature = database.signatures["torch", "2.13.0"].apis["torch.sum"]
    [error] = unnamed_parameters(odd, signature, extracted_path(Path("samples"), "torch.sum"))
    assert "torch.sum" + SUFFIX + ":2: sample 'odd' names 'dims', which is no parameter of torch.sum" in str(error)


@pytest.mark.parametrize(
    "value",
    [
        torch.tensor([0.1, 2.5], dtype=torch.float64),
        torch.tensor([0.1, -3.0], dtype=torch.bfloat16),
        torch.tensor([float("nan"), float("inf"), -float("inf")]),
        torch.tensor([1 + 2j, -0.5j], dtype=torch.complex64),
        torch.tensor([[True, False]]),
        torch.tensor(7, dtype=torch.int32),
        torch.zeros(2, 0, 3),
        torch.float16,
        (1, [2, None]),
        float("inf"),
        1 - 2j,
        True,
        "mean",
    ],
    ids=str,
)
def test_values_are_restored_exactly(value: Any) -> None:
    written = Writer("float32", 10, exact=True).write(value)
    read = msgspec.json.decode(msgspec.json.encode(written), type=SampleArgument)
    made = remade(read)
    if isinstance(value, torch.Tensor):
        assert (made.dtype, made.shape) == (value.dtype, value.shape)
        assert torch.equal(torch.nan_to_num(made), torch.nan_to_num(value))
    else:
        assert made == value


def remade(argument: SampleArgument) -> Any:
    from apidiff.execute.single.arrays import Arrays

    return TorchSingle("cpu")._make(argument, Arrays("float32", 0))


def test_what_no_sample_can_hold_is_refused() -> None:
    others = [torch.quint8, torch.device("cpu"), len]
    for value in (torch.eye(2).to_sparse(), torch.zeros(2, device="meta"), torch.zeros(11), *others):
        with pytest.raises(NotWritable):
            Writer("float32", 10).write(value)


def way(*names: str, **annotated: str) -> list[SignatureParameter]:
    plain = [SignatureParameter(name=name, annotation="Tensor") for name in names]
    return [*plain, *(SignatureParameter(name=name, annotation=text) for name, text in annotated.items())]


def test_arguments_are_bound_to_the_overload_that_takes_them() -> None:
    maximum = Signature(kind=SignatureKind.FUNCTION, overloads=[way("input", "other"), way("input", dim="_int")])
    tensor = torch.zeros(1)
    assert bound(maximum, [tensor, 1], []) == ["input", "dim"]
    assert bound(maximum, [tensor, tensor], []) == ["input", "other"]
    assert bound(maximum, [tensor], ["dim"]) == ["input"]
    star = SignatureParameter(name="sizes", kind=ParameterKind.VARIADIC_POSITIONAL)
    repeat = Signature(kind=SignatureKind.FUNCTION, overloads=[way(repeats="Sequence[_int]"), [star]])
    assert bound(repeat, [2, 3], []) == ["sizes_0", "sizes_1"]
    assert bound(repeat, [(2, 3)], []) == ["repeats"]
    with pytest.raises(NotBound):
        bound(maximum, [tensor, 1, 2], [])


def test_samples_that_are_alike_are_chosen_once() -> None:
    def sample(shape: Sequence[int], **kwargs: SampleArgument) -> Candidate:
        return Candidate(Sample(args={"input": SampleInput(shape=shape)}, kwargs=kwargs), 1)

    alike = [sample([2, 3]), sample([3, 2]), sample([2, 3], dim=1), sample([4, 4], dim=2), sample([2, 3], dim=-1)]
    chosen = choose(alike, 10)
    assert len(chosen) == 3
    assert {str((one.kwargs or {}).get("dim")) for one in chosen} == {"None", "1", "-1"}
    assert len(choose(alike, 2)) == 2
    assert choose(alike, 10, lambda _: False) == []


def test_a_plain_sample_is_varied() -> None:
    signature = Signature(kind=SignatureKind.FUNCTION, parameters=way("input", dim="_int | _size", other="Tensor"))
    tensor = SampleInput(values=[[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]])
    plain = Sample(args={"input": tensor, "dim": 1, "other": tensor})
    varied = {name: (sample.args or {}) for name, sample in variations(plain, signature)}
    assert varied["empty"]["input"] == SampleInput(shape=[0, 3])
    assert varied["zero-dim"]["input"] == SampleInput(values=1.0)
    assert varied["strided"]["other"] == msgspec.structs.replace(tensor, layout=Layout.STRIDED)
    assert varied["nan-inf"]["input"] == SampleInput(values=[["nan", "inf", "-inf"], [4.0, 5.0, 6.0]])
    assert varied["other-sign-dim"]["dim"] == -1
    assert varied["two-dims"]["dim"] == SampleInput(tuple=[0, 1])
    assert varied["python-number"]["other"] == 2
    assert varied["mixed-int64"]["other"] == msgspec.structs.replace(tensor, dtype="int64")


def test_an_optimiser_is_stepped_on_fixed_parameters(shipped: dict[str, ExtractedSamples]) -> None:
    """The same parameters and gradients for every optimiser, and the settings of PyTorch's own tests."""
    optimisers = {api: made for api, made in shipped.items() if api.startswith("torch.optim.")}
    assert {"torch.optim.SGD", "torch.optim.Adam", "torch.optim.RMSprop", "torch.optim.Rprop"} <= set(optimisers)
    samples = [sample for made in optimisers.values() for sample in made.samples.values()]
    assert all(sample.steps == 3 and len(sample.state or {}) == len(sample.args or {}) == 2 for sample in samples)
    assert len({msgspec.json.encode([sample.state, sample.args]) for sample in samples}) == 1
    settings = {name for sample in samples if sample.constructor for name in sample.constructor.kwargs}
    assert {"lr", "weight_decay", "maximize"} <= settings
    assert "torch.optim.LBFGS" not in optimisers  # it steps by a closure


@pytest.mark.turning(days=3)
@pytest.mark.parametrize(
    ("folder", "why"),
    [
        ("file", "Not a directory"),
        ("/proc/apidiff/samples", "No such file or directory"),
        ("a" * 300, "File name too long"),
    ],
)
def test_where_samples_cannot_be_written_is_told_first(tmp_path: Path, folder: str, why: str) -> None:
    (tmp_path / "file").touch()
    done = subprocess.run(
        [sys.executable, "-m", "apidiff", "samples", "extract", "torch.abs", "--into", folder],
        cwd=tmp_path,
        env={**os.environ, "PYTHONHASHSEED": "0"},
        capture_output=True,
        text=True,
        timeout=300,
        check=False,
    )
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr == (
        f"apidiff: {folder}: samples cannot be written there ({why}). Give a folder that can be written to with --into.\n"
    )


# (what ends the command, what the error or exception is, whether the new files are there)
ENDS: list[tuple[str, type[BaseException] | None, bool]] = [
    ("nothing", None, True),
    ("a signal while they are made", KeyboardInterrupt, False),
    ("a signal at the second file", KeyboardInterrupt, False),
    ("a full disk at the second file", ApidiffError, False),
    ("a pipe in the place of a file", ApidiffError, False),
    ("a folder in the place of a file", ApidiffError, False),
    ("a link in the place of a file", ApidiffError, False),
    ("a user's file in the place of one", ApidiffError, False),
    ("notes in the place of a file", ApidiffError, False),
]
NOTES = b"my notes"


@pytest.mark.parametrize(("end", "error", "written"), ENDS)
def test_all_files_are_written_or_none_and_nothing_else_is_left(
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    shipped: dict[str, ExtractedSamples],
    end: str,
    error: type[BaseException] | None,
    written: bool,
) -> None:
    """The process that makes them is one that has some already and begins with another."""
    into, temporary = tmp_path / "into", tmp_path / "temporary"
    temporary.mkdir()
    monkeypatch.setattr(tempfile, "tempdir", str(temporary))
    path = write_extracted(shipped[SOME[2]], into)  # of which there are no samples now
    extracted_path(into, SOME[1]).write_bytes(gzip.compress(b'{"schema":0}\n')[:-5])  # of another schema, and cut
    if end == "a user's file in the place of one":
        extracted_path(into, SOME[0]).write_bytes(gzip.compress(b'{"rows":[1]}\n'))
    elif end == "notes in the place of a file":
        extracted_path(into, SOME[0]).write_bytes(NOTES)
    elif end == "a pipe in the place of a file":
        os.mkfifo(extracted_path(into, SOME[0]))
    elif end == "a folder in the place of a file":
        extracted_path(into, SOME[0]).mkdir()
    elif end == "a link in the place of a file":
        extracted_path(into, SOME[0]).symlink_to(tmp_path / "elsewhere")
        (tmp_path / "elsewhere").write_bytes(b"a user's")
    before = {path: path.is_file() and path.read_bytes() for path in into.iterdir()}
    assert path in before

    def start_another(command: Sequence[str], *_: object, **__: object) -> subprocess.Popen[bytes]:
        folder = Path(next(word for word in command if word.startswith("--into=")).removeprefix("--into="))
        for api in SOME[:2]:
            write_extracted(shipped[api], folder)
        (folder / f".{'0' * 16}.tmp").touch()
        process = subprocess.Popen(["true"], start_new_session=True)
        if end == "a signal while they are made":
            monkeypatch.setattr(process, "wait", interrupted)
        return process

    def interrupted(*_: object) -> None:
        raise KeyboardInterrupt

    put, count = atomic_write._put_on_disk, 0

    def put_one(path: Path, content: bytes) -> None:
        nonlocal count
        put(path, content)
        count += 1
        if count == 2 and end == "a signal at the second file":
            raise KeyboardInterrupt
        if count == 2 and end == "a full disk at the second file":
            raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    monkeypatch.setattr(samples, "start", start_another)
    monkeypatch.setattr(atomic_write, "_put_on_disk", put_one)
    with pytest.raises(error) if error else nullcontext():
        samples.run(argparse.Namespace(into=into, ids=SOME[:3]))
    there = {path: path.is_file() and path.read_bytes() for path in into.iterdir()}
    assert list(temporary.iterdir()) == []
    assert written or not (tmp_path / "elsewhere").exists() or (tmp_path / "elsewhere").read_bytes() == b"a user's"
    if written:
        assert load_extracted(into) == ({api: shipped[api] for api in SOME[:2]}, [])
        assert len(there) == 2
    else:
        assert there == before


# (what lies in the folder for an API of which no samples came, whether drawing them failed, whether it was asked for by name,
# the exit code or the words of the error, whether it stays)
WITHOUT: list[tuple[str, bool, bool, int | str, bool]] = [
    ("samples", False, True, 0, False),
    ("samples", False, False, 0, False),
    ("samples", True, True, 1, True),
    ("samples", True, False, 1, True),
    ("notes", False, True, "would be removed, for its API has no samples, but it is no file of samples", True),
    ("notes", False, False, 0, True),
    ("notes", True, True, 1, True),
    ("samples of another API", False, True, "would be removed, for its API has no samples", True),
    ("nothing", False, True, 0, False),
    ("nothing", True, True, 1, False),
]


@pytest.mark.parametrize(("there", "failed", "named", "result", "stays"), WITHOUT)
def test_only_samples_of_an_api_that_has_none_are_removed_and_named(
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
    shipped: dict[str, ExtractedSamples],
    there: str,
    failed: bool,
    named: bool,
    result: int | str,
    stays: bool,
) -> None:
    into = tmp_path / "into"
    into.mkdir()
    path = extracted_path(into, SOME[2])
    if there == "samples":
        write_extracted(shipped[SOME[2]], into)
    elif there == "samples of another API":
        write_extracted(shipped[SOME[0]], into).rename(path)
    elif there == "notes":
        path.write_bytes(NOTES)
    before = path.read_bytes() if path.exists() else None

    def start_another(command: Sequence[str], *_: object, **__: object) -> subprocess.Popen[bytes]:
        folder = Path(next(word for word in command if word.startswith("--into=")).removeprefix("--into="))
        write_extracted(shipped[SOME[1]], folder)
        if failed:
            (folder.parent / "ended").write_text(f"{SOME[2]}\n")
        return subprocess.Popen(["true"], start_new_session=True)

    monkeypatch.setattr(samples, "start", start_another)
    args = argparse.Namespace(into=into, ids=[SOME[1], SOME[2], SOME[2]] if named else [])
    if isinstance(result, int):
        assert samples.run(args) == result
        assert extracted_path(into, SOME[1]).exists()
    else:
        with pytest.raises(ApidiffError, match=result):
            samples.run(args)
        assert not extracted_path(into, SOME[1]).exists(), "it is told before anything is written"
    assert (path.read_bytes() if path.exists() else None) == (before if stays else None)
    removed = [line for line in capsys.readouterr().out.splitlines() if line.startswith("removed: ")]
    assert removed == ([f"removed: {path}"] if before and not stays else [])


def test_of_what_the_drawing_of_samples_failed_is_noted(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    from apidiff.execute.extract.extract import Extractor
    from apidiff.execute.extract.watched import Ended, WatchedExtractor

    def extract(_: WatchedExtractor, api: Api) -> None:
        if api.name == SOME[1]:
            raise Ended("no end within 600 s")

    monkeypatch.setattr(Extractor, "of", lambda *_: None)
    monkeypatch.setattr(WatchedExtractor, "extract", extract)
    assert samples._extract(argparse.Namespace(into=tmp_path / "samples", ids=SOME[:2])) == 0
    assert (tmp_path / "ended").read_text() == f"{SOME[1]}\n"
    told = capsys.readouterr().err
    assert f"apidiff: samples of {SOME[1]} are not drawn (no end within 600 s); what there is of it stays" in told


def test_where_nothing_is_written_no_folder_is_left(tmp_path: Path) -> None:
    name = "torch.distributed.all_reduce"
    command = [sys.executable, "-m", "apidiff", "samples", "extract", name, "--into", "new/samples"]
    done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, timeout=300, check=False)
    assert (done.returncode, done.stdout) == (0, "new/samples: 0 samples of 0 APIs, 0 bytes\n")
    why = "PyTorch's tests have no inputs for it, or none that can be written"
    assert done.stderr.strip() == f"apidiff: note: {name} has no samples: {why}"
    assert not list(tmp_path.iterdir())


def test_no_module_is_taken_from_the_users_folder(tmp_path: Path, shipped: dict[str, ExtractedSamples]) -> None:
    here = tmp_path / "here"
    (here / "torch").mkdir(parents=True)
    (here / "torch" / "__init__.py").touch()
    (here / "random.py").write_text("raise SystemExit('taken')")
    # As the installed command, which does not look for its own modules there.
    command = [sys.executable, "-P", "-m", "apidiff", "samples", "extract", "torch.eye", "--into", "../into"]
    subprocess.run(command, cwd=here, check=True, capture_output=True, timeout=300)
    assert load_extracted(tmp_path / "into") == ({"torch.eye": shipped["torch.eye"]}, [])


def test_a_process_that_was_killed_is_told(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """As where memory is short: it could say nothing itself."""
    command = ["/bin/sh", "-c", "kill -9 $$"]
    monkeypatch.setattr(samples, "start", lambda _command, *given, **more: start(command, *given, **more))
    arguments = argparse.Namespace(into=tmp_path / "samples", ids=["torch.abs"])
    with pytest.raises(ApidiffError, match=r"was killed by signal 9, and nothing was written\. Free memory"):
        samples.run(arguments)
    assert not any(tmp_path.iterdir())


def test_a_name_that_looks_like_an_option_is_none(tmp_path: Path) -> None:
    command = [sys.executable, "-m", "apidiff", "samples", "extract", "--into", str(tmp_path), "--", "--help"]
    done = subprocess.run(command, capture_output=True, text=True, timeout=300, check=False)
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr.startswith("apidiff: There is no mapping '--help'.")


def test_inputs_that_end_the_process_do_no_harm_to_other_apis() -> None:
    # Not at the top: with them come PyTorch's own tests, five seconds for each process that collects this file.
    from apidiff.execute.extract.extract import Extractor
    from apidiff.execute.extract.watched import Ended, WatchedExtractor

    class Ending(Extractor):
        """One that some APIs end, or hold up."""

        def __init__(self) -> None:
            pass

        def extract(
            self, api: Api, fatal: Collection[bytes] = (), trying: Callable[[bytes], None] | None = None
        ) -> ExtractedSamples | None:
            if api.name == "torch.crashes":
                os.kill(os.getpid(), signal.SIGKILL)
            assert trying is not None
            for call in [b"one", b"two", b"three"] if api.name == "torch.crashes_on_some" else []:
                if call not in fatal:
                    trying(call)
                    if call != b"two":
                        os.kill(os.getpid(), signal.SIGSEGV)
            if api.name == "torch.crashes_on_what_it_does_not_try":
                trying(b"one")
                os.kill(os.getpid(), signal.SIGKILL)
            if api.name == "torch.hangs":
                time.sleep(60)
            return None

    with WatchedExtractor(Ending(), deadline=1.0) as extractor:
        assert extractor.extract(Api(name="torch.crashes_on_some")) is None
        assert extractor.fatal == {b"one": -signal.SIGSEGV, b"three": -signal.SIGSEGV}
        for name, words in [
            ("torch.crashes", "with code -9"),
            ("torch.crashes_on_what_it_does_not_try", "with code -9"),
            ("torch.hangs", "no end within 1 s"),
        ]:
            with pytest.raises(Ended, match=words):
                extractor.extract(Api(name=name))
            assert extractor.extract(Api(name="torch.empty")) is None
            assert extractor.fatal == {}


def test_a_process_that_cannot_be_started_is_that_error(monkeypatch: pytest.MonkeyPatch) -> None:
    from apidiff.execute.extract.extract import Extractor
    from apidiff.execute.extract.watched import WatchedExtractor

    def fork() -> int:
        raise OSError(errno.EAGAIN, os.strerror(errno.EAGAIN))

    monkeypatch.setattr(os, "fork", fork)
    with pytest.raises(BlockingIOError), WatchedExtractor(Extractor.__new__(Extractor)) as extractor:
        extractor.extract(Api(name="torch.empty"))


def test_a_process_whose_asker_ends_ends_without_a_word(capfd: pytest.CaptureFixture[str]) -> None:
    """Of an answer that was sent and not read the other end is told as of a broken connection."""
    from apidiff.execute.extract.extract import Extractor
    from apidiff.execute.extract.watched import WatchedExtractor

    class Quick(Extractor):
        def __init__(self) -> None:
            pass

        def extract(
            self, api: Api, fatal: Collection[bytes] = (), trying: Callable[[bytes], None] | None = None
        ) -> ExtractedSamples | None:
            return None

    extractor = WatchedExtractor(Quick())
    extractor._start()
    assert extractor._pipe is not None
    assert extractor._child is not None
    extractor._pipe.send((Api(name="torch.empty"), []))
    time.sleep(1)
    extractor._pipe.close()
    extractor._child.join(60)
    assert extractor._child.exitcode == 0
    assert capfd.readouterr().err == ""


@pytest.mark.turning(days=2, group="of PyTorch")
@pytest.mark.parametrize("seed", [{}, {"PYTHONHASHSEED": "0"}], ids=["no seed", "seed 0"])
def test_nothing_is_left_in_the_temporary_folder(tmp_path: Path, seed: dict[str, str]) -> None:
    """PyTorch makes a folder there when its compiler is imported."""
    temporary = tmp_path / "temporary"
    temporary.mkdir()
    variables = {name: value for name, value in os.environ.items() if name != "PYTHONHASHSEED"} | seed
    command = [sys.executable, "-m", "apidiff", "samples", "extract", "torch.cat", "--into", str(tmp_path / "into")]
    subprocess.run(command, env=variables | {"TMPDIR": str(temporary)}, check=True, capture_output=True, timeout=300)
    assert [path.name for path in (tmp_path / "into").iterdir()] == ["torch.cat.jsonl.gz"]
    assert list(temporary.iterdir()) == []


@pytest.mark.turning(days=2, group="of PyTorch")
@pytest.mark.parametrize("sent", [signal.SIGKILL, signal.SIGTERM])
def test_nothing_goes_on_without_the_command(tmp_path: Path, sent: signal.Signals) -> None:
    """The interpreter that draws ends with the one that the user started, and with its folder."""
    temporary = tmp_path / "temporary"
    temporary.mkdir()
    variables = {name: value for name, value in os.environ.items() if name != "PYTHONHASHSEED"}
    command = [sys.executable, "-m", "apidiff", "samples", "extract", "--into", str(tmp_path / "into")]
    with subprocess.Popen(command, env=variables | {"TMPDIR": str(temporary)}, stderr=subprocess.PIPE) as process:
        deadline = time.monotonic() + 120
        started: list[psutil.Process] = []
        while len(started) < 2 and time.monotonic() < deadline:
            time.sleep(0.1)
            started = psutil.Process(process.pid).children(recursive=True)
        time.sleep(5)  # it reads PyTorch, then draws for an hour
        started = psutil.Process(process.pid).children(recursive=True)
        process.send_signal(sent)
        assert process.wait(60) == (-sent if sent is signal.SIGKILL else 128 + sent)
    assert len(started) >= 2  # the guard, and the interpreter that draws
    assert psutil.wait_procs(started, timeout=30)[1] == []
    assert not (tmp_path / "into").exists()
    assert list(temporary.iterdir()) == []
