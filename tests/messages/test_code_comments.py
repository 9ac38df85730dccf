"""Comments of scripts in Chinese: all that pages show are on record, and nothing but comments changes."""

from __future__ import annotations

import ast
import io
import tokenize

from apidiff.database.examples import load_examples
from apidiff.database.paths import examples_folder
from apidiff.messages.code_comments import CHINESE, CHINESE_DOCSTRINGS, commented

EXAMPLES = load_examples(examples_folder())
TRAINING = [path.read_text("utf-8") for path in sorted((examples_folder() / "ddp_training").glob("train_*.py"))]


def comments(code: str) -> list[str]:
    """The comments of ``code`` without those for the linter."""
    tokens = tokenize.generate_tokens(io.StringIO(code).readline)
    told = [token.string.removeprefix("# ") for token in tokens if token.type == tokenize.COMMENT]
    return [comment for comment in told if not comment.startswith("noqa")]


def docstring_lines(code: str) -> list[str]:
    """The lines of the docstrings in ``code``, without the command that runs it."""
    tree = ast.parse(code)
    documented = [tree, *(node for node in tree.body if isinstance(node, ast.FunctionDef))]
    told = [(ast.get_docstring(node) or "").partition("\n\nCommand:")[0] for node in documented]
    return [line for text in told for line in text.splitlines() if line]


def test_every_comment_of_a_script_is_on_record_and_no_other() -> None:
    codes = [*(example.code for example in EXAMPLES), *TRAINING]
    assert {comment for code in codes for comment in comments(code)} == set(CHINESE)


def test_every_line_of_the_training_scripts_docstrings_is_on_record_and_no_other() -> None:
    assert len(TRAINING) == 2
    assert {line for code in TRAINING for line in docstring_lines(code)} == set(CHINESE_DOCSTRINGS)


def test_docstrings_are_shown_in_chinese_and_code_stays() -> None:
    code = '"""On Ascend this has not been run."""\nTEXT = "On Ascend this has not been run."\n'
    assert commented(code, "zh") == '"""未在 Ascend 上运行过。"""\nTEXT = "On Ascend this has not been run."\n'


def test_comments_are_shown_in_chinese_and_code_stays() -> None:
    code = 'total = numbers.copy()  # all_reduce works in place\nprint("# all_reduce works in place")  # other\n'
    shown = 'total = numbers.copy()  # all_reduce 会原地修改\nprint("# all_reduce works in place")  # other\n'
    assert commented(code, "zh") == shown
    assert commented(code, "en") == code
