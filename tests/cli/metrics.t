#!/usr/bin/env -S python3 -B
# SPDX-License-Identifier: MIT
"""Metrics, alerts, runbook and dashboard: output of the tools for the recorded host, read by promtool; output of smc-metrics. TAP.

With --dashboard it writes the dashboard again."""
import json
import os
import re
import shutil
import subprocess
import sys

import recorded
from recorded import equal

METRICS = recorded.ROOT + "/packaging/metrics"
RULES = METRICS + "/smc-tools.rules.yml"
SCRIPT = METRICS + "/smc-metrics"
# Calls of smc-metrics; a recorded host lacks namespaces, and the scopes of eBPF.
COLLECTED = ("smcd --metrics stats", "smcd --metrics linkgroup", "smcss --metrics -a", "smc_conf show --metrics")
HERE = ("smc_bpf status --metrics",) if os.path.exists(recorded.BUILD + "/smc_bpf") else ()
# Metrics of "--all-netns" and smc_bpf only.
ELSEWHERE = '''# HELP smc_network_namespaces Network namespaces of this host.
# TYPE smc_network_namespaces gauge
smc_network_namespaces{what="all"} 1
# HELP smc_network_namespaces_left_out Network namespaces with SMC whose statistics are not shown, as there are too many.
# TYPE smc_network_namespaces_left_out gauge
smc_network_namespaces_left_out 0
# HELP smc_scopes eBPF scopes by state.
# TYPE smc_scopes gauge
smc_scopes{state="active"} 0
# HELP smc_scope_sockets_total Sockets of eBPF scopes: converted to SMC, excluded by name, or of another kind.
# TYPE smc_scope_sockets_total counter
smc_scope_sockets_total{scope="s",id="1",result="converted"} 0
# HELP smc_oci_hook_failures_total Containers that the hook could not set up completely.
# TYPE smc_oci_hook_failures_total counter
smc_oci_hook_failures_total 0
# HELP smc_collector_success Did this part of smc-metrics work?
# TYPE smc_collector_success gauge
smc_collector_success{collector="stats"} 1
'''
# The recorded host has no policy.
POLICY = "# TYPE smc_policy_syns_total counter\n"
RULE = 'smc_policy_syns_total{netns="host",rule="allow",ports="80-443",result="denied"} 3\n'
PROMTOOL = shutil.which("promtool")


def promtool(name, *argv, text=""):
    """promtool accepts it."""
    if not PROMTOOL:
        return recorded.skip(name, "promtool is not installed (Debian: prometheus)")
    result = subprocess.run([PROMTOOL, *argv], input=text, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, check=False)
    return recorded.ok(result.returncode == 0, name, result.stdout)


def generated(what, text=""):
    result = subprocess.run([METRICS + "/generate", what], input=text, stdout=subprocess.PIPE, text=True, check=False,
                            env=dict(os.environ, BUILD=recorded.BUILD))
    return result.stdout


def read(path):
    with open(path, encoding="utf-8") as file:
        return file.read()


def check_tools(record):
    whole = ""
    for command in COLLECTED:
        status, out, err = recorded.run(command.split(), {"SMC_TOOLS_ROOT": record})
        equal((status, err), (0, b""), command)
        promtool(command + ": promtool has nothing to say", "check", "metrics", text=out.decode())
        whole += out.decode().replace("# EOF\n", "").replace(POLICY, POLICY + RULE)
    promtool("all of it: no family is there twice", "check", "metrics", text=whole + ELSEWHERE)
    for want in ('smc_link_groups{tech="smcd"} 2', 'smc_link_groups{tech="smcr",links="single"} 1',
                 'smc_listening_sockets ', 'smc_open_connections{mode="smcr"} '):
        recorded.ok(any(line.startswith(want) for line in whole.splitlines()), "recorded: " + want,
                    "\n".join(line for line in whole.splitlines() if line.startswith(want.split("{")[0])))
    for command in HERE:
        status, out, _ = recorded.run(command.split(), {})
        if status:
            recorded.skip(command, "not allowed here")
        else:
            promtool(command + ": promtool has nothing to say", "check", "metrics", text=out.decode())
    return whole + ELSEWHERE


