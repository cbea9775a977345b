"""Draw the pictures of the README into examples/pictures/.

python examples/make_pictures.py

The moving one needs ``pip install "hexgames-env[render]"``, the others nothing but the package.
"""

import argparse
from pathlib import Path
from typing import Any

import numpy as np

from hexgames_env import Game, State
from hexgames_env.bots import make_bot
from hexgames_env.rendering import Renderer, write_gif

FOLDER = Path(__file__).parent / "pictures"
# The game of the moving picture
MOVING, GAME, SEED = "oust.gif", "oust side=5", 1
# For each game a position, and the steps of a turn that is then made and marked.
POSITIONS = {
    "oust": (
        "oust side=5 pie_rule=true board=.WW../W...W./.WW.WWW/....W..W/BBW.W...W/WB.W..WW/BW...W./"
        "B.B..W/W.W.W to_play=0 winner=none",
        ("f1", "g1"),
    ),
    "rive": (
        "rive side=5 board=B.B../W.W.BW/B.WW.BW/B......./..BB.WBBB/B..B..../W..B.WW/WW..B./..W.W "
        "to_play=0 winner=none",
        ("i4", "xg3", "xh6"),
    ),
    "strands": (
        "strands layout=6 cover=up_to board=....../....B.W/...BB.../..WB.B..W/.B..B.W..W/"
        ".B..W....../W.B...B.../..WW.W.../......../......W/...... to_play=0 winner=none",
        ("j4", "j3"),
    ),
    "gipf": (
        "gipf variant=standard board=B..b/w.Wwb/.W...b/bw....w/w....B/wb..W/bbBw "
        "to_play=0 winner=none",
        ("g1-g2",),
    ),
}


def draw(game: str) -> str:
    """The picture of a game as SVG."""
    text, turn = POSITIONS[game]
    state = State.from_string(text)
    for step in turn:
        state.step(state.parse_action(step))
    return state.to_svg(400)


def moving(size: int = 320) -> tuple[list[Any], list[float]]:
    """The pictures of a game that the greedy bot plays with itself, and how long each stands."""
    state = Game.from_string(GAME).initial_state(SEED)
    pixels, bot, rng = Renderer("rgb_array", size), make_bot("greedy"), np.random.default_rng(SEED)
    frames = [pixels.render(state)]
    while not state.is_over:
        state.step(bot(state, rng))
        frames.append(pixels.render(state))
    return frames, [0.6] * (len(frames) - 1) + [4.0]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.parse_args()
    FOLDER.mkdir(exist_ok=True)
    for game in POSITIONS:
        file = FOLDER / f"{game}.svg"
        file.write_text(draw(game), encoding="utf-8")
        print(file)
    try:
        write_gif(FOLDER / MOVING, *moving())
        print(FOLDER / MOVING)
    except ModuleNotFoundError as error:
        print(f"{MOVING} stays as it is: {error}")


if __name__ == "__main__":
    main()
