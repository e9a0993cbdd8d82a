"""What a simulator does to people's answers in general, in words."""

from fidelity.comparison.tendency import Tendency

HARDLY = 0.5


def tendency_text(way: Tendency) -> str:
    """Say what it does, or that this is not settled, in a sentence or two."""
    said = "Not settled whether it exaggerates."
    if way.slope is not None and way.exaggerates:
        said = f"Exaggerates: its shares differ {way.slope.estimate:.1f} times as much as people's."
    elif way.spread is not None and way.flattens:
        said = f"Flattens: its shares differ {way.spread.estimate:.1f} times as much as people's."
    elif way.slope is not None and way.strays:
        said = "Its shares follow people's in part."
        if way.slope.upper < HARDLY:
            said = "Its shares hardly follow people's."
    elif way.is_faithful:
        said = "Neither exaggerates nor flattens."
    if way.lean is not None and way.leans:
        end = "high" if way.leans > 0 else "low"
        said += f" Leans to the {end} end, by {abs(100 * way.lean.estimate):.0f} % of the scale."
    return said
