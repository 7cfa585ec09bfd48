// SPDX-License-Identifier: MIT
/* linkgroup: link groups and their links. */
#include "smcdr/run.h"

#include <arpa/inet.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "smc/lgr.h"
#include "smc/link.h"

/* ---- columns of a link group; a link's row begins with one ---- */

struct link_row {
	struct smc_lgr lgr;
	struct smc_link link;
	char netdev[CMD_NETDEV_SIZE];
};

static const struct smc_lgr *lgr_of(const void *object)
{
	return object;
}

static bool has(const void *object, uint32_t bit)
{
	return lgr_of(object)->has & bit;
}

static void text_id(struct out_text *text, const void *object)
{
	if (has(object, SMC_LGR_HAS_ID))
		out_hex(text, lgr_of(object)->id, 8);
}

/* As a string, as people type it: "00000100". */
static json_t *json_id(const void *object)
{
	return cmd_json_text(text_id, object);
}

static void text_role(struct out_text *text, const void *object)
{
	if (has(object, SMC_LGR_HAS_ROLE))
		out_str(text, lgr_of(object)->role ? "SERV" : "CLNT");
}

static json_t *json_role(const void *object)
{
	return has(object, SMC_LGR_HAS_ROLE) ?
		       json_string(lgr_of(object)->role ? "server" : "client") : NULL;
}

static const struct {
	const char *text, *json;
} types[] = {
	{ "NONE", "none" },
	{ "SINGLE", "single" },
	{ "SYM", "symmetric" },
	{ "ASYMP", "asymmetric-peer" },
	{ "ASYML", "asymmetric-local" },
};

#define N_TYPES (sizeof(types) / sizeof(types[0]))

static void text_type(struct out_text *text, const void *object)
{
	if (!has(object, SMC_LGR_HAS_TYPE))
		return;
	if (lgr_of(object)->type < N_TYPES) {
		out_str(text, types[lgr_of(object)->type].text);
		return;
	}
	out_str(text, "0x");
	out_hex(text, lgr_of(object)->type, 0);
	out_str(text, "?");
}

static json_t *json_kind(const void *object)
{
	if (!has(object, SMC_LGR_HAS_TYPE))
		return NULL;
	return lgr_of(object)->type < N_TYPES ? json_string(types[lgr_of(object)->type].json) :
						json_integer(lgr_of(object)->type);
}

static void text_vlan(struct out_text *text, const void *object)
{
	if (!has(object, SMC_LGR_HAS_VLAN))
		return;
	if (lgr_of(object)->vlan)
		out_str(text, "0x");
	out_hex(text, lgr_of(object)->vlan, 0);
}

static void text_conns(struct out_text *text, const void *object)
{
	if (has(object, SMC_LGR_HAS_CONNS))
		out_dec(text, lgr_of(object)->conns, 0);
}

static void text_pnetid(struct out_text *text, const void *object)
{
	out_escaped(text, lgr_of(object)->pnetid, sizeof(lgr_of(object)->pnetid));
}

static json_t *json_pnetid(const void *object)
{
	return lgr_of(object)->pnetid[0] ? cmd_json_str(lgr_of(object)->pnetid) : NULL;
}

static unsigned int version_of(const void *object)
{
	return has(object, SMC_LGR_HAS_VERSION) ? lgr_of(object)->version : 1;
}

static void text_version(struct out_text *text, const void *object)
{
	out_dec(text, version_of(object), 0);
}

static json_t *json_version(const void *object)
{
	return json_integer(version_of(object));
}

/* Text and JSON of a number that stands in the struct under the bit's name. */
#define NUMBER(name, member, bit)                                                                 \
	static void text_##name(struct out_text *text, const void *object)                        \
	{                                                                                         \
		if (has(object, bit))                                                             \
			out_dec(text, lgr_of(object)->member, 0);                                 \
	}                                                                                         \
	JSON_NUMBER(name, member, bit)
