// SPDX-License-Identifier: MIT
/* What a bundle says of the system around SMC: no more than what helps, see smc_chk(8). */
#include "smc_chk/bundle/collect.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/klog.h>
#include <sys/utsname.h>
#include <unistd.h>

#include "base/memory.h"
#include "host/file.h"
#include "net/netaddr.h"
#include "net/netdev.h"
#include "net/netns.h"
#include "net/rdma.h"
#include "net/rdma.h"
#include "out/table.h"
#include "smc_chk/doctor/kmodule.h"

/* What klogctl(2) is told to do: <linux/syslog.h> is not for programs. */
#define READ_ALL 3
#define SIZE_BUFFER 10

static void set(json_t *object, const char *key, const char *text)
{
	if (*text)
		json_object_set_new(object, key, out_json_str(text));
}

/* Does the text begin with one of the words? */
static bool begins(const char *text, const char *const *words)
{
	for (; *words; words++)
		if (!strncmp(text, *words, strlen(*words)))
			return true;
	return false;
}

/* Those lines that @is_wanted says, as an array; @text is changed. */
static json_t *chosen_lines(char *text, bool (*is_wanted)(const char *line))
{
	json_t *array = json_array();
	char *save;

	for (char *line = strtok_r(text, "\n", &save); line; line = strtok_r(NULL, "\n", &save))
		if (is_wanted(line))
			json_array_append_new(array, out_json_str(line));
	return array;
}

/* NAME=value or NAME="value" */
static json_t *distribution(void)
{
	static const char *const keys[] = { "ID", "VERSION_ID", "PRETTY_NAME" };
	json_t *json = json_object();
	char text[8192], *save, *line;

	if (!host_text(text, sizeof(text), "/etc/os-release"))
		return json;
	for (line = strtok_r(text, "\n", &save); line; line = strtok_r(NULL, "\n", &save)) {
		char *value = strchr(line, '=');

		if (!value)
			continue;
		*value++ = '\0';
		value += *value == '"';
		value[strcspn(value, "\"")] = '\0';
		for (size_t i = 0; i < sizeof(keys) / sizeof(keys[0]); i++)
			if (!strcmp(line, keys[i]))
				set(json, line, value);
	}
	return json;
}

/* @name: "net/core/rmem_max" */
static void add_sysctl(json_t *json, const char *name)
{
	char text[256], key[160];

	if (!host_text(text, sizeof(text), "/proc/sys/%s", name))
		return;
	snprintf(key, sizeof(key), "%s", name);
	for (char *c = key; *c; c++)
		*c = *c == '/' ? '.' : *c;
	set(json, key, text);
}

static json_t *sysctls(void)
{
	static const char *const others[] = {
		"net/core/rmem_default",       "net/core/rmem_max",
		"net/core/wmem_default",       "net/core/wmem_max",
		"net/ipv4/tcp_rmem",	       "net/ipv4/tcp_wmem",
		"net/ipv4/tcp_available_ulp",  "net/ipv4/tcp_fastopen",
		"net/ipv4/tcp_keepalive_time", "net/ipv4/tcp_syncookies",
		"net/ipv6/bindv6only",
	};
	struct host_names names;
	json_t *json = json_object();
	char name[160];

	if (!host_list(&names, "/proc/sys/net/smc")) {
		for (size_t i = 0; i < names.count; i++) {
			snprintf(name, sizeof(name), "net/smc/%s", names.names[i]);
			add_sysctl(json, name);
		}
		host_names_free(&names);
	}
	for (size_t i = 0; i < sizeof(others) / sizeof(others[0]); i++)
		add_sysctl(json, others[i]);
	return json;
}

static json_t *parameters(const char *module)
{
	json_t *json = json_object();
	struct host_names names;
	char text[256];

	if (host_list(&names, "/sys/module/%s/parameters", module))
		return json;
	for (size_t i = 0; i < names.count; i++)
		if (host_text(text, sizeof(text), "/sys/module/%s/parameters/%s", module,
			      names.names[i]))
			set(json, names.names[i], text);
	host_names_free(&names);
	return json;
}

static json_t *module_json(const char *name)
{
	static const char *const values[][2] = { { "version", "version" },
						 { "users", "refcnt" },
						 { "taint", "taint" } };
	json_t *json = json_object();
	char text[256];

	set(json, "name", name);
	for (size_t i = 0; i < sizeof(values) / sizeof(values[0]); i++)
		if (host_text(text, sizeof(text), "/sys/module/%s/%s", name, values[i][1]))
			set(json, values[i][0], text);
	json_object_set_new(json, "parameters", parameters(name));
	return json;
}

