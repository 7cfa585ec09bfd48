#!/usr/bin/env -S python3 -B
# SPDX-License-Identifier: MIT
"""The module of Ansible, run by ansible-playbook: check mode, diff, idempotence, bad files. TAP.

The kernel is a file: "apply" writes there what the real smc_conf reads, "diff" compares with it."""
import json
import os
import shutil
import subprocess
import tempfile

from recorded import ROOT, done, ok, skip_all

# Files are read through standard input: root does not accept files below /tmp.
STAND_IN = """#!/bin/sh
for file; do :; done
echo "$*" >>%(tmp)s/calls
%(conf)s export - <"$file" >%(tmp)s/new || exit
grep -v '^#' %(tmp)s/new | sort >%(tmp)s/wanted
touch %(tmp)s/kernel
case "$*" in
check*) ;;
*diff*) comm -3 %(tmp)s/wanted %(tmp)s/kernel | sed 's/^\\t\\(.*\\)/{"change":"remove","setting":"\\1"}/; t; s/.*/{"change":"add","setting":"&"}/' |
	paste -sd, | sed 's/.*/{"changes":[&]}/' | sed 's/^$/{"changes":[]}/'
	cmp -s %(tmp)s/wanted %(tmp)s/kernel || exit 2 ;;
apply*) if grep -q REFUSED %(tmp)s/wanted; then echo "smc_conf: $file:1: refused; nothing is changed" >&2; exit 1; fi
	! grep -q later %(tmp)s/wanted || echo "smc_conf: $file:1: waits for its device: pnetid A net later" >&2
	cp %(tmp)s/wanted %(tmp)s/kernel ;;
esac
"""
# Replaces ansible-core's output for humans.
CALLBACK = """import json
from ansible.plugins.callback import CallbackBase


class CallbackModule(CallbackBase):
    CALLBACK_VERSION, CALLBACK_TYPE, CALLBACK_NAME = 2.0, "stdout", "lines"

    def put(self, result, failed):
        print(json.dumps([result.task_name, dict(getattr(result, "result", None) or result._result, failed=failed)]))

    def v2_runner_on_ok(self, result):
        self.put(result, False)

    def v2_runner_on_failed(self, result, ignore_errors=False):
        self.put(result, True)
"""
PLAY = [
    {"name": "new", "smc_conf": {"content": "eid A\ndeny port 22\n"}},
    {"name": "again", "smc_conf": {"content": "eid A\ndeny port 22\n"}},
    {"name": "checked", "smc_conf": {"content": "eid B\n"}, "check_mode": True},
    {"name": "wrong line", "smc_conf": {"content": "eid A\nseid maybe\n"}, "ignore_errors": True},
    {"name": "refused", "smc_conf": {"content": "eid REFUSED\n"}, "ignore_errors": True},
    {"name": "no lines", "smc_conf": {}, "ignore_errors": True},
    {"name": "still", "smc_conf": {"content": "eid A\ndeny port 22\n"}},
    {"name": "lines", "smc_conf": {"content": "eid C\npnetid A net later\n"}},
    {"name": "by hand", "command": "cp /dev/null {{ tmp }}/kernel"},
    {"name": "set again", "smc_conf": {"content": "eid C\npnetid A net later\n"}},
    {"name": "file only", "smc_conf": {"content": "eid D\n", "apply": False}},
]


def read(tmp, name):
    with open(tmp + "/" + name, encoding="ascii") as file:
        return file.read()


def play(tmp, tasks, *options, **more):
    """Return: result of each task."""
    path = tmp + "/etc/smc-tools/smc.conf"
    for task in tasks:
        if "smc_conf" in task:
            task["smc_conf"]["path"] = path
    with open(tmp + "/play.json", "w", encoding="ascii") as file:
        json.dump([{"hosts": "all", "gather_facts": False, "tasks": tasks, **more}], file)
    env = dict(os.environ, HOME=tmp, ANSIBLE_LOCAL_TEMP=tmp + "/local", ANSIBLE_REMOTE_TEMP=tmp + "/remote", LC_ALL="C.UTF-8",
               ANSIBLE_LIBRARY=ROOT + "/packaging/ansible", ANSIBLE_ROLES_PATH=ROOT + "/packaging/ansible/roles", ANSIBLE_STDOUT_CALLBACK="lines", ANSIBLE_CALLBACK_PLUGINS=tmp + "/callback",
               PATH=tmp + "/bin:" + os.environ["PATH"])
    done = subprocess.run(("ansible-playbook", "-i", "localhost,", "-c", "local", "-e", "tmp=" + tmp, "-e",
                           "ansible_python_interpreter={{ansible_playbook_python}}", *options, tmp + "/play.json"),
                          env=env, capture_output=True, check=False, text=True)
    try:
        return dict(json.loads(line) for line in done.stdout.splitlines() if line.startswith("["))
    except ValueError:
        return {"all": done.stdout + done.stderr}


