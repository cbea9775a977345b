"""Many games of one kind as arrays: compact, checked in compiled code, and a source of samples.

In a file they are a ``.npz``, which numpy reads too; `ARRAYS` tells what is in it.
"""

from __future__ import annotations

ARRAYS = """\
form            1, the form of the file
game            the game's text, as UTF-8 (uint8)
actions         uint16, of all games one behind the other
offsets         int64 (games + 1,), where each game's actions begin, and where the last one's end
winners         int8, 0 or 1; -1 for nobody
endings         uint8, a place in records.ENDINGS
illegal         int32, the action that lost the game as illegal; -1 for none
starts          positions that games begin with, a line each, as UTF-8 (uint8)
start_numbers   int32, a line of starts; -1 for how the game always begins
details         what else the records say, a line of JSON each, as UTF-8 (uint8)
detail_numbers  int32, a line of details; -1 for nothing"""
