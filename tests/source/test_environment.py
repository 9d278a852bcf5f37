"""The state of a function where two paths meet."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from devlint.source.flow.state.environment import Environment
from devlint.source.flow.state.values import Literal

NAMES = st.lists(st.text("abcdefgh", min_size=1, max_size=3), unique=True)


@given(NAMES, NAMES)
def test_names_stay_in_the_order_in_which_they_were_bound(left: list[str], right: list[str]) -> None:
    """So that what is said of a program does not depend on hashes, which differ from run to run."""
    one, other = ({name: Literal(at) for at, name in enumerate(names)} for names in (left, right))
    met = Environment({**one}).joined(Environment({**other}))
    assert list(met.names) == list(dict.fromkeys((*left, *right)))
