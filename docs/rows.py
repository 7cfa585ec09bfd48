#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Rows about the preload library: ld_pre_smc/repairs, the differences from TCP that it hides, and ld_pre_smc/differences,
those that it cannot; and the parts of af_smc(7) that they make.

usage: docs/rows.py           print af_smc(7) with the rows as they are now
       docs/rows.py --write   replace it"""
import pathlib
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent
PAGE = ROOT / "man/af_smc.7"
BEGIN = '.\\" Made by docs/rows.py from %s.\n'
END = '.\\" End of %s.\n'
FILES = ("ld_pre_smc/repairs", "ld_pre_smc/differences")
FIELDS = {"row", "heading", "symptom", "kernel", "reason", "until", "cost", "option", "case", "cases", "test"}
NEEDED = {"repairs": {"symptom", "kernel", "until", "cost"}, "differences": {"heading", "text", "kernel", "reason", "until"}}


def read_rows(path):
    """Return: rows, each a dict of lists of values by field; "text" is the mdoc of the page."""
    path = pathlib.Path(path)
    rows = []
    for number, line in enumerate(path.read_text(encoding="utf-8").splitlines(), 1):
        field, _, value = line.partition(" ")
        if not line or line.startswith("#"):
            continue
        if field == "row":
            rows.append({})
        field = "text" if field == "|" else field
        if field in FIELDS | {"text"} and value:
            rows[-1].setdefault(field, []).append(value)
        else:
            raise SystemExit("%s:%d: unknown field: %s" % (path, number, line))
    for row in rows:
        missing = sorted(NEEDED[path.name] - set(row))
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
        yield ".It " + row["heading"][0] if "heading" in row else ".Pp"
        yield from row.get("symptom", []) + row.get("text", [])
        if row["until"][0] != "-":
            yield "Linux %s and later do not need this." % row["until"][0]
    yield ".El"


def page():
    text = PAGE.read_text(encoding="utf-8")
    for file in FILES:
        begin, end = BEGIN % file, END % file
        head, rest = text.split(begin)
        text = head + begin + "\n".join(section(read_rows(ROOT / file))) + "\n" + end + rest.split(end)[1]
    return text


if __name__ == "__main__":
    if sys.argv[1:] == ["--write"]:
        PAGE.write_text(page(), encoding="utf-8")
    else:
        sys.stdout.write(page())
