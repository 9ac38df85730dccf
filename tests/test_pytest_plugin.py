"""Claims as test items: what passes, fails and is skipped, seen from outside in a pytest of its own."""

from __future__ import annotations

import os
from collections.abc import Callable
from importlib.util import find_spec
from pathlib import Path
from xml.etree import ElementTree

import msgspec
import pytest

from apidiff.judge import Context
from apidiff.model import RunRecord, TensorDump
from apidiff.store import load
from apidiff.store.backends import load_backends
from apidiff.store.runs import load_runs
from apidiff.verify.record import write_record
from apidiff.verify.verify import verify

pytest_plugins = ["pytester"]
needs_torch = pytest.mark.skipif(find_spec("torch") is None, reason="torch is not installed")

MAPPING = """
id: torch.distributed.all_reduce
category: collective
summary: {en: Adds up., zh: 求和。}
source:
  name: torch.distributed.all_reduce
  probes:
    sync: {set: {tensor: {shape: [2]}}}
  claims:
    - id: holds-sum
      result: {at: tensor, formula: sum, of: tensor}
      probes: [sync]
    - id: keeps-tensor
      keeps: {argument: tensor}
      probes: [sync]
    - id: has-op
      parameter: {name: op}
    - id: cannot-be-watched
      completes: {}
      reason: {en: Nothing shows it., zh: 无从观察。}
targets:
  - api:
      name: mindspore.mint.distributed.all_reduce
      claims: [{id: has-op, parameter: {name: op}}]
    ranges: [{since: "2.5", status: current}]
    parameters: []
"""
SOURCE = "torch.distributed.all_reduce"
CLAIMS = [
    *(f"{SOURCE}#{name}" for name in ("holds-sum", "keeps-tensor", "has-op", "cannot-be-watched")),
    "mindspore.mint.distributed.all_reduce#has-op",
]


def write_data(root: Path) -> Path:
    mapping = root / "mappings" / "torch" / "distributed" / "all_reduce.yaml"
    mapping.parent.mkdir(parents=True)
    mapping.write_text(MAPPING, encoding="utf-8")
    (root / "documents.yaml").write_text("{}\n", encoding="utf-8")
    (root / "frameworks.yaml").write_text("{}\n", encoding="utf-8")
    return root


@pytest.fixture(scope="module")
def record(tmp_path_factory: pytest.TempPathFactory) -> RunRecord:
    """A real run of MAPPING on two ranks."""
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
        f"import pathlib, apidiff.store.data as d; d.DATA = pathlib.Path({str(pytester.path)!r}, 'data')"
    )

    def run(*arguments: str, recorded: RunRecord | None = None) -> pytest.RunResult:
        if recorded is not None:
            write_record(recorded, pytester.path / "data" / "runs")
        return pytester.runpytest_subprocess("-p", "apidiff.pytest_plugin", *arguments, timeout=240)

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


@needs_torch
def test_a_claim_refuted_as_recorded_passes(claims: Callable[..., pytest.RunResult], record: RunRecord) -> None:
    found = claims("--apidiff-backend", "gloo", "--apidiff-world-size", "2", "-rA", recorded=record)
    found.assert_outcomes(passed=3, skipped=2)
    assert {f"PASSED {one}" for one in CLAIMS[:3]} <= set(found.outlines)
    found.stdout.fnmatch_lines(["SKIPPED*Nothing shows it.*", "SKIPPED*mindspore APIs do not run on gloo"])


@needs_torch
def test_a_changed_verdict_fails_with_both_verdicts(claims: Callable[..., pytest.RunResult], record: RunRecord) -> None:
    found = claims("--apidiff-backend", "gloo", "--apidiff-world-size", "2", recorded=altered(record))
    found.assert_outcomes(passed=1, failed=2, skipped=2)
    found.stdout.fnmatch_lines(
        [
            f"{SOURCE}#holds-sum (torch * gloo, world size 2, probe sync)",
            "  recorded: refuted: rank 0: tensor*≠*[[]torch-*/gloo-cpu-2-*]",
            "  now:      holds: rank 0: tensor*",
        ]
    )
    assert found.ret == 1


