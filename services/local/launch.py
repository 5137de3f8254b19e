"""Replaces itself with another program, as another user if requested, that dies with the process that started it.

A script for the bare interpreter: it runs before the user changes, so it must import only the standard library.
Arguments: the id of the starting process, the death signal, user id and group id (0: unchanged), the capabilities that
the program keeps as that user (a mask, 0 for none), and the command.
"""

import ctypes
import os
import signal
import sys
from pathlib import Path

PR_SET_PDEATHSIG, PR_SET_SECUREBITS, PR_CAP_AMBIENT, PR_CAP_AMBIENT_RAISE = 1, 28, 47, 2
NO_SETUID_FIXUP = 4
CAPABILITY_VERSION_3 = 0x20080522
CAP_DAC_OVERRIDE = 1 << 1


def main(command: list[str], parent: int, death_signal: int, uid: int, gid: int, capabilities: int) -> None:
    if uid:
        try:
            become(uid, gid, available(capabilities) if capabilities else 0)
        except OSError as error:
            sys.exit(f"Root cannot run this as user {uid} here ({error}); start it as a normal user.")
    # Must follow the change of user, which clears the death signal.
    die_with(parent, death_signal)
    # The interpreter ignores SIGPIPE, and the next program would inherit that.
    signal.signal(signal.SIGPIPE, signal.SIG_DFL)
    os.execv(command[0], command)


def become(uid: int, gid: int, capabilities: int) -> None:
    if capabilities:
        # Keeps the capabilities when the user changes, and makes access(2) respect them: PostgreSQL uses it to find its
        # programs.
        prctl(PR_SET_SECUREBITS, NO_SETUID_FIXUP)
    os.setgroups([])
    os.setresgid(gid, gid, gid)
    os.setresuid(uid, uid, uid)
    if capabilities:
        keep_only(capabilities)


def keep_only(mask: int) -> None:
    header = (ctypes.c_uint32 * 2)(CAPABILITY_VERSION_3, 0)
    sets = (ctypes.c_uint32 * 6)(mask, mask, mask, 0, 0, 0)  # effective, permitted, inheritable; low and high words
    if libc().capset(header, sets) != 0:
        raise OSError(ctypes.get_errno(), "capset")
    for capability in range(mask.bit_length()):
        if mask >> capability & 1:
            prctl(PR_CAP_AMBIENT, PR_CAP_AMBIENT_RAISE, capability)


def available(wanted: int) -> int:
    status = Path("/proc/self/status").read_text().splitlines()
    permitted = next((int(line.split()[1], 16) for line in status if line.startswith("CapPrm:")), 0)
    # Root in a container often has only this one, which covers the others.
    return wanted if wanted & permitted == wanted else CAP_DAC_OVERRIDE & permitted


def die_with(parent: int, death_signal: int) -> None:
    if sys.platform != "linux":
        return
    prctl(PR_SET_PDEATHSIG, death_signal)
    if os.getppid() != parent:
        sys.exit("The process that started this program is gone.")


def prctl(option: int, first: int, second: int = 0) -> None:
    if libc().prctl(*map(ctypes.c_ulong, (option, first, second, 0, 0))) != 0:
        raise OSError(ctypes.get_errno(), f"prctl {option}")


def libc() -> ctypes.CDLL:
    return ctypes.CDLL(None, use_errno=True)


if __name__ == "__main__":
    main(sys.argv[6:], *map(int, sys.argv[1:6]))
