# SPDX-License-Identifier: MIT
"""Which files each program is made of: archive members as the linker takes them, and the headers that the compiler read."""
import glob
import os
import re
import subprocess

ROOT = os.path.normpath(os.path.dirname(os.path.abspath(__file__)) + '/..')
BUILD = os.environ.get('BUILD', ROOT + '/build')
# Sources of two programs.
SHARED = {'smcd': 'smcdr', 'smcr': 'smcdr'}
SHIMS = ('ld_pre_smc', 'extra/ld_pre_smc_spin')


def programs():
    """Directories of programs, and of preload libraries."""
    mains = (os.path.relpath(path, ROOT) for path in glob.glob(ROOT + '/*/main.c') + glob.glob(ROOT + '/extra/*/main.c'))
    return sorted({os.path.dirname(path) for path in mains} - set(SHARED.values())) + list(SHIMS)


def is_extra(path):
    return path.startswith('extra/')


def symbols():
    """Object of each source, without its suffix: names that it defines, and those that it needs."""
    found = {}
    paths = glob.glob(f'{BUILD}/obj/**/*.o', recursive=True)
    paths = [path for path in paths if not re.match(r'(tests|bench|shim32)/', os.path.relpath(path, BUILD + '/obj'))]
    for line in subprocess.check_output(['nm', '-gA', *paths]).decode().splitlines():
        path, rest = line[len(BUILD + '/obj/'):].split('.o:', 1)
        if os.path.exists(f'{ROOT}/{path.removeprefix("shim/")}.c'):
            found.setdefault(path, (set(), set()))[rest.split()[-2] in 'Uw'].add(rest.split()[-1])
    return found


def linked():
    """Program: its objects. Programs that were not built are left out."""
    objects, result = symbols(), {}
    for program in programs():
        shim = 'shim/' if program in SHIMS else ''
        tops = [shim + program + '/', shim + SHARED.get(program, program) + '/']
        libraries = ('shim/lib/',) if shim else ('lib/', 'extra/lib/') if is_extra(program) else ('lib/',)
        homes = {name: path for path in objects if path.startswith(libraries) for name in objects[path][0]}
        todo = [path for path in objects if path.startswith(tuple(tops))]
        for path in todo:
            todo += {homes[name] for name in objects[path][1] if name in homes}.difference(todo)
        if todo:
            result[program] = todo
    return result


def read(file):
    """Files of the tree that a .d file names, and the sources of the bytes of eBPF programs."""
    with open(file, encoding='utf-8') as text:
        words = text.read().replace('\\\n', ' ').split()
    for word in words:
        path = os.path.relpath(os.path.join(ROOT, word), ROOT)
        if path.endswith(('.c', '.h')) and not path.startswith('..') and os.path.exists(f'{ROOT}/{path}') and \
                not os.path.join(ROOT, path).startswith(BUILD):
            yield path
        elif path.endswith('.bytes.h'):
            yield from read(f'{BUILD}/bpf/{os.path.basename(path)[:-len(".bytes.h")]}.d')


def files(objects):
    """Sources and headers of these objects."""
    return {path for name in objects for path in read(f'{BUILD}/obj/{name}.d')}


def sources(places):
    """Sources and headers of the tree in directories."""
    found = (os.path.relpath(path, ROOT) for place in places for path in glob.glob(f'{ROOT}/{place}/**/*.[ch]', recursive=True))
    return sorted(set(found))
