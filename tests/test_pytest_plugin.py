"""Claims as test items: what passes, fails and is skipped, seen from outside in a pytest of its own."""

from __future__ import annotations

import html
import os
from collections.abc import Callable
from fnmatch import fnmatch
from importlib.util import find_spec
from pathlib import Path
from xml.etree import ElementTree

import msgspec
import pytest
from factories import write_data

from apidiff.database import load
from apidiff.database.backends import load_backends
from apidiff.database.own_records import own_records_path
from apidiff.database.runs import load_runs
from apidiff.execute.record import write_record
from apidiff.judge import Context
from apidiff.model.trace import RunRecord, TensorDump
from apidiff.verification import verify

pytest_plugins = ["pytester"]
needs_torch = pytest.mark.skipif(find_spec("torch") is None, reason="torch is not installed")

SOURCE = "torch.distributed.all_reduce"
CLAIMS = [
    *(f"{SOURCE}#{name}" for name in ("holds-sum", "keeps-tensor", "has-op", "cannot-be-watched")),
    "mindspore.mint.distributed.all_reduce#has-op",
]


@pytest.fixture(scope="module")
def record(tmp_path_factory: pytest.TempPathFactory) -> RunRecord:
    """A real run of that mapping on two ranks."""
    folder = tmp_path_factory.mktemp("record")
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("XDG_STATE_HOME", str(folder / "state"))
        gloo = next(backend for backend in load_backends() if backend.name == "gloo")
        return verify(load(write_data(folder / "data")), gloo, 2, Context())


@pytest.fixture
def claims(pytester: pytest.Pytester, monkeypatch: pytest.MonkeyPatch) -> Callable[..., pytest.RunResult]:
    """Runs pytest with the plugin on the data below ``data/``, with the records given."""
    root = Path(__file__).resolve().parents[1]
    path = os.pathsep.join([str(root), *filter(None, [os.environ.get("PYTHONPATH")])])
    monkeypatch.setenv("PYTHONPATH", path)
    monkeypatch.setenv("XDG_STATE_HOME", str(pytester.path / "state"))
    # Installed, the plugin would come in twice: by its entry point and by -p.
    monkeypatch.setenv("PYTEST_DISABLE_PLUGIN_AUTOLOAD", "1")
    monkeypatch.setenv("PYTEST_ADDOPTS", "")
    write_data(pytester.path / "data")
    pytester.makeconftest(
        f"import pathlib, apidiff.database.data as d; d.DATA = pathlib.Path({str(pytester.path)!r}, 'data')"
    )

    def run(*arguments: str, recorded: RunRecord | None = None) -> pytest.RunResult:
        if recorded is not None:
            # Only what this project lists as its own spares a run.
            own_records_path(pytester.path / "data").touch()
            write_record(recorded, pytester.path / "data" / "runs")
        if "--collect-only" in arguments:
            # What starts no ranks needs no process of its own.
            with pytest.MonkeyPatch.context() as patch:
                patch.setattr("apidiff.database.data.DATA", pytester.path / "data")
                return pytester.runpytest_inprocess("-p", "apidiff.pytest_plugin", *arguments)
        return pytester.runpytest_subprocess("-p", "apidiff.pytest_plugin", *arguments, timeout=1000)

    return run


def altered(record: RunRecord) -> RunRecord:
    """The record as it would be had the call left every tensor alone."""
    probes = []
    for run in record.probes:
        ranks = []
        for trace in run.ranks:
            before = trace.before["tensor"]
            assert isinstance(before, TensorDump)
            ranks.append(msgspec.structs.replace(trace, after={"tensor": before}))
        probes.append(msgspec.structs.replace(run, ranks=ranks))
    return msgspec.structs.replace(record, probes=probes)


def test_every_claim_is_an_item_whose_id_is_the_claim(claims: Callable[..., pytest.RunResult]) -> None:
    found = claims("--apidiff-backend", "gloo", "--collect-only", "-q")
    assert [line for line in found.outlines if "#" in line] == CLAIMS
    assert found.ret == 0


