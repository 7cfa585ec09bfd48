#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""The table of docs/programs.md, from profiles.

usage: docs/programs.py           print the page with the table as it is now
       docs/programs.py --write   replace the page"""
import pathlib
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent
PAGE = ROOT / "docs/programs.md"
MARK = "<!-- from docs/programs.py -->\n"  # before the table, which ends with an empty line
HEAD = "| profile | program | tested | SMC-D / TCP | settings and notes |\n|---|---|---|---|---|\n"


def fields(path):
    """Comments "# KEY: text" by key, and the settings."""
    lines = path.read_text(encoding="utf-8").splitlines()
    settings = ["`%s`" % line for line in lines if line and line.split()[0] not in ("#", "unit")]
    return dict(line[2:].split(": ", 1) for line in lines if line.startswith("# ") and ": " in line), settings


def rows():
    for path in sorted((ROOT / "profiles").iterdir()):
        row, settings = fields(path)
        if "program" in row:
            notes = "; ".join(settings + ([row["note"]] if "note" in row else []))
            yield "| %s |" % " | ".join((path.name, row["program"], row.get("tested", "no"), row.get("gain", ""), notes))


def page():
    head, rest = PAGE.read_text(encoding="utf-8").split(MARK)
    return head + MARK + HEAD + "\n".join(rows()) + rest[rest.index("\n\n"):]


if sys.argv[1:] == ["--write"]:
    PAGE.write_text(page(), encoding="utf-8")
else:
    sys.stdout.write(page())