#define JSON_NUMBER(name, member, bit)                                                            \
	static json_t *json_##name(const void *object)                                            \
	{                                                                                         \
		return has(object, bit) ? json_integer((json_int_t)lgr_of(object)->member) : NULL; \
	}
#define BYTES(name, member, bit)                                                                  \
	static void text_##name(struct out_text *text, const void *object)                        \
	{                                                                                         \
		if (!has(object, bit))                                                            \
			return;                                                                   \
		out_dec(text, lgr_of(object)->member, 0);                                         \
		out_str(text, " B");                                                              \
	}                                                                                         \
	JSON_NUMBER(name, member, bit)
#define STRING(name, member, bit)                                                                 \
	static void text_##name(struct out_text *text, const void *object)                        \
	{                                                                                         \
		out_escaped(text, lgr_of(object)->member, sizeof(lgr_of(object)->member));        \
	}                                                                                         \
	static json_t *json_##name(const void *object)                                            \
	{                                                                                         \
		return has(object, bit) ? cmd_json_str(lgr_of(object)->member) : NULL;            \
	}
/* 64 bits, for people in hexadecimal as smcss has them. */
#define GID(name, member, bit)                                                                    \
	static void text_##name(struct out_text *text, const void *object)                        \
	{                                                                                         \
		if (has(object, bit))                                                             \
			out_hex(text, lgr_of(object)->member, 16);                                \
	}                                                                                         \
	static json_t *json_##name(const void *object)                                            \
	{                                                                                         \
		return has(object, bit) ? cmd_json_hex(lgr_of(object)->member, 16) : NULL;        \
	}

JSON_NUMBER(vlan, vlan, SMC_LGR_HAS_VLAN)
JSON_NUMBER(conns, conns, SMC_LGR_HAS_CONNS)
NUMBER(release, release, SMC_LGR_HAS_RELEASE)
NUMBER(max_conns, max_conns, SMC_LGR_HAS_MAX_CONNS)
NUMBER(max_links, max_links, SMC_LGR_HAS_MAX_LINKS)
BYTES(sndbuf, sndbuf, SMC_LGR_HAS_SNDBUF)
BYTES(rcvbuf, rcvbuf, SMC_LGR_HAS_RCVBUF)
STRING(eid, eid, SMC_LGR_HAS_EID)
STRING(peer_host, peer_host, SMC_LGR_HAS_PEER_HOST)
GID(gid, gid, SMC_LGR_HAS_GID)
GID(peer_gid, peer_gid, SMC_LGR_HAS_PEER_GID)
GID(ext_gid, ext_gid, SMC_LGR_HAS_EXT_GID)
GID(peer_ext_gid, peer_ext_gid, SMC_LGR_HAS_PEER_EXT_GID)

static const char *os_name(uint8_t os)
{
	static const char *const names[] = { NULL, "ZOS", "LINUX", "AIX" };

	return os < sizeof(names) / sizeof(names[0]) ? names[os] : NULL;
}

static void text_os(struct out_text *text, const void *object)
{
	const char *name = os_name(lgr_of(object)->os);

	if (!has(object, SMC_LGR_HAS_OS))
		return;
	if (name) {
		out_str(text, name);
		return;
	}
	out_str(text, "Unknown (0x");
	out_hex(text, lgr_of(object)->os, 0);
	out_str(text, ")");
}

static json_t *json_os(const void *object)
{
	const char *name = os_name(lgr_of(object)->os);

	if (!has(object, SMC_LGR_HAS_OS))
		return NULL;
	return name ? json_string(name) : json_integer(lgr_of(object)->os);
}

static void text_direct(struct out_text *text, const void *object)
{
	if (has(object, SMC_LGR_HAS_DIRECT))
		out_str(text, lgr_of(object)->is_direct ? "Yes" : "No");
}