@pytest.mark.parametrize(
    ("arguments", "chosen"),
    [
        ([CLAIMS[1]], CLAIMS[1:2]),
        ([CLAIMS[4], CLAIMS[0]], [CLAIMS[0], CLAIMS[4]]),
        ([SOURCE], CLAIMS[:4]),
        ([SOURCE, "-k", "keeps or holds"], CLAIMS[:2]),
        (["-k", f"{SOURCE} and keeps-tensor"], CLAIMS[1:2]),
        (["--deselect", CLAIMS[0], "--deselect", CLAIMS[4]], CLAIMS[1:4]),
    ],
)
def test_claims_are_chosen_by_their_ids(
    claims: Callable[..., pytest.RunResult], arguments: list[str], chosen: list[str]
) -> None:
    found = claims("--apidiff-backend", "gloo", "--collect-only", "-q", *arguments)
    assert [line for line in found.outlines if "#" in line] == chosen
    assert found.ret == 0


@needs_torch
@pytest.mark.turning(days=3)
@pytest.mark.parametrize("parts", ["1", "1/2", "2/2", "3/31"])
def test_a_sample_holds_what_is_not_recorded_and_is_never_empty(
    claims: Callable[..., pytest.RunResult], record: RunRecord, parts: str
) -> None:
    asked = [*("--apidiff-backend", "gloo", "--apidiff-world-size", "2"), *("--collect-only", "-q")]
    for recorded in (None, record):
        found = claims(*asked, "--apidiff-sample", parts, recorded=recorded)
        assert [line for line in found.outlines if "#" in line] == CLAIMS


