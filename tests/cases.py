"""Cases that a test goes through with the same fixtures: a test for each would set them up again."""

import inspect
from collections.abc import Callable, Iterable
from functools import wraps
from typing import Any

import pytest

Test = Callable[..., None]
FAULTS = (Exception, pytest.fail.Exception, BaseExceptionGroup)


def for_each(
    names: str, cases: Iterable[Any], ids: Callable[[Any], str] | Iterable[str] = repr
) -> Callable[[Test], Test]:
    """Call a test with each case, as pytest.mark.parametrize does, and raise all faults at the end, with their cases.

    `names` are the parameters, with commas between them; more than one takes a tuple of each case.
    """
    parameters = names.replace(" ", "").split(",")
    known = list(cases)
    labels = [ids(case) for case in known] if callable(ids) else list(ids)
    values = [dict(zip(parameters, case if len(parameters) > 1 else [case], strict=True)) for case in known]
    assert values

    def decorate(test: Test) -> Test:
        @wraps(test)
        def run(**fixtures: Any) -> None:
            faults: list[BaseException] = []
            for label, case in zip(labels, values, strict=True):
                try:
                    test(**fixtures, **case)
                except FAULTS as fault:
                    fault.add_note(f"{names}: {label}")
                    faults.append(fault)
            if faults:
                raise BaseExceptionGroup(f"{len(faults)} of {len(known)} cases failed", faults)

        run.__signature__ = without(inspect.signature(test), parameters)  # type: ignore[attr-defined]
        return run

    return decorate


def without(signature: inspect.Signature, names: list[str]) -> inspect.Signature:
    """Return the parameters that are left, which are fixtures."""
    assert {*names} <= signature.parameters.keys(), f"{names} are not all parameters of the test"
    return signature.replace(parameters=[one for name, one in signature.parameters.items() if name not in names])
