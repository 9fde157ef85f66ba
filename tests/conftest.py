"""What every test of this repository runs under."""

import asyncio
import gc
import os
import signal
import sys
from collections.abc import Callable, Generator, Iterator
from pathlib import Path
from typing import TextIO

import pytest
import uvloop
from hypothesis import HealthCheck, settings
from tests.repo.watchdog import GRACE, LIMIT, watching

# Before anyone imports them: what a shared suite asserts is told as fully as in a test file.
pytest.register_assert_rewrite("tests.contracts")

settings.register_profile("quick", max_examples=30, deadline=None)
settings.register_profile(
    "thorough",
    max_examples=1000,
    deadline=None,
    suppress_health_check=[HealthCheck.too_slow],
)
settings.load_profile(os.environ.get("HEARTH_TEST_PROFILE", "quick"))

for name in [name for name in os.environ if name.startswith("HEARTH_")]:
    # A person's own daemon, home or database must never be met by a test. What concerns the tests
    # themselves stays, for the processes that they are spread over.
    if not name.startswith("HEARTH_TEST_"):
        del os.environ[name]

for name in (
    *("CDPATH", "CLASSPATH", "JAVA_TOOL_OPTIONS", "JDK_JAVA_OPTIONS", "NODE_OPTIONS", "NODE_PATH"),
    *("PERL5LIB", "PERL5OPT", "PYTHONHOME", "PYTHONPATH", "PYTHONUSERBASE", "RUBYLIB", "RUBYOPT"),
):
    # What a command means is judged by these, too, and they are a person's own.
    os.environ.pop(name, None)

if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
    # A shell that starts something in the background has it ignore Ctrl-C, and so would every
    # program that a test starts and then interrupts.
    signal.signal(signal.SIGINT, signal.default_int_handler)


SPOKEN = pytest.StashKey[TextIO]()


def pytest_configure(config: pytest.Config) -> None:
    """Remember where people read, while pytest does not capture it."""
    config.stash[SPOKEN] = os.fdopen(os.dup(2), "w")


def pytest_unconfigure(config: pytest.Config) -> None:
    """Let go of it, and of the database, if a test of this process needed one."""
    if (database := sys.modules.get("tests.log.postgres_server")) is not None:
        database.remove_server()
    config.stash[SPOKEN].close()


def pytest_asyncio_loop_factories() -> dict[str, Callable[[], asyncio.AbstractEventLoop]]:
    """Tests run on the event loop that hearth runs on."""
    return {"uvloop": uvloop.new_event_loop}


@pytest.hookimpl(wrapper=True)
def pytest_collection() -> Generator[None, object, object]:
    """Make all the tests without looking for garbage among them, then or later.

    There are twenty thousand, in each process, and all of them stay: looking took a third of the
    time in which they are made.
    """
    gc.disable()
    try:
        return (yield)
    finally:
        gc.freeze()
        gc.enable()


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Write the promises a test holds into reports (`--junit-xml`) beside its name.

    Files with slow tests come first: one that is begun last is waited for alone.
    """
    for item in items:
        for mark in item.iter_markers("promise"):
            item.user_properties.extend(("promise", identifier) for identifier in mark.args)
    slow = {item.path for item in items if item.get_closest_marker("slow")}
    journeys = Path(__file__).parent / "journeys"
    items.sort(key=lambda item: (item.path not in slow, journeys not in item.path.parents))


@pytest.hookimpl(wrapper=True, tryfirst=True)
def pytest_runtest_protocol(item: pytest.Item) -> Iterator[None]:
    """No test, and nothing that it leaves behind, holds up a run."""
    with watching(item.nodeid, item.config.stash[SPOKEN], _most(item)):
        return (yield)


def _most(item: pytest.Item) -> float:
    """Longer than the time limit that a test has of its own, which speaks first."""
    own = item.get_closest_marker("timeout")
    return LIMIT if own is None or not own.args else max(LIMIT, float(own.args[0]) + GRACE)