static json_t *json_direct(const void *object)
{
	return has(object, SMC_LGR_HAS_DIRECT) ? json_boolean(lgr_of(object)->is_direct) : NULL;
}

static const char *const buf_types[] = { "physical", "virtual", "mixed" };

static void text_buf_type(struct out_text *text, const void *object)
{
	uint8_t type = lgr_of(object)->buf_type;

	if (!has(object, SMC_LGR_HAS_BUF_TYPE))
		return;
	if (type < sizeof(buf_types) / sizeof(buf_types[0]))
		out_str(text, buf_types[type]);
	else
		out_dec(text, type, 0);
}

static json_t *json_buf_type(const void *object)
{
	uint8_t type = lgr_of(object)->buf_type;

	if (!has(object, SMC_LGR_HAS_BUF_TYPE))
		return NULL;
	return type < sizeof(buf_types) / sizeof(buf_types[0]) ? json_string(buf_types[type]) :
								 json_integer(type);
}

static void text_cookie(struct out_text *text, const void *object)
{
	if (has(object, SMC_LGR_HAS_NET_COOKIE))
		out_dec(text, lgr_of(object)->net_cookie, 0);
}

static json_t *json_cookie(const void *object)
{
	return cmd_json_text(text_cookie, object);
}

static void text_chid(struct out_text *text, const void *object)
{
	if (has(object, SMC_LGR_HAS_CHID))
		out_hex(text, lgr_of(object)->chid, 4);
	if (has(object, SMC_LGR_HAS_CHID) && lgr_of(object)->chid == SMC_ABI_CHID_LOOPBACK)
		out_str(text, " (loopback)");
}

static json_t *json_chid(const void *object)
{
	return has(object, SMC_LGR_HAS_CHID) ? json_integer(lgr_of(object)->chid) : NULL;
}

#define V2_COLUMNS                                                                                \
	{ "version", "Version", "version", 7, .text = text_version, .json = json_version },       \
	{ "rel", "Peer-Rel", "peer_release", 8, .text = text_release, .json = json_release },     \
	{ "host", "Peer-Host", "peer_host", 9, .text = text_peer_host, .json = json_peer_host },  \
	{ "os", "Peer-OS", "peer_os", 7, .text = text_os, .json = json_os },                      \
	{ "eid", "EID", "eid", 32, .text = text_eid, .json = json_eid }

static const struct out_col smcr_columns[] = {
	{ "id", "LG-ID", "id", 8, .text = text_id, .json = json_id },
	{ "role", "LG-Role", "role", 8, .text = text_role, .json = json_role },
	{ "type", "LG-Type", "type", 8, .text = text_type, .json = json_kind },
	{ "vlan", "VLAN", "vlan", 4, OUT_RIGHT, .text = text_vlan, .json = json_vlan },
	{ "conns", "#Conns", "connections", 7, OUT_RIGHT, .text = text_conns, .json = json_conns },
	{ "pnetid", "PNET-ID", "pnetid", 16, .text = text_pnetid, .json = json_pnetid },
	V2_COLUMNS,
	{ "direct", "Direct", "direct", 6, .text = text_direct, .json = json_direct },
	{ "sndbuf", "Sndbuf", "sndbuf_bytes", 6, .text = text_sndbuf, .json = json_sndbuf },
	{ "rmb", "RMB", "rmb_bytes", 6, .text = text_rcvbuf, .json = json_rcvbuf },
	{ "buftype", "Buf-Type", "buffer_type", 8, .text = text_buf_type, .json = json_buf_type },
	{ "maxconns", "Max-Conns", "max_connections", 9,
	  .text = text_max_conns, .json = json_max_conns },
	{ "maxlinks", "Max-Links", "max_links", 9, .text = text_max_links, .json = json_max_links },
	{ "cookie", "NetCookie", "net_cookie", 9, .text = text_cookie, .json = json_cookie },
	{ 0 },
};

