# SPDX-License-Identifier: MIT
"""Services under SELinux, enforcing: denied sockets without our module; SMC, and nothing more, with it."""
import collections
import glob
import json
import os
import re
import shutil
import subprocess
import sys

from boot import UNITS, boot_systemd, choose_units, systemctl
from kern import done, equal, mode, ok, port_modes, read, run, wait_for, write

ROOT = "/mnt"
TOOLS = os.path.dirname(os.path.abspath(__file__))
SELINUXFS = "/sys/fs/selinux"
KEEP = "/usr/libexec/smc-tools"
LOG = "/var/log/redis/log"
LOGS = "StandardOutput=append:%s\nStandardError=append:%s\n" % (LOG, LOG)
REDIS = "/usr/bin/redis-server --bind 127.0.0.1 --save '' --daemonize no --port "
POSTGRES = sorted(glob.glob("/usr/lib/postgresql/*"))[-1]
CLUSTER = "postgresql/%s/main" % os.path.basename(POSTGRES)

# Settings: a drop-in, for redis with its log; Debian's pg_ctlcluster drops LD_PRELOAD, so the unit starts postgres itself.
# Client: a command, and its output when it has got an answer. Denied: sockets that the module does not allow either.
Service = collections.namedtuple("Service", "unit domain port settings client answer denied", defaults=((),))
SERVICES = (
    Service("redis-server.service", "redis_t", 6379, "Type=simple\nExecStart=\nExecStart=%s6379\nPIDFile=\nRestart=no\n%s" % (REDIS, LOGS),
            "redis-cli ping", "PONG\n"),
    Service("apache2.service", "httpd_t", 80, "", "curl -so /dev/null -w %{http_code} http://127.0.0.1/", "200",
            # It checks for SO_REUSEPORT, which AF_SMC lacks.
            [("httpd_t", "rawip_socket", "create")]),
    Service("postgresql@%s-main.service" % os.path.basename(POSTGRES), "postgresql_t", 5432,
            "Type=simple\nUser=postgres\nPIDFile=\nExecStop=\nExecStart=\nExecStart=%s/bin/postgres -D /var/lib/%s "
            "-c config_file=/etc/%s/postgresql.conf\n" % (POSTGRES, CLUSTER, CLUSTER),
            POSTGRES + "/bin/pg_isready -h 127.0.0.1", "127.0.0.1:5432 - accepting connections\n"),
)
OTHER_PORT = Service("lab-port.service", "redis_t", 7777, "User=redis\nExecStart=%s7777\n%s" % (REDIS, LOGS), "redis-cli -p 7777 ping", "PONG\n")


def label(path, kind):
    os.setxattr(path, "security.selinux", ("system_u:object_r:%s:s0" % kind).encode())


def load(policy):
    with open(SELINUXFS + "/load", "wb", buffering=0) as file, open(policy, "rb") as source:
        file.write(source.read())


def enforce(given):
    """Load a policy. From now on new files get labels, which the share with the host does not support: create the status file
    of the lab before."""
    write("/run/smc-lab/host/1/status.new", "")
    write("/proc/sys/kernel/printk_ratelimit", "0")
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
    os.makedirs(ROOT + KEEP)
    shutil.move(ROOT + "/usr/bin/smc_keep", ROOT + KEEP)
    for path in "", "/smc_keep":
        label(ROOT + KEEP + path, "bin_t")
    shutil.copy(TOOLS + "/ld_pre_smc.so", glob.glob(ROOT + "/usr/lib/*-linux-gnu")[0])
    shutil.copytree(TOOLS, ROOT + "/opt/tools")
    shutil.copytree(given, ROOT + "/opt/policy", ignore=shutil.ignore_patterns("tree.tar"))
    write(ROOT + "/etc/hosts", "127.0.0.1 localhost\n")
    write(ROOT + "/etc/machine-id", "0123456789abcdef0123456789abcdef\n")
    choose_units(*(ROOT + "/lib/systemd/system/" + re.sub("@.*[.]", "@.", service.unit) for service in SERVICES), root=ROOT)
    write(ROOT + "/run/units/lab.target", "[Unit]\nDefaultDependencies=no\n")
    for path in glob.glob(ROOT + "/run/units/**", recursive=True):
        label(path, "systemd_unit_t")
    os.mkdir(ROOT + "/run/postgresql")
    os.chown(ROOT + "/run/postgresql", 986, 986)
    label(ROOT + "/run/postgresql", "postgresql_runtime_t")


