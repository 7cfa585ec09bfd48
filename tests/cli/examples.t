#!/usr/bin/env -S python3 -B
# SPDX-License-Identifier: MIT
"""The files in examples are accepted by the tools, or by the programs that they are for. TAP."""
import configparser
import glob
import os
import re
import shutil
import subprocess

from recorded import BUILD, ROOT, done, new_directory, ok, skip

try:
    import yaml
except ImportError:
    yaml = None

EXAMPLES = ROOT + "/examples/"


def read(path):
    with open(path, encoding="utf-8") as file:
        return file.read()


def run(argv, text="", **options):
    """Return: status, and all output."""
    result = subprocess.run(argv, input=text, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, check=False, **options)
    return result.returncode, result.stdout


def page(name):
    """The text of a manual page."""
    return " ".join(re.sub(r"(?m)^\.\S+ |\\", "", read("%s/man/%s" % (ROOT, name))).split())


def takes(name, argv, text="", **options):
    status, said = run(argv, text, **options)
    ok(status == 0, name, said)


def check_conf():
    for path in sorted(glob.glob(EXAMPLES + "*.conf")):
        name, text = os.path.basename(path), read(path)
        takes(name + ": smc_conf takes it", [BUILD + "/smc_conf", "check", "-"], text)
        takes(name + ": and each line that it offers", [BUILD + "/smc_conf", "check", "-"], re.sub(r"(?m)^#([a-z])", r"\1", text))


def check_sysctl():
    for name, value in re.findall(r"(?m)^-?([\w.]+) = (.*)$", read(EXAMPLES + "sysctl/90-smc.conf")):
        if name.startswith("net.smc."):
            ok(" %s " % name[8:] in page("smc.conf.5").replace(",", " "), name + " is in smc.conf(5)")
            takes(name + ": smc_conf takes its value", [BUILD + "/smc_conf", "check", "-"], "%s = %s\n" % (name, value))
        else:
            ok(os.path.exists("/proc/sys/" + name.replace(".", "/")) and name in page("smc_run.8"), name + " is there, and in smc_run(8)")


def check_containers():
    services = yaml.safe_load(read(EXAMPLES + "compose.yaml"))["services"]
    said = page("smc_bpf.8")
    for name, service in services.items():
        parent = "cgroup_parent: " + service["cgroup_parent"]
        ok(parent in said and set(service) <= {"image", "cgroup_parent", "ports"}, "compose.yaml: %s, as in smc_bpf(8)" % name, service)
    command = re.search(r"#   (systemctl.*)", read(EXAMPLES + "compose.yaml")).group(1)
    ok(command.replace("--", "-") in said.replace("--", "-"), "compose.yaml: its first command is in smc_bpf(8)", command)
    if shutil.which("docker") and run(["docker", "compose", "version"])[0] == 0:
        takes("compose.yaml: docker compose takes it", ["docker", "compose", "-f", EXAMPLES + "compose.yaml", "config", "-q"])
    else:
        skip("compose.yaml: docker compose takes it", "docker compose is not installed")


def check_quadlet():
    path, generator = EXAMPLES + "my-server.container", "/usr/lib/systemd/system-generators/podman-system-generator"
    parser = configparser.ConfigParser(interpolation=None)
    parser.optionxform = str
    parser.read(path)
    ok("Annotation=" + parser["Container"]["Annotation"] in page("smc_bpf.8") and parser.sections() == ["Unit", "Container", "Install"],
       "my-server.container: the annotation is that of smc_bpf(8)")
    if os.path.exists(generator):
        takes("my-server.container: podman takes it", [generator, "--dryrun"], env=dict(os.environ, QUADLET_UNIT_DIRS=EXAMPLES))
    else:
        skip("my-server.container: podman takes it", "podman 4.4 or later is not installed")


def check_ansible():
    plays = yaml.safe_load(read(EXAMPLES + "ansible.yml"))
    module = read(ROOT + "/packaging/ansible/smc_conf.py")
    options = yaml.safe_load(re.search(r'DOCUMENTATION = r"""(.*?)"""', module, re.S).group(1))["options"]
    tasks = [task["smc_conf"] for play in plays for task in play["tasks"] if "smc_conf" in task]
    ok(tasks and all(set(task) <= set(options) for task in tasks), "ansible.yml: the module has its options", tasks)
    for task in tasks:
        takes("ansible.yml: smc_conf takes the lines", [BUILD + "/smc_conf", "check", "-"], task["content"])
    units = [task["ansible.builtin.service"]["name"] for play in plays for task in play["tasks"] if "ansible.builtin.service" in task]
    files = [unit if "." in unit else unit + ".service" for unit in units]
    ok(files and all(os.path.exists(ROOT + "/packaging/" + name) for name in files), "ansible.yml: its units are ours", files)
    if not shutil.which("ansible-playbook"):
        return skip("ansible.yml: ansible-playbook takes it", "ansible is not installed")
    with new_directory() as home:
        env = dict(os.environ, HOME=home, ANSIBLE_LOCAL_TEMP=home, ANSIBLE_LIBRARY=ROOT + "/packaging/ansible", LC_ALL="C.UTF-8")
        return takes("ansible.yml: ansible-playbook takes it",
                     ["ansible-playbook", "--syntax-check", "-i", "localhost,", EXAMPLES + "ansible.yml"], env=env)


def check_prometheus():
    text = read(EXAMPLES + "prometheus.yml")
    conf = yaml.safe_load(text)
    rules = [os.path.basename(path) for path in conf["rule_files"]]
    ok(all(path.startswith("/usr/share/smc-tools/") for path in conf["rule_files"]) and
       all(os.path.exists(ROOT + "/packaging/metrics/" + name) for name in rules), "prometheus.yml: its rules are ours", rules)
    ok([target for job in conf["scrape_configs"] for group in job["static_configs"] for target in group["targets"]],
       "prometheus.yml: it has targets")
    if not shutil.which("promtool"):
        return skip("prometheus.yml: promtool takes it", "promtool is not installed (Debian: prometheus)")
    with new_directory() as directory:
        with open(directory + "/prometheus.yml", "w", encoding="utf-8") as file:
            file.write(text.replace("/usr/share/smc-tools/", ROOT + "/packaging/metrics/"))
        return takes("prometheus.yml: promtool takes it", ["promtool", "check", "config", directory + "/prometheus.yml"])


check_conf()
check_sysctl()
check_quadlet()
if yaml:
    check_containers()
    check_ansible()
    check_prometheus()
else:
    skip("compose.yaml, ansible.yml, prometheus.yml", "Python has no yaml (Debian: python3-yaml)")
done()