static const struct out_col smcd_columns[] = {
	{ "id", "LG-ID", "id", 8, .text = text_id, .json = json_id },
	{ "vlan", "VLAN", "vlan", 4, OUT_RIGHT, .text = text_vlan, .json = json_vlan },
	{ "conns", "#Conns", "connections", 7, OUT_RIGHT, .text = text_conns, .json = json_conns },
	{ "pnetid", "PNET-ID", "pnetid", 16, .text = text_pnetid, .json = json_pnetid },
	V2_COLUMNS,
	{ "sndbuf", "Sndbuf", "sndbuf_bytes", 6, .text = text_sndbuf, .json = json_sndbuf },
	{ "dmb", "DMB", "dmb_bytes", 6, .text = text_rcvbuf, .json = json_rcvbuf },
	{ "gid", "GID", "gid", 16, .text = text_gid, .json = json_gid },
	{ "extgid", "Ext-GID", "ext_gid", 16, .text = text_ext_gid, .json = json_ext_gid },
	{ "peergid", "Peer-GID", "peer_gid", 16, .text = text_peer_gid, .json = json_peer_gid },
	{ "peerext", "Peer-Ext", "peer_ext_gid", 16,
	  .text = text_peer_ext_gid, .json = json_peer_ext_gid },
	{ "chid", "CHID", "chid", 4, .text = text_chid, .json = json_chid },
	{ 0 },
};

/* ---- columns of a link ---- */

static const struct smc_link *link_of(const void *object)
{
	return &((const struct link_row *)object)->link;
}

static bool link_has(const void *object, uint32_t bit)
{
	return link_of(object)->has & bit;
}

static void text_netdev(struct out_text *text, const void *object)
{
	out_escaped(text, ((const struct link_row *)object)->netdev, CMD_NETDEV_SIZE);
}

static json_t *json_netdev(const void *object)
{
	const struct link_row *row = object;

	return row->netdev[0] ? cmd_json_str(row->netdev) : NULL;
}

static json_t *json_ifindex(const void *object)
{
	return link_of(object)->ifindex ? json_integer(link_of(object)->ifindex) : NULL;
}

static const struct {
	const char *text, *json;
} states[] = {
	{ "LINK_UNUSED", "unused" },
	{ "LINK_INACTIVE", "inactive" },
	{ "LINK_ACTIVATING", "activating" },
	{ "LINK_ACTIVE", "active" },
};

#define N_STATES (sizeof(states) / sizeof(states[0]))

static void text_state(struct out_text *text, const void *object)
{
	uint32_t state = link_of(object)->state;

	if (!link_has(object, SMC_LINK_HAS_STATE))
		return;
	if (state < N_STATES) {
		out_str(text, states[state].text);
		return;
	}
	out_str(text, "0x");
	out_hex(text, state, 0);
	out_str(text, "?");
}

static json_t *json_state(const void *object)
{
	uint32_t state = link_of(object)->state;

	if (!link_has(object, SMC_LINK_HAS_STATE))
		return NULL;
	return state < N_STATES ? json_string(states[state].json) : json_integer(state);
}

static void text_link_conns(struct out_text *text, const void *object)
{
	if (link_has(object, SMC_LINK_HAS_CONNS))
		out_dec(text, link_of(object)->conns, 0);
}

static json_t *json_link_conns(const void *object)
{
	return link_has(object, SMC_LINK_HAS_CONNS) ? json_integer(link_of(object)->conns) : NULL;
}

/* The bytes of a UID are in network order. */
static void append_uid(struct out_text *text, uint32_t uid)
{
	out_hex(text, ntohl(uid), 8);
}

static void text_uid(struct out_text *text, const void *object)
{
	if (link_has(object, SMC_LINK_HAS_UID))
		append_uid(text, link_of(object)->uid);
}

static void text_peer_uid(struct out_text *text, const void *object)
{
	if (link_has(object, SMC_LINK_HAS_PEER_UID))
		append_uid(text, link_of(object)->peer_uid);
}

