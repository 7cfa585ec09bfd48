# SPDX-License-Identifier: MIT
"""Services of packages with profiles of AppArmor, as they are and with our abstraction; our own profiles."""
import os
import socket
import subprocess

from apparmor import LIBRARY, TOOLS, denials, install
from kern import done, equal, mode, ok, read, run, wait_for, write

# As administrators and Ubuntu's packages have them: "network tcp," is Ubuntu's for mysqld.
REDIS = """include <tunables/global>
profile redis-server /usr/bin/redis-check-rdb {
  include <abstractions/base>
  include <abstractions/nameservice>
  include <abstractions/openssl>
  capability sys_resource,
  capability setuid,
  capability setgid,
  network inet stream,
  network inet6 stream,
  signal (receive) peer=unconfined,
  /usr/bin/redis-check-rdb mr,
  /etc/redis/{,**} r,
  owner /var/lib/redis/{,**} rwk,
  owner /var/log/redis/{,**} rw,
  owner /run/redis/{,**} rw,
  @{PROC}/sys/net/core/somaxconn r,
  @{PROC}/sys/vm/overcommit_memory r,
  @{PROC}/@{pid}/{stat,smaps} r,
  /sys/kernel/mm/transparent_hugepage/enabled r,
  /sys/devices/system/clocksource/clocksource0/{available,current}_clocksource r,
  %s
}
"""
MARIADB = """include <tunables/global>
profile mariadbd /usr/sbin/mariadbd {
  include <abstractions/base>
  include <abstractions/nameservice>
  include <abstractions/openssl>
  include <abstractions/user-tmp>
  capability dac_override,
  capability setgid,
  capability setuid,
  capability sys_resource,
  network tcp,
  signal (receive) peer=unconfined,
  /usr/sbin/mariadbd mr,
  /etc/mysql/{,**} r,
  /usr/lib/mysql/plugin/{,*.so} mr,
  /usr/share/{mysql,mariadb}/{,**} r,
  /var/lib/mysql/{,**} rwk,
  /run/mysqld/{,**} rwk,
  @{PROC}/@{pid}/status r,
  /sys/devices/system/{cpu,node}/{,**} r,
  /sys/devices/**/queue/rotational r,
  /sys/block/ r,
  %s
}
"""
SERVICES = (
    ("redis-server", REDIS, 6379, b"PING\r\n", b"+PONG"),
    ("mariadbd", MARIADB, 3306, b"", b"MariaDB"),
)
COMMANDS = {
    "redis-server": ["/usr/bin/redis-server", "--bind", "127.0.0.1", "--save", "", "--dir", "/var/lib/redis", "--port"],
    "mariadbd": ["/usr/sbin/mariadbd", "--no-defaults", "--user=root", "--datadir=/var/lib/mysql", "--socket=/run/mysqld/mysqld.sock",
                 "--pid-file=/run/mysqld/pid", "--bind-address=127.0.0.1", "--skip-grant-tables", "--skip-networking=0", "--skip-innodb",
                 "--default-storage-engine=Aria", "--port"],
}
# Capabilities of the units.
AS_UNIT = ("setpriv", "--bounding-set=-all,+net_admin,+sys_admin", "aa-exec", "-p", "smc_conf", "--", "/usr/bin/smc_conf")
CONF = "eid LABEID\npnetid LABNET net lo\nnet.smc.wmem = 300000\nscope /lab.slice\ndeny 10.9.0.0/16\n"


def load(name, text):
    write("/etc/apparmor.d/" + name, text)
    equal(run("apparmor_parser", "-r", "-K", "/etc/apparmor.d/" + name), (0, "", ""), "profile %s is loaded" % name)


