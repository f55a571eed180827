"""The entry of the command line, which answers signals in one line from the moment it is loaded.

Importing the commands can take a second, and leaving the interpreter some time as well. An interruption in these
moments would end in a traceback. In between, commands see Ctrl-C as `KeyboardInterrupt`, or handle signals
themselves.
"""

import os
import signal
from types import FrameType

_INTERRUPTED = 130
_MESSAGE = b"error: interrupted (hint: run the same command again to start over)\n"


def _end_at_once(number: int = signal.SIGINT, frame: FrameType | None = None) -> None:
    """Ends the process without unwinding: an exception in an import or a destructor might be printed or lost."""
    os.write(2, _MESSAGE)
    os._exit(_INTERRUPTED if number == signal.SIGINT else 128 + number)


def main() -> None:
    """Runs the command line."""
    signals = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)
    before = {each: signal.getsignal(each) for each in signals}
    for each in signals:
        if before[each] is not signal.SIG_IGN:  # as `nohup` has it
            signal.signal(each, _end_at_once)
    from bonsai.cli import main as run_command_line

    try:
        try:
            for each in signals:
                signal.signal(each, before[each])
            run_command_line()
        finally:
            if before[signal.SIGINT] is not signal.SIG_IGN:
                signal.signal(signal.SIGINT, _end_at_once)
    except KeyboardInterrupt:
        _end_at_once()


if __name__ == "__main__":
    main()
