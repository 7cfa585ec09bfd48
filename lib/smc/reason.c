// SPDX-License-Identifier: MIT
#include "smc/reason.h"

#include <ctype.h>
#include <strings.h>

#include "base/array.h"

/* Ordered by number; the texts address the side that raised the code. */
const struct smc_reason smc_reasons[] = {
	{ 0x01010000, "MEM", "MEMORY", SMC_RAISED_BOTH, NULL,
	  "no memory for the connection, its link group or its buffers",
	  "lower net.smc.wmem and net.smc.rmem, or set net.smc.smcr_buf_type to 2 where memory is fragmented" },
	{ 0x02010000, "TIMEOUT_CL", "TIMEOUT_CL", SMC_RAISED_BOTH, NULL,
	  "the first message over the new RDMA link (CONFIRM LINK) got no answer",
	  "check the RoCE path: GID, VLAN, MTU, flow control, and that UDP port 4791 is not filtered on the way" },
	{ 0x02020000, "TIMEOUT_AL", "TIMEOUT_AL", SMC_RAISED_NONE, NULL,
	  "adding the second RDMA link (ADD LINK) got no answer",
	  "check the RoCE path of the second port" },
	{ 0x03000000, "CNFERR", "CNF_ERR", SMC_RAISED_CLIENT, NULL,
	  "configuration error: no usable IP prefix, or the peer accepted a device that was never offered",
	  "check the address and netmask of the network interface on both sides" },
	{ 0x03010000, "PEERNOSMC", "PEER_NO_SMC", SMC_RAISED_BOTH, NULL,
	  "the peer did not offer SMC in its TCP handshake",
	  "start the peer's program under smc_run too; else look for a firewall that strips TCP option 254, SYN cookies, handshake limitation, or Go without GODEBUG=multipathtcp=0" },
	{ 0x03020000, "IPSEC", "IPSEC", SMC_RAISED_BOTH, NULL,
	  "the connection is subject to an IPsec policy, which SMC would bypass",
	  "exempt this peer from IPsec (ip xfrm policy) if SMC is wanted" },
	{ 0x03030000, "NOSMCDEV", "NOSMCDEV", SMC_RAISED_BOTH, NULL,
	  "no SMC device, neither RoCE nor ISM, serves this network interface",
	  "give the interface and its RoCE port or ISM device the same PNET ID (smc_pnet), make sure that the port is active, and for SMC-Rv2 and SMC-Dv2 define the same EID on both sides" },
	{ 0x03030001, "NOSMCDDEV", "NOSMCDDEV", SMC_RAISED_SERVER, NULL,
	  "no ISM device can be used for this connection, or the two sides have no EID in common",
	  "define the same EID on both sides (smcd ueid add), check the ISM devices (smcd device)" },
	{ 0x03030002, "NOSMCRDEV", "NOSMCRDEV", SMC_RAISED_SERVER, NULL,
	  "no active RoCE port can be used for this connection",
	  "check port state and PNET ID (smcr device), and that the port has a RoCEv2 GID in the connection's subnet" },
	{ 0x03030003, "NOISM2SUPP", "NOISM2SUPP", SMC_RAISED_SERVER, "5.11",
	  "the peer proposed SMC-Dv2, and this system has no ISM device of version 2",
	  "check the ISM devices (smcd info, smcd device)" },
	{ 0x03030004, "NOV2EXT", "NOV2EXT", SMC_RAISED_SERVER, "5.11",
	  "the peer's proposal lacks the SMC version 2 extension",
	  "update the peer, or define an EID there so that it proposes version 2" },
	{ 0x03030005, "NOV2DEXT", "NOV2DEXT", SMC_RAISED_SERVER, "5.11",
	  "the peer's proposal lacks the SMC-Dv2 extension",
	  "check that the peer has an ISM device of version 2 (smcd info)" },
	{ 0x03030006, "NOSEID", "NOSEID", SMC_RAISED_NONE, "5.11", "the peer sent no system EID",
	  "enable the system EID on the peer (smcd seid enable), or define a common user EID" },
	{ 0x03030007, "NOSMCD2DEV", "NOSMCD2DEV", SMC_RAISED_SERVER, "5.11",
	  "no ISM device of version 2 reaches the devices that the peer proposed",
	  "check that both systems share the ISM network (CHID, smcd device)" },
	{ 0x03030008, "NOUEID", "NOUEID", SMC_RAISED_SERVER, "5.16", "the peer sent no EID",
	  "define the same EID on both sides (smcd ueid add)" },
	{ 0x03030009, "RELEASEERR", "RELEASEERR", SMC_RAISED_SERVER, "6.6",
	  "the two sides found no common SMC release", "update the older of the two kernels" },
	{ 0x0303000a, "MAXCONNERR", "MAXCONNERR", SMC_RAISED_BOTH, "6.6",
	  "the two sides could not agree on the connections per link group",
	  "check net.smc.smcr_max_conns_per_lgr on both sides" },
	{ 0x0303000b, "MAXLINKERR", "MAXLINKERR", SMC_RAISED_BOTH, "6.6",
	  "the two sides could not agree on the links per link group",
	  "check net.smc.smcr_max_links_per_lgr on both sides" },
	{ 0x03040000, "MODEUNSUPP", "MODEUNSUPP", SMC_RAISED_CLIENT, NULL,
	  "the peer accepted a kind of SMC that was not proposed",
	  "check which devices each side has: one may have RoCE only, the other ISM only" },
	{ 0x03050000, "RMBE_EC", "RMBE_EC", SMC_RAISED_BOTH, NULL,
	  "the peer wants eye catchers in its receive buffers, which Linux does not support",
	  "turn eye catchers off on the peer" },
	{ 0x03060000, "OPTUNSUPP", "OPTUNSUPP", SMC_RAISED_BOTH, NULL,
	  "the program used a socket option that SMC cannot honour, such as TCP Fast Open",
	  "turn TCP Fast Open off in the program" },
	{ 0x03070000, "DIFFPREFIX", "DIFFPREFIX", SMC_RAISED_SERVER, NULL,
	  "the two sides are in different IP subnets, which SMC version 1 cannot span",
	  "use addresses of one subnet, or version 2: define the same EID on both sides" },
	{ 0x03080000, "GETVLANERR", "GETVLANERR", SMC_RAISED_SERVER, NULL,
	  "the VLAN of the network interface could not be determined",
	  "check the interface's VLAN configuration (ip -d link)" },
	{ 0x03090000, "ISMVLANERR", "ISMVLANERR", SMC_RAISED_BOTH, NULL,
	  "the VLAN could not be registered with the ISM device",
	  "check that the ISM device takes part in that VLAN" },
	{ 0x030a0000, "NOACTLINK", "NOACTLINK", SMC_RAISED_BOTH, NULL,
	  "the link group has no active link left",
	  "check the state of the RoCE ports (smcr linkgroup link-show)" },
	{ 0x030b0000, "NOSRVLINK", "NOSRVLINK", SMC_RAISED_CLIENT, NULL,
	  "the server's link does not belong to the link group here",
	  "try again; if it persists, compare the links of both sides (smcr linkgroup link-show)" },
	{ 0x030c0000, "VERSMISMAT", "VERSMISMAT", SMC_RAISED_NONE, NULL,
	  "the two sides use different SMC versions",
	  "compare the versions of both sides (smcr info)" },
	{ 0x030d0000, "MAX_DMB", "MAX_DMB", SMC_RAISED_BOTH, NULL,
	  "the ISM device has no buffer left",
	  "use fewer or smaller buffers (net.smc.rmem), or another ISM device" },
	{ 0x030e0000, "NOROUTE", "NOROUTE", SMC_RAISED_BOTH, "5.16",
	  "no route to the peer's RoCE address",
	  "check the route between the RoCE interfaces (ip route get)" },
	{ 0x030f0000, "NOINDIRECT", "NOINDIRECT", SMC_RAISED_CLIENT, "5.16",
	  "the peer expects a routed path, and the route here is direct",
	  "check the routes of both sides to each other's RoCE address" },
	{ 0x04000000, "SYNCERR", "SYNCERR", SMC_RAISED_CLIENT, NULL,
	  "the link groups of the two sides are out of step",
	  "try again: the next connection sets up a new link group" },
	{ 0x05000000, "PEERDECL", "PEERDECL", SMC_RAISED_BOTH, NULL, "the peer declined SMC",
	  "see the peer's own reason, the second number" },
	{ 0x09990000, "INTERR", "INTERR", SMC_RAISED_BOTH, NULL, "internal error of the SMC layer",
	  "look at the kernel log (dmesg)" },
	{ 0x09990001, "ERR_RTOK", "ERR_RTOK", SMC_RAISED_BOTH, NULL,
	  "the peer's memory key could not be recorded",
	  "look at the kernel log (dmesg) and the RDMA device" },
	{ 0x09990002, "ERR_RDYLNK", "ERR_RDYLNK", SMC_RAISED_BOTH, NULL,
	  "the RDMA queue pair could not be made ready",
	  "look at the kernel log (dmesg), the port's state and its MTU" },
	{ 0x09990003, "ERR_REGBUF", "ERR_REGBUF", SMC_RAISED_BOTH, NULL,
	  "the buffer could not be registered with the RDMA device",
	  "look at the kernel log (dmesg), try smaller buffers or another net.smc.smcr_buf_type" },
};