static json_t *json_uid(const void *object)
{
	return cmd_json_text(text_uid, object);
}

static json_t *json_peer_uid(const void *object)
{
	return cmd_json_text(text_peer_uid, object);
}

static void text_ibdev(struct out_text *text, const void *object)
{
	out_escaped(text, link_of(object)->ib_dev, sizeof(link_of(object)->ib_dev));
}

static json_t *json_ibdev(const void *object)
{
	return link_has(object, SMC_LINK_HAS_IB_DEV) ? cmd_json_str(link_of(object)->ib_dev) : NULL;
}

static void text_ibport(struct out_text *text, const void *object)
{
	if (link_has(object, SMC_LINK_HAS_IB_PORT))
		out_dec(text, link_of(object)->ib_port, 0);
}

static json_t *json_ibport(const void *object)
{
	return link_has(object, SMC_LINK_HAS_IB_PORT) ? json_integer(link_of(object)->ib_port) :
							NULL;
}

static json_t *json_link_id(const void *object)
{
	return link_has(object, SMC_LINK_HAS_ID) ? json_integer(link_of(object)->id) : NULL;
}

static void text_link_gid(struct out_text *text, const void *object)
{
	out_escaped(text, link_of(object)->gid, sizeof(link_of(object)->gid));
}

static json_t *json_link_gid(const void *object)
{
	return cmd_json_text(text_link_gid, object);
}

static void text_link_peer_gid(struct out_text *text, const void *object)
{
	out_escaped(text, link_of(object)->peer_gid, sizeof(link_of(object)->peer_gid));
}

static json_t *json_link_peer_gid(const void *object)
{
	return cmd_json_text(text_link_peer_gid, object);
}

static const struct out_col link_columns[] = {
	{ "id", "LG-ID", "id", 8, .text = text_id, .json = json_id },
	{ "role", "LG-Role", "role", 8, .text = text_role, .json = json_role },
	{ "type", "LG-Type", "type", 8, .text = text_type, .json = json_kind },
	{ NULL, NULL, "link_id", 0, .json = json_link_id },
	{ "netdev", "Net-Dev", "netdev", 15, .text = text_netdev, .json = json_netdev },
	{ NULL, NULL, "ifindex", 0, .json = json_ifindex },
	{ "state", "Link-State", "state", 15, .text = text_state, .json = json_state },
	{ "conns", "#Conns", "connections", 6,
	  OUT_RIGHT, .text = text_link_conns, .json = json_link_conns },
	{ "uid", "Link-UID", "link_uid", 9, .text = text_uid, .json = json_uid },
	{ "peeruid", "Peer-UID", "peer_uid", 9, .text = text_peer_uid, .json = json_peer_uid },
	{ "ibdev", "IB-Dev", "ibdev", 9, .text = text_ibdev, .json = json_ibdev },
	{ "port", "IB-P", "port", 4, OUT_RIGHT, .text = text_ibport, .json = json_ibport },
	{ "gid", "Local-GID", "gid", 40, .text = text_link_gid, .json = json_link_gid },
	{ "peergid", "Peer-GID", "peer_gid", 40,
	  .text = text_link_peer_gid, .json = json_link_peer_gid },
	{ 0 },
};

/* ---- what was asked for ---- */

/** struct request - filters combine; @id counts if @has_id */
struct request {
	bool is_links, has_id;
	uint32_t id;
	const char *netdev, *ibdev;
};

struct lists {
	struct cmd_list groups; /* of struct smc_lgr */
	struct cmd_list links;	/* of struct link_row */
	struct smc_lgr last;	/* the group that the next links belong to */
};

static int on_group(const struct nlmsghdr *nlh, void *arg)
{
	struct lists *lists = arg;
	struct smc_lgr *lgr = cmd_list_add(&lists->groups);

	return lgr ? smc_lgr_decode(lgr, nlh) : -ENOMEM;
}

