"""What every engine's target for the conformance suite does: a command comes in, and it happens."""

import ctypes
import gc
import json
import os
import pathlib
import signal
import subprocess
import sys
import threading
import time

from bonsai.errors import Invalid, Unparsed
from bonsai.targets.wire import REPLY, VALID

hoard: list[object] = []
seen = 0


class Refused(ValueError):
    """Listed as invalid."""


class Unread(Refused):
    """Listed as unparsed."""


def check(text: str) -> object:
    global seen
    seen += 1
    command, _, argument = text.partition(" ")
    if command in COMMANDS:
        return COMMANDS[command](argument)
    return text


def branch(argument: str) -> str:
    if argument == "left":
        return "left"
    if argument == "right":
        return "right"
    return "neither"


def invalid(argument: str) -> None:
    raise Invalid(argument, {"because": argument})


def unparsed(argument: str) -> None:
    raise Unparsed(argument, ["unparsed"])


def refuse(argument: str) -> None:
    raise Refused(argument)


def misread(argument: str) -> None:
    raise Unread(argument)


def crash(argument: str) -> None:
    raise KeyError(argument)


def hang(argument: str) -> None:
    while True:
        pass


def slow_once(argument: str) -> str:
    """Hangs in the first process, not in the second."""
    if not os.path.exists(argument):
        with open(argument, "w") as file:
            file.write("was here")
        time.sleep(60)
    return "slow"


def eat(argument: str) -> None:
    while True:
        hoard.append(bytearray(1 << 20))


def leak(argument: str) -> int:
    """More than the process may have, after a few texts."""
    hoard.append(bytearray(30 << 20))
    return len(argument)


def tire(argument: str) -> int:
    """The process does not survive its third text."""
    if seen >= 3:
        os._exit(4)
    return len(argument)


def gulp(argument: str) -> int:
    return len(bytearray(1 << 40))


def recurse(argument: str) -> None:
    recurse(argument)


def segfault(argument: str) -> None:
    ctypes.string_at(0)


def kill(argument: str) -> None:
    os.kill(os.getpid(), signal.SIGTERM)
    time.sleep(60)


def leave(argument: str) -> None:
    sys.exit(argument)


def vanish(argument: str) -> None:
    os._exit(int(argument))


def shut(argument: str) -> None:
    """Closes what is not its own."""
    os.closerange(3, 256)


def scribble(argument: str) -> None:
    """Writes to whatever is open."""
    for descriptor in range(3, 1024):
        try:
            os.write(descriptor, argument.encode() * 10)
        except OSError:
            continue


def steal(argument: str) -> None:
    """Reads from whatever is open."""
    for descriptor in range(3, 1024):
        try:
            os.read(descriptor, 1 << 16)
        except OSError:
            continue


def forge(argument: str) -> None:
    """Writes what looks like the result of another text."""
    for descriptor in range(3, 1024):
        try:
            os.write(descriptor, REPLY.pack(1, VALID, 0, -1) + b"\xff" * 100)
        except OSError:
            continue


def forge_well(argument: str) -> None:
    """Writes a result that has the right token, and an outcome that there is not."""
    [channel] = [one for one in gc.get_objects() if type(one).__name__ == "Channel"]
    os.write(channel._results, REPLY.pack(channel._token, int(argument), 0, -1) + b"\xff" * 100)


def stop(argument: str) -> None:
    os.kill(os.getpid(), signal.SIGSTOP)


def signal_parent(argument: str) -> str:
    os.kill(os.getppid(), getattr(signal, argument))
    time.sleep(0.1)
    return argument


def signal_group(argument: str) -> None:
    os.kill(0, getattr(signal, argument))
    time.sleep(60)


class Starved(Exception):
    def __str__(self) -> str:
        raise MemoryError


def starve(argument: str) -> None:
    """Leaves no memory for describing what happened."""
    raise Starved


def start(argument: str) -> str:
    subprocess.run(["sh", "-c", argument], check=True)
    return "started"


def daemonise(argument: str) -> str:
    """A process without a parent, which has not executed another program."""
    if not os.fork():
        os.setsid()
        if not os.fork():
            pathlib.Path(argument).write_text(str(os.getpid()))
            time.sleep(1000)
        os._exit(0)
    os.wait()
    return "started"


def relay(argument: str) -> str:
    """A process that is always another one: each starts its successor and ends."""
    if not os.fork():
        os.setsid()
        pathlib.Path(argument).write_text(str(os.getpid()))
        while True:
            if os.fork():
                os._exit(0)
    return "started"


def escape(argument: str) -> str:
    """The process ends, and its child returns."""
    if os.fork():
        os._exit(0)
    return "child"


def split(argument: str) -> int:
    """Two processes come back, and Python does not know of it."""
    ctypes.CDLL(None).fork()
    return 1


def noise(argument: str) -> str:
    print(argument * 1000)
    print(argument * 1000, file=sys.stderr)
    os.write(1, argument.encode() * 1000)
    os.write(2, argument.encode() * 1000)
    subprocess.run(["echo", argument], check=True)
    return "quiet: " + sys.stdin.read()


def thread(argument: str) -> str:
    threading.Thread(target=time.sleep, args=(60,)).start()
    threading.Thread(target=time.sleep, args=(60,), daemon=True).start()
    return "left behind"


def wait(argument: str) -> None:
    time.sleep(0.05)


def stray(argument: str) -> str:
    def die() -> None:
        if argument == "late":
            time.sleep(0.3)
        raise KeyError(argument)

    started = threading.Thread(target=die)
    started.start()
    if argument != "late":
        started.join()
    if argument == "invalid":
        raise Invalid("beside it")
    return "started"


def fork(argument: str) -> int:
    """Two processes come back."""
    return os.fork() and 1


def count(argument: str) -> int:
    return seen


def large(argument: str) -> str:
    return "x" * int(argument)


def deep(argument: str) -> object:
    value: object = []
    for _ in range(int(argument)):
        value = [value]
    return value


def strange(argument: str) -> object:
    return {object(): 1}


def environment(argument: str) -> object:
    return json.loads(json.dumps({"argv": sys.argv, "hash": hash("text")}))


COMMANDS = {
    function.__name__: function
    for function in (
        branch, invalid, unparsed, refuse, misread, crash, hang, slow_once, eat, leak, tire, gulp, recurse,
        segfault, kill, leave, vanish, shut, scribble, steal, forge, forge_well, stop, signal_parent, signal_group,
        starve, start, daemonise, relay, escape, split, noise, thread, stray, wait, fork, count, large, deep,
        strange, environment,
    )
}  # fmt: skip