const size_t smc_reason_count = ARRAY_SIZE(smc_reasons);

const struct smc_reason *smc_reason_find(uint32_t code)
{
	for (size_t i = 0; i < smc_reason_count; i++)
		if (smc_reasons[i].code == code)
			return &smc_reasons[i];
	return NULL;
}

static const struct smc_reason *find_name(const char *name)
{
	static const char prefix[] = "SMC_CLC_DECL_";

	if (!strncasecmp(name, prefix, sizeof(prefix) - 1))
		name += sizeof(prefix) - 1;
	/* Name in older kernels. */
	if (!strcasecmp(name, "ERR_REGRMB"))
		name = "ERR_REGBUF";
	for (size_t i = 0; i < smc_reason_count; i++)
		if (!strcasecmp(smc_reasons[i].symbol, name) ||
		    !strcasecmp(smc_reasons[i].stats_name, name))
			return &smc_reasons[i];
	return NULL;
}

/* Return: 0, -EINVAL, -ERANGE. strtoull() would accept signs and blanks as well. */
static int read_number(const char *word, int base, uint32_t *code)
{
	unsigned long long value;
	char *end;

	if (!isalnum((unsigned char)*word))
		return -EINVAL;
	errno = 0;
	value = strtoull(word, &end, base);
	if (*end)
		return -EINVAL;
	if (errno || value > UINT32_MAX)
		return -ERANGE;
	*code = (uint32_t)value;
	return 0;
}

int smc_reason_parse(const char *word, uint32_t *code)
{
	const struct smc_reason *reason = find_name(word);
	uint32_t decimal;
	int ret;

	if (reason) {
		*code = reason->code;
		return 0;
	}
	ret = read_number(word, 16, code);
	if (ret == -EINVAL || word[strspn(word, "0123456789")])
		return ret;
	/* Digits only. Codes are always written with eight digits, the first of them a zero. */
	if (!ret && (smc_reason_find(*code) || (*word == '0' && strlen(word) == 8)))
		return 0;
	ret = read_number(word, 10, &decimal);
	if (!ret)
		*code = decimal;
	return ret;
}

const char *smc_reason_family(uint32_t code)
{
	switch (code >> 24) {
	case 0x01: return "resources";
	case 0x02: return "time-outs";
	case 0x03: return "configuration";
	case 0x04: return "synchronisation";
	case 0x05: return "declined by the peer";
	case 0x09: return "internal errors";
	default: return NULL;
	}
}
