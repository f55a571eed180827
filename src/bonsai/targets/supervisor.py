"""A program of its own: it runs a command and, when that ends, kills everything that the command has started.

    python -I -S supervisor.py LIFE COMMAND...

It stands between Bonsai and a program under test. LIFE is the descriptor of a pipe that nobody writes to; when its
other end is closed, because Bonsai is stopping it or has died, the command is killed. On Linux, processes that
lose their parent become children of the supervisor, also if they have started a session of their own, so that none
of them escapes. Elsewhere, it kills the command's process group and those whose parents are still alive.

The supervisor ends as the command did: with the same status, or by the same signal. It is the parent that a program
under test sees, so a program that kills or stops its parent hits only the supervisor. If the supervisor is
killed, the command dies with it (on Linux), and Bonsai kills what is left in its session.
"""

import ctypes
import os
import resource
import select
import signal
import sys
import time
from collections.abc import Iterator
from contextlib import suppress

SET_DEATH_SIGNAL, SET_SUBREAPER = 1, 36  # numbers of prctl(2)
CANNOT_RUN = 127  # the status that a shell gives to a program that it cannot run
PAUSE = 0.001  # seconds


def main(life: int, command: list[str]) -> None:
    """Run the command; never returns."""
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    os.set_inheritable(life, False)
    bell, ringer = os.pipe()
    for descriptor in (bell, ringer):
        os.set_blocking(descriptor, False)
    signal.set_wakeup_fd(ringer, warn_on_full_buffer=False)
    signal.signal(signal.SIGCHLD, lambda *_: None)
    _control_process(SET_SUBREAPER, 1)
    # A program may have stopped its supervisor, which would then never see that Bonsai has died.
    _control_process(SET_DEATH_SIGNAL, signal.SIGCONT)
    program = os.fork()
    if not program:
        _become(command)
    for descriptor in _open_descriptors():
        if descriptor not in (life, bell, ringer):
            with suppress(OSError):
                os.close(descriptor)
    status = _wait(program, life, bell)
    _kill_descendants(program)
    _end_like(status)


def _become(command: list[str]) -> None:
    """In the child: execute the command, in a process group of its own, as it may send a signal to its group."""
    supervisor = os.getppid()
    os.setpgid(0, 0)
    for number in (signal.SIGPIPE, signal.SIGXFSZ):  # Python ignores these, and a program would inherit that
        signal.signal(number, signal.SIG_DFL)
    _control_process(SET_DEATH_SIGNAL, signal.SIGKILL)
    if os.getppid() != supervisor:
        os._exit(CANNOT_RUN)
    try:
        os.execvp(command[0], command)
    except OSError as error:
        os.write(2, f"cannot run {command[0]}: {error.strerror}\n".encode("utf-8", "replace"))
    finally:
        os._exit(CANNOT_RUN)


def _control_process(option: int, value: int) -> None:
    if sys.platform == "linux":
        ctypes.CDLL(None).prctl(option, value, 0, 0, 0)


def _open_descriptors() -> list[int]:
    return [int(name) for name in os.listdir("/dev/fd") if int(name) > 2]


def _wait(program: int, life: int, bell: int) -> int:
    """Returns how the program ended, as `os.wait` says it; 0 if the other end of LIFE was closed before."""
    poll = select.poll()
    poll.register(life, 0)  # reports only that the other end is closed
    poll.register(bell, select.POLLIN)
    while True:
        events = dict(poll.poll())
        with suppress(BlockingIOError):
            os.read(bell, 4096)
        for child, status in _ended_children():
            if child == program:
                return status
        if life in events:
            return 0


def _ended_children() -> Iterator[tuple[int, int]]:
    """Yields the children that have ended, which no longer exist then."""
    with suppress(ChildProcessError):
        while (ended := os.waitpid(-1, os.WNOHANG)) != (0, 0):
            yield ended


def _kill_descendants(program: int) -> None:
    """Kill the program's process group, and all descendants.

    What loses its parent becomes a child of this process: so it is done when there are no more children.
    """
    with suppress(ProcessLookupError, PermissionError):
        os.killpg(program, signal.SIGKILL)
    with suppress(ChildProcessError):  # it has been waited for if it has ended by itself
        os.waitpid(program, 0)
    while True:
        try:
            while os.waitpid(-1, os.WNOHANG) != (0, 0):
                pass
        except ChildProcessError:
            return
        for descendant in descendants(os.getpid()):
            with suppress(ProcessLookupError, PermissionError):
                if descendant.group == os.getpgrp():
                    os.kill(descendant.number, signal.SIGKILL)
                else:  # nobody escapes by starting a successor meanwhile: it would be in the same group
                    os.killpg(descendant.group, signal.SIGKILL)
        time.sleep(PAUSE)


class Running:
    """A process of this machine by its numbers. The session's is 0 where it is not known.

    Not a dataclass, as importing those takes longer than starting the rest of this program.
    """

    def __init__(self, number: int, parent: int, group: int, session: int) -> None:
        self.number = number
        self.parent = parent
        self.group = group
        self.session = session


def descendants(ancestor: int) -> list[Running]:
    """Returns the descendants of a process, parents first."""
    children: dict[int, list[Running]] = {}
    for process in processes():
        children.setdefault(process.parent, []).append(process)
    found = list(children.get(ancestor, ()))
    for process in found:  # which grows meanwhile
        found += children.get(process.number, ())
    return found


def processes() -> Iterator[Running]:
    """Yields all processes of this machine."""
    if sys.platform != "linux":
        with os.popen("ps -A -o pid= -o ppid= -o pgid=") as listing:
            for line in listing:
                number, parent, group = map(int, line.split())
                yield Running(number, parent, group, 0)
        return
    for name in os.listdir("/proc"):
        if name.isdigit():
            with suppress(OSError), open(f"/proc/{name}/stat", "rb") as file:
                _, *numbers = file.read().rpartition(b")")[2].split()[:4]
                yield Running(int(name), *map(int, numbers))


def _end_like(status: int) -> None:
    if os.WIFSIGNALED(status):
        number = os.WTERMSIG(status)
        with suppress(OSError):  # SIGKILL cannot be set, and need not be
            signal.signal(number, signal.SIG_DFL)
        os.kill(os.getpid(), number)
    os._exit(os.waitstatus_to_exitcode(status) & 0xFF)


if __name__ == "__main__":
    main(int(sys.argv[1]), sys.argv[2:])
