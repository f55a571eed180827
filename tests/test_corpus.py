"""The corpus policies: what is kept is what the definitions say, whatever the order."""

from collections.abc import Iterable

import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, invariant, rule

from bonsai.corpus import Archive, Input, PaperCorpus, Rank, Select, bits, filtered, rank_of, size_of
from bonsai.feedback import Saving

FEATURES = 8
inputs = st.builds(
    Input,
    text=st.text(alphabet="ab \n", max_size=6),
    choices=st.lists(st.integers(0, 2), max_size=2).map(tuple),  # an ambiguous grammar: one text, several choices
    valid=st.booleans(),
    features=st.integers(0, 2**FEATURES - 1),
)


def ranks(members: Iterable[Input]) -> list[Rank]:
    return sorted(map(rank_of, members))


def smallest(offered: list[Input], feature: int) -> Input | None:
    hitting = [one for one in offered if one.features >> feature & 1]
    return min(hitting, key=rank_of, default=None)


@given(st.lists(inputs, max_size=30))
def test_selection_equals_filtering_all_judged_inputs(offered: list[Input]) -> None:
    archive = Archive(Saving.UNRESTRICTED)
    for one in offered:
        archive.add(one)
    assert archive.selected(Select.VALID_FIRST) == filtered(offered)


@given(st.lists(inputs, max_size=20), st.randoms(use_true_random=False))
def test_the_archive_does_not_depend_on_the_order(offered: list[Input], random: object) -> None:
    shuffled = sorted(offered, key=lambda _: random.random())  # type: ignore[attr-defined]
    kept = []
    for order in (offered, shuffled):
        archive = Archive(Saving.UNRESTRICTED)
        for one in order:
            archive.add(one)
        selected = [ranks(archive.selected(select)) for select in Select]
        kept.append((ranks(archive.inputs()), selected, archive.covered, archive.covered_by_valid))
    assert kept[0] == kept[1]


class ArchiveMachine(RuleBasedStateMachine):
    """Offer inputs one by one; after each, the archive's maps are what a search over all of them finds."""

    saving = Saving.UNRESTRICTED

    def __init__(self) -> None:
        super().__init__()
        self.archive = Archive(self.saving)
        self.offered: list[Input] = []

    @rule(one=inputs)
    def offer(self, one: Input) -> None:
        is_new = all(one.text != other.text for other in self.offered)
        self.offered.append(one)
        interesting = self.archive.interesting(one.text, one.valid, one.features)
        before = self.archive.inputs()
        changed = self.archive.add(one)
        assert changed == (before != self.archive.inputs())
        assert changed == interesting or not is_new
        assert not self.archive.interesting(one.text, one.valid, one.features)
        assert not self.archive.add(one)

    @invariant()
    def members_are_exactly_the_smallest_witnesses(self) -> None:
        valid = [one for one in self.offered if one.valid]
        considered = valid if self.saving is Saving.RESTRICTED else self.offered
        wanted = {
            witness.rank
            for group in (considered, valid)
            for feature in range(FEATURES)
            if (witness := smallest(group, feature)) is not None
        }
        members = self.archive.inputs()
        assert [member.rank for member in members] == sorted(wanted)
        assert all((one in self.archive) == (one in members) for one in self.offered)

    @invariant()
    def coverage_is_that_of_all_inputs(self) -> None:
        valid = [one for one in self.offered if one.valid]
        considered = valid if self.saving is Saving.RESTRICTED else self.offered
        assert set(bits(self.archive.covered)) == {f for one in considered for f in bits(one.features)}
        assert set(bits(self.archive.covered_by_valid)) == {f for one in valid for f in bits(one.features)}


class RestrictedMachine(ArchiveMachine):
    saving = Saving.RESTRICTED


TestUnrestricted = ArchiveMachine.TestCase
TestRestricted = RestrictedMachine.TestCase


@given(st.lists(inputs, max_size=30), st.sampled_from(Saving))
def test_the_papers_policy_appends_what_its_criterion_says(offered: list[Input], saving: Saving) -> None:
    corpus = PaperCorpus(saving)
    total = by_valid = 0
    expected = []
    for one in offered:
        if one.valid:
            new = bool(one.features & ~by_valid) or bool(one.features & ~total)
        else:
            new = saving is Saving.UNRESTRICTED and bool(one.features & ~total)
        if new:
            expected.append(one)
            total |= one.features
            by_valid |= one.features if one.valid else 0
        assert corpus.interesting(one.text, one.valid, one.features) == new
        assert corpus.add(one) == new
    assert corpus.inputs() == expected
    assert (corpus.covered, corpus.covered_by_valid) == (total, by_valid)


def test_a_valid_input_takes_over_responsibility() -> None:
    corpus = PaperCorpus(Saving.UNRESTRICTED)
    invalid, valid = Input("a", (), False, 0b11), Input("b", (), True, 0b11)
    corpus.add(invalid)
    assert corpus.favored(invalid)
    corpus.add(valid)
    assert corpus.favored(valid)
    assert not corpus.favored(invalid)


def test_both_selects_all_witnesses() -> None:
    archive = Archive(Saving.UNRESTRICTED)
    small, large = Input("a", (), False, 0b1), Input("bb", (), True, 0b1)
    archive.add(small)
    archive.add(large)
    assert archive.selected(Select.BOTH) == [small, large]
    assert archive.selected(Select.VALID_FIRST) == [large]


@pytest.mark.parametrize(("text", "size"), [("", 0), (" a\n b\t", 2), ("é ", 1)])
def test_size_leaves_white_space_out(text: str, size: int) -> None:
    assert size_of(text)[0] == size
