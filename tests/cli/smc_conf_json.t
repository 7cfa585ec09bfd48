#!/usr/bin/env -S python3 -B
# SPDX-License-Identifier: MIT
"""smc_conf export -j follows the published schema. TAP."""
import json
import os
import re
import subprocess

try:
    import jsonschema
except ImportError:
    jsonschema = None

from recorded import ROOT, done, ok, skip

CONF = os.environ.get("BUILD", ROOT + "/build") + "/smc_conf"
SAMPLES = (
    "",
    "eid LAB-1.A BACKUP\nseid off\nhandshake-limit on\n",
    "net.smc.rmem 131072\nnet.smc.smcr_buf_type 2\n",
    "pnetid net1 net eth0 device mlx5_0 port 2 bus 0.0.f500 bus 0000:3b:00.0 mac 02:00:00:00:00:01\npnetid A net e\\x23\\xc4\n",
    "allow 10.0.0.0/8 fd00::/8\nallow to 10.0.0.1\nallow from [::]/0:1-2\ndeny 10.9.0.7:5432\ndeny to ::1\n"
    "deny from 0.0.0.0/0\ndeny port 22,443,8000-8100\n",
    "scope /system.slice/redis.service only ipv4 user redis mptcp keep exclude-comm sshd exclude-comm a\\x20b\nscope /\n",
    "exclusive\nnetns blue\nexclusive eid sysctl policy\nhandshake-limit off\nnetns *\ndeny port 1\n",
)


def conf(text, *argv):
    done = subprocess.run((CONF,) + argv, input=text.encode(), capture_output=True, check=False)
    return done.returncode, done.stdout.decode(), done.stderr.decode()


def keys(value):
    """Members of all objects, nested ones too."""
    if isinstance(value, dict):
        return set(value).union(*map(keys, value.values()))
    return set().union(*map(keys, value)) if isinstance(value, list) else set()


def check_samples(raw):
    """Return: all written keys."""
    written = set()
    schema = jsonschema and jsonschema.Draft202012Validator(raw)
    if schema:
        schema.check_schema(raw)
    else:
        skip("the schema knows what is written", "python3-jsonschema is not installed")
    for sample in SAMPLES:
        status, out, _ = conf(sample, "export", "-", "-j")
        document = json.loads(out)
        errors = [error.message for error in schema.iter_errors(document)] if schema else []
        ok(not status and not errors, "%s is written of: %s" % (
            "what the schema knows" if schema else "JSON", sample.split("\n", 1)[0] or "nothing"), errors)
        written |= keys(document)
    return written


def check_keys(schema, written):
    host, defs = schema["properties"], schema["$defs"]
    known = set(host).union(*(item["items"]["properties"] for item in (defs["pnetid"], host["scope"])))
    ok(known <= written, "all of its keys are written", known - written)
    with open(ROOT + "/man/smc-tools-json.5", encoding="ascii") as page:
        named = set(re.findall(r"[\w-]+", page.read().split(".Sh SMC_CONF", 1)[1]))
    ok(known <= named, "the page names them", known - named)
    for kind in defs["exclusive"]["oneOf"][1]["items"]["enum"]:
        ok(conf("exclusive %s\n" % kind, "export", "-")[0] == 0, "kind of exclusive: " + kind)
    for name, knob in defs["sysctl"]["properties"].items():
        found = [conf("%s %d\n" % (name, value), "export", "-")[0]
                 for value in (knob["minimum"] - 1, knob["minimum"], knob["maximum"], knob["maximum"] + 1)]
        ok(found == [1, 0, 0, 1], "range of " + name, found)


def main():
    with open(ROOT + "/extra/smc_conf/conf.schema.json", encoding="ascii") as file:
        raw = json.load(file)
    check_keys(raw, check_samples(raw))
    done()


main()
