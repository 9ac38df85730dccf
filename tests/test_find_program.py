"""Programs are looked for in the absolute folders of PATH alone."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from apidiff.find_program import find_program
from apidiff.porting.git_answers import git_answer, git_deadline

# (PATH, whether git is found); `{own}`: a folder that has one
PATHS = [
    ("{own}", True),
    (".:{own}", True),
    (":bin:{own}:", True),
    (".", False),
    ("bin", False),
    ("", False),
    ("/nonexistent", False),
]


@pytest.mark.parametrize(("search", "there"), PATHS)
def test_a_program_of_the_folder_that_is_looked_at_is_never_run(
    search: str, there: bool, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Python looks for a program where it is started: a scanned folder brought its own git along."""
    own, strange = tmp_path / "own", tmp_path / "strange"
    for program, said in ((own / "git", "ours"), (strange / "git", "theirs"), (strange / "bin" / "git", "theirs")):
        program.parent.mkdir(parents=True, exist_ok=True)
        program.write_text(f"#!/bin/sh\necho {said} >>{tmp_path}/run\n")
        program.chmod(0o755)
    monkeypatch.chdir(strange)
    monkeypatch.setenv("PATH", search.format(own=own))
    assert find_program("git") == (os.fspath(own / "git") if there else None)
    if there:
        git_answer(["status"], strange, git_deadline())
        assert set((tmp_path / "run").read_text().split()) == {"ours"}
    else:
        with pytest.raises(FileNotFoundError):
            git_answer(["status"], strange, git_deadline())
        assert not (tmp_path / "run").exists()
