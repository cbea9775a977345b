"""The bots by name.  A bot of the package is one line here, imported when first made."""

from __future__ import annotations

from collections.abc import Callable
from importlib import import_module
from typing import Any

from hexgames_env.bots.base import Bot, FunctionBot, Player
from hexgames_env.bots.noise import NoisyBot
from hexgames_env.core.options import parse_words, shown
from hexgames_env.errors import OptionError

_BOTS: dict[str, str | Callable[..., Bot]] = {
    "random": "hexgames_env.bots.simple:RandomBot",
    "greedy": "hexgames_env.bots.simple:GreedyBot",
    "mcts": "hexgames_env.search:MctsBot",
    "alphabeta": "hexgames_env.search:AlphaBetaBot",
    "sb3": "hexgames_env.stacks.sb3:load_bot",
}


def bot_names() -> tuple[str, ...]:
    """The names that `make_bot` takes.

    >>> "random" in bot_names()
    True
    """
    return tuple(_BOTS)


def register_bot(bot: type[Bot]) -> None:
    """Make a bot of your own known to `make_bot` by its ``name``.

    Raises:
        OptionError: its name is no identifier, or another bot has it.
    """
    if not isinstance(bot.name, str) or not bot.name.isidentifier():
        raise OptionError(f"a bot's name must be an identifier, got {shown(bot.name)}")
    if bot.name in _BOTS and _BOTS[bot.name] is not bot:
        raise OptionError(f"there is a bot {shown(bot.name)} already: choose another name")
    _BOTS[bot.name] = bot


def make_bot(text: str, **settings: Any) -> Bot:
    """The bot that a text names, with its settings.

    Args:
        text: a name, and behind it settings as words ``name=value``; or ``module:callable``, which
            is called with them: a class of bots or a function that makes one, or without settings
            any callable ``(state, rng) -> action``.  Every bot takes ``noise=``, the share of its
            steps that are random, from 0 to 1 (`NoisyBot`).
        settings: the same as arguments.

    Raises:
        OptionError: no such bot, or a setting that it does not take.

    >>> make_bot("random")
    make_bot('random')
    """
    if not isinstance(text, str):
        raise OptionError(f"a bot is named by a text such as 'greedy', got {shown(text)}")
    name, *words = text.split() or [""]
    by_words = parse_words(words)
    twice = [setting for setting in by_words if setting in settings]
    if twice:
        raise OptionError(f"{shown(text)}: {twice[0]} is given twice")
    settings |= {setting: _read(word) for setting, word in by_words.items()}
    maker = _find(name)
    if "noise" in settings:
        noise = settings.pop("noise")
        return NoisyBot(make_bot(name, **settings), noise)
    if ":" in name and not settings and not isinstance(maker, type):
        return as_bot(maker)
    try:
        bot: Bot = as_bot(maker(**settings))
    except TypeError as error:
        given = ", ".join(f"{key}={shown(value)}" for key, value in settings.items())
        refused = f"does not take {given}" if given else "can't be made without settings"
        raise OptionError(f"bot {name!r} {refused}: {error}") from None
    return bot


def _find(name: str) -> Any:
    found = _BOTS.get(name, name if ":" in name else None)
    if found is None:
        raise OptionError(
            f"there is no bot {name!r}: the bots are {', '.join(_BOTS)}, or write module:callable"
        )
    if not isinstance(found, str):
        return found
    module, _, attribute = found.partition(":")
    try:
        return getattr(import_module(module), attribute)
    except (ImportError, AttributeError, ValueError) as error:
        extra = '; pip install "hexgames-env[sb3]" has it' if name == "sb3" else ""
        raise OptionError(f"bot {name!r} can't be loaded: {error}{extra}") from error


def _read(word: str) -> Any:
    """The value that a word stands for: true, false, none, a number, else the word itself."""
    if len(word) > 20 and word.lstrip("+-").isdecimal():  # Python reads 4,300 digits, then none
        raise OptionError(f"a setting of a bot has at most 20 digits, got {word[:20]}...")
    for kind in (int, float):
        try:
            return kind(word)
        except ValueError:
            pass
    return {"true": True, "false": False, "none": None}.get(word, word)


def as_bot(player: Player) -> Bot:
    """A bot from its text, a bot, or any callable ``(state, rng) -> action``.

    Raises:
        OptionError: it is something else; the message lists the texts.
    """
    if isinstance(player, Bot):
        return player
    if isinstance(player, (str, type)) or not callable(player):
        return make_bot(player)  # type: ignore[arg-type]  # which refuses what is no text
    return FunctionBot(player)