def check_alerts():
    promtool("the rules", "check", "rules", RULES)
    promtool("each alert fires when it should, and not when it should not", "test", "rules",
             recorded.ROOT + "/tests/metrics/alerts.test.yml")
    alerts = re.findall(r"- alert: (\w+)", read(RULES))
    tests = read(recorded.ROOT + "/tests/metrics/alerts.test.yml")
    equal([name for name in alerts if "alertname: %s\n        exp_alerts" % name not in tests or
           not re.search("alertname: %s\n(?!        exp_alerts)" % name, tests)], [], "each alert has both tests")
    runbook = read(recorded.ROOT + "/docs/runbook.md")
    equal(runbook, generated("runbook"), "docs/runbook.md is what generate makes: of what smc_chk explain says now")
    equal([name for name in alerts if "\n## %s\n" % name not in runbook or "#%s\n" % name.lower() not in read(RULES)], [],
          "each alert has its entry, and leads there")


def check_dashboard(metrics):
    text = read(METRICS + "/smc-tools.dashboard.json")
    equal(text, generated("dashboard", metrics), "the dashboard is what generate makes of the metrics")
    panels = json.loads(text)["panels"]
    shown = " ".join(target["expr"] for panel in panels for target in panel["targets"])
    families = re.findall(r"^# TYPE (\w+) ", metrics, re.M)
    equal([name for name in families if name + "{" not in shown], [], "it shows each family")
    places = [(panel["gridPos"]["x"], panel["gridPos"]["y"]) for panel in panels]
    ok_ids = len({panel["id"] for panel in panels}) == len(panels) == len(set(places))
    recorded.ok(ok_ids and all(panel["gridPos"]["w"] == 12 for panel in panels), "its panels have numbers and places of their own")
    check_panels(metrics, panels)


def check_panels(metrics, panels):
    """promtool evaluates each panel. Its input is the output of the tools, as scraped for an hour from host "lab"."""
    series, names = [], []
    for name, labels, value in re.findall(r"^(\w+)(?:\{(.*)\})? (\S+)$", metrics, re.M):
        is_counter = "\n# TYPE %s counter\n" % name in "\n" + metrics
        series.append({"series": '%s{%s}' % (name, ",".join(filter(None, ['instance="lab"', labels]))),
                       "values": value + ("+1x60" if is_counter else "x60")})
        names.append(name)
    tests = []
    for panel in panels:
        expression = panel["targets"][0]["expr"].replace("$__rate_interval", "5m").replace("$instance", "lab")
        family = re.search(r"(\w+)\{", expression).group(1)
        tests.append({"expr": "count(%s)" % expression, "eval_time": "50m",
                      "exp_samples": [{"labels": "{}", "value": max(1, names.count(family))}]})
    with recorded.new_directory() as directory:
        with open(directory + "/panels.yml", "w", encoding="utf-8") as file:
            json.dump({"rule_files": [RULES], "tests": [{"interval": "1m", "input_series": series, "promql_expr_test": tests}]}, file)
        promtool("each of its %d panels has a line for each sample of its family" % len(panels), "test", "rules", directory + "/panels.yml")


def stub(directory, name, script):
    with open("%s/%s" % (directory, name), "w", encoding="ascii") as file:
        file.write("#!/bin/sh\n" + script)
    os.chmod("%s/%s" % (directory, name), 0o755)


def write_metrics(tools, directory):
    return subprocess.run([SCRIPT, directory], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, check=False,
                          env={"PATH": "/usr/bin:/bin", "SMC_TOOLS_METRICS_PATH": tools})


