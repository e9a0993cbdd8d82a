"""Colours: one a simulator on every page and figure; people black, baselines grey."""

from fidelity.baselines.base import BASELINES

PEOPLE = "#1c1f23"
DARKER = 0.6
GREYS = ["#8a929b", "#5d656e", "#b0b7bf"]
WITHIN, OPEN, BEYOND, BAND = "#0b7550", "#ccd3db", "#b3430f", "#e0f1ea"
COLOURS = [
    *("#0072B2", "#D55E00", "#009E73", "#CC79A7"),
    *("#8C6D1F", "#56B4E9", "#E69F00", "#7B4FA3"),
    *("#66A61E", "#B2182B", "#1B8E8E", "#9E5B2A"),
]


def colour(simulator: str, place: int) -> str:
    """Return a simulator's colour.

    Args:
        simulator: its name.
        place: its place among all simulators of the study.
    """
    if simulator in BASELINES:
        return GREYS[list(BASELINES).index(simulator) % len(GREYS)]
    times, i = divmod(place, len(COLOURS))
    return _darker(COLOURS[i]) if times % 2 else COLOURS[i]


def _darker(colour: str) -> str:
    parts = (int(colour[i : i + 2], 16) for i in (1, 3, 5))
    return "#" + "".join(f"{round(DARKER * part):02X}" for part in parts)
