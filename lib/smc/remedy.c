// SPDX-License-Identifier: MIT
/* What to type when a reason code is seen, and which codes the two sides see together. */
#include "smc/remedy.h"

#define HERE SMC_AT_HERE
#define PEER SMC_AT_PEER
#define BOTH SMC_AT_BOTH

#define SHOW_LOG { HERE, "dmesg | grep -iE 'smc|mlx|rxe|ism'", "what the drivers said" }
#define SET_EID { BOTH, "smcd ueid add MYEID", "define the same EID for SMC-R and SMC-D" }
#define SHOW_EIDS { BOTH, "smcd ueid show", "compare the EIDs" }
#define SHOW_DEVICE { HERE, "smc_chk --doctor -i IFACE", "what serves the interface, and what is missing" }
#define SHOW_KERNEL { BOTH, "uname -r", "compare the kernels; update the older one" }

static const struct smc_remedy memory[] = {
	{ HERE, "sysctl -w net.smc.wmem=65536 net.smc.rmem=65536", "smaller buffers" },
	{ HERE, "sysctl -w net.smc.smcr_buf_type=2", "let SMC-R use memory that is not contiguous" },
	{ HERE, "echo 1 > /proc/sys/vm/compact_memory", "compact free memory" },
	{ HERE, "cat /proc/buddyinfo", "see how fragmented it is" },
	{ 0 },
};
static const struct smc_remedy roce_path[] = {
	{ BOTH, "smc_chk", "port state, GIDs, MTU, VLAN and pause frames" },
	{ HERE, "ping -c 3 -M do -s 1472 -I IFACE HOST", "does a full-size packet pass? The size is the MTU less 28" },
	{ BOTH, "smc_rnics -w", "compare the MTU of the RDMA ports" },
	{ BOTH, "ethtool -a IFACE", "flow control" },
	{ BOTH, "rdma statistic show", "do packets leave and arrive? A switch may filter UDP port 4791" },
	{ 0 },
};
static const struct smc_remedy second_path[] = {
	{ BOTH, "smcr -d linkgroup link-show", "which ports have a link" },
	{ BOTH, "smcr device", "state and PNET ID of the second port" },
	{ BOTH, "smc_chk", "check the second port's path" },
	{ 0 },
};
static const struct smc_remedy prefix[] = {
	{ HERE, "ip -d address show dev IFACE", "address and netmask of the interface" },
	{ PEER, "smcd device", "is it the ISM device that was offered?" },
	SHOW_DEVICE,
	{ 0 },
};
static const struct smc_remedy no_option[] = {
	{ PEER, "smc_run PROGRAM", "start the peer's program with SMC" },
	{ PEER, "smc_chk -x PROGRAM", "if it was: does smc_run reach it?" },
	{ PEER, "smcr hs", "is the handshake limited? smcr hs disable ends that" },
	{ BOTH, "nstat -az TcpExtSyncookiesSent", "SYN cookies drop SMC's option; raise the program's backlog and net.ipv4.tcp_max_syn_backlog" },
	{ BOTH, "tcpdump -v -i IFACE 'tcp[tcpflags] & tcp-syn != 0'", "does option 254 arrive as it was sent? A firewall may strip it" },
	{ 0 },
};
static const struct smc_remedy ipsec[] = {
	{ HERE, "ip xfrm policy", "which policy covers the connection" },
	{ HERE, "ip xfrm policy add src ADDR dst ADDR dir out action allow priority 1", "exempt it, if what SMC sends may go unencrypted" },
	{ 0 },
};
static const struct smc_remedy no_device[] = {
	SHOW_DEVICE,
	{ HERE, "smc_pnet --suggest", "which RDMA port belongs to which interface" },
	{ HERE, "smc_pnet -a MYNET -I IFACE -D DEVICE", "give both the same PNET ID" },
	SET_EID,
	{ HERE, "smcr device", "is the port active?" },
	{ 0 },
};
static const struct smc_remedy no_ism[] = {
	SHOW_EIDS,
	SET_EID,
	{ BOTH, "smcd device", "the ISM devices" },
	SHOW_DEVICE,
	{ 0 },
};
static const struct smc_remedy no_roce[] = {
	{ HERE, "smcr device", "is the port active, and does it have the interface's PNET ID?" },
	SHOW_DEVICE,
	{ HERE, "smc_pnet --suggest", "which RDMA port belongs to which interface" },
	{ HERE, "rdma link show", "state of the ports" },
	{ 0 },
};
static const struct smc_remedy no_ism2[] = {
	{ HERE, "smcd info", "does this host have SMC-Dv2?" },
	{ BOTH, "smcd device", "compare the CHIDs: both need one in common" },
	{ 0 },
};
static const struct smc_remedy no_v2[] = {
	{ PEER, "smcd ueid add MYEID", "with an EID it proposes version 2; the same one on both sides" },
	{ PEER, "smcd info", "which versions it has" },
	SHOW_KERNEL,
	{ 0 },
};
static const struct smc_remedy no_dv2[] = {
	{ PEER, "smcd info", "does it have SMC-Dv2?" },
	{ PEER, "smcd device", "its ISM devices" },
	{ 0 },
};
static const struct smc_remedy no_seid[] = {
	{ PEER, "smcd seid enable", "offer the system EID, which IBM Z has" },
	SET_EID,
	{ 0 },
};
static const struct smc_remedy no_ueid[] = {
	SET_EID,
	SHOW_EIDS,
	{ 0 },
};
static const struct smc_remedy versions[] = {
	{ BOTH, "smcr info", "compare versions and release" },
	SHOW_KERNEL,
	{ 0 },
};
static const struct smc_remedy max_conns[] = {
	{ BOTH, "sysctl net.smc.smcr_max_conns_per_lgr", "compare; 16 to 255, 255 is the default" },
	{ 0 },
};
static const struct smc_remedy max_links[] = {
	{ BOTH, "sysctl net.smc.smcr_max_links_per_lgr", "compare; 1 or 2, 2 is the default" },
	{ 0 },
};
static const struct smc_remedy kinds[] = {
	{ BOTH, "smc_chk", "which devices each side has" },
	{ BOTH, "smcr info", "which versions of SMC-R and SMC-D each side has" },
	{ 0 },
};
static const struct smc_remedy eye_catcher[] = {
	{ PEER, "uname -a", "not Linux, which never asks for them: turn eye catchers off in that system's configuration" },
	{ 0 },
};
static const struct smc_remedy option[] = {
	{ HERE, "strace -f -e trace=setsockopt,sendto,sendmsg -p PID", "find TCP_FASTOPEN, TCP_FASTOPEN_CONNECT, TCP_ULP or MSG_FASTOPEN" },
	{ HERE, "sysctl net.ipv4.tcp_fastopen", "many programs ask for TCP Fast Open only where it is enabled" },
	{ 0 },
};
static const struct smc_remedy subnets[] = {
	SET_EID,
	{ BOTH, "ip -br address", "or use addresses of one subnet, with the same netmask" },
	{ BOTH, "smcr info", "do both sides have version 2?" },
	{ 0 },
};
static const struct smc_remedy vlan[] = {
	{ HERE, "ip -d link show dev IFACE", "the VLAN and its lower device" },
	SHOW_DEVICE,
	{ 0 },
};
static const struct smc_remedy ism_vlan[] = {
	{ HERE, "ip -d link show dev IFACE", "the VLAN" },
	{ HERE, "smcd device", "the ISM device, which must be part of it" },
	SHOW_LOG,
	{ 0 },
};
static const struct smc_remedy no_link[] = {
	{ BOTH, "smcr -d linkgroup link-show", "compare the links of both sides" },
	{ BOTH, "smcr device", "state of the ports" },
	SHOW_LOG,
	{ 0 },
};
static const struct smc_remedy dmb[] = {
	{ HERE, "smcd -d linkgroup", "how many connections share the device" },
	{ HERE, "sysctl net.smc.wmem net.smc.rmem", "smaller buffers leave room for more" },
	{ HERE, "smcd device", "is there another ISM device to use?" },
	{ 0 },
};
static const struct smc_remedy route[] = {
	{ HERE, "ip route get ADDR", "the route to the peer's RoCE address" },
	{ PEER, "ip -br address", "is that address on the RDMA port's net device?" },
	{ BOTH, "smc_rnics", "which net device each RDMA port has" },
	{ 0 },
};
static const struct smc_remedy again[] = {
	{ HERE, "smc_chk -C HOST", "try again: the next connection sets up a new link group" },
	{ BOTH, "smcr linkgroup", "compare the link groups" },
	{ 0 },
};
static const struct smc_remedy declined[] = {
	{ HERE, "smcss -e mode tcp", "the second number is the peer's reason" },
	{ PEER, "smcss -e mode tcp", "the same, as the peer sees it" },
	{ HERE, "smc_chk -C HOST", "connect, and explain both reasons" },
	{ 0 },
};
static const struct smc_remedy kernel_log[] = {
	SHOW_LOG,
	{ HERE, "smc_chk", "what else is wrong with this host" },
	{ 0 },
};
static const struct smc_remedy link_ready[] = {
	SHOW_LOG,
	{ HERE, "smcr device", "state of the port" },
	{ BOTH, "smc_rnics -w", "compare the MTU of the RDMA ports" },
	{ 0 },
};
static const struct smc_remedy registration[] = {
	SHOW_LOG,
	{ HERE, "sysctl -w net.smc.smcr_buf_type=2", "another kind of buffer" },
	{ HERE, "sysctl -w net.smc.wmem=65536 net.smc.rmem=65536", "smaller buffers" },
	{ 0 },
};

