# SPDX-License-Identifier: MIT
"""redis under SELinux, enforcing: denied sockets without our module; SMC, and nothing more, with it."""
import glob
import json
import os
import re
import shutil
import socket
import subprocess
import sys

from boot import UNITS, boot_systemd, choose_units, read, systemctl, write
from kern import done, equal, mode, ok, port_modes, run, wait_for

ROOT = "/mnt"
TOOLS = os.path.dirname(os.path.abspath(__file__))
REDIS = "redis-server.service"
LOG = "/var/log/redis/log"
SELINUXFS = "/sys/fs/selinux"
SERVE = "/usr/bin/redis-server --bind 127.0.0.1 --save '' --daemonize no --port "
LOGS = "StandardOutput=append:%s\nStandardError=append:%s\n" % (LOG, LOG)


def label(path, kind):
    os.setxattr(path, "security.selinux", ("system_u:object_r:%s:s0" % kind).encode())


def load(policy):
    with open(SELINUXFS + "/load", "wb", buffering=0) as file, open(policy, "rb") as source:
        file.write(source.read())


def enforce(given):
    """Load a policy. From now on new files get labels, which the share with the host does not support: create the status file
    of the lab before."""
    write("/run/smc-lab/host/1/status.new", "")
    with open("/proc/sys/kernel/printk_ratelimit", "w", encoding="ascii") as file:
        file.write("0")
    subprocess.run(["mount", "-t", "selinuxfs", "selinuxfs", SELINUXFS], check=True)
    load(given + "/without")


def make_root(given):
    subprocess.run(["mount", "-t", "tmpfs", "-o", "size=1500m", "root", ROOT], check=True)
    label(ROOT, "root_t")
    subprocess.run(["tar", "x", "--xattrs", "--xattrs-include=security.selinux", "-C", ROOT, "-f", given + "/tree.tar"], check=True)
    subprocess.run(["mount", "-t", "tmpfs", "-o", "mode=755", "run", ROOT + "/run"], check=True)
    label(ROOT + "/run", "var_run_t")
    label("/dev/null", "null_device_t")
    for name in "random", "urandom":
        label("/dev/" + name, "urandom_device_t")
    for tool in glob.glob(TOOLS + "/smc*"):
        if os.access(tool, os.X_OK) and os.path.isfile(tool):
            shutil.copy(tool, ROOT + "/usr/bin")
    shutil.copy(TOOLS + "/ld_pre_smc.so", glob.glob(ROOT + "/usr/lib/*-linux-gnu")[0])
    shutil.copytree(TOOLS, ROOT + "/opt/tools")
    os.mkdir(ROOT + "/opt/policy")
    for name in "without", "with", "redis":
        shutil.copy(given + "/" + name, ROOT + "/opt/policy")
        shutil.copy(given + "/" + name + ".allow", ROOT + "/opt/policy")
    for name, line in ("passwd", "redis:x:987:987::/var/lib/redis:/usr/sbin/nologin\n"), ("group", "redis:x:987:\n"):
        with open(ROOT + "/etc/" + name, "a", encoding="ascii") as file:
            file.write(line)
    write(ROOT + "/etc/hosts", "127.0.0.1 localhost\n")
    write(ROOT + "/etc/machine-id", "0123456789abcdef0123456789abcdef\n")
    choose_units("/lib/systemd/system/" + REDIS, root=ROOT)
    write(ROOT + "/run/units/lab.target", "[Unit]\nDefaultDependencies=no\n")
    for path in glob.glob(ROOT + "/run/units/**", recursive=True):
        label(path, "systemd_unit_t")


# ---- in it ----

def denied():
    """What redis was denied of sockets since the last call: (target, class, permission)."""
    out = subprocess.run(["dmesg", "-c"], capture_output=True, text=True, check=True).stdout
    found = re.findall(r"denied  \{ (\S+) \} .*scontext=\S+:redis_t:\S+ "
                       r"tcontext=\S+?:\S+?:(\S+?):\S+ tclass=(\w+_socket)", out)
    return sorted(set((to, kind, what) for what, to, kind in found))


def restart(unit=REDIS, port=6379):
    """Return: what a connection runs over, and the answer to PING; None if it does not serve."""
    open(LOG, "w", encoding="ascii").close()
    run("systemctl", "reset-failed", unit)
    run("systemctl", "restart", unit)

    def is_up():
        with socket.socket() as client:
            return client.connect_ex(("127.0.0.1", port)) == 0
    if not wait_for(is_up, 20):
        return None
    return mode(port), run("timeout", "20", "redis-cli", "-p", str(port), "ping")[1].strip()


def enable(*options):
    run("smc_unit", "disable", REDIS)
    return run("smc_unit", "enable", *options, REDIS)


def status():
    return json.loads(run("smc_unit", "status", "-j", REDIS)[1])["services"][0].get("smc")


def doctor():
    findings = json.loads(run("smc_chk", "doctor", "-j")[1])["findings"]
    return [(f["level"], f["text"]) for f in findings if f["check"] == "selinux"]


def set_up():
    write("%s/%s.d/lab.conf" % (UNITS, REDIS),
          "[Service]\nType=simple\nExecStart=\nExecStart=%s6379\nPIDFile=\nRestart=no\n%s" % (SERVE, LOGS))
    write(UNITS + "/lab-port.service", "[Service]\nExecStart=%s7777\n%s" % (SERVE, LOGS))
    systemctl("daemon-reload")
    equal(read(SELINUXFS + "/enforce"), "1", "the guest enforces")
    equal(restart(), ("TCP", "PONG"), "redis as it is installed: TCP")
    equal(read("/proc/%s/attr/current" % systemctl("show", "-P", "MainPID", REDIS)).rstrip("\0"), "system_u:system_r:redis_t:s0",
          "it is confined")
    equal(denied(), [], "no socket of it is denied")


