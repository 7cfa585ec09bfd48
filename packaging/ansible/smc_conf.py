# SPDX-License-Identifier: MIT
"""Ansible module: SMC settings of a host, with smc_conf(8)."""
import json
import os
import tempfile

from ansible.module_utils.basic import AnsibleModule

DOCUMENTATION = r"""
module: smc_conf
short_description: Write and apply the SMC settings of a host
description:
  - Writes /etc/smc-tools/smc.conf, and applies it with smc_conf(8), all of it or nothing.
  - Fails with one sentence, and changes nothing, if a setting is invalid or the kernel refuses it.
options:
  content: {type: str, required: true, description: "Lines of smc.conf(5)."}
  path: {type: path, default: /etc/smc-tools/smc.conf, description: Path of the file.}
  apply: {type: bool, default: true, description: "Apply the file; otherwise only check and write it."}
attributes:
  check_mode: {support: full, description: Nothing is changed.}
  diff_mode: {support: full, description: "Shows changes of the file, and the output of smc_conf diff."}
"""
EXAMPLES = r"""
- smc_conf:
    content: |
      eid MYCLUSTER
      net.smc.rmem = 1048576
      pnetid NET1 net eth0
      allow 10.0.0.0/8 fd00::/8
      deny port 22,443
- smc_conf:
    content: "{{ lookup('file', 'smc.conf') }}"
"""
RETURN = r"""
changes: {type: list, returned: success, description: "Output of smc_conf -j diff before the change."}
"""
SIGNS = {"add": "+", "remove": "-", "change": "~"}


def line(change):
    return "%s %s%s\n" % (SIGNS[change["change"]], "netns %(netns)s: " % change if "netns" in change else "", change["setting"])


def read(path):
    if not os.path.exists(path):
        return ""
    with open(path, encoding="utf-8") as file:
        return file.read()


def write_beside(module, path, text):
    directory = os.path.dirname(path)
    if not os.path.isdir(directory) and not module.check_mode:
        os.makedirs(directory, 0o755)
    number, name = tempfile.mkstemp(prefix=".smc_conf.", dir=directory if os.path.isdir(directory) else module.tmpdir)
    with os.fdopen(number, "w", encoding="utf-8") as file:
        file.write(text)
    os.chmod(name, 0o644)
    module.add_cleanup_file(name)
    return name


def main():
    module = AnsibleModule({"content": {"type": "str", "required": True},
                            "path": {"type": "path", "default": "/etc/smc-tools/smc.conf"},
                            "apply": {"type": "bool", "default": True}}, supports_check_mode=True)
    params, path, text = module.params, module.params["path"], module.params["content"]
    before, changes = read(path), []
    new = write_beside(module, path, text)

    def smc_conf(*words):
        status, out, err = module.run_command([module.get_bin_path("smc_conf", True)] + list(words) + [new])
        err = err.replace(new, path).strip()
        if status not in ((0, 2) if "diff" in words else (0,)):
            module.fail_json(msg=err or "smc_conf has failed", rc=status)
        return out, err

    smc_conf("check")
    if params["apply"]:
        changes = json.loads(smc_conf("-j", "diff")[0])["changes"]
    result = {"changed": before != text or bool(changes), "changes": changes}
    if module._diff:
        result["diff"] = [{"before_header": path, "after_header": path, "before": before, "after": text},
                          {"prepared": "".join(map(line, changes))}]
    if result["changed"] and not module.check_mode:
        for wait in smc_conf("apply")[1].splitlines() if params["apply"] else ():
            module.warn(wait)
        if before != text:
            module.atomic_move(new, path)
    module.exit_json(**result)


if __name__ == "__main__":
    main()
