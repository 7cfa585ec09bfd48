#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Faults of documents, one a line.

usage: documents.py links FILE...      links to a file, or a heading of it, that does not exist
       documents.py commands FILE...   commands, in blocks of code and in backquotes, that do not
                                       exist, options and sub-commands that no manual page has

In a block of sh, and after "$" in one of console, each program must be known. Elsewhere only
commands of this tree are looked at."""
import glob
import os
import re
import shlex
import sys

# Programs of others.
KNOWN = set("""apt-get bpftool cat cd cp dnf docker echo gdb git gpg grep head ip jobs journalctl jq
kill kubectl ls mkdir modprobe podman printf promtool rdma redis-benchmark redis-cli redis-server rm
sed sh sha256sum strace sudo sysctl systemctl tail tar tee uname zypper""".split())
# The name of a program of the reader's.
PLACEHOLDER = re.compile(r"(\./.*|[A-Z]+|my-server)$")
INDENTED = re.compile(r"(smc\w+|make|(lab|tests|packaging|docs)/\S+) ")
INLINE = re.compile(r"`((?:smc\w+|make|lab/smc-lab) [^`]*)`")
HERE_DOCUMENT = re.compile(r"<<'?(\w+)'?")


def read(path):
    with open(path, encoding="utf-8") as file:
        return file.read()


def lines_of(path):
    """Yield: of each line its number, its block ("" is none) and its text."""
    block, here = "", None
    for number, line in enumerate(read(path).split("\n"), 1):
        if line.startswith("```"):
            block, here = ("" if block else line[3:] or "text"), None
        elif here:
            here = None if line.removeprefix("> ") == here else here
        elif not block and line.startswith("    "):
            yield number, "indented", line[4:]
        else:
            begin = HERE_DOCUMENT.search(line) if block in ("sh", "console") else None
            here = begin and begin.group(1)
            yield number, block, line


# ---- links ----

def anchors(path):
    """Of its headings, as hosts of git repositories make them."""
    heads = [line.lstrip("#").strip() for _, block, line in lines_of(path)
             if not block and re.match("#+ ", line)]
    return {re.sub(r"[^\w\- ]", "", head.lower()).replace(" ", "-") for head in heads}


def links(path):
    for number, block, line in lines_of(path):
        for target in [] if block else re.findall(r"\]\(([^)]*)\)", line):
            if re.match(r"https://[\w.-]+/", target):
                continue
            name, _, anchor = target.partition("#")
            file = os.path.normpath(os.path.join(os.path.dirname(path), name)) if name else path
            if not os.path.exists(file):
                yield number, "no file " + target
            elif anchor and anchor not in anchors(file):
                yield number, "no heading " + target


# ---- commands ----

class Page:
    """Of a manual page: options, each with whether it has an argument, and commands."""
    def __init__(self, path):
        self.options, self.words = {}, set()
        for line in read(path).replace("\\-", "-").splitlines():
            if line.startswith(".It"):
                for flag, argument in re.findall(r"\bFl (-?[\w-]+)( Ar)?", line):
                    self.options["-" + flag] = bool(argument)
            for words in re.findall(r"\bCm ([a-z| -]+)\b(?! [a-z])", line):
                self.words |= set(words.split())


def split(line):
    """Return: the commands of a line of shell, each a list of words."""
    lexer = shlex.shlex(line, posix=True, punctuation_chars=True)
    lexer.whitespace_split, lexer.commenters = True, "#"
    commands, is_file = [[]], False
    for word in lexer:
        if set(word) <= set("();<>|&"):
            is_file = bool(set(word) & set("<>"))
            if not is_file:
                commands.append([])
        elif is_file:
            is_file = False
        elif word != "$" and (commands[-1] or not re.match(r"\w+=", word)):
            commands[-1].append(word)
    return [words for words in commands if words]


def is_launcher(words):
    """Does another command follow the options?"""
    return words[0] in ("smc_run", "smc_ab")


def arguments(words, page, is_launched):
    """Return: faults of options, and other arguments. A launcher's options end at the first one."""
    faults, rest, i = [], [], 0
    while i < len(words):
        word, i = words[i], i + 1
        if word == "--":
            return faults, rest + words[i:]
        if re.match(r"--\w", word):
            names = [word.partition("=")[0]]
        elif re.match(r"-[A-Za-z]", word):
            names = ["-" + letter for letter in word[1:]]
        else:
            rest.append(word)
            if is_launched:
                return faults, rest + words[i:]
            continue
        for name in names:
            if name not in page.options:
                faults.append("no option " + name)
            elif page.options[name]:
                i += word.endswith(name.lstrip("-"))
                break
    return faults, rest