def put(tools, directory):
    result = write_metrics(tools, directory)
    return result.returncode, result.stdout + result.stderr


def check_foreign_directory():
    """Entries that may be at the path of smc-metrics if others own the directory or one of its parents."""
    with recorded.new_directory() as tools, recorded.new_directory() as top:
        stub(tools, "smcss", "echo smc_new 1\n")
        mine, file, secret = top + "/mine", top + "/mine/smc-tools.prom", top + "/secret"
        os.mkdir(mine)
        os.mkdir(top + "/theirs")
        os.mkdir(top + "/theirs/exporter")
        stub(top, "secret", "")
        secret_text = read(secret)
        os.symlink(top + "/theirs", top + "/way")
        os.symlink(mine, top + "/last")
        for name in "way/exporter", "last", "mine/../last/":
            status, said = put(tools, "%s/%s" % (top, name))
            equal((status, said.count("\n"), "symbolic link" in said), (1, 1, True), "a link on the way is not followed: " + name)
        equal((os.listdir(mine), os.listdir(top + "/theirs/exporter")), ([], []), "nothing is written there")
        for target in secret, top + "/theirs", top + "/none":
            os.symlink(target, file)
            equal((put(tools, mine), os.path.islink(file), "smc_new 1\n" in read(file)), ((0, ""), False, True), "a link of its name is replaced")
            os.remove(file)
        equal((os.path.lexists(top + "/none"), os.listdir(top + "/theirs")), (False, ["exporter"]), "and not followed")
        os.link(secret, file)
        equal((put(tools, mine), "smc_new 1\n" in read(file)), ((0, ""), True), "so is a second name of another file")
        equal((read(secret), os.stat(secret).st_mode & 0o777), (secret_text, 0o755), "which stays as it was")
        os.remove(file)
        os.mkdir(file)
        status, said = put(tools, mine)
        equal((status, said.count("\n"), os.listdir(mine)), (1, 1, ["smc-tools.prom"]), "a directory: one sentence, nothing is left")
        os.rmdir(file)
        os.mkfifo(file)
        equal((put(tools, mine), "smc_new 1\n" in read(file)), ((0, ""), True), "a FIFO is replaced")
        equal((put(tools, mine + "//../mine/")[0], os.listdir(mine)), (0, ["smc-tools.prom"]), "another way to write the path")


def check_new_file():
    """The directory's owner knows the name of the new file, and puts something there before it is opened: nothing is opened."""
    with recorded.new_directory() as tools, recorded.new_directory() as top:
        stub(top, "secret", "")
        before = read(top + "/secret")
        os.mkdir(top + "/mine")
        os.mkfifo(top + "/fifo")
        for plant in "ln -s %s/secret" % top, "ln %s/secret" % top, "ln -s %s/none" % top, "ln -s %s/fifo" % top, "mkfifo", "mkdir":
            stub(tools, "smcss", '%s %s/mine/.smc-tools.prom.$PPID && echo smc_new 1\n' % (plant, top))
            result = write_metrics(tools, top + "/mine")
            equal((result.returncode, result.stderr.startswith("dd: "), "smc-tools.prom" in os.listdir(top + "/mine"), read(top + "/secret")),
                  (1, True, False, before), "planted: " + plant.replace(top, "TOP"))
        equal(os.path.lexists(top + "/none"), False, "nothing is made through a link")


def check_swap():
    """The directory becomes a link while a part runs: an attack by its owner."""
    with recorded.new_directory() as tools, recorded.new_directory() as top:
        os.mkdir(top + "/exporter")
        os.mkdir(top + "/root")
        stub(tools, "smcss", "mv %s/exporter %s/old && ln -s %s/root %s/exporter && echo 'smc_x 1'\n" % ((top,) * 4))
        result = write_metrics(tools, top + "/exporter")
        equal((result.returncode, result.stderr.count("\n"), os.listdir(top + "/root"), os.listdir(top + "/old")), (1, 1, [], []),
              "a directory that becomes a link meanwhile: one sentence, and nothing is written anywhere")