/* Modules that are built in have an entry too if they have a parameter or a version. */
static json_t *modules(void)
{
	static const char *const ours[] = {
		"smc",	"ib_",	  "rdma",	 "iw_",	       "mlx",	"siw",	    "ism",
		"dibs", "irdma",  "bnxt_re",	 "qedr",       "erdma", "hns_roce", "mana_ib",
		"efa",	"ocrdma", "usnic_verbs", "vmw_pvrdma", "cxgb",	NULL,
	};
	json_t *array = json_array();
	struct host_names names;

	if (host_list(&names, "/sys/module"))
		return array;
	for (size_t i = 0; i < names.count; i++)
		if (begins(names.names[i], ours))
			json_array_append_new(array, module_json(names.names[i]));
	host_names_free(&names);
	return array;
}

static json_t *addresses(const struct netaddr_table *all, const char *name)
{
	json_t *array = json_array();
	char text[NETADDR_TEXT_SIZE];

	for (size_t i = 0; i < all->count; i++) {
		if (strcmp(all->addrs[i].netdev, name))
			continue;
		netaddr_text(text, &all->addrs[i], false);
		json_array_append_new(array, json_stringn(text, strcspn(text, "/")));
	}
	return array;
}

/* Strings that are not there are left out. */
#define STRING(key, tag, member)                                                                   \
	{                                                                                          \
		NULL, NULL, key, 0, OUT_STR(tag, member), OUT_OPTIONAL                             \
	}

static const struct out_col netdev_cols[] = {
	STRING("name", netdev, name),
	{ NULL, NULL, "index", 0, OUT_DEC(netdev, ifindex, 0) },
	STRING("state", netdev, state),
	{ NULL, NULL, "mtu", 0, OUT_DEC(netdev, mtu, 0), OUT_OPTIONAL },
	STRING("bus", netdev, bus),
	STRING("bus_id", netdev, bus_id),
	STRING("driver", netdev, driver),
	STRING("lower", netdev, lower),
	STRING("base", netdev, base),
	STRING("hardware_pnetid", netdev, hw_pnetid),
	{ 0 },
};

static json_t *interfaces(const struct netdev_table *table)
{
	struct netaddr_table all = { 0 };
	json_t *array = json_array();

	netaddr_load(&all, table);
	for (size_t i = 0; i < table->count; i++) {
		json_t *json = out_json(netdev_cols, NULL, &table->devs[i]);

		json_object_set_new(json, "addresses", addresses(&all, table->devs[i].name));
		json_array_append_new(array, json);
	}
	netaddr_free(&all);
	return array;
}

static const struct out_col gid_cols[] = {
	{ NULL, NULL, "index", 0, OUT_DEC(rdma_gid, index, 0) },
	STRING("gid", rdma_gid, gid),
	STRING("type", rdma_gid, type),
	STRING("netdev", rdma_gid, netdev),
	{ 0 },
};

static json_t *json_gids(const void *object)
{
	const struct rdma_port *port = object;

	return out_json_list(gid_cols, port->gids, port->n_gids, sizeof(*port->gids));
}

static const struct out_col port_cols[] = {
	{ NULL, NULL, "port", 0, OUT_DEC(rdma_port, number, 0) },
	STRING("state", rdma_port, state),
	STRING("link_layer", rdma_port, link_layer),
	STRING("netdev", rdma_port, netdev),
	STRING("hardware_pnetid", rdma_port, hw_pnetid),
	{ NULL, NULL, "gids", 0, .json = json_gids },
	{ 0 },
};

static json_t *json_ports(const void *object)
{
	const struct rdma_dev *dev = object;

	return out_json_list(port_cols, dev->ports, dev->n_ports, sizeof(*dev->ports));
}

static const struct out_col rdma_cols[] = {
	STRING("name", rdma_dev, name),
	STRING("node_type", rdma_dev, node_type),
	STRING("bus", rdma_dev, bus),
	STRING("bus_id", rdma_dev, bus_id),
	STRING("driver", rdma_dev, driver),
	{ NULL, NULL, "ports", 0, .json = json_ports },
	{ 0 },
};

static json_t *json_chid(const void *object)
{
	const struct ism_dev *dev = object;

	return dev->chid >= 0 ? json_integer(dev->chid) : NULL;
}

