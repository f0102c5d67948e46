"""What the tests of score estimate and others share."""

from __future__ import annotations

#: Six items of five samples: values and standard deviations of speaking_style.md,
#: section 9.
STYLE = [
    ((5, 4, 5, 5, 4), 4.6, 0.547723),
    ((4, 4, 3, 4, 5), 4.0, 0.707107),
    ((2, 2, 1, 2, 3), 2.0, 0.707107),
    ((3, 3, 4, 2, 3), 3.0, 0.707107),
    ((1, 2, 1, 1, 1), 1.2, 0.447214),
    ((4, 3, 4, 4, None), 3.75, 0.5),
]
