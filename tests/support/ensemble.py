"""What the tests of labels and others share."""

from __future__ import annotations

#: Acceptance 4: votes (content, paralinguistics, voice) of S against X, S first then X first.
ENSEMBLE = [
    (("1", "tie", "tie"), ("2", "2", "1")),
    (("2", "tie", "1"), ("1", "1", "tie")),
    (("tie", "tie", "2"), ("tie", "1", "2")),
    (("1", "2", None), ("tie", "tie", "1")),
]
