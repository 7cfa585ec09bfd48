// SPDX-License-Identifier: MIT
/* Bundles for strangers: the record without names and addresses. */
#include "smc_chk/bundle/collect.h"

#include <endian.h>
#include <fcntl.h>
#include <ftw.h>
#include <libmnl/libmnl.h>
#include <linux/genetlink.h>
#include <linux/netlink.h>
#include <zlib.h>
#include <sys/random.h>
#include <sys/stat.h>

#include "base/array.h"
#include "base/memory.h"
#include "base/read.h"
#include "host/record.h"
#include "netlink/answer.h"
#include "net/netdev.h"
#include "smc/genl_abi.h"
#include "smc_chk/doctor/kmodule.h"

#define KEY_MOST 65536
/* Same limit as for a recorded file, see netlink/replay.c. */
#define FILE_MOST (64 * 1024 * 1024)

int anonymous_key(struct pseudonyms *all, const char *file, struct smc_err *err)
{
	static const uint8_t none[SIPHASH_KEY];
	uint8_t half[SIPHASH_KEY] = { 1 };
	char *bytes AUTO_FREE = NULL;
	int fd AUTO_CLOSE = -1;
	uint64_t parts[2];
	size_t len;

	if (!file)
		return getrandom(all->key, sizeof(all->key), 0) == sizeof(all->key) ?
			       0 :
			       smc_err_set(err, errno, "cannot make a key");
	fd = smc_open_regular(file, err);
	if (fd < 0)
		return fd;
	bytes = smc_read_fd(fd, KEY_MOST, &len);
	if (!bytes)
		return smc_err_set(err, errno, "cannot read %s", file);
	/* Convert to a fixed byte order, so that a file gives the same key on every machine. */
	parts[0] = htole64(siphash(none, bytes, len));
	parts[1] = htole64(siphash(half, bytes, len));
	memcpy(all->key, parts, sizeof(parts));
	if (len >= SIPHASH_KEY)
		return 0;
	return smc_err_say(err, EINVAL, "%s is not a key: it has fewer than %d bytes", file,
			   SIPHASH_KEY);
}

/* ---- recorded answers of netlink, see netlink/replay.h ---- */

/* Names in answers of SMC's netlink family: the attribute, and the one that contains it. */
static const struct {
	uint8_t command, nest, type;
} names[] = {
	{ SMC_NETLINK_GET_SYS_INFO, SMC_GEN_SYS_INFO, SMC_NLA_SYS_LOCAL_HOST },
	{ SMC_NETLINK_GET_SYS_INFO, SMC_GEN_SYS_INFO, SMC_NLA_SYS_SEID },
	{ SMC_NETLINK_GET_LGR_SMCR, SMC_GEN_LGR_SMCR, SMC_NLA_LGR_R_PNETID },
	{ SMC_NETLINK_GET_LGR_SMCR, SMC_NLA_LGR_R_V2_COMMON, SMC_NLA_LGR_V2_NEG_EID },
	{ SMC_NETLINK_GET_LGR_SMCR, SMC_NLA_LGR_R_V2_COMMON, SMC_NLA_LGR_V2_PEER_HOST },
	{ SMC_NETLINK_GET_LINK_SMCR, SMC_GEN_LGR_SMCR, SMC_NLA_LGR_R_PNETID },
	{ SMC_NETLINK_GET_LINK_SMCR, SMC_NLA_LGR_R_V2_COMMON, SMC_NLA_LGR_V2_NEG_EID },
	{ SMC_NETLINK_GET_LINK_SMCR, SMC_NLA_LGR_R_V2_COMMON, SMC_NLA_LGR_V2_PEER_HOST },
	{ SMC_NETLINK_GET_LGR_SMCD, SMC_GEN_LGR_SMCD, SMC_NLA_LGR_D_PNETID },
	{ SMC_NETLINK_GET_LGR_SMCD, SMC_NLA_LGR_D_V2_COMMON, SMC_NLA_LGR_V2_NEG_EID },
	{ SMC_NETLINK_GET_LGR_SMCD, SMC_NLA_LGR_D_V2_COMMON, SMC_NLA_LGR_V2_PEER_HOST },
	{ SMC_NETLINK_GET_DEV_SMCD, SMC_NLA_DEV_PORT, SMC_NLA_DEV_PORT_PNETID },
	{ SMC_NETLINK_GET_DEV_SMCR, SMC_NLA_DEV_PORT, SMC_NLA_DEV_PORT_PNETID },
	{ SMC_NETLINK_GET_DEV_SMCR, SMC_NLA_DEV_PORT2, SMC_NLA_DEV_PORT_PNETID },
	{ SMC_NETLINK_DUMP_UEID, 0, SMC_NLA_EID_TABLE_ENTRY },
	{ SMC_NETLINK_DUMP_SEID, 0, SMC_NLA_SEID_ENTRY },
};

