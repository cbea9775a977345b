"""Draw the pictures of the README into examples/pictures/; needs nothing but the package.

python examples/make_pictures.py
"""

from pathlib import Path

from hexgames_env import State

FOLDER = Path(__file__).parent / "pictures"
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


def main() -> None:
    FOLDER.mkdir(exist_ok=True)
    for game in POSITIONS:
        file = FOLDER / f"{game}.svg"
        file.write_text(draw(game), encoding="utf-8")
        print(file)


if __name__ == "__main__":
    main()
