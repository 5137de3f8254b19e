"""Reports what is wrong with the stack in plain sentences, and changes nothing."""

import difflib
import stat
import time
from collections import Counter
from collections.abc import Callable, Iterator
from datetime import UTC, datetime, timedelta

from deploy.compose import (
    backups,
    callers,
    capacity,
    certificate,
    images,
    machine,
    production,
    running,
    secret_files,
    waiting,
)
from deploy.compose.configuration import EXAMPLE, defaults
from deploy.compose.database import SERVER
from deploy.compose.errors import StackError
from deploy.compose.running import FINISHED
from deploy.compose.stack import Container, Stack

LAST_STEPS_SECONDS = 10
SETTLED = timedelta(minutes=10)
NEVER = datetime.min.replace(tzinfo=UTC)
REPLICAS = {"api": "API_REPLICAS", "limiter": "LIMITER_REPLICAS", "fanout": "FANOUT_REPLICAS"}
Check = Callable[[Stack], Iterator[str]]


def doctor(stack: Stack) -> str:
    """Report that all is well. Raises StackError with one sentence for each problem."""
    stack.check_engine()
    if missing := stack.configuration.missing():
        raise StackError(missing)
    wrong: list[str] = []
    for check in CHECKS:
        try:
            wrong += check(stack)
        except StackError as error:
            wrong.append(str(error))
    if wrong:
        raise StackError("\n".join(["problems found:", *(f"- {sentence}" for sentence in dict.fromkeys(wrong))]))
    return "All is well."


def settings_troubles(stack: Stack) -> Iterator[str]:
    configuration = stack.configuration
    if stat.S_IMODE(configuration.file.stat().st_mode) & 0o077:
        yield f"Other users may read {configuration.file.name}; run chmod 600 {configuration.file}"
    for name in sorted(configuration.in_file().keys() - defaults().keys()):
        nearest = difflib.get_close_matches(name, defaults(), n=1)
        hint = f"did you mean {nearest[0]}?" if nearest else f"{EXAMPLE.name} lists the settings."
        yield f"{configuration.file.name} sets {name}, which nothing reads; {hint}"
    least = sum(configuration.number(name) for name in ("DRAIN_NOTICE_SECONDS", "DRAIN_SECONDS")) + LAST_STEPS_SECONDS
    if configuration.number("STOP_GRACE_PERIOD") < least:
        yield f"STOP_GRACE_PERIOD is too short: an API process may need {least:g} seconds to stop gracefully."


def secrets_troubles(stack: Stack) -> Iterator[str]:
    directory = stack.configuration.path("SECRETS_DIR")
    whose = secret_files.owner(stack.configuration)
    for name in secret_files.NAMES:
        try:
            status = (directory / name).stat()
        except OSError:
            yield (
                secret_files.LOST.format(name)
                if name in secret_files.KEPT
                else f"The secret {name} is missing. Put your copy back, or run make secrets, which makes another one."
            )
            continue
        if stat.S_IMODE(status.st_mode) & 0o077:
            yield f"Other users may read the secret {name}; run chmod 600 {directory / name}"
        if (status.st_uid, status.st_gid) != whose:
            yield f"The secret {name} does not belong to RUN_AS_UID and RUN_AS_GID: containers may fail to read it."


def machine_troubles(stack: Stack) -> Iterator[str]:
    cpus = int(stack.docker("info", "--format", "{{.NCPU}}"))
    for name in ("API_CPUS", "POSTGRES_CPUS"):
        if stack.configuration.number(name) > cpus:
            yield f"{name} is {stack.configuration[name]}, but this machine has {cpus} CPUs."
    for check in machine.CHECKS:
        try:
            check(stack)
        except StackError as error:
            yield str(error)


def containers_troubles(stack: Stack) -> Iterator[str]:
    found = stack.containers()
    if not found:
        yield "The stack is not running; make up starts it."
        return
    services = {name for name, each in stack.described()["services"].items() if images.is_wanted(each)}
    known = stack.all_services()
    for service in sorted(services - {each.service for each in found}):
        without = "; GRAFANA_REPLICAS=0 in .env does without it" if service == "grafana" else ""
        yield f"There is no container for {service}; make up creates it if its image can be fetched{without}."
    for container in found:
        if container.service not in known:
            yield f"{container.name} belongs to no service; docker rm --force {container.name} removes it."
        elif trouble := container_trouble(container):
            yield f"{container.name} {trouble}; its last log lines:{waiting.last_words(stack, container, 15)}"


def container_trouble(container: Container) -> str | None:
    if container.service in FINISHED:
        return "failed" if container.status == "exited" and container.exit_code != 0 else None
    if container.out_of_memory:
        return "was killed because it exceeded its memory limit"
    if container.status == "created":
        return "has not been started"
    if container.status == "exited":
        return f"is not running (exit code {container.exit_code}) until make up starts it"
    if container.status != "running":
        return f"is not running (exit code {container.exit_code})"
    if container.health == "unhealthy":
        return "is not healthy"
    # One that the engine keeps restarting is found running, if the look falls between two of its failures. One that has
    # run well since then has only a past.
    is_new = datetime.now(UTC) - container.started < SETTLED
    if container.restarts and (not container.well or (container.restarts > 2 and is_new)):
        return f"has been restarted (restarts so far: {container.restarts})"
    return None


def replicas_troubles(stack: Stack) -> Iterator[str]:
    running = Counter(each.service for each in stack.containers() if each.status == "running")
    for service, name in REPLICAS.items():
        wanted = int(stack.configuration.number(name))
        if running and running[service] != wanted:
            yield f"{name} is {wanted}, but the number of running {service} containers is {running[service]}."
    if running["haproxy"] and (seen := waiting.servers_up(stack)) != running["api"]:
        yield f"The load balancer finds {seen} of {running['api']} API processes ready."


def database_troubles(stack: Stack) -> Iterator[str]:
    if not any(each.well for each in stack.containers(SERVER)):
        return
    apis = int(stack.configuration.number("API_REPLICAS"))
    checks: tuple[Callable[[], None], ...] = (
        lambda: backups.check_archiving(stack),
        lambda: backups.check_timeline(stack),
        lambda: capacity.check_connections(stack, apis),
    )
    for check in checks:
        try:
            check()
        except StackError as error:
            yield str(error)


def backups_troubles(stack: Stack) -> Iterator[str]:
    # Whether or not PostgreSQL answers, which may be the reason.
    database = max((each.started for each in stack.containers(SERVER)), default=NEVER)
    for each in stack.containers("backup"):
        if each.status == "running" and (said := backups.trouble(stack.configuration, each.started, database)):
            yield f"{said} Its last log lines:{waiting.last_words(stack, each, 15)}"


def answers_troubles(stack: Stack) -> Iterator[str]:
    if not any(each.status == "running" for each in stack.containers("haproxy")):
        return
    try:
        status, health = callers.ask(stack.configuration)
    except OSError:
        yield f"The board does not answer at {running.local_url(stack.configuration)}."
        return
    if status != 200:
        yield f"The board answers {status} to /api/health: {health[:300]}"
    elif "degraded" in health:
        yield f"The board is degraded: {health[:300]}"


def certificate_troubles(stack: Stack) -> Iterator[str]:
    if any(each.status == "running" for each in stack.containers("haproxy")):
        yield from certificate.check(stack.configuration, time.time())


CHECKS: tuple[Check, ...] = (
    settings_troubles,
    secrets_troubles,
    machine_troubles,
    containers_troubles,
    replicas_troubles,
    database_troubles,
    backups_troubles,
    answers_troubles,
    certificate_troubles,
    production.check,
)