# ---- in it ----

def denied(service, kinds=r"\w+_socket"):
    """What a service was denied of sockets, or other classes, since the last call: (target, class, permission)."""
    out = subprocess.run(["dmesg", "-c"], capture_output=True, text=True, check=True).stdout
    found = re.findall(r"denied  \{ ([^}]+) \} .*scontext=\S+:%s:\S+ "
                       r"tcontext=\S+?:\S+?:(\S+?):\S+ tclass=(%s)" % (service.domain, kinds), out)
    return sorted(set((to, kind, each) for what, to, kind in found for each in what.split()))


def restart(service):
    """Return: what a connection runs over, and whether a client that prefers SMC gets its answer; None if it does not serve."""
    open(LOG, "w", encoding="ascii").close()
    run("systemctl", "reset-failed", service.unit)
    run("systemctl", "restart", service.unit)

    def is_up():
        return run("timeout", "20", "smc_run", *service.client.split())[1] == service.answer

    def has_failed():
        return run("systemctl", "is-failed", "-q", service.unit)[0] == 0
    wait_for(lambda: is_up() or has_failed())
    return None if has_failed() else (mode(service.port), is_up())


def enable(service, *options):
    run("smc_unit", "disable", service.unit)
    return run("smc_unit", "enable", *options, service.unit)


def status(service):
    found = json.loads(run("smc_unit", "status", "-j", service.unit)[1])["services"][0]
    return found.get("smc"), found.get("why")


def doctor():
    findings = json.loads(run("smc_chk", "doctor", "-j")[1])["findings"]
    return [(f["level"], f.get("object"), f["text"]) for f in findings if f["check"] == "confinement"]


def set_up():
    for service in *SERVICES, OTHER_PORT:
        write("%s/%s.d/lab.conf" % (UNITS, service.unit), "[Service]\n" + service.settings)
    write(UNITS + "/" + OTHER_PORT.unit, "[Unit]\n")
    systemctl("daemon-reload")
    equal(read(SELINUXFS + "/enforce"), "1", "the guest enforces")


def as_installed(service):
    equal(restart(service), ("TCP", True), service.unit + " as it is installed: TCP")
    equal(read("/proc/%s/attr/current" % systemctl("show", "-P", "MainPID", service.unit)).rstrip("\0"),
          "system_u:system_r:%s:s0" % service.domain, "it is confined")
    equal(denied(service), [], "no socket of it is denied")


def without_module(service):
    domain = service.domain
    why = "SELinux denies smc_socket to " + domain
    said = enable(service, "-d")
    ok(said[0] == 0 and why in said[2], service.unit + ": enable warns", said)
    equal(restart(service), ("TCP", True), "with the library: TCP")
    equal(denied(service), [(domain, "smc_socket", "create")], "AF_SMC is denied, and IPPROTO_SMC not asked then")
    if LOG in service.settings:
        ok("-> TCP fd" in read(LOG) and "AF_SMC: EACCES; IPPROTO_SMC: EACCES" in read(LOG), "the library's line has both errors", read(LOG))
    equal(status(service), ("denied", why), "smc_unit status: denied, and by whom")
    ok(("warning", service.unit, "stays on TCP: " + why) in doctor(), "smc_chk doctor, too", doctor())
    for way in ("smc_unit", "enable", "--bpf"), ("smc_bpf", "attach", "--unit"):
        said = run(*way, service.unit)
        ok(said[0] == 1 and "SELinux denies rawip_socket to " + domain in said[2], " ".join(way) + " is refused while it runs", said)
    run("systemctl", "stop", service.unit)
    said = run("smc_unit", "enable", "--bpf", service.unit)
    ok(said[0] == 0 and service.unit + " may fail to start" in said[2], "while it does not run, enable --bpf warns", said)


