"""Comments of scripts in Chinese: all that pages show are on record, and nothing but comments changes."""

from __future__ import annotations

import io
import tokenize

from apidiff.database.examples import load_examples
from apidiff.database.paths import examples_folder
from apidiff.messages.code_comments import CHINESE, commented

EXAMPLES = load_examples(examples_folder())


def comments(code: str) -> list[str]:
    """The comments of ``code`` without those for the linter."""
    tokens = tokenize.generate_tokens(io.StringIO(code).readline)
    told = [token.string.removeprefix("# ") for token in tokens if token.type == tokenize.COMMENT]
    return [comment for comment in told if not comment.startswith("noqa")]


def test_every_comment_of_a_script_is_on_record_and_no_other() -> None:
    assert {comment for example in EXAMPLES for comment in comments(example.code)} == set(CHINESE)


def test_comments_are_shown_in_chinese_and_code_stays() -> None:
    code = 'total = numbers.copy()  # all_reduce works in place\nprint("# all_reduce works in place")  # other\n'
    shown = 'total = numbers.copy()  # all_reduce 会原地修改\nprint("# all_reduce works in place")  # other\n'
    assert commented(code, "zh") == shown
    assert commented(code, "en") == code