static const struct {
	uint32_t code;
	const struct smc_remedy *remedies;
} lists[] = {
	{ 0x01010000, memory },
	{ 0x02010000, roce_path },
	{ 0x02020000, second_path },
	{ 0x03000000, prefix },
	{ 0x03010000, no_option },
	{ 0x03020000, ipsec },
	{ 0x03030000, no_device },
	{ 0x03030001, no_ism },
	{ 0x03030002, no_roce },
	{ 0x03030003, no_ism2 },
	{ 0x03030004, no_v2 },
	{ 0x03030005, no_dv2 },
	{ 0x03030006, no_seid },
	{ 0x03030007, no_ism2 },
	{ 0x03030008, no_ueid },
	{ 0x03030009, versions },
	{ 0x0303000a, max_conns },
	{ 0x0303000b, max_links },
	{ 0x03040000, kinds },
	{ 0x03050000, eye_catcher },
	{ 0x03060000, option },
	{ 0x03070000, subnets },
	{ 0x03080000, vlan },
	{ 0x03090000, ism_vlan },
	{ 0x030a0000, no_link },
	{ 0x030b0000, no_link },
	{ 0x030c0000, versions },
	{ 0x030d0000, dmb },
	{ 0x030e0000, route },
	{ 0x030f0000, route },
	{ 0x04000000, again },
	{ 0x05000000, declined },
	{ 0x09990000, kernel_log },
	{ 0x09990001, kernel_log },
	{ 0x09990002, link_ready },
	{ 0x09990003, registration },
};

