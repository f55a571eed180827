"""Mutants run in processes of their own: whatever they do, the answer is right."""

import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import suppress
from pathlib import Path
from threading import Thread

import pytest

from bonsai import BonsaiError, Subject, load_subject
from bonsai.mutation import bench as bench_module
from bonsai.mutation.bench import Bench, Kill, Pool
from bonsai.mutation.mutants import Mutant
from tiny_subject import PROGRAM, write_tiny_subject

TEXTS = ["0 1 2", "(1)", "((1) 2)", "(2 3)", "3 3 3", "x", "", "( ( (", "9 9 9"]


@pytest.fixture(scope="module")
def subject(tmp_path_factory: pytest.TempPathFactory) -> Subject:
    return write_tiny_subject(tmp_path_factory.mktemp("tiny"))


@pytest.fixture(scope="module")
def bench(subject: Subject) -> Iterator[Bench]:
    with Bench(subject) as bench:
        yield bench


@pytest.fixture(scope="module")
def pool(bench: Bench) -> Pool:
    return bench.pool(TEXTS)


def mutant(old: str, new: str) -> Mutant:
    assert old in PROGRAM
    return Mutant("tiny_program", "by hand", 1, 0, f"{old} → {new}", PROGRAM.replace(old, new))


def test_a_pool_has_the_smallest_first_and_nothing_that_the_original_crashes_on(pool: Pool) -> None:
    assert pool.texts[:4] == ["", "(1)", "( ( (", "0 1 2"]
    assert "x" not in pool.texts
    assert len(pool.texts) == len(TEXTS) - 1


def test_the_original_kills_nothing(bench: Bench, pool: Pool) -> None:
    same = mutant("depth", "depth")
    assert bench.kills([same], pool) == {}
    assert same not in bench.stillborn


@pytest.mark.parametrize(
    ("old", "new", "text", "how"),
    [
        ("total > 3", "total > 4", "9 9 9", None),
        ("total > 3", "total >= 3", "0 1 2", "output"),
        ('Invalid("five")', 'Invalid("5")', "(2 3)", "output"),
        ('raise Invalid("five")', "pass", "(2 3)", "output"),
        ("depth -= 1", "while True: pass", "(1)", "timeout"),
        ("total - 2", "total // 0", "3 3 3", "crash"),
        ("depth -= 1", "__import__('os').abort()", "(1)", "crash"),
        ("depth -= 1", "__import__('os')._exit(0)", "(1)", "crash"),
        ("depth -= 1", "raise SystemExit", "(1)", "crash"),
        ("depth -= 1", "bytearray(1 << 40)", "(1)", "crash"),
        ("depth -= 1", "print(input())", "(1)", "crash"),
        ("depth -= 1", "depth -= 1; print('noise')", "(1)", None),
    ],
)
def test_however_a_mutant_differs_the_smallest_text_that_shows_it_is_found(
    bench: Bench, pool: Pool, old: str, new: str, text: str, how: str | None
) -> None:
    changed = mutant(old, new)
    found = bench.kills([changed], pool)
    if how is None:
        assert found == {}
    else:
        assert (found[changed].text, found[changed].how) == (text, how)
    assert changed not in bench.stillborn


FORK = "import os, time; os.fork() or time.sleep(1000)"  # leaves a child that holds on to all pipes


def _without_hanging(work: Callable[[], None]) -> None:
    """Runs work in a thread. One that hangs fails the test instead of stopping it."""
    thread = Thread(target=work, daemon=True)
    thread.start()
    thread.join(60)
    assert not thread.is_alive()


@pytest.mark.parametrize(
    ("new", "how"),
    [
        (f"exec('{FORK}'); depth -= 1", None),
        (f"exec('{FORK}'); os._exit(0)".replace("os._exit", "__import__('os')._exit"), "crash"),
        (f"exec('{FORK}'); raise SystemExit", "crash"),
        ("depth -= 1; __import__('os').fork()", None),  # both come to an answer: one of them counts
    ],
)
def test_a_child_that_a_mutant_leaves_behind_is_not_waited_for(subject: Subject, new: str, how: str | None) -> None:
    forking, other = mutant("depth -= 1", new), mutant("total > 3", "total >= 3")
    found: dict[Mutant, Kill] = {}
    with Bench(subject) as fresh:
        pool = fresh.pool(["(1)", "0 1 2"])
        _without_hanging(lambda: found.update(fresh.kills([forking, other], pool)))
    assert [found[one].how for one in found if one is forking] == ([how] if how else [])
    assert found[other].text == "0 1 2"


def test_a_child_that_the_target_leaves_behind_when_it_is_imported_is_not_waited_for(tmp_path: Path) -> None:
    forking = write_tiny_subject(tmp_path)
    (tmp_path / "tiny_program.py").write_text(f"{FORK}\n{PROGRAM}")
    with Bench(forking) as fresh:
        assert fresh.mutants


ENDED = """
import os, sys
from bonsai import load_subject
from bonsai.mutation.bench import Bench
from bonsai.mutation.mutants import Mutant
bench = Bench(load_subject(sys.argv[1]))
print(bench._servers[0]._process.pid, flush=True)
source = open(sys.argv[1] + "/tiny_program.py").read().replace("depth -= 1", sys.argv[2])
bench.kills([Mutant("tiny_program", "by hand", 1, 0, "", source)], bench.pool(["(1)"]))
print("done", flush=True)
sys.stdin.read()
"""