def without_module():
    said = enable("-d")
    ok(said[0] == 0 and "SELinux denies smc_socket to redis_t" in said[2], "enable warns", said)
    equal(restart(), ("TCP", "PONG"), "with the library: TCP")
    equal(denied(), [("redis_t", "smc_socket", "create")], "AF_SMC is denied, and IPPROTO_SMC not asked then")
    ok("-> TCP fd" in read(LOG) and "AF_SMC: EACCES; IPPROTO_SMC: EACCES" in read(LOG), "the library's line has both errors", read(LOG))
    equal(status(), "denied", "smc_unit status: denied")
    said = run("smcss", "-e")[1]
    ok("SELinux denies smc_socket to redis_t" in said.splitlines()[-1], "smcss -e names the process", said)
    equal(doctor(), [("warning", "stays on TCP: SELinux denies smc_socket to redis_t")], "smc_chk doctor, too")
    said = enable("--bpf")
    ok(said[0] == 1 and "SELinux denies rawip_socket to redis_t" in said[2], "eBPF is refused while it runs", said)
    said = run("smc_bpf", "attach", "--unit", REDIS)
    ok(said[0] == 1 and "SELinux denies rawip_socket to redis_t" in said[2], "smc_bpf attach refuses it, too", said)
    run("systemctl", "stop", REDIS)
    said = enable("--bpf")
    ok(said[0] == 1 and "SELinux denies rawip_socket to redis_t" in said[2], "and while it does not run", said)
    said = run("smc_chk", "program", "/usr/bin/redis-server")
    ok("SELinux denies smc_socket to redis_t" in said[1], "smc_chk program knows the domain", said)
    denied()
    for force, mode_of in ("", ("TCP", "PONG")), (" --force", None):
        write("%s/%s.d/lab-bpf.conf" % (UNITS, REDIS), "[Service]\nExecStartPre=-+/usr/bin/smc_bpf attach --unit %n" + force + "\n")
        systemctl("daemon-reload")
        equal(restart(), mode_of, "with eBPF it " + ("does not start" if force else "uses TCP, as attach refuses"))
    equal(denied(), [("redis_t", "rawip_socket", "create")], "because sockets of IPPROTO_SMC are raw IP sockets for SELinux")
    os.unlink("%s/%s.d/lab-bpf.conf" % (UNITS, REDIS))
    systemctl("daemon-reload")


def with_module():
    load("/opt/policy/with")
    enable("-d")
    equal(restart(), ("TCP", "PONG"), "the module alone: TCP")
    denied()
    load("/opt/policy/redis")
    equal(restart(), ("SMCD", "PONG"), "redis_t is a smc_domain: SMC-D")
    equal(status(), "yes", "smc_unit status: in use")
    equal([level for level, _ in doctor()], ["ok"], "smc_chk doctor: ok")
    equal(denied(), [], "no socket of it is denied")
    equal(restart("lab-port.service", 7777), None, "on a port that is not its own it cannot listen: TCP")
    equal(denied(), [("unreserved_port_t", "tcp_socket", "name_bind")], "by name_bind")
    write(UNITS + "/lab-port.service.d/smc.conf", "[Service]\nEnvironment=LD_PRELOAD=%s\n" % glob.glob("/usr/lib/*/ld_pre_smc.so")[0])
    systemctl("daemon-reload")
    equal(restart("lab-port.service", 7777), ("SMCD", "PONG"), "the kernel does not check that of AF_SMC: it listens")
    run("redis-cli", "replicaof", "127.0.0.1", "7777")
    ok(wait_for(lambda: "SMCD" in port_modes(7777)), "nor that it connects to that port, by SMC-D")
    run("redis-cli", "replicaof", "no", "one")
    equal(denied(), [], "no socket of it is denied")
    run("systemctl", "stop", "lab-port.service")
    load("/opt/policy/with")
    for name, value in ("booleans/smc_use_daemons", "1"), ("commit_pending_bools", "1"):
        with open(SELINUXFS + "/" + name, "w", encoding="ascii") as file:
            file.write(value)
    equal(restart(), ("SMCD", "PONG"), "all services by the boolean: SMC-D")


def compare():
    """Compare everything that the three policies allow."""
    rules = {name: set(read("/opt/policy/%s.allow" % name).splitlines()) for name in ("without", "with", "redis")}
    ok(len(rules["without"]) > 10000 and not rules["without"] - rules["with"], "the module takes nothing away")
    added = rules["with"] - rules["without"]
    shape = re.compile(r"allow (\S+) (\1|unlabeled_t):smc_socket \{[^}]*\}; \[ smc_use_daemons \]:True")
    equal([rule for rule in added if not shape.fullmatch(rule)], [],
          "it adds sockets of SMC of services, while the boolean is on, and nothing else")
    equal(sorted(re.sub(" {.*", "", rule) for rule in rules["redis"] - rules["with"]),
          ["allow redis_t redis_t:smc_socket", "allow smc_domain unlabeled_t:smc_socket"], "redis_t in the attribute adds two rules")


if sys.argv[1] != "inside":
    enforce(sys.argv[1])
    make_root(sys.argv[1])
    os.environ["PATH"] = "/usr/sbin:/usr/bin:/sbin:/bin"
    sys.exit(boot_systemd("/opt/tools/selinux.py", "inside", root=ROOT))
set_up()
without_module()
with_module()
compare()
done()
