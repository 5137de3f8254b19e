"""How far the load of a run was from the capacity that ramps on the same machine have measured last."""

import json
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any


@dataclass(frozen=True)
class Capacity:
    """The visits a second of a mix of journeys that this machine carried, and the ramps that measured it.

    `is_reached` is false if a ramp ended before it broke a gate: the machine may carry more.
    """

    visits: float
    measured: tuple[str, ...]
    is_reached: bool = True

    def sentence(self, visits: float) -> str:
        """Return how much of the capacity a load was, in visits a second."""
        share = f"{visits / self.visits:.0%} of the {self.visits:.3g} visits/s"
        share = share if self.is_reached else f"at most {share}, or more,"
        return f"{share} of this mix that were measured last on this machine ({', '.join(self.measured)})"


NOT_MEASURED = "no capacity is known: make capacity has not measured these journeys on this machine"


def last_capacity(results: Path, mix: Mapping[str, float], machine: str) -> Capacity | None:
    """Return the last capacity for a mix of journeys, or None if a journey was never measured on this machine.

    A ramp of the very mix counts most. Otherwise, each journey uses up its share of what its own ramp carried, as
    visits of different journeys compete for the same cores.
    """
    ramps = [ramp for file in sorted(results.glob("*/result.json")) if (ramp := ramp_in(file, machine))]
    carried = {ramp["carries"]["journey"]: ramp for ramp in ramps}
    if whole := carried.get(" and ".join(mix)):
        return Capacity(float(whole["carries"]["visits"]), (name_of(whole),), is_reached(whole))
    if not mix or not carried.keys() >= mix.keys():
        return None
    used = [(share, carried[journey]) for journey, share in mix.items()]
    seconds = sum(share / float(ramp["carries"]["visits"]) for share, ramp in used)
    reached = all(is_reached(ramp) for _, ramp in used)
    return Capacity(sum(mix.values()) / seconds, tuple(dict.fromkeys(name_of(ramp) for _, ramp in used)), reached)


def ramp_in(file: Path, machine: str) -> dict[str, Any] | None:
    """Return the result of a ramp in a file, if it was made on this machine and a step of it held."""
    try:
        content = json.loads(file.read_text())
        right = content["machine"] == machine and float(content["carries"]["visits"]) > 0
        return content | {"at": file.parent.name[:8]} if right else None
    except (OSError, ValueError, KeyError, TypeError):
        return None  # another kind of run, or one of an earlier form


def is_reached(ramp: Mapping[str, Any]) -> bool:
    return bool(ramp["carries"]["broken"])


def name_of(ramp: Mapping[str, Any]) -> str:
    return f"{ramp['at']}, commit {ramp['commit']}"