@pytest.mark.parametrize("new", ["__import__('time').sleep(1000)", f"exec('{FORK}')"])
def test_nothing_is_left_when_the_process_that_runs_mutants_is_killed(new: str, subject: Subject) -> None:
    process = subprocess.Popen(
        [sys.executable, "-c", ENDED, str(subject.folder), new],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    )
    assert process.stdout is not None
    group = int(process.stdout.readline())
    if "fork" in new:
        assert process.stdout.readline() == "done\n"  # the mutant is over, and its child is not
    else:
        _eventually(lambda: len(_in_group(group)) == 3)  # the server, the mutant, and its trial
    assert _in_group(group)
    process.kill()
    process.communicate()
    _eventually(lambda: not _in_group(group))


def _in_group(group: int) -> list[str]:
    found = []
    for path in Path("/proc").glob("[0-9]*/stat"):
        with suppress(FileNotFoundError, ProcessLookupError):
            state, _, of, *_ = path.read_text().rpartition(")")[2].split()
            found += [path.parent.name] if int(of) == group and state != "Z" else []
    return found


def _eventually(happens: Callable[[], bool]) -> None:
    """Waits for something that happens soon, and fails instead of waiting for ever."""
    for _ in range(60):
        if happens():
            return
        time.sleep(0.1)
    raise AssertionError("it has not happened")


def test_servers_that_were_started_are_closed_when_another_does_not_start(
    subject: Subject, monkeypatch: pytest.MonkeyPatch
) -> None:
    started: list[_Closable] = []

    def start(*_: object) -> _Closable:
        if len(started) == 2:
            raise OSError("no more processes")
        started.append(_Closable())
        return started[-1]

    monkeypatch.setattr(bench_module, "_Server", start)
    with pytest.raises(OSError, match="no more processes"):
        Bench(subject, jobs=3)
    assert [one.closed for one in started] == [True, True]


def test_a_server_that_does_not_answer_is_not_left_behind(
    subject: Subject, monkeypatch: pytest.MonkeyPatch
) -> None:
    processes: list[subprocess.Popen[bytes]] = []
    start = subprocess.Popen

    def popen(command: tuple[str, ...], **options: object) -> object:
        processes.append(start(["sh", "-c", "exec >&-; exec sleep 1000"], **options))  # type: ignore[call-overload]
        return processes[-1]

    monkeypatch.setattr(bench_module, "start_target", lambda subject: _Closable())
    monkeypatch.setattr(subprocess, "Popen", popen)
    with pytest.raises(BonsaiError, match="has ended"):
        Bench(subject)
    [process] = processes
    assert process.returncode is not None


class _Closable:
    closed = False

    def close(self) -> None:
        self.closed = True


def test_several_pools_are_asked_side_by_side_and_none_knows_of_another(bench: Bench) -> None:
    counting = PROGRAM.replace("total = 0", "total = 0; check.n = getattr(check, 'n', 0) + 1")
    changed = counting.replace("total > 3", "check.n > 2 or total > 3")
    third = Mutant("tiny_program", "by hand", 1, 0, "", changed)
    crash, other = mutant("depth -= 1", "__import__('os').abort()"), mutant("total > 3", "total >= 3")
    pools = [bench.pool(texts) for texts in (["(1)", "0"], ["0 1", "0"], ["0 1 2", "(1)", "0"], [])]
    found = bench.kills_in(pools, [[third, crash, other], [third, crash, other], [third, crash], [crash, other]])
    assert [{one: kill.text for one, kill in some.items()} for some in found] == [
        {crash: "(1)"},
        {},
        {third: "0 1 2", crash: "(1)"},  # the third text of this pool, whatever the others have run
        {},
    ]
    assert bench.kills_in([], []) == []


def test_what_cannot_be_imported_is_no_mutant(subject: Subject) -> None:
    with Bench(subject) as fresh:
        dead = mutant("from bonsai.errors import Invalid", "raise ValueError")
        assert fresh.kills([dead], fresh.pool(TEXTS)) == {}
        assert fresh.stillborn == {dead}


def test_texts_that_do_not_reach_a_mutant_cannot_kill_it(
    bench: Bench, pool: Pool, monkeypatch: pytest.MonkeyPatch
) -> None:
    chosen = bench.kills(bench.mutants, pool)
    assert 0 < len(chosen) < len(bench.mutants)
    monkeypatch.setattr(bench, "_reached_by", {})  # as if nothing were known
    assert bench.kills(bench.mutants, pool) == chosen


def test_only_python_programs_can_be_mutated() -> None:
    with pytest.raises(BonsaiError, match="no Python program"):
        Bench(load_subject("json"))


@pytest.mark.slow
def test_the_type_checker_itself_is_no_mutant_of_its_own() -> None:
    texts = ["x:int = 1\n", "print(1 + True)\n", "if if\n", "class a(object):\n    pass\na().b()\n", "\x00"]
    with Bench(load_subject("chocopy"), jobs=2) as bench:
        [first] = [one for one in bench.made.mutants if one.module.endswith("types")][:1]
        path = bench._servers[0].files[first.module]
        with open(path, encoding="utf-8") as file:
            same = Mutant(first.module, "none", 1, 0, "", file.read())
        assert bench.kills([same], bench.pool(texts)) == {}
        assert len(bench.made.mutants) > 300
