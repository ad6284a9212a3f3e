"""Named points at which a test can have the process die, as a power cut or `kill -9` would end it there.

`KENNY_FAIL=name:kill` in the environment names one point; without it a point does nothing and costs one comparison.
"""

import os
import signal

_NAME, _, _ACTION = os.environ.get("KENNY_FAIL", "").partition(":")
ARMED = _NAME if _ACTION == "kill" else ""


def hit(name: str) -> None:
    """End this process at once, with nothing flushed or closed, if it is told to die here."""
    if name == ARMED:
        os.kill(os.getpid(), signal.SIGKILL)
