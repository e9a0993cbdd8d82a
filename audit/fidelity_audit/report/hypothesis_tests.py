"""The audit of tests as a table and a sentence."""

from collections.abc import Iterator
from dataclasses import asdict
from functools import partial

from fidelity.stream import stream
from fidelity_audit.coverage import SIGNIFICANCE
from fidelity_audit.hypothesis_tests import TESTS
from fidelity_audit.plan import Plan
from fidelity_audit.rejection import ALPHA, rejections

TABLE = (
    *("test", "function", "title", "hypothesis", "cases", "promise", "least", "most", "effect"),
    *("alternative", "studies", "rejected", "standard_error", "low", "high", "p_value", "fails"),
)


def jobs(plan: Plan) -> Iterator[partial]:
    """Yield functions that each return a row of the table, from a stream of its own."""
    for test in TESTS.values():
        for effect in (0.0, *test.effects):
            yield partial(_rows, plan, test.name, effect)


def _rows(plan: Plan, name: str, effect: float) -> list[dict]:
    """Return how often a test rejects at an effect; a power has no p-value."""
    test = TESTS[name]
    studies = test.at_most(plan.studies)
    generator = stream(plan.seed, "audit", "tests", name, str(effect))
    measured = asdict(rejections(test, effect, studies, generator))
    row = {
        "test": name,
        "function": f"{test.decision.function.__module__}.{test.decision.function.__name__}",
        "title": test.title,
        "hypothesis": test.population.hypothesis,
        "cases": test.population.cases,
        "promise": test.promise,
        "least": test.sizes[0],
        "most": test.sizes[1],
        "alternative": test.population.alternative,
        "studies": studies,
        "rejected": measured["share"],
    }
    return [measured | row | ({"p_value": None} if effect else {})]


def judged(rows: list[dict]) -> list[dict]:
    """Return the rows with a verdict that allows for their number (Bonferroni)."""
    level = SIGNIFICANCE / sum(row["effect"] == 0 for row in rows)
    return [{**row, "fails": None if row["effect"] else row["p_value"] < level} for row in rows]


def broken(rows: list[dict]) -> list[str]:
    """Return the tests that reject true hypotheses too often or too seldom."""
    return [_label(row) for row in rows if row["promise"] != "wrong" and row["fails"]]


def missed(rows: list[dict]) -> list[str]:
    """Return the tests that are wrong for their data and are not caught."""
    sizes = (row for row in rows if row["effect"] == 0)
    return [_label(row) for row in sizes if row["promise"] == "wrong" and not row["fails"]]


def findings(rows: list[dict]) -> str:
    """Return in a sentence whether tests reject true hypotheses as often as they promise."""
    sizes = [row for row in rows if row["effect"] == 0]
    wrong = sum(row["promise"] == "wrong" for row in sizes)
    shares = [row["rejected"] for row in sizes if row["promise"] not in ("exceeds", "wrong")]
    verdict = (
        f"all {len(shares)} reject true hypotheses as often as they promise within Monte Carlo"
        f" error, {min(shares):.1%} to {max(shares):.1%} of {_studies(rows)} simulated"
        " studies each"
    )
    if failing := broken(rows):
        verdict = (
            f"{len(failing)} reject true hypotheses too often or too seldom: {'; '.join(failing)}"
        )
    control = f"all {wrong} that are wrong for their data are caught"
    if passing := missed(rows):
        control = f"not caught, though wrong for their data: {'; '.join(passing)}"
    return (
        f"Of the tests at the level of {ALPHA:.0%}, {verdict}; {control}. tests.csv has all of"
        " them."
    )


def _studies(rows: list[dict]) -> str:
    fewest, most = (choose(row["studies"] for row in rows) for choose in (min, max))
    return f"{most:,}" if fewest == most else f"{fewest:,} to {most:,}"


def _label(row: dict) -> str:
    return f"{row['title']} · {row['cases']}"