def without_module_bpf(service):
    run("smc_unit", "disable", service.unit)
    write("%s/%s.d/lab-bpf.conf" % (UNITS, service.unit), "[Service]\nExecStartPre=-+/usr/bin/smc_bpf attach --unit %n\n")
    systemctl("daemon-reload")
    equal(restart(service), None, "with eBPF it does not start")
    equal(denied(service), [(service.domain, "rawip_socket", "create")], "because sockets of IPPROTO_SMC are raw IP sockets for SELinux")
    os.unlink("%s/%s.d/lab-bpf.conf" % (UNITS, service.unit))
    systemctl("daemon-reload")


def with_module(service):
    load("/opt/policy/with")
    enable(service)
    equal(restart(service), ("TCP", True), service.unit + ", the module alone: TCP")
    denied(service)
    load("/opt/policy/services")
    equal(restart(service), ("SMCD", True), service.domain + " is a smc_domain: SMC-D")
    equal(status(service), ("yes", None), "smc_unit status: in use")
    equal([finding[0] for finding in doctor()], ["ok"], "smc_chk doctor: ok")
    equal(denied(service), list(service.denied), "what is denied of its sockets: " + (str(service.denied) if service.denied else "nothing"))


def by_families(service):
    write("%s/%s.d/zzz.conf" % (UNITS, service.unit), "[Service]\nRestrictAddressFamilies=~AF_SMC\n")
    systemctl("daemon-reload")
    why = "RestrictAddressFamilies= of " + service.unit
    equal(restart(service), ("TCP", True), "a unit that forbids AF_SMC: TCP")
    equal(denied(service), [(service.domain, "rawip_socket", "create")], "as IPPROTO_SMC is denied")
    smc, reason = status(service)
    ok(smc == "denied" and why in reason, "smc_unit status: denied by the unit", (smc, reason))
    found = doctor()
    ok(len(found) == 1 and why in found[0][2], "smc_chk doctor, too", found)
    os.unlink("%s/%s.d/zzz.conf" % (UNITS, service.unit))
    systemctl("daemon-reload")
    enable(service)


def other_port(service):
    equal(restart(service), None, "on a port that is not its own it cannot listen: TCP")
    equal(denied(service), [("unreserved_port_t", "tcp_socket", "name_bind")], "by name_bind")
    write(UNITS + "/lab-port.service.d/smc.conf", "[Service]\nEnvironment=LD_PRELOAD=%s\n" % glob.glob("/usr/lib/*/ld_pre_smc.so")[0])
    systemctl("daemon-reload")
    equal(restart(service), ("SMCD", True), "the kernel does not check that of AF_SMC: it listens")
    run("redis-cli", "replicaof", "127.0.0.1", "7777")
    ok(wait_for(lambda: "SMCD" in port_modes(7777)), "nor that it connects to that port, by SMC-D")
    run("redis-cli", "replicaof", "no", "one")
    equal(denied(service), [], "no socket of it is denied")
    run("systemctl", "stop", service.unit)
    os.unlink(UNITS + "/lab-port.service.d/smc.conf")


def by_script(service):
    """The unit's program has another domain than the service, as with Debian's pg_ctlcluster."""
    load("/opt/policy/services")
    run("systemctl", "stop", SERVICES[0].unit)
    write("/opt/lab-start", "#!/bin/sh\nexec %s%d\n" % (REDIS, service.port))
    os.chmod("/opt/lab-start", 0o755)
    label("/opt/lab-start", "initrc_exec_t")
    write("%s/%s.d/lab.conf" % (UNITS, service.unit), "[Service]\nExecStart=/opt/lab-start\n" + LOGS)
    said = enable(service, "--bpf")
    ok(said[0] == 0 and "may fail to start" in said[2], "a service that a script starts: enable --bpf warns", said)
    run("smc_unit", "disable", service.unit)
    equal(restart(service), ("TCP", True), "it runs over TCP")
    said = run("smc_unit", "enable", "--bpf", service.unit)
    ok(said[0] == 1 and "SELinux denies rawip_socket to " + service.domain in said[2], "and while it runs enable --bpf is refused", said)
    run("systemctl", "stop", service.unit)


