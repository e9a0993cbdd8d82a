"""The colours of simulators, told apart by the colour-blind, too; the same in all charts."""

COLOURS = [
    *("#0072B2", "#D55E00", "#009E73", "#CC79A7"),
    *("#E69F00", "#56B4E9", "#000000", "#8C6D1F"),
]
