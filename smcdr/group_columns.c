// SPDX-License-Identifier: MIT
/* Columns of link groups, links and devices. */
#include "smcdr/cmd.h"

static const struct out_names yes_no = OUT_NAMES(NULL, NULL, { "No", NULL }, { "Yes", NULL });

/* ---- link groups ---- */

static const struct out_names roles =
	OUT_NAMES(NULL, NULL, { "CLNT", "client" }, { "SERV", "server" });
static const struct out_names types =
	OUT_NAMES("0x", "?", { "NONE", "none" }, { "SINGLE", "single" }, { "SYM", "symmetric" },
		  { "ASYMP", "asymmetric-peer" }, { "ASYML", "asymmetric-local" });
static const struct out_names systems =
	OUT_NAMES("Unknown (0x", ")", { NULL, NULL }, { "ZOS", "ZOS" }, { "LINUX", "LINUX" },
		  { "AIX", "AIX" });
static const struct out_names buffers = OUT_NAMES(NULL, NULL, { "physical", "physical" },
						  { "virtual", "virtual" }, { "mixed", "mixed" });

static void text_vlan(struct out_text *text, const void *value)
{
	uint8_t vlan = *(const uint8_t *)value;

	out_str(text, vlan ? "0x" : "");
	out_hex(text, vlan, 0);
}

static void text_chid(struct out_text *text, const void *value)
{
	uint32_t chid = *(const uint32_t *)value;

	out_hex(text, chid, 4);
	if (chid == SMC_ABI_CHID_LOOPBACK)
		out_str(text, " (loopback)");
}

/* Kernels that have only version 1 do not send the version. */
static const void *versioned(const void *object)
{
	static const struct smc_lgr version_1 = { .version = 1 };

	return ((const struct smc_lgr *)object)->has & SMC_LGR_HAS_VERSION ? object : &version_1;
}

#define LGR(bit) OUT_IF(smc_lgr, has, SMC_LGR_HAS_##bit)
/* clang-format off */
#define LGR_ID { "id", "LG-ID", "id", 8, OUT_HEX_STR(smc_lgr, id, 8), LGR(ID) }
#define LGR_ROLE { "role", "LG-Role", "role", 8, OUT_FLAG(smc_lgr, role, roles), LGR(ROLE) }
#define LGR_TYPE { "type", "LG-Type", "type", 8, OUT_NAME(smc_lgr, type, types), LGR(TYPE) }
/* Columns shared by SMC-R and SMC-D groups, after the first ones. */
#define LGR_COLUMNS                                                                                \
	{ "vlan", "VLAN", "vlan", 4, OUT_RIGHT, OUT_DEC(smc_lgr, vlan, 0), LGR(VLAN), OUT_GAP,     \
	  .text = text_vlan },                                                                     \
	{ "conns", "#Conns", "connections", 6, OUT_RIGHT, OUT_DEC(smc_lgr, conns, 0),              \
	  LGR(CONNS), OUT_GAP },                                                                   \
	{ "pnetid", "PNET-ID", "pnetid", 16, OUT_STR(smc_lgr, pnetid), OUT_OPTIONAL },             \
	{ "version", "Version", "version", 7, OUT_DEC(smc_lgr, version, 0), .find = versioned },   \
	{ "rel", "Peer-Rel", "peer_release", 8, OUT_DEC(smc_lgr, release, 0), LGR(RELEASE) },      \
	{ "host", "Peer-Host", "peer_host", 9, OUT_STR(smc_lgr, peer_host), LGR(PEER_HOST) },      \
	{ "os", "Peer-OS", "peer_os", 7, OUT_NAME(smc_lgr, os, systems), LGR(OS) },                \
	{ "eid", "EID", "eid", 32, OUT_STR(smc_lgr, eid), LGR(EID) }
/* clang-format on */

const struct out_col smcr_linkgroup_columns[] = {
	LGR_ID,
	LGR_ROLE,
	LGR_TYPE,
	LGR_COLUMNS,
	{ "direct", "Direct", "direct", 6, OUT_FLAG(smc_lgr, is_direct, yes_no), LGR(DIRECT) },
	{ "sndbuf", "Sndbuf", "sndbuf_bytes", 6, OUT_BYTES(smc_lgr, sndbuf), LGR(SNDBUF) },
	{ "rmb", "RMB", "rmb_bytes", 6, OUT_BYTES(smc_lgr, rcvbuf), LGR(RCVBUF) },
	{ "buftype", "Buf-Type", "buffer_type", 8, OUT_NAME(smc_lgr, buf_type, buffers),
	  LGR(BUF_TYPE) },
	{ "maxconns", "Max-Conns", "max_connections", 9, OUT_DEC(smc_lgr, max_conns, 0),
	  LGR(MAX_CONNS) },
	{ "maxlinks", "Max-Links", "max_links", 9, OUT_DEC(smc_lgr, max_links, 0), LGR(MAX_LINKS) },
	{ "cookie", "NetCookie", "net_cookie", 9, OUT_DEC_STR(smc_lgr, net_cookie, 0),
	  LGR(NET_COOKIE) },
	{ 0 },
};

