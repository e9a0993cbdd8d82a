"""What a simulator may be used for

A thick line is the interval of a use's error by itself, a thin one that by which its verdict was
decided among all, on an axis that ends at some times the limit; the shaded area is within the
limit, an arrow goes on beyond the axis. Grey is open, or a naive answer may be as close. Black are
as many other people. All verdicts hold together.
"""

from matplotlib.figure import Figure

from fidelity_study.report import palette
from fidelity_study.report.figures import style
from fidelity_study.report.figures.source import NothingToDrawError, Source
from fidelity_study.report.page.uses import BEYOND, WITHIN, CardRow
from fidelity_study.report.page.verdict import card_of

LINE, AROUND = 0.36, 0.1
COLOURS = {WITHIN: palette.WITHIN, BEYOND: palette.BEYOND}
FULL = 100.0


def draw(source: Source) -> tuple[Figure, list[str]]:
    """Return the figure, and the notes of its caption."""
    results = source.results
    card = card_of(source.view.of, source.subject)
    rows = [row for row in card.rows if row.ends]
    if not rows:
        raise NothingToDrawError(f"{source.dataset.name}: no use of {source.subject} is measured.")
    figure = style.new(source.width, LINE * len(rows) + AROUND)
    axis = figure.subplots()
    for y, row in enumerate(rows):
        _row(axis, y, row)
    axis.set(xlim=(0, FULL), xticks=[])
    style.name_rows(axis, [row.title for row in rows])
    axis.spines[["top", "right", "bottom"]].set_visible(False)
    counts = "declared before looking" if card.is_declared else "all that were measured"
    limits = "; ".join(f"{row.title.lower()}, {row.texts['limit']} ({row.unit})" for row in rows)
    return figure, [
        f"{results.named(source.subject)}. Uses: {counts}, {results.level} confidence for all.",
        f"Limits: {limits}.",
    ]


def _row(axis, y: float, row: CardRow) -> None:
    colour = style.SOFT if row.is_as_naive else COLOURS.get(row.verdict, style.SOFT)
    axis.barh(y, row.limit, 0.62, color=palette.BAND, lw=0, zorder=0)
    axis.plot([row.lower, max(row.upper, row.lower + 0.5)], [y, y], color=colour, lw=2.4)
    axis.plot([row.first, row.last], [y, y], "|-", color=colour, lw=0.8, ms=5, mew=0.8)
    if row.is_cut:
        axis.plot(FULL, y, ">", color=colour, ms=4.5, mew=0, clip_on=False)
    if row.others is not None:
        axis.plot(row.others, y, "o", color=palette.PEOPLE, ms=2.6, mew=0)
    text = f"{row.ends}  {row.verdict}"
    how = {**style.BESIDE, "color": colour}
    if row.is_far:
        how |= {"ha": "right", "xytext": (-4, 0)} if row.begin > 0.35 * FULL else {"xytext": (4, 7)}
    beyond = row.begin if row.begin > 0.35 * FULL else row.limit
    at = beyond if row.is_far else row.end
    axis.annotate(text, (at, y), **how)
