#!/usr/bin/env -S python3 -B
# SPDX-License-Identifier: MIT
"""Includes between files: no circles, and arrows go down only. TAP.

A source and the header of its name are one room. usage: tests/cli/includes.t [TREE]"""
import glob
import os
import re
import subprocess
import sys

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)) + '/..')
from tap import done, equal, ok, skip  # noqa: E402

ROOT = sys.argv[1] if len(sys.argv) > 1 else os.path.dirname(os.path.abspath(__file__)) + '/../..'
TOOLS = ('smc_run', 'smc_unit', 'smc_ab', 'smcss', 'smc_top', 'smc_events', 'smc_advise', 'smcd', 'smcr', 'smcdr', 'smc_pnet', 'smc_rnics', 'smc_chk', 'smc_dump', 'smc_conf', 'smc_setup', 'smc_bpf', 'smc_keep', 'smc_supervise', 'smc_netns', 'ld_pre_smc')

# From the bottom to the top: a directory includes only what is on a floor below its own. Tools are above all of them.
FLOORS = (('lib/base',), ('lib/cli',), ('lib/smc', 'lib/out'), ('lib/host',), ('lib/netlink', 'lib/process'), ('lib/sandbox', 'lib/bpf'),
          ('lib/cgroup',), ('lib/net',), ('lib/settings', 'lib/launch', 'lib/sockets'))

# Tools that may include each other: the two names of one tool.
ALLOWED = {('smcd', 'smcdr'), ('smcr', 'smcdr')}

# Files that call one of these functions start the programs of ours that they name.
STARTERS = re.compile(r'\b(?:self_find|tool_find|extra_exec|program_run|tool_ask|workdir_run|exec[lv]p?e?|posix_spawnp?)\(')

# In lib/, though the linker takes them for one program only; the others include the header.
LONELY = {'lib/launch/learned', 'lib/settings/conf', 'lib/settings/conf_read'}
OBJECTS = os.environ.get('BUILD', ROOT + '/build') + '/obj'


def below(path, directory):
    return path == directory or path.startswith(directory + '/')


def tool_of(path):
    return path.split('/')[0]


def read_includes():
    """Arrows between rooms (paths without a suffix)."""
    files = [os.path.relpath(path, ROOT) for top in ('lib', *TOOLS)
             for path in glob.glob(f'{ROOT}/{top}/**/*.[ch]', recursive=True)]
    known, arrows = set(files), {}
    for path in sorted(files):
        room = os.path.splitext(path)[0]
        arrows.setdefault(room, set())
        with open(f'{ROOT}/{path}', encoding='utf-8') as file:
            names = re.findall(r'^\s*#\s*include\s+"([^"]+)"', file.read(), re.M)
        for name in names:
            places = (os.path.dirname(path) + '/' + name, 'lib/' + name, name)
            found = [place for place in map(os.path.normpath, places) if place in known]
            if found and os.path.splitext(found[0])[0] != room:
                arrows[room].add(os.path.splitext(found[0])[0])
    return arrows


def circles(arrows):
    """A shortest circle through each node that is on one, each circle once."""
    found = {}
    for start in sorted(arrows):
        seen, ways = {start}, [[start]]
        while ways:
            way = ways.pop(0)
            if start in arrows[way[-1]]:
                found.setdefault(frozenset(way), ' -> '.join(way + [start]))
                break
            for room in sorted(arrows[way[-1]] - seen):
                seen.add(room)
                ways.append(way + [room])
    return list(found.values())


def directories(arrows):
    """Includes between directories. Those between a directory and its own parts are left out: main() of a tool includes them,
    and they include its options."""
    result = {}
    for room, others in arrows.items():
        here = os.path.dirname(room)
        there = {os.path.dirname(other) for other in others}
        result.setdefault(here, set()).update(
            other for other in there if not below(other, here) and not below(here, other))
        for other in there:
            result.setdefault(other, set())
    return result