@needs_torch
@pytest.mark.turning(days=3)
def test_two_samples_of_two_share_no_claim_and_hold_all_that_a_run_can_show(
    pytester: pytest.Pytester, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PYTEST_DISABLE_PLUGIN_AUTOLOAD", "1")
    monkeypatch.setenv("PYTEST_ADDOPTS", "")
    asked = [*("--apidiff-backend", "gloo", "--apidiff-world-size", "2"), *("--collect-only", "-q")]
    found = {
        parts: {
            line
            for line in pytester.runpytest_inprocess(
                "-p", "apidiff.pytest_plugin", *asked, "--apidiff-sample", parts
            ).outlines
            if "#" in line
        }
        for parts in ("1/2", "2/2", "1")
    }
    assert found["1/2"] & found["2/2"] == set()
    assert found["1/2"] | found["2/2"] == found["1"]
    assert min(len(found["1/2"]), len(found["2/2"])) > 100


@needs_torch
@pytest.mark.turning(days=5, group="made runs")
def test_a_changed_verdict_fails_with_both_verdicts_and_stands_in_reports(
    claims: Callable[..., pytest.RunResult], pytester: pytest.Pytester, record: RunRecord
) -> None:
    wanted = ["--apidiff-summary", "claims.md", "--junitxml", "claims.xml"]
    found = claims("--apidiff-backend", "gloo", "--apidiff-world-size", "2", *wanted, recorded=altered(record))
    found.assert_outcomes(passed=1, failed=2, skipped=2)
    found.stdout.fnmatch_lines(
        [
            f"{SOURCE}#holds-sum (torch * gloo, world size 2, probe sync)",
            "  recorded: refuted: rank 0: tensor*≠*[[]torch-*/gloo-cpu-2-*]",
            "  now:      holds: rank 0: tensor*",
        ]
    )
    assert found.ret == 1
    summary = (pytester.path / "claims.md").read_text("utf-8")
    assert "Claims: 1 passed, 2 failed, 2 skipped." in summary
    assert "## 2 verdicts changed" in summary
    assert "| torch.distributed.all&#95;reduce&#35;holds-sum | torch " in summary
    assert "Nothing was compared" not in summary
    assert "Every verdict" not in summary
    cases = ElementTree.parse(pytester.path / "claims.xml").getroot().findall(".//testcase")
    assert [(case.get("name"), case.find("failure") is not None) for case in cases][:2] == [
        (CLAIMS[0], True),
        (CLAIMS[1], True),
    ]
    assert [case.get("classname") for case in cases] == [claim.partition("#")[0] for claim in CLAIMS]


# As if the first runs had been disturbed: what the ranks of a call returned came back otherwise when it was made again.
DISTURBED = """
import msgspec
import apidiff.verification.confirmed_run as module
from apidiff.model.trace import ScalarDump

real, runs = module.verify, 0

def other(run):
    ranks = [msgspec.structs.replace(trace, after={"tensor": ScalarDump(value=0)}) for trace in run.ranks]
    return msgspec.structs.replace(run, again=msgspec.structs.replace(run, ranks=ranks))

def verify(*arguments, **options):
    global runs
    runs += 1
    record = real(*arguments, **options)
    if runs > DISTURBED_RUNS:
        return record
    return msgspec.structs.replace(record, probes=[other(run) for run in record.probes])

module.verify = verify
"""


@needs_torch
@pytest.mark.turning(days=5, group="made runs")
@pytest.mark.parametrize(("disturbed", "failed"), [(1, 0), (2, 1)])
def test_a_flaky_verdict_fails_only_where_it_does_not_settle(
    claims: Callable[..., pytest.RunResult], pytester: pytest.Pytester, record: RunRecord, disturbed: int, failed: int
) -> None:
    conftest = pytester.path / "conftest.py"
    conftest.write_text(
        conftest.read_text("utf-8") + DISTURBED.replace("DISTURBED_RUNS", str(disturbed)), encoding="utf-8"
    )
    found = claims("--apidiff-backend", "gloo", "--apidiff-world-size", "2", recorded=record)
    found.assert_outcomes(passed=3 - failed, failed=failed, skipped=2)
    told = f"apidiff: {SOURCE}#holds-sum: came out otherwise in one of three runs, as recorded in the others"
    assert (told in found.outlines) is (not failed)


@needs_torch
@pytest.mark.turning(days=5, group="made runs")
def test_selected_claims_are_run_and_told_alone(
    claims: Callable[..., pytest.RunResult], pytester: pytest.Pytester, record: RunRecord
) -> None:
    arguments = ["--apidiff-backend", "gloo", "--apidiff-world-size", "2", "--apidiff-summary", "claims.md"]
    # Another claim is refuted now, too, and is not chosen.
    found = claims(*arguments, "-k", "holds-sum or has-op", recorded=altered(record))
    assert found.ret == 1
    summary = (pytester.path / "claims.md").read_text("utf-8")
    assert "Claims: 1 passed, 1 failed, 1 skipped, 2 deselected." in summary
    assert summary.count("\n| torch.") == 1
    assert "Every verdict that was compared is what is recorded." not in summary


@needs_torch
@pytest.mark.turning(days=3)
@pytest.mark.parametrize(
    ("arguments", "code", "told"),
    [
        (["--apidiff-backend", "gloo", "-k", "nowhere"], 5, "no claim was chosen"),
        (["--apidiff-backend", "gloo", "-k", "a#b"], 4, "pytest refused an argument; what it printed names it"),
        (
            ["--apidiff-backend", "gloo", "-k", "cannot-be-watched"],
            5,
            "no probe of it gives a verdict for torch * on gloo with 2 ranks",
        ),
        (
            ["--apidiff-backend", "gloo", "-k", "mindspore"],
            5,
            "no claim that was chosen is judged by a run on the backends asked for",
        ),
        (["--apidiff-backend", "gloo"], 5, "nothing is recorded by this project for torch * on gloo with 2 ranks; *"),
        (["--apidiff-backend", "nccl"], 5, "nccl (torch, cuda): looked for *"),
    ],
)
def test_where_nothing_was_compared_nothing_is_as_recorded(
    claims: Callable[..., pytest.RunResult],
    pytester: pytest.Pytester,
    monkeypatch: pytest.MonkeyPatch,
    arguments: list[str],
    code: int,
    told: str,
) -> None:
    monkeypatch.setenv("CUDA_VISIBLE_DEVICES", "")
    found = claims(*arguments, "--apidiff-world-size", "2", "--apidiff-summary", "claims.md", "-rs")
    found.stdout.fnmatch_lines([f"apidiff: Nothing was compared: {told}"])
    assert found.ret == code
    if "nothing is recorded" in told:
        found.assert_outcomes(skipped=5)
        found.stdout.fnmatch_lines(
            ["SKIPPED*nothing is recorded by this project for torch * on gloo with 2 ranks; *--record"]
        )
    if "looked for" in told:
        found.assert_outcomes(skipped=5)
        found.stdout.fnmatch_lines([f"SKIPPED*{told}"])
    summary = html.unescape((pytester.path / "claims.md").read_text("utf-8"))
    assert fnmatch(summary, f"*\n[*][*]Nothing was compared: {told}[*][*]\n")
    assert "Claims: ." not in summary
    assert "Every verdict" not in summary


@needs_torch
@pytest.mark.turning(days=5, group="made runs")
def test_what_is_as_recorded_passes_and_a_backend_that_is_not_here_fails_the_session(
    claims: Callable[..., pytest.RunResult],
    pytester: pytest.Pytester,
    monkeypatch: pytest.MonkeyPatch,
    record: RunRecord,
) -> None:
    monkeypatch.setenv("CUDA_VISIBLE_DEVICES", "")
    asked = ["--apidiff-backend", "gloo", "--apidiff-backend", "nccl", "--apidiff-world-size", "2"]
    found = claims(*asked, "--apidiff-summary", "claims.md", "-rA", recorded=record)
    found.assert_outcomes(passed=3, skipped=2)
    assert {f"PASSED {claim}" for claim in CLAIMS[:3]} <= set(found.outlines)  # one of them is refuted, as recorded
    found.stdout.fnmatch_lines(["apidiff: nccl was asked for and is not here"])
    assert found.ret == 1
    summary = (pytester.path / "claims.md").read_text("utf-8")
    assert "**nccl was asked for and is not here**" in summary
    assert "Every verdict that was compared is what is recorded." in summary


@needs_torch
@pytest.mark.turning(days=5, group="made runs")
def test_what_only_others_recorded_is_compared_with_nothing_and_told_by_name(
    claims: Callable[..., pytest.RunResult], record: RunRecord
) -> None:
    theirs = msgspec.structs.replace(altered(record), measured_by="Mallory")
    found = claims("--apidiff-backend", "gloo", "--apidiff-world-size", "2", "-rs", recorded=theirs)
    found.assert_outcomes(skipped=5)
    found.stdout.fnmatch_lines(
        ["apidiff: torch *compared with nothing (recorded by others, which decides nothing: “Mallory” (unsigned))"]
    )
    assert found.ret == 5


@needs_torch
@pytest.mark.turning(days=5, group="made runs")
def test_a_version_without_a_record_is_compared_with_the_newest_and_says_so(
    claims: Callable[..., pytest.RunResult], record: RunRecord
) -> None:
    older = msgspec.structs.replace(record, framework_version="2.9.0")
    claims("--collect-only", recorded=msgspec.structs.replace(altered(record), framework_version="2.8.1"))
    found = claims("--apidiff-backend", "gloo", "--apidiff-world-size", "2", "-rs", recorded=older)
    found.assert_outcomes(passed=3, skipped=2)
    found.stdout.fnmatch_lines(["SKIPPED*Nothing shows it.*", "SKIPPED*mindspore APIs do not run on gloo"])
    found.stdout.fnmatch_lines(
        ["apidiff: torch *compared with torch-2.9.0/gloo-cpu-2-*(nothing is recorded by this project for torch *)"]
    )
    assert found.ret == 0


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (
            ["--apidiff-backend", "glue"],
            "ERROR: No backend is called 'glue'. There are: gloo-cpu (torch), *mccl-cpu (mindspore)*",
        ),
        (
            ["--apidiff-backend", "gloo", "conftest.py"],
            "ERROR: --apidiff-backend collects claims, and no claim or API is called 'conftest.py'. --collect-only -q lists *",
        ),
        (["--apidiff-backend", "gloo", f"{SOURCE}#holds"], f"ERROR: *no claim or API is called '{SOURCE}#holds'. *"),
        (
            ["--apidiff-backend", "gloo", "--apidiff-summary", "nowhere/claims.md"],
            "ERROR: nowhere/claims.md: the summary cannot be written (No such file or directory). Name a file in a folder *",
        ),
        (
            ["--apidiff-backend", "gloo", "--apidiff-summary", "data"],
            "ERROR: data: the summary cannot be written (Is a directory). Name a file *",
        ),
        (
            ["--apidiff-backend", "gloo", "--apidiff-sample", "4/3"],
            "ERROR: Expected --apidiff-sample to be a number of parts such as 10, or one of them such as 3/10, but got '4/3'.",
        ),
        (
            ["--apidiff-backend", "gloo", "--apidiff-sample", "9" * 5000],
            f"ERROR: Expected --apidiff-sample to be *, but got '{'9' * 20}*9…'.",
        ),
        (
            ["--apidiff-backend", "gloo", "--apidiff-world-size", "2,500"],
            "ERROR: Expected --apidiff-world-size to be numbers of ranks from 1 to 64 such as 2 or 2,3,4 but got '2,500'.",
        ),
        *(
            (
                ["-p", "xdist.plugin", "--apidiff-backend", "gloo", *several],
                "ERROR: --apidiff-backend starts ranks of its own; leave out -n, and --dist with --tx.",
            )
            for several in (["-n", "2"], ["--dist", "loadfile", "--tx", "2*popen"], ["-d", "--tx", "popen"])
        ),
    ],
)
def test_wrong_usage_is_one_sentence(
    claims: Callable[..., pytest.RunResult], arguments: list[str], message: str
) -> None:
    found = claims(*arguments)
    found.stderr.fnmatch_lines([message])
    assert found.ret == 4