static const struct out_col ism_cols[] = {
	STRING("name", ism_dev, name),
	STRING("bus", ism_dev, bus),
	STRING("bus_id", ism_dev, bus_id),
	{ NULL, NULL, "chid", 0, .json = json_chid },
	STRING("hardware_pnetid", ism_dev, hw_pnetid),
	{ 0 },
};

static void add_devices(json_t *json, bool is_entered)
{
	struct netdev_table nets = { 0 };
	struct rdma_table rdma = { 0 };
	char root[SYSFS_ROOT_SIZE];
	int sysfs;

	if (sysfs_here(root, &sysfs, is_entered, NULL))
		return;
	if (!netdev_load(&nets, root) && !rdma_load(&rdma, root, &nets))
		rdma_check_netns(&rdma);
	json_object_set_new(json, "interfaces", interfaces(&nets));
	json_object_set_new(json, "rdma_devices",
			    out_json_list(rdma_cols, rdma.devs, rdma.count, sizeof(*rdma.devs)));
	json_object_set_new(json, "ism_devices",
			    out_json_list(ism_cols, rdma.isms, rdma.n_isms, sizeof(*rdma.isms)));
	rdma_free(&rdma);
	netdev_free(&nets);
	if (sysfs >= 0)
		close(sysfs);
}

/* A word of the line starts so: "smc: adding ib device", "mlx5_core 0000:01:00.0: ...". */
static bool is_our_message(const char *line)
{
	static const char *const words[] = {
		"smc:",	      "smc_", "SMC-",  "PF_SMC",  "ism:",  "ism ",  "dibs",
		"infiniband", "rdma", "RDMA",  "ib_",	  "iw_",   "mlx4_", "mlx5_",
		"rxe",	      "siw",  "irdma", "bnxt_re", "erdma", NULL,
	};
	char before = ' ';

	for (; *line; before = *line++)
		if (!isalnum((unsigned char)before) && before != '_' && begins(line, words))
			return true;
	return false;
}

static json_t *kernel_log(void)
{
	int size = klogctl(SIZE_BUFFER, NULL, 0), len;
	char *text = size > 0 ? xcalloc((size_t)size + 1, 1) : NULL;
	json_t *array = NULL;

	len = text ? klogctl(READ_ALL, text, size) : -1;
	if (len >= 0) {
		text[len] = '\0';
		array = chosen_lines(text, is_our_message);
	}
	free(text);
	return array;
}

static bool is_our_option(const char *line)
{
	static const char *const words[] = { "SMC",	  "INFINIBAND", "RDMA", "ISM",
					     "DIBS",	  "MPTCP",	"BPF",	"DEBUG_INFO_BTF",
					     "INET_DIAG", "MLX4",	"MLX5", NULL };

	return kconfig_is_about(line, words);
}

static json_t *kernel_config(const char *release)
{
	struct kconfig config = { 0 };
	json_t *array;

	if (!kconfig_load(&config, release))
		return NULL;
	array = chosen_lines(config.text, is_our_option);
	free(config.text);
	return array;
}

/* Files that smc_unit enable wrote, by the names of the units. */
static json_t *drop_ins(void)
{
	json_t *json = json_object();
	struct host_names names;
	char text[8192];

	if (host_list(&names, "/etc/systemd/system"))
		return json;
	for (size_t i = 0; i < names.count; i++) {
		const char *end = strstr(names.names[i], ".service.d");

		if (end && host_text(text, sizeof(text), "/etc/systemd/system/%s/zz-smc-tools.conf",
				     names.names[i]))
			set(json, names.names[i], text);
	}
	host_names_free(&names);
	return json;
}

json_t *system_read(bool is_entered)
{
	struct utsname name = { 0 };
	json_t *json, *rest, *host = json_object();

	uname(&name);
	set(host, "name", name.nodename);
	set(host, "release", name.release);
	set(host, "version", name.version);
	set(host, "machine", name.machine);
	json = json_pack("{s:s, s:o, s:o, s:o, s:o}", "schema", "smc-tools/bundle-system/1", "host",
			 host, "distribution", distribution(), "sysctl", sysctls(), "modules",
			 modules());
	add_devices(json, is_entered);
	rest = json_pack("{s:o, s:o*, s:o*}", "drop_ins", drop_ins(), "kernel_config",
			 kernel_config(name.release), "kernel_log", kernel_log());
	json_object_update(json, rest);
	json_decref(rest);
	return json;
}
