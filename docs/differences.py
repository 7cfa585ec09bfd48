#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Differences from TCP under the preload library: the rows of ld_pre_smc/differences, and the part of af_smc(7) that
they make.

usage: docs/differences.py           print af_smc(7) with the rows as they are now
       docs/differences.py --write   replace it"""
import pathlib
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent
PAGE = ROOT / "man/af_smc.7"
BEGIN = '.\\" Made by docs/differences.py from ld_pre_smc/differences.\n'
END = '.\\" End of ld_pre_smc/differences.\n'
FIELDS = {"row", "heading", "kernel", "reason", "until", "option", "case", "cases", "test"}


def read_rows(path):
    """Return: rows, each a dict of lists of values by field; "text" is the mdoc of the page."""
    rows = []
    for number, line in enumerate(pathlib.Path(path).read_text(encoding="utf-8").splitlines(), 1):
        field, _, value = line.partition(" ")
        if not line or line.startswith("#"):
            continue
        if field == "row":
            rows.append({"text": []})
        if field == "|":
            rows[-1]["text"].append(value)
        elif field in FIELDS and value:
            rows[-1].setdefault(field, []).append(value)
        else:
            raise SystemExit("%s:%d: unknown field: %s" % (path, number, line))
    for row in rows:
        missing = [field for field in ("heading", "kernel", "reason", "until", "text") if not row.get(field)]
        if missing or not {"case", "cases", "test"} & set(row):
            raise SystemExit("%s: row %s: no %s" % (path, row["row"][0], " or ".join(missing) or "case or test"))
    return rows


def known(rows, tags):
    """Return: case -> words that differ, for runs with these tags. Without the tag fallback a row is of SMC connections."""
    cases = {}
    values = [value.split() for row in rows for value in row.get("case", [])]
    values += [[name, "*"] for row in rows for line in row.get("cases", []) for name in line.split()]
    for name, *words in values:
        name, _, tag = name.partition("@")
        words = words if name[0] != "~" else ["~"]
        name = name.lstrip("~")
        needed = set(tag.split("+")) - {""}
        if needed <= tags and ("fallback" in needed or "fallback" not in tags):
            cases[name] = set(words)
    return cases


def section(rows):
    yield ".Bl -tag -width Ds"
    for row in rows:
        yield ".It " + row["heading"][0]
        yield from row["text"]
        if row["until"][0] != "-":
            yield ".Pq up to Linux " + row["until"][0]
    yield ".El"


def page():
    head, rest = PAGE.read_text(encoding="utf-8").split(BEGIN)
    rows = read_rows(ROOT / "ld_pre_smc/differences")
    return head + BEGIN + "\n".join(section(rows)) + "\n" + END + rest.split(END)[1]


if __name__ == "__main__":
    if sys.argv[1:] == ["--write"]:
        PAGE.write_text(page(), encoding="utf-8")
    else:
        sys.stdout.write(page())
