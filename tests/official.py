"""PettingZoo's own tests, whose import warns that they use an old form of its own."""

from __future__ import annotations

import warnings

with warnings.catch_warnings():
    warnings.simplefilter("ignore")
    from pettingzoo.test import api_test, render_test, seed_test

# PettingZoo's own games with a mask are excused from these two by their names.
DICT_OBSERVATIONS = "ignore:Observation (is not a NumPy array|space for each agent):UserWarning"

__all__ = ["DICT_OBSERVATIONS", "api_test", "render_test", "seed_test"]