def faults_of_subcommand(words, is_strict):
    """Of one that has a page of its own."""
    faults, rest = arguments(words[2:], Page("man/%s-%s.8" % tuple(words[:2])), words[1] == "from")
    if words[1] == "from" and rest[1:]:
        faults += faults_of(rest[1:] if rest[1].startswith("smc") else words[:1] + rest[1:], is_strict)
    return faults


def faults_of_tool(words, is_strict):
    tool = words[0]
    if not os.path.exists("man/%s.8" % tool):
        return ["no tool " + tool]
    if tool not in ("smcd", "smcr") and words[1:] and os.path.exists("man/%s.8" % "-".join(words[:2])):
        return faults_of_subcommand(words, is_strict)
    page = Page("man/%s.8" % tool)
    faults, rest = arguments(words[1:], page, is_launcher(words))
    if rest and is_launcher(words):
        faults += faults_of(rest, is_strict)
    elif rest and tool in ("smc_bpf", "smc_chk", "smc_conf", "smc_unit"):
        faults += ["no command " + rest[0]] if rest[0] not in page.words else []
    elif rest and tool in ("smcd", "smcr"):
        has_page = os.path.exists("man/%s-%s.8" % (tool, rest[0]))
        words = Page("man/smcd-%s.8" % rest[0]).words if has_page else ()
        faults += ["no command " + word for word in rest[:2]
                   if word not in words and not re.match("[0-9A-Z]", word)]
    return faults


def faults_of_make(words):
    text = "\n".join(map(read, ("Makefile", "tests/tests.mk", *glob.glob("packaging/*.mk"))))
    return ["no target " + word for word in words if re.match(r"[\w-]+$", word) and
            not re.search(r"^([\w-]+ )*%s( [\w-]+)*:" % word, text, re.M)]


def faults_of_lab(words):
    text = read("lab/smc-lab")
    return ["no option " + word for word in words[:words.index("--") if "--" in words else None]
            if word.startswith("-") and not re.search(r"(?<![\w-])%s(?![\w-])" % word, text)]


def faults_of(words, is_strict):
    """Of one command."""
    name = words[0]
    if re.match(r"smc\w+$", name):
        return faults_of_tool(words, is_strict)
    if name == "make":
        return faults_of_make(words[1:])
    if name == "lab/smc-lab":
        return faults_of_lab(words[1:])
    if re.match(r"(lab|tests|packaging|docs)/", name):
        return [] if os.access(name, os.X_OK) else ["no program " + name]
    is_known = name in KNOWN or name.startswith("build/") or PLACEHOLDER.match(name)
    return ["unknown program " + name] if is_strict and not is_known else []


def commands_in(path):
    """Yield: of lines with commands the number, the text, and whether programs must be known."""
    for number, block, line in lines_of(path):
        if block == "console" and line.startswith("$ "):
            yield number, line[2:], True
        elif block == "sh":
            yield number, line, True
        elif block == "indented" and INDENTED.match(line):
            yield number, line, False
        elif not block:
            for text in INLINE.findall(line):
                yield number, text, False


def commands(path):
    for number, line, is_strict in commands_in(path):
        try:
            found = split(line)
        except ValueError as err:
            yield number, "%s: %s" % (err, line)
            continue
        for words in found:
            for fault in faults_of(words, is_strict):
                yield number, "%s: %s" % (fault, " ".join(words))


def main():
    checks = {"links": links, "commands": commands}
    if len(sys.argv) < 3 or sys.argv[1] not in checks:
        sys.exit(__doc__)
    for path in sys.argv[2:]:
        for number, fault in checks[sys.argv[1]](path):
            print("%s:%d: %s" % (path, number, fault))


main()