/* Return: the command that the file answers, if it is of SMC's netlink family; else 0 */
static int command_of(const char *file)
{
	static const char family[] = SMC_GENL_FAMILY_NAME "/";

	return strncmp(file, family, strlen(family)) ? 0 : atoi(file + strlen(family));
}

static bool is_name(const char *file, int nest, int type)
{
	const int command = command_of(file);

	for (size_t i = 0; i < ARRAY_SIZE(names); i++)
		if (command == names[i].command && nest == names[i].nest && type == names[i].type)
			return true;
	return !strcmp(file, SMCR_GENL_FAMILY_NAME "/1") && !nest && type == SMC_PNETID_NAME;
}

/* SMC-D GIDs, in SMC-D link groups. */
static bool is_number(const char *file, int nest, int type)
{
	return command_of(file) == SMC_NETLINK_GET_LGR_SMCD && nest == SMC_GEN_LGR_SMCD &&
	       (type == SMC_NLA_LGR_D_GID || type == SMC_NLA_LGR_D_PEER_GID ||
		type == SMC_ABI_LGR_D_EXT_GID || type == SMC_ABI_LGR_D_PEER_EXT_GID);
}

/* Replace a GID as text in a fixed-size field; the length stays. */
static void replace_gid(const struct pseudonyms *all, char *field, size_t size)
{
	struct out_text text AUTO(out_free) = { 0 };
	size_t len = strnlen(field, size);

	pseudonym_text(all, &text, field, len);
	if (text.len == len && text.data)
		memcpy(field, text.data, len);
	else if (len)
		memset(field, '?', len);
}

static void replace_attrs(const struct pseudonyms *all, const char *file, int nest, void *at,
			  size_t len)
{
	struct nlattr *attr;

	mnl_attr_for_each_payload(at, len)
	{
		int type = mnl_attr_get_type(attr);
		void *data = mnl_attr_get_payload(attr);
		uint16_t size = mnl_attr_get_payload_len(attr);

		if (attr->nla_type & NLA_F_NESTED)
			replace_attrs(all, file, type, data, size);
		else if (is_name(file, nest, type))
			pseudonym_name(all, data, size);
		else if (is_number(file, nest, type) && size == sizeof(uint64_t))
			pseudonym_number(all, data);
		else if (size == SMC_GID_TEXT_LEN)
			replace_gid(all, data, size);
	}
}

/* Addresses are in network order; IPv4 has only the first word. */
static void replace_socket_address(const struct pseudonyms *all, uint32_t words[4])
{
	if (words[1] || words[2] || words[3])
		pseudonym_ipv6(all, (uint8_t *)words);
	else
		pseudonym_ipv4(all, (uint8_t *)words);
}

/* Replace the GIDs; the halves added by later kernels may be missing. */
static void replace_dmb(const struct pseudonyms *all, char *info, size_t size)
{
	static const size_t gids[] = {
		offsetof(struct smc_abi_dmbinfo, peer_gid),
		offsetof(struct smc_abi_dmbinfo, my_gid),
		offsetof(struct smc_abi_dmbinfo, peer_gid_ext),
		offsetof(struct smc_abi_dmbinfo, my_gid_ext),
	};

	for (size_t i = 0; i < ARRAY_SIZE(gids); i++)
		if (gids[i] + sizeof(uint64_t) <= size)
			pseudonym_number(all, info + gids[i]);
}

static void replace_socket(const struct pseudonyms *all, void *body, size_t len)
{
	struct smc_abi_diag_msg *msg = body;
	struct nlattr *attr;

	if (len < sizeof(*msg))
		return;
	replace_socket_address(all, msg->id.src);
	replace_socket_address(all, msg->id.dst);
	mnl_attr_for_each_payload((void *)&msg[1], len - sizeof(*msg))
	{
		struct smc_abi_lgrinfo *info = mnl_attr_get_payload(attr);
		size_t size = mnl_attr_get_payload_len(attr);

		if (attr->nla_type == SMC_DIAG_LGRINFO && size >= sizeof(*info)) {
			replace_gid(all, info->gid, sizeof(info->gid));
			replace_gid(all, info->peer_gid, sizeof(info->peer_gid));
		}
		if (attr->nla_type == SMC_DIAG_DMBINFO)
			replace_dmb(all, (char *)info, size);
	}
}