/* A dump of links has messages of two kinds: each group, then its links. */
static int on_link(const struct nlmsghdr *nlh, void *arg)
{
	struct lists *lists = arg;
	struct link_row *row;
	struct smc_link link;

	if (smc_link_decode(&link, nlh)) {
		int ret = smc_lgr_decode(&lists->last, nlh);

		return ret ? ret : on_group(nlh, arg);
	}
	row = cmd_list_add(&lists->links);
	if (!row)
		return -ENOMEM;
	row->lgr = lists->last;
	row->link = link;
	return 0;
}

static bool id_fits(const struct request *request, const struct smc_lgr *lgr)
{
	return !request->has_id || request->id == lgr->id;
}

static bool link_fits(const struct request *request, const struct link_row *row)
{
	return id_fits(request, &row->lgr) &&
	       (!request->netdev || !strcmp(request->netdev, row->netdev)) &&
	       (!request->ibdev || !strcmp(request->ibdev, row->link.ib_dev));
}

static void filter_links(struct cmd_list *links, const struct request *request)
{
	size_t kept = 0;

	for (size_t i = 0; i < links->count; i++) {
		struct link_row *row = cmd_list_at(links, i);

		cmd_netdev_name(row->netdev, row->link.ib_dev, row->link.ib_port,
				row->link.ifindex);
		if (link_fits(request, row))
			memmove(cmd_list_at(links, kept++), row, sizeof(*row));
	}
	links->count = kept;
}

/* A group passes a filter for devices when one of its links does. */
static void filter_groups(struct lists *lists, const struct request *request)
{
	size_t kept = 0;

	for (size_t i = 0; i < lists->groups.count; i++) {
		struct smc_lgr *lgr = cmd_list_at(&lists->groups, i);
		bool fits = !request->netdev && !request->ibdev;

		for (size_t j = 0; !fits && j < lists->links.count; j++)
			fits = ((struct link_row *)cmd_list_at(&lists->links, j))->lgr.id ==
			       lgr->id;
		if (fits && id_fits(request, lgr))
			memmove(cmd_list_at(&lists->groups, kept++), lgr, sizeof(*lgr));
	}
	lists->groups.count = kept;
}

static int load(struct cmd *cmd, struct lists *lists, const struct request *request)
{
	bool needs_links = request->is_links || request->netdev || request->ibdev;
	int ret;

	if (cmd->variant->is_smcd)
		ret = cmd_dump(cmd, SMC_ABI_GET_LGR_SMCD, on_group, lists, "the link groups");
	else if (needs_links)
		ret = cmd_dump(cmd, SMC_ABI_GET_LINK_SMCR, on_link, lists, "the links");
	else
		ret = cmd_dump(cmd, SMC_ABI_GET_LGR_SMCR, on_group, lists, "the link groups");
	if (ret)
		return ret;
	filter_links(&lists->links, request);
	filter_groups(lists, request);
	return 0;
}

static int show_links(struct cmd *cmd, const struct lists *lists)
{
	static const char *const names[] = {
		"id,role,type,netdev,state,conns",
		"id,role,type,netdev,state,conns,uid,peeruid,ibdev,port",
		"id,role,type,netdev,state,conns,uid,peeruid,ibdev,port,gid,peergid",
	};

	return cmd_table(cmd, &lists->links, link_columns, names[cmd->details], false, "links");
}

