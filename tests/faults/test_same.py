"""The folder of a run is the same for any number of processes, on a cluster, and for any seed of hashes."""

import pytest

from faults.conftest import Undisturbed, WhereIs
from faults.folders import Everything, require_equal
from faults.runs import SEED, SIZE, SMALL, Sandbox

SUBJECTS = ("ambiguous", "json", "expressions") if SIZE else ("ambiguous",)
FEW = ("--bounds", "2,2,2", "--budget", "40x")
VARIANTS = {
    "paper": [*FEW, "--policy", "paper"],
    "shards": [*FEW, "--shards", "2"],
    "top-up": [*FEW, "--top-up", "150x"],
    "bounds auto": ["--bounds", "auto", "--budget", "12x"],
    "both": [*FEW, "--select", "both"],
    "plain": [*FEW, "--lattice", "plain"],
    "auto": ["--bounds", "2,2,1", "--budget", "auto"],
}


@pytest.mark.slow
@pytest.mark.parametrize("subject", SUBJECTS)
@pytest.mark.parametrize("jobs", [1, 3])
def test_any_number_of_jobs(
    subject: str, jobs: int, subject_of: WhereIs, undisturbed: Undisturbed, box: Sandbox
) -> None:
    box.run("grow", subject_of(subject), *SMALL, "-o", box.out, "--jobs", jobs).require(0)
    require_equal(undisturbed(subject), box.everything(), f"--jobs {jobs}")


@pytest.mark.slow
@pytest.mark.parametrize("hash_seed", [1, 4711])
def test_any_order_of_sets(hash_seed: int, subject_of: WhereIs, undisturbed: Undisturbed, box: Sandbox) -> None:
    arguments = [subject_of("ambiguous"), *SMALL, "-o", box.out, "--jobs", 2]
    box.run("grow", *arguments, hash_seed=hash_seed).require(0)
    require_equal(undisturbed("ambiguous"), box.everything(), f"PYTHONHASHSEED={hash_seed}")


@pytest.mark.slow
def test_a_cluster_that_is_started_for_the_run(subject_of: WhereIs, undisturbed: Undisturbed, box: Sandbox) -> None:
    box.run("grow", subject_of("ambiguous"), *SMALL, "-o", box.out, "--cluster", "local").require(0)
    require_equal(undisturbed("ambiguous"), box.everything(), "--cluster local")


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(1, 6 if SIZE else 3))
def test_several_seeds(seed: int, subject_of: WhereIs, box: Sandbox) -> None:
    arguments = [subject_of("ambiguous"), *FEW, "--seed", seed]
    found = [grown(box, number, arguments, jobs) for number, jobs in enumerate((1, 3))]
    require_equal(found[0], found[1], f"--seed {seed}")


@pytest.mark.slow
@pytest.mark.parametrize("variant", VARIANTS)
def test_variants(variant: str, subject_of: WhereIs, box: Sandbox) -> None:
    """Each differs in jobs and in the order of sets at once."""
    arguments = [subject_of("ambiguous"), *VARIANTS[variant], "--seed", 7]
    found = [grown(box, number, arguments, jobs) for number, jobs in enumerate((1, 3))]
    require_equal(found[0], found[1], f"{variant}, BONSAI_FAULTS_SEED={SEED}")


def grown(box: Sandbox, number: int, arguments: list[object], jobs: int) -> Everything:
    """Grows in a sandbox within the sandbox."""
    inner = Sandbox(box.folder / "subject" / str(number))
    inner.run("grow", *arguments, "-o", inner.out, "--jobs", jobs, hash_seed=number).require(0)
    return inner.everything()
