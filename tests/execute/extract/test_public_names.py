"""Every public name of PyTorch in scope has a record or stands in the list of undecided ones."""

from apidiff.database import Data
from apidiff.database.scope import load_scope
from apidiff.database.undecided import answered_names, read_undecided, split_undocumented
from apidiff.execute.extract.public_names import MODULES, public_names


def test_every_public_name_is_answered_or_listed(database: Data) -> None:
    held = read_undecided(database.root)
    assert held is not None
    listed = set(held.names.values())
    names, idle = split_undocumented(public_names(), load_scope().torch)
    assert idle == []
    assert sorted(set(names) - answered_names(database) - listed) == []
    assert sorted(listed - set(names)) == []


def test_names_are_those_of_the_modules_alone() -> None:
    names = set(public_names())
    assert len(names) == len(public_names())
    assert {name.rpartition(".")[0] for name in names} == set(MODULES)
    assert {"torch.abs", "torch.float32", "torch.Tensor.add_", "torch.nn.functional.gelu"} <= names
    strange = {
        "torch.nn.functional.Tensor",
        "torch.nn.functional.Optional",
        "torch.nn.init.warnings",
        "torch.nn.functional",
    }
    assert not strange & names