def check_script():
    with recorded.new_directory() as tools, recorded.new_directory() as directory:
        stub(tools, "smcd", 'for name; do :; done; echo "# HELP smc_$name x"; echo "# TYPE smc_$name gauge"; echo "smc_$name 1"; echo "# EOF"\n')
        stub(tools, "smcss", 'echo "smc_half 1"; echo "smcss: it broke" >&2; exit 1\n')
        stub(tools, "smc_conf", 'echo "# HELP smc_policy x"; echo "# TYPE smc_policy gauge"; echo "smc_policy 3"\n')
        result = write_metrics(tools, directory)
        equal((result.returncode, result.stdout, result.stderr), (1, "", "smcss: it broke\n"), "one part fails: status 1, and its words")
        equal(os.listdir(directory), ["smc-tools.prom"], "nothing but the file is left")
        equal(os.stat(directory + "/smc-tools.prom").st_mode & 0o7777, 0o644, "which everybody may read")
        text = read(directory + "/smc-tools.prom")
        recorded.ok("smc_stats 1\n" in text and "smc_policy 3\n" in text and "half" not in text and "EOF" not in text,
                    "it has all that the others said, and nothing of the one that failed", text)
        equal(re.findall(r'smc_collector_success\{collector="(\w+)"\} (\d)', text),
              [("stats", "1"), ("linkgroups", "1"), ("sockets", "0"), ("policy", "1")], "failures are exported; parts that are not installed are left out")
        promtool("and it is Prometheus' text form", "check", "metrics", text=text)
        stub(tools, "smcss", 'echo "smc_half 1"\n')
        before = os.stat(directory + "/smc-tools.prom").st_ino
        equal(write_metrics(tools, directory).returncode, 0, "all parts work: status 0")
        recorded.ok(os.stat(directory + "/smc-tools.prom").st_ino != before, "another file takes its place at once: readers see one or the other")
        result = write_metrics(tools, directory + "/none")
        equal((result.returncode, result.stderr.count("\n")), (1, 1), "no directory: one sentence")


def check_units():
    probe = subprocess.run(["systemd-analyze", "security", "--help"], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True,
                           check=False) if shutil.which("systemd-analyze") else None
    if not probe or "--offline" not in probe.stdout:
        recorded.skip("the units", "no systemd-analyze that reads files")
        return
    with recorded.new_directory() as directory:
        for name in ("smc-metrics.service", "smc-metrics.timer"):
            with open("%s/%s" % (directory, name), "w", encoding="ascii") as file:
                file.write(read("%s/packaging/%s" % (recorded.ROOT, name)).replace("@LIBEXECDIR@", METRICS))
        result = subprocess.run(["systemd-analyze", "--man=no", "verify", directory + "/smc-metrics.timer",
                                 directory + "/smc-metrics.service"], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, check=False)
        equal([line for line in result.stdout.splitlines() if "smc-metrics" in line], [], "systemd has nothing to say about the units")
        result = subprocess.run(["systemd-analyze", "security", "--offline=yes", "--threshold=45", directory + "/smc-metrics.service"],
                                stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, check=False)
        recorded.ok(result.returncode == 0, "smc-metrics.service runs in a sandbox", result.stdout[-200:])


def main():
    recorded.needs("metrics")
    with recorded.new_directory() as directory:
        metrics = check_tools(recorded.unpack(directory))
    if sys.argv[1:] == ["--dashboard"]:
        with open(METRICS + "/smc-tools.dashboard.json", "w", encoding="utf-8") as file:
            file.write(generated("dashboard", metrics))
        return
    check_alerts()
    check_dashboard(metrics)
    check_script()
    check_foreign_directory()
    check_new_file()
    check_swap()
    check_units()
    recorded.done()


main()
