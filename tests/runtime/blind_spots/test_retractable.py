"""Replaced functions that give way for a while."""

from __future__ import annotations

from typing import Any

import pytest

from devlint.runtime.blind_spots.retractable import Retractable


class Base:
    inherited = "base"


class Owner(Base):
    own = "owner"


@pytest.fixture
def replaced() -> Any:
    changes = Retractable()
    changes.replace(Owner, "own", "new")
    changes.replace(Owner, "inherited", "new")
    yield changes
    changes.undo()
    assert (Owner.own, Owner.inherited) == ("owner", "base")
    assert "inherited" not in vars(Owner)


def test_changes_go_and_come_back(replaced: Retractable) -> None:
    assert (Owner.own, Owner.inherited) == ("new", "new")
    with replaced.retracted():
        assert (Owner.own, Owner.inherited) == ("owner", "base")
    assert (Owner.own, Owner.inherited) == ("new", "new")


def test_they_stay_away_while_anybody_wants_it(replaced: Retractable) -> None:
    replaced.retract()
    with replaced.retracted():
        pass
    assert Owner.own == "owner"
    replaced.restore()
    assert Owner.own == "new"


def test_they_can_be_undone_while_they_are_away(replaced: Retractable) -> None:
    replaced.retract()
    replaced.undo()
    replaced.restore()
    assert (Owner.own, Owner.inherited) == ("owner", "base")


def test_what_somebody_else_sets_meanwhile_stays(replaced: Retractable) -> None:
    with replaced.retracted():
        Owner.own = "theirs"
    assert Owner.own == "theirs"
    replaced.undo()
    assert Owner.own == "theirs"
    Owner.own = "owner"