def starts(arrows):
    """Programs that each tool starts, by calls in its own files or in those of lib/ that it includes."""
    named = {}
    for room in arrows:
        with open(f'{ROOT}/{room}.c' if os.path.exists(f'{ROOT}/{room}.c') else os.devnull, encoding='utf-8') as file:
            text = file.read()
        named[room] = set(re.findall(r'"(\w+)"', text)) & set(TOOLS) if STARTERS.search(text) else set()
    result = {}
    for tool in TOOLS:
        todo = [room for room in arrows if tool_of(room) == tool]
        seen = set(todo)
        for room in todo:
            todo += arrows[room] - seen
            seen |= arrows[room]
        found = set().union(*(named[room] for room in seen))
        result[tool] = {other for other in found if other != tool}
    return result


def floor_of(room):
    """Number of the floor in FLOORS; None for a directory of lib/ that is not listed."""
    if tool_of(room) in TOOLS:
        return len(FLOORS)
    return next((number for number, places in enumerate(FLOORS) if os.path.dirname(room) in places), None)


def wrong_arrows(arrows):
    """Includes of a file on the same floor or a higher one, and between tools."""
    for room, others in sorted(arrows.items()):
        if floor_of(room) is None:
            yield f'{room} has no floor'
            continue
        for other in sorted(others):
            tools = (tool_of(room), tool_of(other))
            across = tools[0] in TOOLS and tools[1] in TOOLS and tools[0] != tools[1] and tools not in ALLOWED
            here, there = os.path.dirname(room), os.path.dirname(other)
            up = tools[1] not in TOOLS and here != there and (floor_of(other) is None or floor_of(other) >= floor_of(room))
            if up or across or tools[0] not in TOOLS and tools[1] in TOOLS:
                yield f'{room} -> {other}'


def symbols():
    """Object of each source: names that it defines, and those that it needs."""
    found = {}
    paths = [path for top in ('lib', *TOOLS) for path in glob.glob(f'{OBJECTS}/{top}/**/*.o', recursive=True)]
    for line in subprocess.check_output(['nm', '-gA', *paths]).decode().splitlines():
        path, rest = line[len(OBJECTS) + 1:].split('.o:', 1)
        if os.path.exists(f'{ROOT}/{path}.c'):
            found.setdefault(path, (set(), set()))[rest.split()[-2] in 'Uw'].add(rest.split()[-1])
    return found


def linked_by_one():
    """Sources of lib/ that a single program links; smcdr is two programs, and an archive gives what is called."""
    objects = symbols()
    homes = {name: path for path, (defined, _) in objects.items() if below(path, 'lib') for name in defined}
    users = {path: {'ld_pre_smc'} if os.path.exists(f'{OBJECTS}/shim/{path}.o') else set() for path in objects if below(path, 'lib')}
    for tool in {tool_of(path) for path in objects} & set(TOOLS):
        todo = [path for path in objects if tool_of(path) == tool]
        for path in todo:
            users.setdefault(path, set()).update(('smcd', 'smcr') if tool == 'smcdr' else (tool,))
            todo += {homes[name] for name in objects[path][1] if name in homes}.difference(todo)
    return {path for path in users if below(path, 'lib') and len(users[path]) < 2}


def main():
    arrows = read_includes()
    checks = (('sources were found', [] if len(arrows) > 50 or len(sys.argv) > 1 else ['too few']),
              ('no circle of files', circles(arrows)),
              ('no circle of directories', circles(directories(arrows))),
              ('no circle of programs that start each other', circles(starts(arrows))),
              ('arrows go down only', list(wrong_arrows(arrows))))
    for text, wrong in checks:
        ok(not wrong, text, '\n'.join(wrong))
    if os.path.exists(OBJECTS + '/smc_bpf/main.o'):
        equal(linked_by_one(), LONELY, 'lib/ has what at least two programs link, and no more exceptions than that')
    else:
        skip('lib/ has what at least two programs link', 'not all programs are built')
    done()


main()