const struct smc_situation smc_situations[] = {
	{ "the server's program does not use SMC", 0x03010000, 0, 0, 0 },
	{ "the client's program does not use SMC", 0, 0, 0x03010000, 0 },
	{ "a firewall strips the TCP option of SMC, SYN cookies are active, or the handshake is limited",
	  0x03010000, 0, 0x03010000, 0 },
	{ "the client has no device for the interface", 0x03030000, 0, 0x05000000, 0x03030000 },
	{ "the server has no usable RDMA port, and the client knows SMC version 1 only",
	  0x05000000, 0x03030000, 0x03030000, 0 },
	{ "the server has no usable RDMA port, although the EIDs agree",
	  0x05000000, 0x03030002, 0x03030002, 0 },
	{ "client and server have no EID in common, for SMC-R",
	  0x05000000, 0x03030000, 0x03030000, 0 },
	{ "client and server have no EID in common, for SMC-D",
	  0x05000000, 0x03030001, 0x03030001, 0 },
	{ "the client has no EID, for SMC-D", 0x05000000, 0x03030008, 0x03030008, 0 },
	{ "a TCP connection over IPv6, where the RDMA ports have GIDs for IPv4 only, as with soft-RoCE",
	  0x03030000, 0, 0x05000000, 0x03030000 },
	{ "the client's program uses TCP Fast Open (its socket stays in state INIT)",
	  0x03060000, 0, 0x03010000, 0 },
	{ "the server's program uses TCP Fast Open (its listening socket stays in state INIT)",
	  0x03010000, 0, 0x03060000, 0 },
	{ "the RDMA path is broken; the server notices first",
	  0x05000000, 0x02010000, 0x02010000, 0 },
	{ "the RDMA path is broken; the client notices first",
	  0x02010000, 0, 0x05000000, 0x02010000 },
};

const size_t smc_situation_count = sizeof(smc_situations) / sizeof(smc_situations[0]);

const struct smc_remedy *smc_remedies(uint32_t code)
{
	static const struct smc_remedy none = { 0 };

	for (size_t i = 0; i < sizeof(lists) / sizeof(lists[0]); i++)
		if (lists[i].code == code)
			return lists[i].remedies;
	return &none;
}
