# SPDX-License-Identifier: MIT
"""Samples of output in manual pages and pictures, and the present output of the scenes of tests/kernel/guest/samples.py.

usage: docs/pages.py check DIR    compares, as TAP: DIR has a file for each scene
       docs/pages.py write DIR    replaces samples that differ by more than times, ports and the like
       docs/pages.py renew DIR    replaces all

A sample stands between a line '.\\" sample: SCENE', followed by .Bd, and the next .Ed. The scene
picture-NAME makes docs/pictures/NAME.txt, and docs/picture draws NAME.svg from it."""
import difflib
import glob
import os
import subprocess
import sys

sys.dont_write_bytecode = True
sys.path[:0] = ("tests/kernel/guest", "tests")
from samples import SCENES  # noqa: E402  # pylint: disable=wrong-import-position

MARK = '.\\" sample: '
# Backslashes come first, as the other replacements contain some.
ESCAPES = (("\\", "\\e"), ("-", "\\-"), ("'", "\\(aq"), ("`", "\\(ga"), ("^", "\\(ha"), ("~", "\\(ti"))


def to_roff(line):
    for char, escape in ESCAPES:
        line = line.replace(char, escape)
    return "\\&" + line if line.startswith(".") else line


def from_roff(line):
    for char, escape in reversed(ESCAPES):
        line = line.replace(escape, char)
    return line.removeprefix("\\&")


def samples_of(path):
    """Lines of a page, and of each sample its scene, and the indices of its first line and of .Ed."""
    with open(path, encoding="utf-8") as file:
        lines = file.read().splitlines()
    found = []
    for i, line in enumerate(lines):
        if line.startswith(MARK):
            if not lines[i + 1].startswith(".Bd "):
                sys.exit("%s:%d: no .Bd after the mark of a sample" % (path, i + 1))
            found.append((line[len(MARK):], i + 2, lines.index(".Ed", i)))
    return lines, found


def pages():
    return sorted(glob.glob("man/*.[1-8]"))


def text_of(directory, name):
    try:
        with open(os.path.join(directory, name), encoding="utf-8") as file:
            return file.read()
    except FileNotFoundError:
        return None


def differences(name, page_lines, text, from_page=from_roff):
    """Return: a diff without context, ignoring parts that vary from run to run."""
    plain = [SCENES[name].plain(t).splitlines() for t in ("\n".join(map(from_page, page_lines)), text)]
    return [line for line in difflib.unified_diff(*plain, "page", "now", "", "", 0, "") if not line.startswith("@@")]


def pictures():
    """Path of the text, and name of the scene."""
    return [(path, "picture-" + os.path.basename(path)[:-4]) for path in sorted(glob.glob("docs/pictures/*.txt"))]


def read(path):
    with open(path, encoding="utf-8") as file:
        return file.read()


def check(directory):
    """Return: is all as the pages say?"""
    results, seen = [], set()
    for path in pages():
        lines, found = samples_of(path)
        for name, begin, end in found:
            seen.add(name)
            text = text_of(directory, name) if name in SCENES else None
            diff = ["no such scene, or it made no text"] if not text else differences(name, lines[begin:end], text)
            results.append((not diff, "%s: sample %s is what the tool prints" % (path, name), diff))
    for path, name in pictures():
        seen.add(name)
        diff = differences(name, read(path).splitlines(), text_of(directory, name) or "", str)
        results.append((not diff, "%s is what the tool prints" % path, diff))
    results.append((seen == set(SCENES), "each scene is in a page or a picture", sorted(seen ^ set(SCENES))))
    for i, (is_good, name, details) in enumerate(results, 1):
        print("%sok %d - %s" % ("" if is_good else "not ", i, name))
        for line in details:
            print("#   " + line)
    print("1..%d" % len(results))
    return all(result[0] for result in results)


def save(path, lines):
    with open(path, "w", encoding="utf-8") as file:
        file.write("\n".join(lines) + "\n")


def write(directory, is_all):
    for path in pages():
        lines, found = samples_of(path)
        for name, begin, end in reversed(found):
            text = text_of(directory, name) if name in SCENES else None
            if not text:
                sys.exit("%s: sample %s: no such scene, or it made no text" % (path, name))
            if is_all or differences(name, lines[begin:end], text):
                lines[begin:end] = map(to_roff, text.splitlines())
                print("%s: sample %s is new" % (path, name))
        save(path, lines)
    for path, name in pictures():
        text, old = text_of(directory, name), read(path)
        if text and (is_all or differences(name, old.splitlines(), text, str)):
            save(path, text.splitlines())
            print("%s is new" % path)
        with open(path[:-4] + ".svg", "w", encoding="utf-8") as file:
            subprocess.run(["docs/picture"], input=read(path), stdout=file, text=True, check=True)


if __name__ == "__main__":
    if len(sys.argv) != 3 or sys.argv[1] not in ("check", "write", "renew"):
        sys.exit(__doc__)
    if sys.argv[1] == "check":
        sys.exit(not check(sys.argv[2]))
    write(sys.argv[2], sys.argv[1] == "renew")
