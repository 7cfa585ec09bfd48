#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""The tables of kernels in README.md and docs/install.md, from smc_chk/doctor/distributions.

usage: docs/distributions.py           print the documents with the tables as they are now
       docs/distributions.py --write   replace the documents"""
import pathlib
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent
MARK = "<!-- from docs/distributions.py -->\n"  # before the table, which ends with an empty line
FIELDS = "name id version machine kernel smc smcr smcd bpf known remedy".split()
WORDS = {"none": "no", "dkms": "smc-loopback-dkms", "?": "not known", "-": "no"}


def read_rows():
    lines = (ROOT / "smc_chk/doctor/distributions").read_text(encoding="utf-8").splitlines()
    return [dict(zip(FIELDS, (field.strip() for field in line.split("|")), strict=True)) for line in lines if line[0] != "#"]


def table(*rows):
    yield "| %s |" % " | ".join(rows[0])
    yield "|" + "---|" * len(rows[0])
    yield from ("| %s |" % " | ".join(row) for row in rows[1:])


def kernel(row):
    words = row["name"], "" if row["kernel"] == "-" else "Linux " + row["kernel"].rstrip("."), "" if row["machine"] == "-" else row["machine"]
    return ", ".join(filter(None, words))


def answer(row, field):
    return "no: built without SMC" if field == "smcr" and row["smc"] == "n" else WORDS.get(row[field], row[field])


def short(rows):
    """Kernels with the same answers share a row, except those without SMC: each distribution has a row of its own."""
    yield "kernel", "SMC-R", "SMC-D", "known how"
    kernels = {}
    for row in rows:
        known = row["known"].split(":")[0]
        if known in ("run", "read"):
            own = row["name"] if row["smc"] == "n" else ""
            kernels.setdefault((own, answer(row, "smcr"), answer(row, "smcd"), known), []).append(kernel(row))
    yield from (("; ".join(names), *answers) for (_, *answers), names in kernels.items())


def full(rows):
    yield "kernel", "SMC-R", "SMC-D", "`smc_bpf`", "known how", "if SMC is missing"
    for row in rows:
        remedy = row["remedy"] if ": " in row["remedy"] else "`%s`" % row["remedy"]
        yield kernel(row), *(answer(row, field) for field in ("smcr", "smcd", "bpf", "known")), remedy


def document(path, lines):
    head, rest = (ROOT / path).read_text(encoding="utf-8").split(MARK)
    return head + MARK + "\n".join(table(*lines(read_rows()))) + rest[rest.index("\n\n"):]


for name, columns in (("README.md", short), ("docs/install.md", full)):
    if sys.argv[1:] == ["--write"]:
        (ROOT / name).write_text(document(name, columns), encoding="utf-8")
    else:
        sys.stdout.write(document(name, columns))
