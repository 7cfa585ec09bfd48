# SPDX-License-Identifier: MIT
"""Images of the Containerfiles of packaging/ and of ordinary servers: their transport. The host has built them."""
import os
import sys

from containers import ATTACH, HOST, configure_podman, each, podman, scopes
from kern import done, equal, mode, ok, out_of, run

MADE = sys.argv[1]
SERVERS = (("redis", "servers", 7001, ("redis-server", "--save", "", "--port", "7001")),
           ("nginx", "servers", 80, ("nginx", "-g", "daemon off;")),
           ("musl", "musl", 7005, ("traffic", "serve", "7005")))


def set_up():
    configure_podman("overlay", "cgroupfs", images=MADE + "/storage")


def tools():
    """Tools of smc-tools:local, on this kernel."""
    status, out, err = run("podman", "run", "--rm", *HOST, "smc-tools:local")
    ok((status, err) == (0, "") and out.startswith("State "), "smc-tools:local: its command", (status, out, err))
    versions = podman("run", "--rm", *HOST, "smc-tools:local", "sh", "-c", "for tool in /usr/bin/smc*; do $tool --version; done")
    equal({line.split()[0] for line in versions.splitlines()}, {"smcss", "smcd", "smcr", "smc_pnet", "smc_rnics", "smc_chk", "smc_run", "smc_unit", "smc_ab",
                                                                "smc_conf", "smc_setup", "smc_bpf", "smc_dump", "smc_top", "smc_events",
                                                                "smc_advise"}, "it has all tools")
    equal(podman("run", "--rm", *HOST, "smc-tools:local", "smcd", "-j", "info"), out_of("smcd", "-j", "info").strip(),
          "they say of this kernel what those outside say")


def servers():
    """Ordinary images by the hook; by the library, without anything on the host."""
    for name, image, port, command in SERVERS:
        podman("run", "-d", *HOST, "--name", "plain", image, *command)
        equal(mode(port), "TCP", name + ": TCP by itself")
        podman("rm", "-f", "-t", "0", "plain")
        podman("run", "-d", *HOST, ATTACH + "true", "--name", name, image, *command)
        equal(mode(port), "SMCD", name + ", with the annotation: SMC-D from its first socket")
        podman("rm", "-f", "-t", "0", name)
        equal(scopes(), {}, name + ": the scope goes with it")
        podman("run", "-d", "--init", *HOST, "--name", name, image + ":smc", *command)
        equal((mode(port), scopes()), ("SMCD", {}), name + ", with the library in its image: SMC-D, too")
        if name == "musl":
            counts = out_of("traffic", "load", "own", "127.0.0.1", str(port), "20", "2")
            ok('"whole":20' in counts.replace(" ", ""), "and every byte is right", counts)
        podman("rm", "-f", "-t", "0", name)


def node():
    """The DaemonSet's script, in its image: installs tools and hook on this node, where they must run."""
    for path in "/usr/share/containers/oci/hooks.d/smc-tools.json", "/usr/bin/smc_bpf", "/usr/bin/smc_conf":
        os.unlink(path)
    mounts = []
    for path in "/opt/smc-tools", "/etc/smc-tools", "/usr/share/containers/oci/hooks.d":
        os.makedirs(path, exist_ok=True)
        mounts += ["-v", "%s:%s" % (path, path)]
    podman("run", "--rm", *HOST, "-v", MADE + ":/config:ro", *mounts, "smc-tools:local", "sh", "/config/hook.sh")
    equal(sorted(os.listdir("/opt/smc-tools/bin")), ["smc_bpf", "smc_conf"], "the image puts its tools onto the node")
    podman("run", "-d", *HOST, ATTACH + "strict", "--name", "redis", "servers", "redis-server", "--save", "", "--port", "7001")
    equal(mode(7001), "SMCD", "they are the hook of the next container: SMC-D")
    podman("rm", "-f", "-t", "0", "redis")


each((set_up, tools, servers, node), sys.argv[2:])
done()