def set_up():
    subprocess.run(["mount", "-t", "securityfs", "none", "/sys/kernel/security"], check=True)
    write("/proc/sys/kernel/printk_ratelimit", "0")
    install(TOOLS + "/ld_pre_smc.so", LIBRARY)
    install(TOOLS + "/smc_keep", "/usr/libexec/smc-tools/smc_keep")
    for tool in "smc_chk", "smc_conf", "smc_bpf":
        install(TOOLS + "/" + tool, "/usr/bin/" + tool)
    for name in "abstractions/smc-tools", "smc_chk-serve", "smc_conf":
        install(TOOLS + "/apparmor/" + name, "/etc/apparmor.d/" + name)
    for directory in "/var/lib/redis", "/var/lib/mysql", "/run/mysqld":
        os.makedirs(directory, exist_ok=True)


def answers(port, request, answer):
    """Does the server answer over TCP, which all servers support?"""
    try:
        with socket.create_connection(("127.0.0.1", port), 20) as client:
            client.sendall(request)
            return answer in client.recv(200)
    except OSError:
        return False


def serve(name, port, request, answer, **settings):
    """Return: what a connection to the service is, whether it answers, and what was denied."""
    denials()
    env = dict(os.environ, **settings)
    env.pop("SMC_LEARN", None)
    with open("/run/server", "w", encoding="utf-8") as log:
        server = subprocess.Popen(["aa-exec", "-p", name, "--", *COMMANDS[name], str(port)], env=env, stdout=log, stderr=log)
        wait_for(lambda: answers(port, request, answer))
        result = mode(port), answers(port, request, answer), denials()[0]
        server.terminate()
        server.wait()
    return result


def log_of():
    return read("/run/server")[-2000:].replace("\n", "\n# ")


def check(name, profile, port, request, answer):
    load(name, profile % "")
    equal(serve(name, port, request, answer), ("TCP", True, []), name + ": TCP") or print("# " + log_of())
    equal(serve(name, port + 1, request, answer, LD_PRELOAD=LIBRARY), ("TCP", True, [("create", "smc")]), name + ", the library: TCP, AF_SMC is denied") or \
        print("# " + log_of())
    load(name, profile % "include <abstractions/smc-tools>")
    equal(serve(name, port + 2, request, answer, LD_PRELOAD=LIBRARY), ("SMCD", True, []), name + ", abstractions/smc-tools: SMC-D, nothing is denied") or \
        print("# " + log_of())


def check_own():
    for name in "smc_chk-serve", "smc_conf":
        equal(run("apparmor_parser", "-r", "-K", "/etc/apparmor.d/" + name), (0, "", ""), "profile %s is loaded" % name)
    denials()
    with subprocess.Popen(["aa-exec", "-p", "smc_chk-serve", "--", "/usr/bin/smc_chk", "serve"], stdout=subprocess.DEVNULL) as server:
        wait_for(lambda: mode(37373) == "SMCD")
        status, out, _ = run("smc_chk", "connect", "127.0.0.1")
        ok(status == 0 and "using SMC-D" in out, "smc_chk serve: a client", (status, out))
        server.terminate()
        equal((server.wait(), denials()[0]), (0, []), "smc_chk serve: it ends, and nothing was denied")
    write("/etc/smc-tools/smc.conf", CONF)
    status, _, err = run(*AS_UNIT, "apply")
    ok(status == 0 and "waits for its control group" in err, "smc_conf apply", (status, err))
    equal(denials()[0], [], "smc_conf apply: nothing was denied")
    with subprocess.Popen([*AS_UNIT, "watch"]) as watch:
        os.mkdir("/sys/fs/cgroup/lab.slice")
        ok(wait_for(lambda: "lab.slice" in run("smc_bpf", "status")[1]), "smc_conf watch attaches", run("smc_bpf", "status"))
        watch.terminate()
        watch.wait()
    equal(denials()[0], [], "smc_conf watch: nothing was denied")


def main():
    set_up()
    check_own()
    for name, profile, port, request, answer in SERVICES:
        check(name, profile, port, request, answer)
    done()


if __name__ == "__main__":
    main()
