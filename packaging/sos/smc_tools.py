# SPDX-License-Identifier: MIT
"""Plugin of sos(1): state of SMC. Put it into sos/report/plugins of Python's packages."""
from sos.report.plugins import DebianPlugin, IndependentPlugin, Plugin, SoSPredicate

COMMANDS = ("smc_chk doctor", "smcss --all-netns -a -d", "smcss --all-netns -s", "smcd info", "smcd stats", "smcd seid", "smcd ueid",
            "smcd device", "smcd linkgroup", "smcr stats", "smcr device", "smcr linkgroup", "smc_pnet", "smc_rnics", "smc_unit status",
            "smc_conf show", "smc_bpf status")


class SmcTools(Plugin, IndependentPlugin, DebianPlugin):
    """Commands that read; without the module nothing is run, as most of them would load it."""
    short_desc = "Shared memory communications"
    plugin_name = "smc_tools"
    profiles = ("network", "hardware")
    packages = ("smc-tools",)
    commands = ("smcss",)

    def setup(self):
        self.add_copy_spec(["/etc/smc-tools/", "/etc/systemd/system/*.service.d/zz-smc-tools.conf", "/proc/sys/net/smc/*"])
        self.set_cmd_predicate(SoSPredicate(self, kmods=["smc"]))
        self.add_cmd_output(list(COMMANDS))
        self.add_journal(identifier="smc_bpf")