/* Replace each message in turn, in host byte order; damaged ones stay, as readers refuse them. */
static void replace_messages(const struct pseudonyms *all, const char *file, char *at, size_t len)
{
	bool is_socket = !strncmp(file, "sock_diag/", 10);
	size_t head = is_socket ? NLMSG_HDRLEN : NLMSG_HDRLEN + GENL_HDRLEN, step;

	for (; answer_has_message((struct nlmsghdr *)at, len); at += step, len -= step) {
		struct nlmsghdr *nlh = (struct nlmsghdr *)at;

		step = NLMSG_ALIGN(nlh->nlmsg_len);
		if (nlh->nlmsg_len < head)
			return;
		/* Port and sequence number reveal the process id and the time of the request. */
		nlh->nlmsg_pid = nlh->nlmsg_seq = 1;
		if (is_socket)
			replace_socket(all, at + head, nlh->nlmsg_len - head);
		else
			replace_attrs(all, file, 0, at + head, nlh->nlmsg_len - head);
	}
}

void anonymous_answer(const struct pseudonyms *all, const char *file, char *data, size_t len)
{
	char *line = memchr(data, '\n', len), *messages AUTO_FREE = NULL;
	size_t rest = line ? len - (size_t)(line + 1 - data) : 0;

	if (!rest)
		return;
	/* Copy: after a line of text the messages may be unaligned. */
	messages = xcalloc(rest, 1);
	memcpy(messages, line + 1, rest);
	replace_messages(all, file, messages, rest);
	memcpy(line + 1, messages, rest);
}

/* ---- recorded files ---- */

/* Files below record/ with these prefixes are kept. */
static const char *const kept[] = {
	"boot/config-",
	"etc/modprobe.d",
	"etc/os-release",
	"lib/modprobe.d",
	"lib/modules/",
	"netlink/SMC_GEN_NETLINK/",
	"netlink/SMC_PNETID/",
	"netlink/ethtool/",
	"netlink/sock_diag/43",
	"probes/addresses-",
	"probes/bpf",
	"probes/ifindex-",
	"probes/module-",
	"probes/mptcp-sockets",
	"probes/page-size",
	"probes/pci-ids-",
	"probes/rdma-netdev-",
	"probes/roce-mtu-",
	"probes/socket-",
	"probes/uname-",
	"probes/verbs-",
	"proc/buddyinfo",
	"proc/config.gz",
	"proc/net/vlan/",
	"proc/sys/",
	"sys/",
	NULL,
};

static bool is_kept(const char *path, bool is_directory)
{
	size_t len = strlen(path);

	for (const char *const *at = kept; *at; at++)
		if (!strncmp(path, *at, strlen(*at)) ||
		    (is_directory && !strncmp(path, *at, len) && (*at)[len] == '/'))
			return true;
	return false;
}

/* Firmware PNET IDs, in EBCDIC. */
static void replace_util_string(const struct pseudonyms *all, char *data, size_t len)
{
	char id[PNETID_SIZE];

	for (unsigned int port = 0; port < PNETID_PORTS; port++) {
		if (!pnetid_decode(id, (const uint8_t *)data, len, port))
			continue;
		pseudonym_name(all, id, sizeof(id));
		pnetid_encode((uint8_t *)data, id, port);
	}
}

/* Keep only the rules about smc, in canonical wording. */
static void put_modprobe(struct out_text *text, const char *data)
{
	static const char *const modules[][2] = {
		{ "smc", MODPROBE_SMC_ALIAS },
		{ "smc_diag", MODPROBE_DIAG_ALIAS },
	};

	for (size_t i = 0; i < ARRAY_SIZE(modules); i++) {
		const char *name = modules[i][0], *alias = modules[i][1];

		switch (modprobe_parse(data, name, alias)) {
		case MODPROBE_NO_RULE: break;
		case MODPROBE_BLACKLIST: out_printf(text, "blacklist %s\n", name); break;
		case MODPROBE_INSTALL: out_printf(text, "install %s /bin/false\n", name); break;
		case MODPROBE_NO_ALIAS: out_printf(text, "alias %s off\n", alias); break;
		}
	}
}

/* Drop string options: names of hosts and builds, command lines. */
static void put_config(struct out_text *text, char *data)
{
	char *line;

	while ((line = strsep(&data, "\n"))) {
		const char *value = strchr(line, '=');

		if (!strncmp(line, "CONFIG_", 7) ? value && value[1] != '"' :
						   !strncmp(line, "# CONFIG_", 9))
			out_printf(text, "%s\n", line);
	}
}

/* Keep the names of known distributions only: others may name their makers. */
static void put_distribution(struct out_text *text, const char *data)
{
	struct distribution_name name;

	if (distribution_name(&name, data) &&
	    strspn(name.version, "0123456789") == strlen(name.version))
		out_printf(text, "ID=%s\nVERSION_ID=%s\n", name.id, name.version);
}

/* Rename the file, "acme.conf": somebody chose the name. */
static void rename_modprobe(const struct pseudonyms *all, char *name, size_t len)
{
	pseudonym_name(all, name, len > 5 ? len - 5 : 0);
}

static void put_modprobe_list(const struct pseudonyms *all, struct out_text *text, char *data)
{
	char *line;

	while ((line = strsep(&data, "\n")) && *line) {
		rename_modprobe(all, line, strlen(line));
		out_printf(text, "%s\n", line);
	}
}

