// SPDX-License-Identifier: MIT
/* Facts of a bundle about the system around SMC: only those listed in smc_chk-bundle(8). */
#include "smc_chk/bundle/collect.h"

#include <ctype.h>
#include <sys/klog.h>
#include <sys/utsname.h>

#include "base/array.h"
#include "base/memory.h"
#include "host/file.h"

/* Command of klogctl(2): <linux/syslog.h> is not for programs. */
#define READ_ALL 3
#define SIZE_BUFFER 10

/* Append a line, unless the value is empty. */
static void put(struct out_text *text, const char *name, const char *value)
{
	if (!*value)
		return;
	out_str(text, "  ");
	out_escaped(text, name, strlen(name));
	out_str(text, ": ");
	out_escaped(text, value, strlen(value));
	out_char(text, '\n');
}

static void put_file(struct out_text *text, const char *directory, const char *name)
{
	char value[256];

	host_text(value, sizeof(value), "%s/%s", directory, name);
	put(text, name, value);
}

static void put_directory(struct out_text *text, const char *directory)
{
	struct host_names names AUTO(host_names_free) = { 0 };

	if (host_list(&names, "%s", directory))
		return;
	for (size_t i = 0; i < names.count; i++)
		put_file(text, directory, names.names[i]);
}

static bool begins(const char *text, const char *const *words)
{
	for (; *words; words++)
		if (!strncmp(text, *words, strlen(*words)))
			return true;
	return false;
}

/* Append the lines that @is_wanted selects, or for NULL all but empty ones; changes @lines. */
static void put_lines(struct out_text *text, char *lines, bool (*is_wanted)(const char *line))
{
	char *line;

	while ((line = strsep(&lines, "\n"))) {
		if (is_wanted ? !is_wanted(line) : !*line)
			continue;
		out_str(text, "  ");
		out_escaped(text, line, strlen(line));
		out_char(text, '\n');
	}
}

static void put_host(struct out_text *text)
{
	struct utsname name = { 0 };

	uname(&name);
	out_str(text, "host\n");
	put(text, "name", name.nodename);
	put(text, "release", name.release);
	put(text, "version", name.version);
	put(text, "machine", name.machine);
}

static bool is_our_release(const char *line)
{
	static const char *const words[] = { "ID=", "VERSION_ID=", "PRETTY_NAME=", NULL };

	return begins(line, words);
}

static void put_distribution(struct out_text *text)
{
	char lines[8192];

	host_text(lines, sizeof(lines), "/etc/os-release");
	out_str(text, "distribution\n");
	put_lines(text, lines, is_our_release);
}

static void put_sysctls(struct out_text *text)
{
	static const char *const names[] = {
		"core/rmem_default", "core/rmem_max",		"core/wmem_default",
		"core/wmem_max",     "ipv4/tcp_rmem",		"ipv4/tcp_wmem",
		"ipv4/tcp_fastopen", "ipv4/tcp_available_ulp",	"ipv4/tcp_syncookies",
		"ipv6/bindv6only",   "ipv4/tcp_keepalive_time",
	};

	out_str(text, "/proc/sys/net/smc\n");
	put_directory(text, "/proc/sys/net/smc");
	out_str(text, "/proc/sys/net\n");
	for (size_t i = 0; i < ARRAY_SIZE(names); i++)
		put_file(text, "/proc/sys/net", names[i]);
}

/* Built-in modules also have an entry if they have a parameter or a version. */
static void put_modules(struct out_text *text)
{
	static const char *const ours[] = {
		"smc",	"ib_",	  "rdma",	 "iw_",	       "mlx",	"siw",	    "ism",
		"dibs", "irdma",  "bnxt_re",	 "qedr",       "erdma", "hns_roce", "mana_ib",
		"efa",	"ocrdma", "usnic_verbs", "vmw_pvrdma", "cxgb",	NULL,
	};
	static const char *const files[] = { "version", "refcnt", "taint" };
	struct host_names names AUTO(host_names_free) = { 0 };

	if (host_list(&names, "/sys/module"))
		return;
	for (size_t i = 0; i < names.count; i++) {
		char directory[512];

		if (!begins(names.names[i], ours))
			continue;
		out_printf(text, "module %s\n", names.names[i]);
		snprintf(directory, sizeof(directory), "/sys/module/%s", names.names[i]);
		for (size_t n = 0; n < ARRAY_SIZE(files); n++)
			put_file(text, directory, files[n]);
		snprintf(directory, sizeof(directory), "/sys/module/%s/parameters", names.names[i]);
		put_directory(text, directory);
	}
}

/* List the files that smc_unit enable wrote, by unit. */
static void put_drop_ins(struct out_text *text)
{
	struct host_names names AUTO(host_names_free) = { 0 };
	char lines[8192];

	if (host_list(&names, "/etc/systemd/system"))
		return;
	for (size_t i = 0; i < names.count; i++) {
		const char *name = names.names[i];

		if (!strstr(name, ".service.d") ||
		    !host_text(lines, sizeof(lines), "/etc/systemd/system/%s/zz-smc-tools.conf",
			       name))
			continue;
		out_str(text, "drop-in ");
		out_escaped(text, name, strlen(name));
		out_char(text, '\n');
		put_lines(text, lines, NULL);
	}
}

/* A word of the line has the prefix: "smc: adding ib device", "mlx5_core 0000:01:00.0: ...". */
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

static void put_kernel_log(struct out_text *text)
{
	int size = klogctl(SIZE_BUFFER, NULL, 0), len;
	char *lines AUTO_FREE = size > 0 ? xcalloc((size_t)size + 1, 1) : NULL;

	len = lines ? klogctl(READ_ALL, lines, size) : -1;
	if (len < 0)
		return;
	out_str(text, "kernel log\n");
	put_lines(text, lines, is_our_message);
}

void system_put(struct out_text *text)
{
	put_host(text);
	put_distribution(text);
	put_sysctls(text);
	put_modules(text);
	put_drop_ins(text);
	put_kernel_log(text);
}