const struct out_col smcd_linkgroup_columns[] = {
	LGR_ID,
	LGR_COLUMNS,
	{ "sndbuf", "Sndbuf", "sndbuf_bytes", 6, OUT_BYTES(smc_lgr, sndbuf), LGR(SNDBUF) },
	{ "dmb", "DMB", "dmb_bytes", 6, OUT_BYTES(smc_lgr, rcvbuf), LGR(RCVBUF) },
	{ "gid", "GID", "gid", 16, OUT_HEX_0X(smc_lgr, gid, 16), LGR(GID) },
	{ "extgid", "Ext-GID", "ext_gid", 16, OUT_HEX_0X(smc_lgr, ext_gid, 16), LGR(EXT_GID) },
	{ "peergid", "Peer-GID", "peer_gid", 16, OUT_HEX_0X(smc_lgr, peer_gid, 16), LGR(PEER_GID) },
	{ "peerext", "Peer-Ext", "peer_ext_gid", 16, OUT_HEX_0X(smc_lgr, peer_ext_gid, 16),
	  LGR(PEER_EXT_GID) },
	{ "chid", "CHID", "chid", 4, OUT_HEX(smc_lgr, chid, 4), LGR(CHID), .text = text_chid },
	{ 0 },
};

/* ---- links ---- */

static const struct out_names link_states =
	OUT_NAMES("0x", "?", { "LINK_UNUSED", "unused" }, { "LINK_INACTIVE", "inactive" },
		  { "LINK_ACTIVATING", "activating" }, { "LINK_ACTIVE", "active" });

/* The UID is in network order. */
static void text_uid(struct out_text *text, const void *uid)
{
	const uint8_t *byte = uid;

	out_hex(text, (uint32_t)byte[0] << 24 | byte[1] << 16 | byte[2] << 8 | byte[3], 8);
}

#define LINK(bit) OUT_IF(link_row, link.has, SMC_LINK_HAS_##bit)

const struct out_col link_columns[] = {
	LGR_ID,
	LGR_ROLE,
	LGR_TYPE,
	{ NULL, NULL, "link_id", 0, OUT_DEC(link_row, link.id, 0), LINK(ID) },
	{ "netdev", "Net-Dev", "netdev", 15, OUT_STR(link_row, netdev), OUT_OPTIONAL },
	{ NULL, NULL, "ifindex", 0, OUT_DEC(link_row, link.ifindex, 0), OUT_OPTIONAL },
	{ "state", "Link-State", "state", 15, OUT_NAME(link_row, link.state, link_states),
	  LINK(STATE) },
	{ "conns", "#Conns", "connections", 6, OUT_RIGHT, OUT_DEC(link_row, link.conns, 0),
	  LINK(CONNS), OUT_GAP },
	{ "uid", "Link-UID", "link_uid", 8, OUT_ODD(link_row, link.uid), LINK(UID),
	  OUT_TEXT(text_uid), OUT_GAP },
	{ "peeruid", "Peer-UID", "peer_uid", 8, OUT_ODD(link_row, link.peer_uid), LINK(PEER_UID),
	  OUT_TEXT(text_uid), OUT_GAP },
	{ "ibdev", "IB-Dev", "ibdev", 8, OUT_STR(link_row, link.ib_dev), LINK(IB_DEV), OUT_GAP },
	{ "port", "IB-P", "port", 4, OUT_RIGHT, OUT_DEC(link_row, link.ib_port, 0), LINK(IB_PORT),
	  OUT_GAP },
	{ "gid", "Local-GID", "gid", 40, OUT_STR(link_row, link.gid), OUT_OPTIONAL, OUT_GAP },
	{ "peergid", "Peer-GID", "peer_gid", 40, OUT_STR(link_row, link.peer_gid), OUT_OPTIONAL },
	{ 0 },
};

/* ---- devices ---- */

static const struct out_names port_states =
	OUT_NAMES(NULL, NULL, { "INACTIVE", "inactive" }, { "ACTIVE", "active" });

static void text_type(struct out_text *text, const void *object)
{
	const struct device_row *row = object;

	if (row->is_loopback)
		out_str(text, "loopback");
	else if (row->is_soft_roce)
		out_str(text, "Soft-RoCE");
	else if (row->device.has & SMC_DEVICE_HAS_DEVICE)
		cmd_pci_type(text, row->device.vendor, row->device.device, &row->pci);
}

