#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""smc.conf as JSON: the published schema, and what smc_conf writes and takes, say the same. TAP."""
import json
import os
import re
import subprocess
import sys

import jsonschema

sys.dont_write_bytecode = True
from recorded import ROOT, done, ok  # noqa: E402

CONF = os.environ.get("BUILD", ROOT + "/build") + "/smc_conf"
SAMPLES = (
    "",
    "eid LAB-1.A BACKUP\nseid off\nhandshake-limit on\n",
    "net.smc.rmem 131072\nnet.smc.smcr_buf_type 2\n",
    "pnetid net1 net eth0 device mlx5_0 port 2 bus 0.0.f500 bus 0000:3b:00.0 mac 02:00:00:00:00:01\npnetid A net e\\x23\\xc4\n",
    "allow 10.0.0.0/8 fd00::/8\nallow to 10.0.0.1\nallow from [::]/0:1-2\ndeny 10.9.0.7:5432\ndeny to ::1\n"
    "deny from 0.0.0.0/0\ndeny port 22,443,8000-8100\nlearn 24h\nby nft\n",
    "scope /system.slice/redis.service only ipv4 user redis exclude-comm sshd exclude-comm a\\x20b\nscope /\n",
    "exclusive\nnetns blue\nexclusive eid sysctl policy\nhandshake-limit off\nnetns *\nby nft\nlearn 1s\n",
)
# What both refuse.
WRONG = (
    '[]', '{"eids": []}', '{"schema": "smc-tools/conf/2"}', '{"eid": "A"}', '{"eid": [""]}', '{"eid": ["a"]}', '{"seid": "on"}',
    '{"sysctl": {"net.smc.rmem": "70000"}}', '{"sysctl": {"net.core.rmem_max": 70000}}', '{"pnetid": [{"net": "x"}]}',
    '{"pnetid": [{"id": "A"}]}', '{"pnetid": [{"id": "A", "bus": "3b:00.0"}]}', '{"pnetid": [{"id": "A", "bus": "0.0.f500.1"}]}', '{"pnetid": [{"id": "A", "net": "x", "port": 1}]}', '{"exclusive": []}', '{"exclusive": false}',
    '{"exclusive": ["eids"]}', '{"deny_port": [0]}', '{"scope": [{"cgroup": "a"}]}', '{"scope": [{"only": "ipv4"}]}',
    '{"scope": [{"cgroup": "/", "exclude-comm": "a"}]}', '{"netns": {"a": {"scope": []}}}', '{"learn": 60}', '{"by": "me"}', '{"netns": {"a": {"eid": ["A"]}}}',
    '{"netns": []}', '{"include": "smc.conf.d"}',
)


def conf(text, *argv):
    done = subprocess.run((CONF,) + argv, input=text.encode(), capture_output=True, check=False)
    return done.returncode, done.stdout.decode(), done.stderr.decode()


def listed(text):
    """What the tool expects there, of a key that nobody knows."""
    return set(re.search(r"nobody: expected (.*)", conf(text, "export", "-")[2])[1].split(", "))


def check_samples(schema):
    for sample in SAMPLES:
        status, lines, _ = conf(sample, "export", "-")
        document = conf(sample, "export", "-", "-j")[1]
        name = sample.split("\n", 1)[0] or "nothing"
        errors = [error.message for error in schema.iter_errors(json.loads(document))]
        ok(not status and not errors, "the schema knows what is written of: " + name, errors)
        ok(conf(document, "export", "-")[1] == lines, "and it becomes the same lines again", document)
        ok(conf(document, "export", "-", "-j")[1] == document, "and the same JSON", document)


def check_wrong(schema):
    for text in WRONG:
        status, out, err = conf(text, "check", "-")
        ok((status, out, err.count("\n")) == (1, "", 1), "refused by smc_conf: " + text, (status, out, err))
        ok(not schema.is_valid(json.loads(text)), "refused by the schema: " + text)


def check_keys(schema):
    host, defs = schema["properties"], schema["$defs"]
    for text, keys in (('{"nobody": 1}', host), ('{"netns": {"a": {"nobody": 1}}}', defs["netns"]["properties"]),
                       ('{"pnetid": [{"nobody": 1}]}', defs["pnetid"]["items"]["properties"]),
                       ('{"scope": [{"nobody": 1}]}', host["scope"]["items"]["properties"])):
        ok(listed(text) == set(keys), "keys of schema and parser: " + text, (listed(text), keys))
    kinds = defs["exclusive"]["oneOf"][1]["items"]["enum"]
    ok(all(not conf(json.dumps({"exclusive": [kind]}), "export", "-")[0] for kind in kinds), "kinds of exclusive")
    for name, knob in defs["sysctl"]["properties"].items():
        found = [conf(json.dumps({"sysctl": {name: value}}), "export", "-")[0]
                 for value in (knob["minimum"] - 1, knob["minimum"], knob["maximum"], knob["maximum"] + 1)]
        ok(found == [1, 0, 0, 1], "range of " + name, found)
    with open(ROOT + "/man/smc.conf.5", encoding="ascii") as page:
        named = set(re.findall(r"[\w-]+", page.read()))
    wanted = set(host) | {name[len("net.smc."):] for name in defs["sysctl"]["properties"]}
    ok(wanted <= named, "the page names all keys and numbers", wanted - named)


def main():
    with open(ROOT + "/lib/conf/smc.conf.schema.json", encoding="ascii") as file:
        raw = json.load(file)
    jsonschema.Draft202012Validator.check_schema(raw)
    schema = jsonschema.Draft202012Validator(raw)
    check_samples(schema)
    check_wrong(schema)
    check_keys(raw)
    done()


main()
