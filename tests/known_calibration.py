"""Statements and answers whose calibration other programs have measured."""

import numpy as np

# 12 statements (ties in the first two) and the people who chose each option; netcal 1.4.0 (ECE,
# bins 10 and 15, equal_intervals=False) and scikit-learn 1.9.1 (log_loss), one row per person
STATED = np.array(
    [
        [0.25, 0.25, 0.25, 0.25],
        [0.4, 0.1, 0.4, 0.1],
        [0.15, 0.078, 0.164, 0.608],
        [0.344, 0.079, 0.4, 0.177],
        [0.115, 0.429, 0.212, 0.244],
        [0.181, 0.037, 0.187, 0.595],
        [0.065, 0.298, 0.32, 0.317],
        [0.231, 0.28, 0.137, 0.352],
        [0.585, 0.135, 0.031, 0.249],
        [0.279, 0.126, 0.461, 0.134],
        [0.255, 0.102, 0.195, 0.448],
        [0.249, 0.317, 0.235, 0.199],
    ]
)
PEOPLE = np.array(
    [
        [12, 29, 3, 19],
        [21, 12, 2, 15],
        [13, 26, 20, 10],
        [1, 17, 8, 20],
        [25, 10, 27, 15],
        [15, 22, 23, 27],
        [29, 4, 12, 28],
        [9, 0, 17, 22],
        [22, 24, 19, 4],
        [25, 12, 25, 24],
        [29, 0, 25, 18],
        [14, 23, 28, 15],
    ]
)
