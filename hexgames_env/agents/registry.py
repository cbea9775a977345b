"""The agents by name.  An agent of the package is one line here, imported when first made."""

from __future__ import annotations

from importlib import import_module
from typing import Any

from hexgames_env.agents.base import Agent
from hexgames_env.errors import OptionError

_AGENTS: dict[str, str | type[Agent]] = {
    "random": "hexgames_env.agents.simple:RandomAgent",
    "greedy": "hexgames_env.agents.simple:GreedyAgent",
}


def agent_names() -> tuple[str, ...]:
    """The names that `make_agent` takes.

    >>> "random" in agent_names()
    True
    """
    return tuple(_AGENTS)


def register_agent(agent: type[Agent]) -> None:
    """Make an agent of your own known to `make_agent` by its ``name``."""
    if not isinstance(agent.name, str) or not agent.name.isidentifier():
        raise OptionError(f"an agent's name must be an identifier, got {agent.name!r}")
    if agent.name in _AGENTS and _AGENTS[agent.name] is not agent:
        raise OptionError(f"there is an agent {agent.name!r} already: choose another name")
    _AGENTS[agent.name] = agent


def make_agent(text: str, **settings: Any) -> Agent:
    """The agent that a text names, with its settings.

    Args:
        text: a name, and behind it settings as words ``name=value``.
        settings: the same as arguments.

    Raises:
        OptionError: no such agent, or a setting that it does not take.

    >>> make_agent("random")
    make_agent('random')
    """
    if not isinstance(text, str):
        raise OptionError(f"an agent is named by a text such as 'greedy', got {text!r}")
    name, *words = text.split() or [""]
    if name not in _AGENTS:
        raise OptionError(f"there is no agent {name!r}: the agents are {', '.join(_AGENTS)}")
    for word in words:
        setting, equals, value = word.partition("=")
        if not (setting.isidentifier() and equals and value) or setting in settings:
            raise OptionError(f"{word!r} is not setting=value, each setting once: {text!r}")
        settings[setting] = _read(value)
    found = _AGENTS[name]
    if isinstance(found, str):
        module, _, attribute = found.partition(":")
        found = getattr(import_module(module), attribute)
    try:
        agent: Agent = found(**settings)
    except TypeError as error:
        given = ", ".join(f"{key}={value!r}" for key, value in settings.items())
        raise OptionError(
            f"agent {name!r} does not take {given or 'no settings'}: {error}"
        ) from None
    return agent


def _read(word: str) -> Any:
    """The value that a word stands for: true, false, none, a number, else the word itself."""
    for kind in (int, float):
        try:
            return kind(word)
        except ValueError:
            pass
    return {"true": True, "false": False, "none": None}.get(word, word)
