"""What every engine's target for the conformance suite does: a command comes in, and it happens."""

import ctypes
import json
import os
import signal
import subprocess
import sys
import threading
import time

from bonsai.errors import Invalid, Unparsed

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
        segfault, kill, leave, vanish, shut, noise, thread, stray, wait, fork, count, large, deep, strange,
        environment,
    )
}  # fmt: skip
