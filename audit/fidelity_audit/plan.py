"""What an audit measures."""

from dataclasses import dataclass

from synthetic.populations import population_named

from fidelity.sets.bounds import meaningful


@dataclass(frozen=True)
class Plan:
    """What an audit measures, as its config says.

    Attributes:
        seed: of all random draws.
        populations: names of :data:`synthetic.populations.POPULATIONS`.
        scenarios: drawn from each population.
        replicates: samples of people in each scenario.
        gamma: coverages, or schedules of it.
        sets: discrepancy -> confidence sets, measured on the populations that they make sense for.
        studies: simulated for each guarantee of a curve, and at most for each test.
    """

    seed: int
    populations: list[str]
    scenarios: int
    replicates: int
    gamma: list[float | dict]
    sets: dict[str, list[str]]
    studies: int

    def __post_init__(self) -> None:
        """Refuse sets that would not be measured at all."""
        cells = {cell[1:] for cell in self.cells}
        for discrepancy, names in self.sets.items():
            for name in names:
                if (name, discrepancy) not in cells:
                    raise ValueError(f"{name} bounds {discrepancy} on none of these populations")

    @property
    def cells(self) -> list[tuple[str, str, str]]:
        """Each population, confidence set and discrepancy that are measured together."""
        return [
            (population, name, discrepancy)
            for population in self.populations
            for discrepancy, names in self.sets.items()
            for name in names
            if meaningful(name, discrepancy, population_named(population).kind)
        ]
