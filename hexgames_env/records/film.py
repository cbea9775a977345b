"""All pictures of a game in few bytes, for the player in HTML.

A picture is the list of elements of `State.to_svg`, and most of them stand in many pictures.  So
each element is kept once, without its colour, as a shape; a picture is a list of numbers, one for
each element.  A path of several polygons counts as several elements: polygons of one colour that
follow each other in the list are to be made one path again::

    number = place in "shapes" * length of "colours" + place in "colours"

==========  ==========================================================================
"kinds"     tag, then attributes: "name" has a value in each shape, "name=value" always
            the same, "name=" the colour; "" is the text between the tags
"shapes"    place in "kinds", then the values; a text as a place in "strings"
"colours"   in the light theme and in the dark one
"strings"   texts
"frames"    by position, how its list comes from the one before, the first from nothing
"others"    "3h": how the list with heat comes from that of position 3; "3d" and "3hd":
            how it does in the dark theme, where that has other elements
==========  ==========================================================================

Lists change by splices, to be made in their order: where, how many go, what comes there.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from difflib import SequenceMatcher
from typing import Any
from xml.etree import ElementTree

from hexgames_env.core.state import State

_ELEMENT = re.compile(r"<(?!svg|title|desc)(\w+) [^>]*(?:/>|>[^<]*</\1>)")
_PATHS = re.compile(r'(?<= d=")([^"]*)')
_NUMBER = re.compile(r"-?(?:0|[1-9]\d*)(?:\.\d*[1-9])?")

Colours = tuple[str, str]  # light, dark
Item = tuple[int, Colours]  # a shape and its colours
Splice = list[int]


class Film:
    """The pictures of a game, which are added one after the other."""

    def __init__(self) -> None:
        self._parsed: dict[str, list[tuple[int, str]]] = {}  # by element: shapes, with colours
        self._kinds: dict[tuple[str, ...], int] = {}
        self._shapes: dict[tuple[Any, ...], int] = {}
        self._strings: dict[str, int] = {}
        self._frames: list[list[Item]] = []
        self._others: dict[str, tuple[list[Item], list[Item]]] = {}  # by key: from, to

    def string(self, text: str) -> int:
        """The text's place in "strings"."""
        return self._strings.setdefault(text, len(self._strings))

    def add(self, state: State, heat: Mapping[int, int]) -> None:
        """Add the next position; with heat, if there is any, both with it and without."""
        key = str(len(self._frames))
        light, dark = self._pictures(state, None)
        self._frames.append(light)
        self._add_other(f"{key}d", light, dark)
        if heat:
            plain, (light, dark) = light, self._pictures(state, heat)
            self._add_other(f"{key}h", plain, light)
            self._add_other(f"{key}hd", light, dark)

    def data(self) -> dict[str, Any]:
        """All of it for JSON."""
        lists = [*self._frames, *(new for _, new in self._others.values())]
        known = dict.fromkeys(colours for items in lists for _, colours in items)
        places = {colours: place for place, colours in enumerate(known)}

        def splices(old: Sequence[Item], new: Sequence[Item]) -> list[Splice]:
            return [
                [begin, end - begin, *(shape * len(places) + places[own] for shape, own in items)]
                for begin, end, items in _changes(old, new)
            ]

        before: list[list[Item]] = [[], *self._frames[:-1]]
        return {
            "kinds": [*self._kinds],
            "shapes": [*self._shapes],
            "colours": [*places],
            "strings": [*self._strings],
            "frames": [splices(old, new) for old, new in zip(before, self._frames, strict=True)],
            "others": {key: splices(old, new) for key, (old, new) in self._others.items()},
        }

    def _add_other(self, key: str, old: list[Item], new: list[Item]) -> None:
        if new != old:
            self._others[key] = old, new

    def _pictures(
        self, state: State, heat: Mapping[int, int] | None
    ) -> tuple[list[Item], list[Item]]:
        """The picture in the light theme and in the dark one.

        Almost always both are the same list.
        """
        light, dark = (
            [shape for found in _ELEMENT.finditer(svg) for shape in self._shapes_of(found[0])]
            for svg in (state.to_svg(theme=theme, heat=heat) for theme in ("light", "dark"))
        )
        one = [(shape, (colour, colour)) for shape, colour in light]
        other = [(shape, (colour, colour)) for shape, colour in dark]
        shapes, others = ([shape for shape, _ in picture] for picture in (light, dark))
        same = [(0, 0, len(shapes))] if shapes == others else _matches(shapes, others)
        for i, j, length in same:
            for k in range(length):
                shape, colour = light[i + k]
                one[i + k] = other[j + k] = shape, (colour, dark[j + k][1])
        return one, other

    def _shapes_of(self, element: str) -> list[tuple[int, str]]:
        """The shapes of an element, each with its colour."""
        if element not in self._parsed:
            if element.startswith("<path fill="):
                begin, paths, end = _PATHS.split(element)
                parts = [f"{begin}{path}z{end}" for path in paths.split("z") if path]
            else:
                parts = [element]
            self._parsed[element] = [self._shape(ElementTree.fromstring(part)) for part in parts]
        return self._parsed[element]

    def _shape(self, node: ElementTree.Element) -> tuple[int, str]:
        kind: list[str] = [node.tag]
        values: list[Any] = []
        colour = ""
        for name, value in node.attrib.items():
            if value.startswith("#"):
                kind.append(f"{name}=")
                colour = value
            elif _NUMBER.fullmatch(value):
                kind.append(name)
                values.append(float(value) if "." in value else int(value))
            elif name == "d":
                kind.append(name)
                values.append(value)
            else:
                kind.append(f"{name}={value}")
        if node.text is not None:
            kind.append("")
            values.append(self.string(node.text))
        place = self._kinds.setdefault(tuple(kind), len(self._kinds))
        return self._shapes.setdefault((place, *values), len(self._shapes)), colour


def _matches(old: Sequence[Any], new: Sequence[Any]) -> list[tuple[int, int, int]]:
    matcher = SequenceMatcher(None, old, new, autojunk=False)
    return [(match.a, match.b, match.size) for match in matcher.get_matching_blocks()]


def _changes(old: Sequence[Item], new: Sequence[Item]) -> list[tuple[int, int, Sequence[Item]]]:
    """What to replace in ``old``, from its end to its beginning: from, to, by what."""
    shorter, begin, end = min(len(old), len(new)), 0, 0
    while begin < shorter and old[begin] == new[begin]:
        begin += 1
    while end < shorter - begin and old[-1 - end] == new[-1 - end]:
        end += 1
    middle = old[begin : len(old) - end], new[begin : len(new) - end]
    found, i, j = [], 0, 0
    for a, b, length in _matches(*middle):
        if a > i or b > j:
            found.append((begin + i, begin + a, middle[1][j:b]))
        i, j = a + length, b + length
    return found[::-1]
