// SPDX-License-Identifier: MIT
#include "smc/reason.h"

#define HERE SMC_AT_HERE
#define PEER SMC_AT_PEER
#define BOTH SMC_AT_BOTH

#define SHOW_LOG HERE, "dmesg | grep -iE 'smc|mlx|rxe|ism'", "what the drivers said"
#define SET_EID BOTH, "smcd ueid add MYEID", "define the same EID for SMC-R and SMC-D"
#define SHOW_EIDS BOTH, "smcd ueid show", "compare the EIDs"
#define SHOW_DEVICE                                                                                \
	HERE, "smc_chk doctor -i IFACE", "what serves the interface, and what is missing"
#define SHOW_KERNEL BOTH, "uname -r", "compare the kernels; update the older one"

/* Remedies of one reason are adjacent, the likeliest first. */
static const struct smc_remedy remedies[] = {
	{ 0x01010000, HERE, "sysctl -w net.smc.wmem=65536 net.smc.rmem=65536", "smaller buffers" },
	{ 0x01010000, HERE, "sysctl -w net.smc.smcr_buf_type=2",
	  "let SMC-R use memory that is not contiguous" },
	{ 0x01010000, HERE, "echo 1 > /proc/sys/vm/compact_memory", "compact free memory" },
	{ 0x01010000, HERE, "cat /proc/buddyinfo", "see how fragmented it is" },
	{ 0x02010000, BOTH, "smc_chk", "port state, GIDs, MTU, VLAN and pause frames" },
	{ 0x02010000, HERE, "ping -c 3 -M do -s 1472 -I IFACE HOST",
	  "does a full-size packet pass? The size is the MTU less 28" },
	{ 0x02010000, BOTH, "smc_rnics -w", "compare the MTU of the RDMA ports" },
	{ 0x02010000, BOTH, "ethtool -a IFACE", "flow control" },
	{ 0x02010000, BOTH, "rdma statistic show",
	  "do packets leave and arrive? A switch may filter UDP port 4791" },
	{ 0x02020000, BOTH, "smcr -d linkgroup link-show", "which ports have a link" },
	{ 0x02020000, BOTH, "smcr device", "state and PNET ID of the second port" },
	{ 0x02020000, BOTH, "smc_chk", "check the second port's path" },
	{ 0x03000000, HERE, "ip -d address show dev IFACE",
	  "address and netmask of the interface" },
	{ 0x03000000, PEER, "smcd device", "is it the ISM device that was offered?" },
	{ 0x03000000, SHOW_DEVICE },
	{ 0x03010000, PEER, "smc_run PROGRAM", "start the peer's program with SMC" },
	{ 0x03010000, PEER, "smc_chk program PROGRAM", "if it was: does smc_run reach it?" },
	{ 0x03010000, PEER, "GODEBUG=multipathtcp=0 smc_run PROGRAM",
	  "if it is a Go server that keeps MPTCP" },
	{ 0x03010000, PEER, "smcr hs", "is the handshake limited? smcr hs disable ends that" },
	{ 0x03010000, BOTH, "nstat -az TcpExtSyncookiesSent",
	  "SYN cookies drop SMC's option; raise the program's backlog and net.ipv4.tcp_max_syn_backlog" },
	{ 0x03010000, BOTH, "smc_dump -a -i IFACE",
	  "who offers SMC in its SYN? A firewall may strip the option (254) on the way" },
	{ 0x03020000, HERE, "ip xfrm policy", "which policy covers the connection" },
	{ 0x03020000, HERE, "ip xfrm policy add src ADDR dst ADDR dir out action allow priority 1",
	  "exempt it, if what SMC sends may go unencrypted" },
	{ 0x03030000, SHOW_DEVICE },
	{ 0x03030000, HERE, "smc_pnet --suggest", "which RDMA port belongs to which interface" },
	{ 0x03030000, HERE, "smc_pnet -a MYNET -I IFACE -D DEVICE", "give both the same PNET ID" },
	{ 0x03030000, SET_EID },
	{ 0x03030000, HERE, "smcr device", "is the port active?" },
	{ 0x03030001, SHOW_EIDS },
	{ 0x03030001, SET_EID },
	{ 0x03030001, BOTH, "smcd device", "the ISM devices" },
	{ 0x03030001, SHOW_DEVICE },
	{ 0x03030002, HERE, "smcr device",
	  "is the port active, and does it have the interface's PNET ID?" },
	{ 0x03030002, SHOW_DEVICE },
	{ 0x03030002, HERE, "smc_pnet --suggest", "which RDMA port belongs to which interface" },
	{ 0x03030002, HERE, "rdma link show", "state of the ports" },
	{ 0x03030003, HERE, "smcd info", "does this host have SMC-Dv2?" },
	{ 0x03030003, BOTH, "smcd device", "compare the CHIDs: both need one in common" },
	{ 0x03030004, PEER, "smcd ueid add MYEID",
	  "with an EID it proposes version 2; the same one on both sides" },
	{ 0x03030004, PEER, "smcd info", "which versions it has" },
	{ 0x03030004, SHOW_KERNEL },
	{ 0x03030005, PEER, "smcd info", "does it have SMC-Dv2?" },
	{ 0x03030005, PEER, "smcd device", "its ISM devices" },
	{ 0x03030006, PEER, "smcd seid enable", "offer the system EID, which IBM Z has" },
	{ 0x03030006, SET_EID },
	{ 0x03030007, HERE, "smcd info", "does this host have SMC-Dv2?" },
	{ 0x03030007, BOTH, "smcd device", "compare the CHIDs: both need one in common" },
	{ 0x03030008, SET_EID },
	{ 0x03030008, SHOW_EIDS },
	{ 0x03030009, BOTH, "smcr info", "compare versions and release" },
	{ 0x03030009, SHOW_KERNEL },
	{ 0x0303000a, BOTH, "sysctl net.smc.smcr_max_conns_per_lgr",
	  "compare; 16 to 255, 255 is the default" },
	{ 0x0303000b, BOTH, "sysctl net.smc.smcr_max_links_per_lgr",
	  "compare; 1 or 2, 2 is the default" },
	{ 0x03040000, BOTH, "smc_chk", "which devices each side has" },
	{ 0x03040000, BOTH, "smcr info", "which versions of SMC-R and SMC-D each side has" },
	{ 0x03050000, PEER, "uname -a",
	  "not Linux, which never asks for them: turn eye catchers off in that system's configuration" },
	{ 0x03060000, HERE, "strace -f -e trace=setsockopt,sendto,sendmsg -p PID",
	  "find TCP_FASTOPEN, TCP_FASTOPEN_CONNECT, TCP_ULP or MSG_FASTOPEN" },
	{ 0x03060000, HERE, "sysctl net.ipv4.tcp_fastopen",
	  "many programs ask for TCP Fast Open only where it is enabled" },
	{ 0x03070000, SET_EID },
	{ 0x03070000, BOTH, "ip -br address",
	  "or use addresses of one subnet, with the same netmask" },
	{ 0x03070000, BOTH, "smcr info", "do both sides have version 2?" },
	{ 0x03080000, HERE, "ip -d link show dev IFACE", "the VLAN and its lower device" },
	{ 0x03080000, SHOW_DEVICE },
	{ 0x03090000, HERE, "ip -d link show dev IFACE", "the VLAN" },
	{ 0x03090000, HERE, "smcd device", "the ISM device, which must be part of it" },
	{ 0x03090000, SHOW_LOG },
	{ 0x030a0000, BOTH, "smcr -d linkgroup link-show", "compare the links of both sides" },
	{ 0x030a0000, BOTH, "smcr device", "state of the ports" },
	{ 0x030a0000, SHOW_LOG },
	{ 0x030b0000, BOTH, "smcr -d linkgroup link-show", "compare the links of both sides" },
	{ 0x030b0000, BOTH, "smcr device", "state of the ports" },
	{ 0x030b0000, SHOW_LOG },
	{ 0x030c0000, BOTH, "smcr info", "compare versions and release" },
	{ 0x030c0000, SHOW_KERNEL },
	{ 0x030d0000, HERE, "smcd -d linkgroup", "how many connections share the device" },
	{ 0x030d0000, HERE, "sysctl net.smc.wmem net.smc.rmem",
	  "smaller buffers leave room for more" },
	{ 0x030d0000, HERE, "smcd device", "is there another ISM device to use?" },
	{ 0x030e0000, HERE, "ip route get ADDR", "the route to the peer's RoCE address" },
	{ 0x030e0000, PEER, "ip -br address", "is that address on the RDMA port's net device?" },
	{ 0x030e0000, BOTH, "smc_rnics", "which net device each RDMA port has" },
	{ 0x030f0000, HERE, "ip route get ADDR", "the route to the peer's RoCE address" },
	{ 0x030f0000, PEER, "ip -br address", "is that address on the RDMA port's net device?" },
	{ 0x030f0000, BOTH, "smc_rnics", "which net device each RDMA port has" },
	{ 0x04000000, HERE, "smc_chk connect HOST",
	  "try again: the next connection sets up a new link group" },
	{ 0x04000000, BOTH, "smcr linkgroup", "compare the link groups" },
	{ 0x05000000, HERE, "smcss -e mode tcp", "the second number is the peer's reason" },
	{ 0x05000000, PEER, "smcss -e mode tcp", "the same, as the peer sees it" },
	{ 0x05000000, HERE, "smc_chk connect HOST", "connect, and explain both reasons" },
	{ 0x09990000, SHOW_LOG },
	{ 0x09990000, HERE, "smc_chk", "what else is wrong with this host" },
	{ 0x09990001, SHOW_LOG },
	{ 0x09990001, HERE, "smc_chk", "what else is wrong with this host" },
	{ 0x09990002, SHOW_LOG },
	{ 0x09990002, HERE, "smcr device", "state of the port" },
	{ 0x09990002, BOTH, "smc_rnics -w", "compare the MTU of the RDMA ports" },
	{ 0x09990003, SHOW_LOG },
	{ 0x09990003, HERE, "sysctl -w net.smc.smcr_buf_type=2", "another kind of buffer" },
	{ 0x09990003, HERE, "sysctl -w net.smc.wmem=65536 net.smc.rmem=65536", "smaller buffers" },
	{ 0 },
};

const struct smc_remedy *smc_remedies(uint32_t code)
{
	const struct smc_remedy *at = remedies;

	while (at->command && at->code != code)
		at++;
	return at->command ? at : NULL;
}

enum smc_at smc_remedy_at(const struct smc_remedy *remedy, bool is_peer)
{
	if (remedy->at == SMC_AT_BOTH)
		return SMC_AT_BOTH;
	return (remedy->at == SMC_AT_PEER) == is_peer ? SMC_AT_HERE : SMC_AT_PEER;
}

const struct smc_remedy *smc_remedy_next(const struct smc_remedy *remedy)
{
	return remedy[1].code == remedy->code ? remedy + 1 : NULL;
}