/* Lines for version 2 only where the group is of version 2: each group has its own block. */
static int show_blocks(struct cmd *cmd, const struct lists *lists)
{
	bool is_smcd = cmd->variant->is_smcd;

	for (size_t i = 0; i < lists->groups.count; i++) {
		const struct smc_lgr *lgr = cmd_list_at(&lists->groups, i);
		const struct cmd_list one = { (char *)lgr, 1, 1, sizeof(*lgr) };
		const char *names;
		int ret;

		if (is_smcd)
			names = lgr->is_v2 ? "id,vlan,pnetid,version,rel,host,os,eid,conns,sndbuf,dmb,"
					     "gid,extgid,peergid,peerext,chid" :
					     "id,vlan,pnetid,version,conns,sndbuf,dmb,"
					     "gid,extgid,peergid,peerext,chid";
		else
			names = lgr->is_v2 ? "id,role,type,vlan,pnetid,version,rel,host,os,direct,eid,"
					     "conns,sndbuf,rmb,buftype,maxconns,maxlinks,cookie" :
					     "id,role,type,vlan,pnetid,version,conns,sndbuf,rmb,"
					     "buftype,cookie";
		if (i)
			out_str(&cmd->text, "\n");
		ret = cmd_table(cmd, &one, is_smcd ? smcd_columns : smcr_columns, names, true,
				NULL);
		if (ret)
			return ret;
	}
	return 0;
}

static int show(struct cmd *cmd, const struct lists *lists, const struct request *request)
{
	if (cmd->is_json && !cmd_document(cmd, "linkgroup"))
		return cmd_no_memory(cmd);
	if (request->is_links)
		return show_links(cmd, lists);
	if (cmd->details && !cmd->is_json)
		return show_blocks(cmd, lists);
	if (cmd->variant->is_smcd)
		return cmd_table(cmd, &lists->groups, smcd_columns, "id,vlan,conns,pnetid", false,
				 "linkgroups");
	return cmd_table(cmd, &lists->groups, smcr_columns, "id,role,type,vlan,conns,pnetid", false,
			 "linkgroups");
}

/* Hexadecimal with or without 0x; the last byte of SMC-R's is the link's number in other places. */
static int parse_id(struct cmd *cmd, struct request *request, const char *word)
{
	unsigned long id;
	char *end;

	errno = 0;
	id = strtoul(word, &end, 16);
	if (end == word || *end || errno || id > UINT32_MAX || word[0] == '-' || word[0] == '+')
		return cmd_usage(cmd, "linkgroup: '%s' is neither a command nor a link group's id",
				 word);
	request->has_id = id; /* 0: every group; 1 to ff is no group of SMC-R */
	request->id = (uint32_t)id;
	if (!cmd->variant->is_smcd)
		request->id &= 0xffffff00U;
	return 0;
}

static int parse(struct cmd *cmd, struct request *request)
{
	for (int i = 0; i < cmd->argc; i++) {
		const char *word = cmd->argv[i], **value = NULL;
		int ret;

		if (!i && cmd_is(word, "show"))
			continue;
		if (!i && cmd_is(word, "link-show")) {
			request->is_links = !cmd->variant->is_smcd;
			continue;
		}
		if (cmd_is(word, "all"))
			continue;
		if (!cmd->variant->is_smcd && cmd_is(word, "netdev"))
			value = &request->netdev;
		else if (!cmd->variant->is_smcd && cmd_is(word, "ibdev"))
			value = &request->ibdev;
		if (!value) {
			ret = parse_id(cmd, request, word);
			if (ret)
				return ret;
		} else if (i + 1 == cmd->argc) {
			return cmd_usage(cmd, "linkgroup: '%s' needs a name", word);
		} else {
			*value = cmd->argv[++i];
		}
	}
	return 0;
}

int cmd_run_linkgroup(struct cmd *cmd)
{
	struct lists lists = {
		.groups = { .item_size = sizeof(struct smc_lgr) },
		.links = { .item_size = sizeof(struct link_row) },
	};
	struct request request = { .has_id = false };
	int ret = parse(cmd, &request);

	if (!ret)
		ret = load(cmd, &lists, &request);
	if (!ret)
		ret = show(cmd, &lists, &request);
	cmd_list_free(&lists.groups);
	cmd_list_free(&lists.links);
	return ret;
}
