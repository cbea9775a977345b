"""Games written down: `Record`, and files of them as text, as JSON lines or as arrays.

>>> from hexgames_env import make_game
>>> state = make_game("rive", side=2).initial_state()
>>> state.step(state.parse_action("b2"))
>>> print(Record(state, players=("Ann", "Bob")).to_string())
[Game "rive side=2"]
[Player0 "Ann"]
[Player1 "Bob"]
<BLANKLINE>
1. b2
<BLANKLINE>
[Termination "unfinished"]
[Result "*"]
<BLANKLINE>
"""

from hexgames_env.errors import BrokenOffWarning, NotationError, RecordError
from hexgames_env.records.arrays import GameArrays, Samples
from hexgames_env.records.facts import ENDINGS, Ending, Remark
from hexgames_env.records.files import RecordFile, open_records, read_records, write_records
from hexgames_env.records.live import BatchRecorder, Recorder, recorder
from hexgames_env.records.record import Record

__all__ = [
    "ENDINGS",
    "BatchRecorder",
    "BrokenOffWarning",
    "Ending",
    "GameArrays",
    "NotationError",
    "Record",
    "RecordError",
    "RecordFile",
    "Recorder",
    "Remark",
    "Samples",
    "open_records",
    "read_records",
    "recorder",
    "write_records",
]
