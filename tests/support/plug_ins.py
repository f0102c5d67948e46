"""The plug-ins of the documents, laid out as an installer would leave them."""

from __future__ import annotations

import re
import tomllib
from pathlib import Path

from tests.support.cli import ROOT

#: Pages with whole packages, each file headed by its path.
_PAGES = ("tutorials/own-judge.md", "how-to/plug-ins.md")


def install_plug_ins(folder: Path) -> Path:
    """Write every package of the pages into a folder for the path of Python."""
    folder.mkdir(exist_ok=True)
    text = "\n".join((ROOT / "docs" / page).read_text("utf-8") for page in _PAGES)
    for kind, name, body in re.findall(
        r"```(toml|python)\n# (\S+)\n(.*?)```", text, re.S
    ):
        if kind == "python":
            (folder / Path(name).name).write_text(body)
            continue
        project = tomllib.loads(body)["project"]
        info = folder / f"{project['name']}-{project['version']}.dist-info"
        info.mkdir()
        (info / "METADATA").write_text(
            f"Metadata-Version: 2.1\nName: {project['name']}\nVersion:"
            f" {project['version']}\n"
        )
        lines = []
        for group, entries in project["entry-points"].items():
            lines += [
                f"[{group}]",
                *(f"{key} = {value}" for key, value in entries.items()),
            ]
        (info / "entry_points.txt").write_text("\n".join(lines))
    return folder
