"""What an exception says of an argument that Python itself refuses."""

import pytest

from apidiff.judge.refused_arguments import refused_argument
from apidiff.model.trace import CallError

REFUSED = [
    ("TypeError", "std_ext() got an unexpected keyword argument 'unbiased'", {"keyword": "unbiased"}),
    ("TypeError", "Tensor.amin() got an unexpected keyword argument 'dim'\n- more", {"keyword": "dim"}),
    ("TypeError", "SGD.__init__() missing 1 required positional argument: 'lr'", {"missing": "lr"}),
    ("TypeError", "f() missing 1 required keyword-only argument: 'axis'", {"missing": "axis"}),
    ("TypeError", "f() missing 2 required positional arguments: 'a' and 'b'", {}),
    ("TypeError", "zeros() takes 1 positional argument but 2 were given", {"positional": "1"}),
    ("TypeError", "f() takes from 1 to 2 positional arguments but 3 were given", {"positional": "2"}),
    ("ValueError", "f() got an unexpected keyword argument 'x'", {}),
    ("TypeError", "For primitive[Std], the input[input] supports types: Float16", {}),
]


@pytest.mark.parametrize(("kind", "message", "refused"), REFUSED)
def test_refused_arguments(kind: str, message: str, refused: dict[str, str]) -> None:
    assert refused_argument(CallError(stage="call", type=kind, message=message)) == refused
