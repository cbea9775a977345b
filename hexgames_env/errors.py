"""What can go wrong, each message with what was given, what is allowed and how to mend it."""

from __future__ import annotations


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


class NotationError(ValueError):
    """A text that is no turn in a notation here, or a turn that the notation has no text for.

    Attributes:
        turn: which of the turns, counted from 0.
        column: where in its text, counted from 0; the text's length if something is missing behind.
    """

    def __init__(self, message: str, turn: int = 0, column: int = 0) -> None:
        super().__init__(message)
        self.turn = turn
        self.column = column

    def __reduce__(self) -> tuple[type[NotationError], tuple[str, int, int]]:
        return type(self), (str(self), self.turn, self.column)


class GameOverError(RuntimeError):
    """A step was asked for after the game had ended."""


class NotResetError(RuntimeError):
    """An environment was used before its first reset()."""


class NothingToUndoError(RuntimeError):
    """undo() at the position that the state began with."""


class RecordError(ValueError):
    """A record of a game that can't be read or made.

    Attributes:
        file: what was read, as it was given; "" if no file.
        line: in it, from 1 on; 0 where there are no lines.
        column: in the line, from 1 on; 0 where there are no lines.
        what: what is wrong, without the place.
    """

    def __init__(self, what: str, file: str = "", line: int = 0, column: int = 0) -> None:
        self.what, self.file, self.line, self.column = what, file, line, column
        place = [str(part) for part in (file, line, column) if part]
        super().__init__(f"{':'.join(place)}: {what}" if place else what)

    def __reduce__(self) -> tuple[type[RecordError], tuple[str, str, int, int]]:
        return type(self), (self.what, self.file, self.line, self.column)


class BrokenOffWarning(UserWarning):
    """A record without an end, as of a program that was killed: its last turn may be missing."""