def test_samples_are_left_to_the_command(claims: Callable[..., pytest.RunResult], pytester: pytest.Pytester) -> None:
    record = "category: math\nexecution: single\nsummary: {en: Computes the power of e., zh: 计算 e 的幂。}\n"
    record += "samples: {plain: {args: {input: {values: [1.0]}}}}\ntargets: {mindspore.mint.exp: {since: '2.10'}}\n"
    (pytester.path / "data" / "mappings" / "torch" / "exp.yaml").write_text(record, encoding="utf-8")
    found = claims("--apidiff-backend", "gloo", "--collect-only", "torch.exp")
    found.stderr.fnmatch_lines(
        ["ERROR: torch.exp has samples and no claims, * Run its samples: apidiff verify torch.exp"]
    )
    assert found.ret == pytest.ExitCode.USAGE_ERROR


def test_broken_data_is_one_sentence(claims: Callable[..., pytest.RunResult], pytester: pytest.Pytester) -> None:
    (pytester.path / "data" / "frameworks.yaml").write_text("torch: [\n", encoding="utf-8")
    found = claims("--apidiff-backend", "gloo")
    found.stderr.fnmatch_lines(["ERROR: *frameworks.yaml:*broken YAML*"])
    assert found.ret == 4


@needs_torch
def test_a_changed_byte_in_a_record_is_found(
    claims: Callable[..., pytest.RunResult], pytester: pytest.Pytester, record: RunRecord
) -> None:
    path = write_record(record, pytester.path / "data" / "runs")
    assert len(load_runs(pytester.path / "data" / "runs")) == 1
    path.write_bytes(path.read_bytes().replace(b'"gloo"', b'"glue"', 1))
    found = claims("--apidiff-backend", "gloo")
    found.stderr.fnmatch_lines([f"ERROR: *{path.name}: its bytes have digest *Restore the file *"])


def test_without_the_option_nothing_is_imported(
    claims: Callable[..., pytest.RunResult], pytester: pytest.Pytester
) -> None:
    (pytester.path / "conftest.py").unlink()
    pytester.makepyfile(
        """
        import sys

        def test_it():
            assert "apidiff.pytest_plugin" in sys.modules
            heavy = {"numpy", "msgspec", "yaml", "rich", "apidiff.database", "apidiff.model"}
            assert not heavy & set(sys.modules)
        """
    )
    claims().assert_outcomes(passed=1)
