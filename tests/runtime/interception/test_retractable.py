"""Replaced functions that give way for a while."""

from __future__ import annotations

from collections.abc import Iterator
from types import ModuleType
from typing import Any

import pytest

from devlint.runtime.interception.retractable import Retractable


class Base:
    inherited = "base"


class Owner(Base):
    own = "owner"


module: Any = ModuleType("module")
module.own = "owner"


@pytest.fixture
def replaced() -> Iterator[Retractable]:
    changes = Retractable()
    changes.replace(module, "own", "new")
    changes.replace(Owner, "own", "new")
    changes.replace(Owner, "inherited", "new")
    yield changes
    changes.undo()
    assert (module.own, Owner.own, Owner.inherited) == ("owner", "owner", "base")
    assert "inherited" not in vars(Owner)


def test_changes_go_and_come_back(replaced: Retractable) -> None:
    assert (module.own, Owner.own, Owner.inherited) == ("new", "new", "new")
    with replaced.retracted():
        assert (module.own, Owner.own, Owner.inherited) == ("owner", "owner", "base")
    assert (module.own, Owner.own, Owner.inherited) == ("new", "new", "new")


def test_they_stay_away_while_anybody_wants_it(replaced: Retractable) -> None:
    replaced.retract()
    with replaced.retracted():
        pass
    assert module.own == "owner"
    replaced.restore()
    assert module.own == "new"


def test_those_of_classes_stay_where_compiled_code_is_called(replaced: Retractable) -> None:
    replaced.retract()
    assert (module.own, Owner.own) == ("owner", "new")
    replaced.restore()


def test_they_can_be_undone_while_they_are_away(replaced: Retractable) -> None:
    replaced.retract()
    replaced.undo()
    replaced.restore()
    assert (module.own, Owner.own, Owner.inherited) == ("owner", "owner", "base")


def test_what_somebody_else_sets_meanwhile_stays(replaced: Retractable) -> None:
    with replaced.retracted():
        module.own = "theirs"
    assert module.own == "theirs"
    replaced.undo()
    assert module.own == "theirs"
    module.own = "owner"
