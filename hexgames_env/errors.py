"""What can go wrong, each message with what was given, what is allowed and how to mend it."""


class IllegalActionError(ValueError):
    """The action is not an action number, is out of range, or is not legal in this position."""


class OptionError(ValueError):
    """An unknown game, an unknown option, or a value that the option does not take."""


class UnknownOptionError(OptionError, TypeError):
    """A keyword that is no option of the game and no setting.

    Also a TypeError, as Python's own for an argument that a function does not know: some libraries
    try what a constructor takes, and wait for that.
    """


class PositionTextError(ValueError):
    """A text, or a position set up by hand, that is no position of the game."""


class GameOverError(RuntimeError):
    """A step was asked for after the game had ended."""


class NotResetError(RuntimeError):
    """An environment was used before its first reset()."""


class NothingToUndoError(RuntimeError):
    """undo() at the position that the state began with."""
