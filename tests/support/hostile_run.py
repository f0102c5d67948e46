"""What the tests of conftest and others share."""

from __future__ import annotations

from typing import TYPE_CHECKING

from benchmarks.synthetic_run import Recipe

if TYPE_CHECKING:
    pass


#: An id and a transcript that try to leave every context they are written into.
HOSTILE_ID = "q\"1' </script><b>&amp; #?% \u2028 é/.."


HOSTILE_TEXT = (
    "<script>window.hacked=1</script> <img src=x onerror=window.hacked=1>"
    " </p></b></template><!-- &lt; \u2028 {{7*7}} \" ' end"
)


#: Twelve pairs, each with a recording of one second; the 4th, 8th and 12th have no rating.
RECIPE = Recipe(12, seconds=1.0, samples=2, ids=(HOSTILE_ID,), texts=(HOSTILE_TEXT,), failing=4)


FLAGS = ("--no-sandbox", "--disable-gpu", "--disable-background-networking", "--no-first-run")
