#!/usr/bin/env -S python3 -B
# SPDX-License-Identifier: MIT
"""Includes between files: no circles, and arrows go down only; each file has a name of its own. TAP.

A source and the header of its name are one room. usage: tests/cli/includes.t [TREE]"""
import glob
import os
import re
import sys

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)) + '/..')
import links  # noqa: E402
from tap import done, equal, ok, skip  # noqa: E402

ROOT = sys.argv[1] if len(sys.argv) > 1 else os.path.dirname(os.path.abspath(__file__)) + '/../..'
CORE = tuple(sorted({path.split('/')[0] for path in links.programs() if not links.is_extra(path)} | {'smcdr'}))
EXTRA = tuple(path for path in links.programs() if links.is_extra(path))
TOOLS = CORE + EXTRA

# From the bottom to the top: a directory includes only what is on a floor below its own. Tools are above all of them. The
# compiler finds headers of extra/ only for sources there.
FLOORS = (('lib/base',), ('lib/cli',), ('lib/smc', 'lib/out'), ('lib/host',), ('lib/netlink', 'lib/process'), ('lib/sandbox',),
          ('lib/net',), ('lib/settings', 'lib/launch', 'lib/sockets'),
          ('extra/lib/smc',), ('extra/lib/bpf',), ('extra/lib/cgroup',), ('extra/lib/settings',), ('extra/lib/launch',))

# Tools that may include each other: the two names of one tool, and the two preload libraries.
ALLOWED = {('smcd', 'smcdr'), ('smcr', 'smcdr'), ('extra/ld_pre_smc_spin', 'ld_pre_smc')}

# Programs that start another one, as they need its rights, its libraries or its output. All others share a library.
STARTS = {**dict.fromkeys(('smc_run', 'smc_ab', 'smc_supervise'), 'smc_bpf smc_supervise'), 'smc_unit': 'smc_bpf smc_conf',
          **dict.fromkeys(('smcss', 'smcd', 'smcr', 'smc_pnet', 'smc_top'), 'smc_netns'),
          'smc_advise': 'smc_chk', 'smc_setup': 'smc_chk', 'smc_chk': 'smcss smcd smcr smc_pnet smc_rnics smc_unit smc_bpf smc_conf'}

# Files that call one of these functions start the programs of ours that they name.
STARTERS = re.compile(r'\b(?:self_find|tool_find|extra_exec|program_run|tool_ask|workdir_run|exec[lv]p?e?|posix_spawnp?)\(')


def below(path, directory):
    return path == directory or path.startswith(directory + '/')


def tool_of(path):
    return '/'.join(path.split('/')[:2 if links.is_extra(path) else 1])


def read_includes():
    """Arrows between rooms (paths without a suffix)."""
    files = [os.path.relpath(path, ROOT) for top in ('lib', 'extra/lib', *TOOLS)
             for path in glob.glob(f'{ROOT}/{top}/**/*.[ch]', recursive=True)]
    known, arrows = set(files), {}
    for path in sorted(files):
        room = os.path.splitext(path)[0]
        arrows.setdefault(room, set())
        with open(f'{ROOT}/{path}', encoding='utf-8') as file:
            names = re.findall(r'^\s*#\s*include\s+"([^"]+)"', file.read(), re.M)
        for name in names:
            places = [os.path.dirname(path) + '/' + name, 'lib/' + name, name]
            places += ['extra/lib/' + name, 'extra/' + name] if links.is_extra(path) else []
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


def twins(arrows):
    """Rooms of one name in several directories; main() of each tool is in a main.c."""
    places = {}
    for room in arrows:
        places.setdefault(os.path.basename(room), []).append(room)
    return [' '.join(sorted(rooms)) for name, rooms in sorted(places.items()) if name != 'main' and len(rooms) > 1]


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


def starts():
    """(program, program that it starts): sources that call it, among those that the linker takes."""
    result = {}
    for program, objects in links.linked().items():
        for source in {path.removeprefix('shim/') + '.c' for path in objects} - {'lib/process/ask.c'}:
            with open(f'{links.ROOT}/{source}', encoding='utf-8') as file:
                text = file.read()
            named = {os.path.basename(tool) for tool in TOOLS if f'"{os.path.basename(tool)}"' in text} if STARTERS.search(text) else set()
            for other in named | ({'smc_bpf'} if 'bpf_ask(' in text else set()):
                if other != os.path.basename(program):
                    result.setdefault((os.path.basename(program), other), []).append(source)
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


def misplaced():
    """Sources of lib/ that no program of core links, and of extra/lib/ that none of extra does."""
    linked = links.linked()
    used = {links.is_extra(program): set() for program in linked}
    for program, objects in linked.items():
        used[links.is_extra(program)].update(name.removeprefix('shim/') for name in objects)
    sources = [path[:-2] for path in links.sources(('lib/', 'extra/lib/')) if path.endswith('.c') and not path.endswith('.bpf.c')]
    return [path for path in sources if path not in used[links.is_extra(path)]]


def main():
    arrows = read_includes()
    checks = (('sources were found', [] if len(arrows) > 50 or len(sys.argv) > 1 else ['too few']),
              ('no name occurs in two directories', twins(arrows)),
              ('no circle of files', circles(arrows)),
              ('no circle of directories', circles(directories(arrows))),
              ('arrows go down only', list(wrong_arrows(arrows))))
    for text, wrong in checks:
        ok(not wrong, text, '\n'.join(wrong))
    if os.path.exists(links.BUILD + '/obj/extra/smc_bpf/main.o'):
        edges = starts()
        tools = {tool: {other for one, other in edges if one == tool} for pair in edges for tool in pair}
        ok(not circles(tools), 'no circle of programs that start each other', '\n'.join(circles(tools)))
        wrong = [f'{one} starts {other}: {" ".join(files)}' for (one, other), files in edges.items() if other not in STARTS.get(one, '').split()]
        ok(edges and not wrong, 'no program starts another one that is not listed in STARTS', '\n'.join(wrong))
        equal([path for program, objects in links.linked().items() if not links.is_extra(program)
               for path in links.files(objects) if links.is_extra(path)], [], 'core has nothing of extra/')
        equal(misplaced(), [], 'core links each source of lib/, and extra each one of extra/lib/')
    else:
        skip('core links each source of lib/', 'not all programs are built')
    done()


main()