static const void *port_with_pnetid(const void *object)
{
	const struct smc_port *port = &((const struct device_row *)object)->port;

	return port->pnetid[0] ? port : NULL;
}

/* Mark IDs set by software. */
static void text_pnetid(struct out_text *text, const void *object)
{
	const struct smc_port *port = object;

	out_str(text, port->is_user ? "*" : "");
	out_escaped(text, port->pnetid, sizeof(port->pnetid));
}

static json_t *json_pnetid(const void *object)
{
	return out_json_str(((const struct smc_port *)object)->pnetid);
}

#define DEVICE(bit) OUT_IF(device_row, device.has, SMC_DEVICE_HAS_##bit)
#define PORT(bit) OUT_IF(device_row, port.has, SMC_PORT_HAS_##bit)
/* clang-format off */
#define PCI_ID                                                                                     \
	{ "pci", "PCI-ID", "pci_id", 12, OUT_STR(device_row, device.pci_id), DEVICE(PCI_ID),       \
	  OUT_GAP }
/* Details of the PCI device and its names, only for JSON. */
#define PCI_COLUMNS                                                                                \
	{ NULL, NULL, "pci_vendor", 0, OUT_DEC(device_row, device.vendor, 0), DEVICE(VENDOR) },    \
	{ NULL, NULL, "pci_device", 0, OUT_DEC(device_row, device.device, 0), DEVICE(DEVICE) },    \
	{ NULL, NULL, "vendor", 0, OUT_STR(device_row, pci.vendor), OUT_OPTIONAL },                \
	{ NULL, NULL, "product", 0, OUT_STR(device_row, pci.device), OUT_OPTIONAL }
#define PNETID_COLUMNS                                                                             \
	{ "pnetid", "PNET-ID", "pnetid", 16, .find = port_with_pnetid, .text = text_pnetid,        \
	  .json = json_pnetid },                                                                   \
	{ NULL, NULL, "pnetid_by_user", 0, OUT_FLAG(smc_port, is_user, yes_no),                    \
	  OUT_IF(smc_port, has, SMC_PORT_HAS_USER), .find = port_with_pnetid }
/* clang-format on */

const struct out_col smcr_device_columns[] = {
	{ "netdev", "Net-Dev", "netdev", 15, OUT_STR(device_row, netdev), OUT_OPTIONAL },
	{ NULL, NULL, "ifindex", 0, OUT_DEC(device_row, port.ifindex, 0), OUT_OPTIONAL },
	{ "ibdev", "IB-Dev", "ibdev", 8, OUT_STR(device_row, device.ib_name), DEVICE(IB_NAME) },
	{ "port", "IB-P", "port", 4, OUT_RIGHT, OUT_DEC(device_row, number, 0), OUT_GAP },
	{ "state", "IB-State", "state", 8, OUT_RIGHT,
	  OUT_FLAG(device_row, port.is_active, port_states), PORT(STATE), OUT_GAP },
	{ "type", "Type", "type", 13, OUT_TEXT(text_type) },
	{ "crit", "Crit", "critical", 4, OUT_RIGHT, OUT_FLAG(device_row, device.is_crit, yes_no),
	  DEVICE(CRIT), OUT_GAP },
	/* The header is aligned with the first digit. */
	{ "fid", "FID ", "fid", 5, OUT_RIGHT, OUT_HEX(device_row, device.fid, 4), DEVICE(FID),
	  OUT_GAP },
	PCI_ID,
	{ "pchid", "PCHID", "pchid", 5, OUT_HEX(device_row, device.pchid, 4), DEVICE(PCHID),
	  OUT_GAP },
	PCI_COLUMNS,
	{ "links", "#Links", "links", 6, OUT_RIGHT, OUT_DEC(device_row, port.links, 0), PORT(LINKS),
	  OUT_GAP },
	PNETID_COLUMNS,
	{ 0 },
};

const struct out_col smcd_device_columns[] = {
	{ "fid", "FID", "fid", 4, OUT_HEX(device_row, device.fid, 4), DEVICE(FID) },
	{ "type", "Type", "type", 4, OUT_TEXT(text_type), OUT_GAP },
	PCI_ID,
	{ "pchid", "PCHID", "pchid", 5, OUT_HEX(device_row, device.pchid, 4), DEVICE(PCHID),
	  OUT_GAP },
	PCI_COLUMNS,
	{ "inuse", "InUse", "in_use", 5, OUT_FLAG(device_row, device.is_crit, yes_no), DEVICE(CRIT),
	  OUT_GAP },
	{ "groups", "#LGs", "linkgroups", 4, OUT_RIGHT, OUT_DEC(device_row, device.use_count, 0),
	  DEVICE(USE_COUNT), OUT_GAP },
	PNETID_COLUMNS,
	{ 0 },
};
