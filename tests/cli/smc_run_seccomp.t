#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""smc_run --seccomp on any kernel, with TCP sockets instead of SMC's: effects on programs. TAP."""
import os
import shutil
import sys
import tempfile

TREE = os.path.dirname(os.path.abspath(__file__)) + '/../..'
BUILD = os.path.abspath(os.environ.get('BUILD', TREE + '/build'))
# In a PID namespace, if possible: supervisors of other tests must not interfere.
if not os.getuid() and 'OWN_PROCESSES' not in os.environ:
    os.environ['OWN_PROCESSES'] = ''
    os.execlp('unshare', 'unshare', '-pf', '--mount-proc', 'sh', '-c', '"$@"; exit $?', 'sh', sys.executable, *sys.argv)
sys.path[:0] = [TREE + '/tests', TREE + '/tests/kernel/guest']
sys.dont_write_bytecode = True
# Other users start it, too: they may have no access to the build.
TOOLS = tempfile.TemporaryDirectory()
os.chmod(TOOLS.name, 0o755)
for name in 'smc_run', 'smc_supervise', 'ld_pre_smc.so', 'tests/preload/tcp.so':
    shutil.copy(BUILD + '/' + name, TOOLS.name)
os.environ['PATH'] = TOOLS.name + ':' + BUILD + ':' + os.environ['PATH']
os.environ['LD_PRELOAD'] = TOOLS.name + '/tcp.so'

import kern  # noqa: E402 pylint: disable=wrong-import-position
import supervised  # noqa: E402 pylint: disable=wrong-import-position

if 'else answers' in kern.run('smc_run', '--seccomp', '--strict', 'true')[2]:
    kern.skip('smc_run --seccomp', 'somebody else answers system calls of this process')
    kern.done()
    sys.exit()
supervised.all_of_it()
BY = supervised.by('--strict')
status, out, err = kern.run(*supervised.by(), *BY, 'true')
kern.ok(status == 125 and out == '' and 'without a seccomp supervisor' in err,
        'another process answers the system calls of this one: one sentence', err)
for other in '--bpf', '--preload':
    status, out, err = kern.run(*BY, other, 'true')
    kern.ok(status == 125 and "'--seccomp' and '%s' exclude" % other in err, 'not with ' + other, err)
status, out, err = kern.run(*BY, '-d', '--include', '80', 'true')
kern.ok(status == 0 and "'true' by seccomp: its TCP sockets become SMC sockets" in err and
        "--include and --exclude have no effect on 'true'" in err, 'rules have no effect: said', err)
alone = TOOLS.name + '/alone'
os.mkdir(alone)
for name in 'smc_run', 'ld_pre_smc.so':
    shutil.copy(BUILD + '/' + name, alone)
if os.path.exists('/usr/libexec/smc-tools/smc_supervise'):
    kern.skip('no smc_supervise', 'it is installed')
else:
    status, out, err = kern.run(alone + '/smc_run', '--seccomp', 'true')
    kern.ok(status == 125 and 'smc_supervise' in err and 'smc-tools-extra' in err and err.count('\n') == 1,
            'no smc_supervise: 125, and the package in one sentence', (status, err))
status, out, err = kern.run('sh', '-c', 'unset LD_PRELOAD; exec smc_run --seccomp --strict true')
if os.path.exists('/sys/module/smc') or status == 0:
    kern.skip('no SMC', 'there is SMC here')
else:
    kern.ok(status == 125 and "no seccomp for 'true': this kernel has no SMC" in err, 'no SMC: 125 with --strict', err)
kern.done()