def check_only(tmp):
    """In check mode, nothing exists before or after a run."""
    found = play(tmp, PLAY[:1], "--check", "--diff")["new"]
    ok(found["changed"] and not found["failed"], "--check: it would change", found)
    file, host = found["diff"]
    ok((file["before"], file["after"]) == ("", "eid A\ndeny port 22\n"), "--diff: the file", file)
    ok(host["prepared"] == "+ deny port 22\n+ eid A\n", "--diff: the host", host)
    ok(not os.path.exists(tmp + "/etc") and read(tmp, "kernel") == "", "nothing was changed", os.listdir(tmp))


def check_all(tmp):
    found = play(tmp, PLAY, "--diff")
    ok(found["new"]["changed"] and not found["again"]["changed"], "once changed, then ok", found["again"])
    ok([change["setting"] for change in found["new"]["changes"]] == ["deny port 22", "eid A"], "what was changed", found["new"])
    ok(found["checked"]["changed"] and found["checked"]["diff"][1]["prepared"] == "- deny port 22\n- eid A\n+ eid B\n",
       "check mode of a task", found["checked"])
    path = tmp + "/etc/smc-tools/smc.conf"
    for task, message in (("wrong line", "smc_conf: standard input:2: maybe: expected on or off"),
                          ("refused", "smc_conf: %s:1: refused; nothing is changed" % path),
                          ("no lines", "missing required arguments: content")):
        ok(found[task]["failed"] and message in found[task]["msg"], task + ": fails", found[task])
    ok(not found["still"]["changed"], "after all that, file and host are as they were", found["still"])
    ok(found["lines"]["changed"] and found["lines"]["warnings"] == ["smc_conf: %s:1: waits for its device: pnetid A net later" % path],
       "what waits is a warning", found["lines"])
    ok(found["set again"]["changed"] and found["set again"]["diff"][0]["before"] == found["set again"]["diff"][0]["after"],
       "a host that differs from the file is set", found["set again"])
    ok(found["file only"]["changed"] and not found["file only"]["changes"], "apply: false", found["file only"])
    ok((read(tmp, "kernel"), read(tmp, "etc/smc-tools/smc.conf")) == ("eid C\npnetid A net later\n", "eid D\n"), "writes the file only")
    ok(os.listdir(tmp + "/etc/smc-tools") == ["smc.conf"] and os.stat(path).st_mode & 0o777 == 0o644, "no other file is left",
       os.listdir(tmp + "/etc/smc-tools"))


def check_role(tmp):
    """Its settings in check mode, as the path is that of the host; its services."""
    with open(tmp + "/bin/smc_unit", "w", encoding="ascii") as file:
        file.write('#!/bin/sh\necho "$*" >>%s/units\necho "$3.service: already enabled"\n' % tmp)
    os.chmod(tmp + "/bin/smc_unit", 0o755)
    role = {"role": "smc_tools", "smc_tools_services": ["redis", "db"], "smc_tools_conf": "eid maybe not\n"}
    found = play(tmp, [], "--tags", "services", roles=[role])
    ok(read(tmp, "units") == "enable --quiet redis\nenable --quiet db\n", "the role enables services", found)
    ok(not found["Services"]["changed"], "which are enabled already", found)
    found = play(tmp, [], "--check", "--tags", "settings", roles=[role])
    ok("standard input:1" in found["Settings"].get("msg", ""), "it takes lines of smc.conf", found)


def main():
    if not shutil.which("ansible-playbook"):
        skip_all("the Ansible role", "no ansible-playbook")
    with tempfile.TemporaryDirectory() as tmp:
        os.mkdir(tmp + "/bin")
        os.mkdir(tmp + "/callback")
        with open(tmp + "/callback/lines.py", "w", encoding="ascii") as file:
            file.write(CALLBACK)
        with open(tmp + "/bin/smc_conf", "w", encoding="ascii") as file:
            file.write(STAND_IN % {"tmp": tmp, "conf": os.environ.get("BUILD", ROOT + "/build") + "/smc_conf"})
        os.chmod(tmp + "/bin/smc_conf", 0o755)
        check_only(tmp)
        check_all(tmp)
        check_role(tmp)
    with open(ROOT + "/packaging/ansible/smc_conf.py", encoding="ascii") as file:
        ok(len(file.readlines()) <= 100, "the module has at most a hundred lines")
    done()


main()