# As if the first runs had been disturbed: what the ranks of a call returned came back otherwise when it was made again.
DISTURBED = """
import msgspec
import apidiff.verify.verify as module
from apidiff.model import ScalarDump

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
def test_reports_for_a_ci_service(
    claims: Callable[..., pytest.RunResult], pytester: pytest.Pytester, record: RunRecord
) -> None:
    wanted = ["--apidiff-summary", "claims.md", "--junitxml", "claims.xml"]
    claims("--apidiff-backend", "gloo", "--apidiff-world-size", "2", *wanted, recorded=altered(record))
    summary = (pytester.path / "claims.md").read_text("utf-8")
    assert "Claims: 1 passed, 2 failed, 2 skipped." in summary
    assert "## 2 verdicts changed" in summary
    assert "| torch.distributed.all&#95;reduce&#35;holds-sum | torch " in summary
    cases = ElementTree.parse(pytester.path / "claims.xml").getroot().findall(".//testcase")
    assert [(case.get("name"), case.find("failure") is not None) for case in cases][:2] == [
        (CLAIMS[0], True),
        (CLAIMS[1], True),
    ]


@needs_torch
def test_selected_claims_are_run_alone(claims: Callable[..., pytest.RunResult], record: RunRecord) -> None:
    arguments = ["--apidiff-backend", "gloo", "--apidiff-world-size", "2", "-k", "holds-sum"]
    found = claims(*arguments, recorded=altered(record))
    found.assert_outcomes(failed=1, deselected=4)


@needs_torch
def test_a_version_without_a_record_is_compared_with_the_newest_and_says_so(
    claims: Callable[..., pytest.RunResult], record: RunRecord
) -> None:
    older = msgspec.structs.replace(record, framework_version="2.9.0")
    claims("--collect-only", recorded=msgspec.structs.replace(altered(record), framework_version="2.8.1"))
    found = claims("--apidiff-backend", "gloo", "--apidiff-world-size", "2", recorded=older)
    found.assert_outcomes(passed=3, skipped=2)
    found.stdout.fnmatch_lines(
        ["apidiff: torch *compared with torch-2.9.0/gloo-cpu-2-*(nothing is recorded for torch *)"]
    )


@needs_torch
def test_without_any_record_there_is_nothing_to_pass(claims: Callable[..., pytest.RunResult]) -> None:
    found = claims("--apidiff-backend", "gloo", "--apidiff-world-size", "2", "-rs")
    found.assert_outcomes(skipped=5)
    found.stdout.fnmatch_lines(["SKIPPED*nothing is recorded for torch * on gloo with 2 ranks; *--record"])


def test_an_absent_device_skips_and_says_what_was_looked_for(
    claims: Callable[..., pytest.RunResult], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("CUDA_VISIBLE_DEVICES", "")
    found = claims("--apidiff-backend", "nccl", "-rs")
    found.assert_outcomes(skipped=5)
    found.stdout.fnmatch_lines(["SKIPPED*nccl (torch, cuda): looked for *"])


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (
            ["--apidiff-backend", "glue"],
            "ERROR: No backend is called 'glue'. There are: gloo-cpu (torch), *mccl-cpu (mindspore)*",
        ),
        (
            ["--apidiff-backend", "gloo", "--apidiff-world-size", "two"],
            "ERROR: Expected --apidiff-world-size such as *",
        ),
        (["--apidiff-backend", "gloo", "--apidiff-world-size", "0"], "ERROR: Expected --apidiff-world-size such as *"),
        (["--apidiff-backend", "gloo", "conftest.py"], "ERROR: --apidiff-backend collects claims, not conftest.py; *"),
    ],
)
def test_wrong_usage_is_one_sentence(
    claims: Callable[..., pytest.RunResult], arguments: list[str], message: str
) -> None:
    found = claims(*arguments)
    found.stderr.fnmatch_lines([message])
    assert found.ret == 4


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
            heavy = {"numpy", "msgspec", "yaml", "rich", "apidiff.store", "apidiff.model"}
            assert not heavy & set(sys.modules)
        """
    )
    claims().assert_outcomes(passed=1)