/* @text: receives the replacement of @data, which is followed by a NUL */
static void replace(const struct pseudonyms *all, const char *path, struct out_text *text,
		    char *data, size_t len)
{
	const char *name = strrchr(path, '/') + 1;
	char *config;

	if (strstr(path, "modprobe.d/")) {
		put_modprobe(text, data);
	} else if (!strcmp(name, "modprobe.d" RECORD_LIST)) {
		put_modprobe_list(all, text, data);
	} else if (!strcmp(name, "os-release")) {
		put_distribution(text, data);
	} else if (!strcmp(name, "config.gz")) {
		config = kconfig_inflate(data, len);
		put_config(text, config);
		free(config);
	} else if (!strncmp(name, "config", 6) || !strcmp(name, ".config")) {
		put_config(text, data);
	} else if (!strncmp(path, "netlink/", 8)) {
		anonymous_answer(all, path + 8, data, len);
		out_mem(text, data, len);
	} else if (!strcmp(name, "util_string")) {
		replace_util_string(all, data, len);
		out_mem(text, data, len);
	} else if (!strcmp(name, "boot_id") || (!strcmp(name, "gid") && strstr(path, "/dibs/"))) {
		pseudonym_name(all, data, len);
		out_mem(text, data, len);
	} else {
		pseudonym_text(all, text, data, len);
	}
}

/* nftw(3) takes no argument, so @from and @to, the record and its copy, are static. */
static struct {
	const struct pseudonyms *all;
	const char *from, *to;
	struct smc_err *err;
} copying;

static bool copy_file(const char *path, const char *from, char *to)
{
	char *name = strrchr(to, '/') + 1;
	struct out_text text AUTO(out_free) = { 0 };
	bool is_written;
	size_t len;
	char *data AUTO_FREE = smc_read_file(from, O_NOFOLLOW, FILE_MOST, &len);
	gzFile file;

	if (!data)
		return false;
	if (strstr(path, "modprobe.d/"))
		rename_modprobe(copying.all, name, strlen(name));
	replace(copying.all, path, &text, data, len);
	file = gzopen(to, strcmp(name, "config.gz") ? "wxeT" : "wxe");
	if (!file)
		return false;
	is_written = !text.len || gzwrite(file, text.data, (unsigned int)text.len) > 0;
	return gzclose(file) == Z_OK && is_written;
}

static int copy_one(const char *from, const struct stat *st, int type, struct FTW *where)
{
	const char *path = from + strlen(copying.from);
	char *to AUTO_FREE = xprintf("%s%s", copying.to, path);
	bool is_copied = type != FTW_NS && type != FTW_DNR;

	if (is_copied && (!where->level || is_kept(path + 1, S_ISDIR(st->st_mode))))
		is_copied = S_ISDIR(st->st_mode) ? !mkdir(to, 0700) : copy_file(path + 1, from, to);
	if (!is_copied)
		smc_err_set(copying.err, errno, "cannot copy %s", from);
	return !is_copied;
}

/* The names of the host and the namespace get pseudonyms; output of commands is dropped. */
static void change_index(json_t *index, const struct pseudonyms *all)
{
	static const char *const keys[] = { "host", "netns" };
	char text[256];

	json_object_set_new(index, "anonymous", json_true());
	/* Keep only the day: the time could be linked to an event that others know. */
	snprintf(text, sizeof(text), "%.10sT00:00:00Z",
		 json_string_value(json_object_get(index, "created")));
	json_object_set_new(index, "created", json_string(text));
	json_object_set_new(index, "commands", json_array());
	for (size_t i = 0; i < ARRAY_SIZE(keys); i++) {
		json_t *value = json_object_get(index, keys[i]);

		if (!value)
			continue;
		snprintf(text, sizeof(text), "%s", json_string_value(value));
		pseudonym_name(all, text, sizeof(text));
		json_object_set_new(index, keys[i], json_string(text));
	}
}

int anonymous_make(struct collection *b, const struct pseudonyms *all)
{
	char *from AUTO_FREE = xprintf("%s/record", b->work.path);
	char *to AUTO_FREE = xprintf("%s/" ANONYMOUS "/record", b->work.path);

	if (mkdirat(b->work.fd, ANONYMOUS, 0700))
		return smc_err_set(b->err, errno, "cannot write into %s", b->work.path);
	copying.all = all;
	copying.from = from;
	copying.to = to;
	copying.err = b->err;
	if (nftw(from, copy_one, 16, FTW_PHYS) < 0)
		return smc_err_set(b->err, errno, "cannot copy the record");
	if (b->err->code)
		return -b->err->code;
	change_index(b->index, all);
	return collect_index(b, ANONYMOUS);
}