def by_boolean():
    load("/opt/policy/with")
    for name, value in ("booleans/smc_use_daemons", "1"), ("commit_pending_bools", "1"):
        write(SELINUXFS + "/" + name, value)
    for service in SERVICES:
        equal(restart(service), ("SMCD", True), service.unit + " by the boolean: SMC-D")


# Rules of the module for a domain, and of a new type of files.
RULES = """self smc_socket accept append bind connect create getattr getopt ioctl listen lock read setattr setopt shutdown write
unlabeled_t smc_socket append getattr getopt ioctl read setattr setopt shutdown write
bin_t dir search
smc_keep_exec_t file execute execute_no_trans getattr map open read
self process setcap
self unix_stream_socket accept bind connect connectto create getattr getopt listen read write
self shm associate create getattr read unix_read unix_write write
nsfs_t file getattr ioctl
proc_net_t dir search
proc_net_t file getattr"""
RULES = {(target, kind, what) for target, kind, *all_of_it in map(str.split, RULES.splitlines()) for what in all_of_it}
ASSOCIATE = ("smc_keep_exec_t", "", ("self", "filesystem", "associate"))


def differences(old, new):
    """Permissions that two policies differ in: those of the first, and of the second: (domain, condition, (target, class, permission))."""
    lines = [set(read("/opt/policy/%s.allow" % name).splitlines()) for name in (old, new)]
    found = []
    for some in lines[0] - lines[1], lines[1] - lines[0]:
        parsed = [re.fullmatch(r"allow (\S+) (\S+):(\S+) (?:{ (.*) }|(\S+));(.*)", line).groups("") for line in some]
        found.append({(domain, condition.strip(), ("self" if target == domain else target, kind, what))
                      for domain, target, kind, several, one, condition in parsed for what in (several or one).split()})
    return found[0] - found[1], found[1] - found[0]


def compare():
    """Compare everything that the three policies allow."""
    less, more = differences("without", "with")
    equal(less, set(), "the module takes nothing away")
    equal({rule for rule in more - {ASSOCIATE} if rule[1] != "[ smc_use_daemons ]:True" or rule[2] not in RULES}, set(),
          "it adds its rules to services, while the boolean is on, and nothing else")
    equal({rule[2] for rule in more - {ASSOCIATE}}, RULES, "all of them")
    less, more = differences("with", "services")
    equal(less, set(), "a domain in the attribute loses nothing")
    equal({rule for rule in more if rule[0] not in ["smc_domain"] + [service.domain for service in SERVICES] or rule[1] or rule[2] not in RULES}, set(),
          "and gets the same rules")


def start(script):
    """Boot the services' root in a guest that enforces, and run a script in it."""
    enforce(sys.argv[1])
    make_root(sys.argv[1])
    os.environ["PATH"] = "/usr/sbin:/usr/bin:/sbin:/bin"
    sys.exit(boot_systemd("/opt/tools/" + script, "inside", root=ROOT))


def main():
    set_up()
    for test in as_installed, without_module:
        for each in SERVICES:
            test(each)
    without_module_bpf(SERVICES[0])
    for each in SERVICES:
        with_module(each)
    other_port(OTHER_PORT)
    by_families(SERVICES[0])
    by_boolean()
    by_script(OTHER_PORT._replace(port=SERVICES[0].port, client=SERVICES[0].client))
    compare()
    done()


if __name__ == "__main__":
    main() if sys.argv[1] == "inside" else start("selinux.py")
