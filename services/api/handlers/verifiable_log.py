"""The verifiable log: its checkpoint and its tiles."""

from services.api.call import Call
from services.api.resources import Resources
from services.board import verifiable_log


async def read_checkpoint(resources: Resources, call: Call) -> bytes:
    return await verifiable_log.read_checkpoint(resources.reads)


async def read_log_entries(resources: Resources, call: Call) -> bytes:
    return await verifiable_log.read_entries(resources.reads, call.path["bundle"])


async def read_log_tile(resources: Resources, call: Call) -> bytes:
    return await verifiable_log.read_tile(resources.reads, call.path["tile"])
