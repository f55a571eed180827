"""Commands as targets: how they get an input, what their end means, and their limits."""

import json
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from bonsai.errors import BonsaiError
from bonsai.targets.command.engine import Command, CommandTarget
from bonsai.targets.execution import Execution, Outcome, Wanted
from targets.processes import LEFT_BEHIND, exists, left_behind, number_in


@contextmanager
def target(*words: str, timeout: float = 20, memory: int = 2**30) -> Iterator[CommandTarget]:
    made = CommandTarget(Command(words, ".txt", timeout, memory))
    try:
        yield made
    finally:
        made.close()


def run(
    program: str, *arguments: str, text: str = "héllo\n", timeout: float = 20, memory: int = 2**30
) -> Execution:
    """A Python program as a command."""
    with target(sys.executable, "-c", program, *arguments, timeout=timeout, memory=memory) as made:
        [execution] = made.execute([text], Wanted.OUTPUT)
    return execution


def test_an_input_comes_on_standard_input() -> None:
    with target("cat") as made:
        executions = made.execute(["one", "", "zwei\r\n"], Wanted.OUTPUT)
    assert [one.outcome for one in executions] == [Outcome.VALID] * 3
    assert [json.loads(one.output or "") for one in executions] == ["one", None, "zwei\r\n"]


def test_an_input_comes_as_a_file() -> None:
    found = run("import sys; print(sys.argv[1][-4:], open(sys.argv[1]).read(), len(sys.stdin.read()))", "{file}")
    assert json.loads(found.output or "") == ".txt héllo\n 0\n"


def test_json_is_taken_as_it_is() -> None:
    assert run("print('{\"a\": 1}')").output == '{"a": 1}\n'


def test_an_output_is_made_only_if_it_is_wanted() -> None:
    with target("cat") as made:
        assert made.execute(["a"]) == [Execution(Outcome.VALID)]
        assert made.features == ()


@pytest.mark.parametrize(
    ("program", "outcome", "message"),
    [
        ("pass", Outcome.VALID, ""),
        ("import sys; sys.exit('bad line')", Outcome.INVALID, "bad line"),
        ("print('printed'); raise SystemExit(3)", Outcome.INVALID, "printed"),
        ("import os; os.abort()", Outcome.CRASH, "killed by SIGABRT"),
        ("import os; os._exit(200)", Outcome.CRASH, "exit status 200"),
        ("import os; os._exit(139)", Outcome.CRASH, "killed by SIGSEGV"),
    ],
)
def test_how_a_command_ends_is_its_verdict(program: str, outcome: Outcome, message: str) -> None:
    found = run(program)
    assert (found.outcome, found.message) == (outcome, message)


@pytest.mark.parametrize(
    ("program", "note"),
    [
        ("print('[1]')", "exit status 0"),
        ("print('hello')", "exit status 0, no JSON on stdout"),
        ("import sys; sys.exit('bad line')", "exit status 1, no JSON on stdout; stderr: bad line"),
        ("1 / 0", "exit status 1, no JSON on stdout; stderr: ZeroDivisionError: division by zero"),
        ("import sys; sys.exit(sys.argv[1])", "exit status 1, no JSON on stdout; stderr: {file}"),
    ],
)
def test_there_is_a_note_of_how_it_ended(program: str, note: str) -> None:
    assert run(program, "{file}").note == note


def test_one_that_hangs_is_ended_with_all_that_it_started() -> None:
    found = run("import subprocess; subprocess.run(['sleep', '1000'])", timeout=0.2)
    assert found.outcome is Outcome.TIMEOUT
    assert found.message == "no answer within 0.2 seconds, nor within 1 when tried again"


@pytest.mark.skipif(sys.platform != "linux", reason="memory is limited on Linux only")
def test_memory_is_limited() -> None:
    program = "x = bytearray(400 * 2**20); print('enough')"
    assert run(program, memory=2**30).outcome is Outcome.VALID
    assert run(program, memory=2**27).outcome is not Outcome.VALID


def test_one_that_prints_without_end_is_ended() -> None:
    found = run("while True: print('a' * 65536)")
    assert found.outcome is not Outcome.VALID
    assert len(found.message) <= 4100


def test_a_program_that_is_not_there() -> None:
    with pytest.raises(BonsaiError, match="there is no program 'no-such-program'"):
        CommandTarget(Command(("no-such-program",), ".txt", 1, 2**30))


@pytest.mark.parametrize("kind", sorted(LEFT_BEHIND))
def test_what_a_command_leaves_behind_ends_with_it(tmp_path: Path, kind: str) -> None:
    number = tmp_path / "number"
    command = f"{left_behind(kind, number)} while [ ! -e {number} ]; do sleep 0.05; done; echo done"
    with target("sh", "-c", command) as made:
        [execution] = made.execute([""], Wanted.OUTPUT)
    assert (execution.outcome, execution.output) == (Outcome.VALID, '"done\\n"')
    assert not exists(number_in(number))


def test_a_command_that_does_not_listen_is_ended() -> None:
    program = "import signal, time\nfor n in (1, 2, 15): signal.signal(n, signal.SIG_IGN)\ntime.sleep(1000)"
    assert run(program, timeout=0.2).outcome is Outcome.TIMEOUT


def test_a_command_that_stops_itself_is_ended() -> None:
    assert run("import os; os.kill(os.getpid(), 19)", timeout=0.2).outcome is Outcome.TIMEOUT


def test_one_that_complains_without_end_is_ended() -> None:
    with target("sh", "-c", "exec yes >&2") as made:
        [found] = made.execute([""])
    assert found.outcome is Outcome.CRASH
    assert found.message.startswith("killed by SIGXFSZ: ")
    assert len(found.message) <= 4100


@pytest.mark.slow
@pytest.mark.parametrize(
    ("signal", "outcome", "message"),
    [
        ("SIGKILL", Outcome.CRASH, "killed by SIGKILL"),
        ("SIGTERM", Outcome.CRASH, "killed by SIGTERM"),
        ("SIGSTOP", Outcome.TIMEOUT, "no answer within 1 seconds, nor within 5 when tried again"),
    ],
)
def test_a_command_that_sends_a_signal_to_its_parent(signal: str, outcome: Outcome, message: str) -> None:
    found = run(f"import os, signal; os.kill(os.getppid(), signal.{signal})", timeout=1)
    assert (found.outcome, found.message) == (outcome, message)


@pytest.mark.parametrize("name", ["KILL", "SEGV", "TERM"])
def test_a_death_that_does_not_recur_is_nobody_s_fault(tmp_path: Path, name: str) -> None:
    flag = tmp_path / "flag"
    with target("sh", "-c", f"[ -e {flag} ] || {{ touch {flag}; kill -{name} $$; }}") as made:
        assert made.execute([""]) == [Execution(Outcome.VALID)]
