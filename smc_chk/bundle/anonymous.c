// SPDX-License-Identifier: MIT
/* Bundles for strangers: what was recorded, without names and addresses. */
#include "smc_chk/bundle/anonymous.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/read.h"
#include "base/write.h"
#include "host/record.h"
#include "net/pnetid.h"
#include "smc_chk/doctor/kconfig.h"
#include "smc_chk/doctor/modprobe.h"

#define KEY_MOST 65536
/* As a record's largest file, see netlink/replay.c. */
#define FILE_MOST (64 * 1024 * 1024)

int anonymous_key(struct pseudonyms *all, const char *file, struct smc_err *err)
{
	static const uint8_t none[SIPHASH_KEY];
	uint8_t half[SIPHASH_KEY] = { 1 };
	uint64_t parts[2];
	size_t len;
	char *bytes;
	int fd;

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
	parts[0] = siphash(none, bytes, len);
	parts[1] = siphash(half, bytes, len);
	free(bytes);
	/* The same on each machine. */
	for (size_t i = 0; i < SIPHASH_KEY; i++)
		all->key[i] = (uint8_t)(parts[i / 8] >> 8 * (i % 8));
	if (len >= SIPHASH_KEY)
		return 0;
	return smc_err_say(err, EINVAL, "%s is not a key: it has fewer than %d bytes", file,
			   SIPHASH_KEY);
}

/* ---- what is copied ---- */

/* Below record/: what begins so. */
static const char *const kept[] = {
	"boot/config-",
	"etc/modprobe.d",
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
	"probes/page-size",
	"probes/pci-ids-",
	"probes/rdma-netdev-",
	"probes/rlimit-",
	"probes/roce-mtu-",
	"probes/socket-",
	"probes/uname-release",
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

/* ---- one file ---- */

/** struct copying - what each step needs */
struct copying {
	const struct pseudonyms *all;
	struct smc_err *err;
};

static int cannot_copy(const struct copying *job, const char *path)
{
	return smc_err_set(job->err, errno, "cannot copy %s", path);
}

/* PNET IDs of firmware, in EBCDIC. */
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

/* Of what decides on modules that is left which is about smc, in the words of a manual page. */
static void put_modprobe(struct out_text *text, const char *data)
{
	static const char *const modules[][2] = {
		{ "smc", MODPROBE_SMC_ALIAS },
		{ "smc_diag", MODPROBE_DIAG_ALIAS },
	};

	for (size_t i = 0; i < sizeof(modules) / sizeof(modules[0]); i++) {
		const char *name = modules[i][0], *alias = modules[i][1];

		switch (modprobe_parse(data, name, alias)) {
		case MODPROBE_NO_RULE: break;
		case MODPROBE_BLACKLIST: out_printf(text, "blacklist %s\n", name); break;
		case MODPROBE_INSTALL: out_printf(text, "install %s /bin/false\n", name); break;
		case MODPROBE_NO_ALIAS: out_printf(text, "alias %s off\n", alias); break;
		}
	}
}

/* A configuration without texts: names of hosts, of builds, command lines. */
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

static void put_packed_config(struct out_text *text, const char *data, size_t len)
{
	char *config = kconfig_inflate(data, len);
	struct out_text plain = { 0 };

	if (config)
		put_config(&plain, config);
	if (plain.len)
		kconfig_deflate(text, plain.data, plain.len);
	out_free(&plain);
	free(config);
}

/* Without its end, "acme.conf": somebody chose it. */
static void rename_modprobe(const struct pseudonyms *all, char *name, size_t len)
{
	pseudonym_name(all, name, len > 5 ? len - 5 : 0);
}

static bool is_modprobe(const char *path)
{
	return strstr(path, "modprobe.d/");
}

static void put_modprobe_list(const struct pseudonyms *all, struct out_text *text, char *data)
{
	char *line;

	while ((line = strsep(&data, "\n")) && *line) {
		rename_modprobe(all, line, strlen(line));
		out_printf(text, "%s\n", line);
	}
}

/* A text that becomes another one. Return: false for everything else. */
static bool put_other(const struct copying *job, const char *path, const char *name,
		      struct out_text *text, char *data, size_t len)
{
	if (is_modprobe(path))
		put_modprobe(text, data);
	else if (!strcmp(name, "modprobe.d" RECORD_LIST))
		put_modprobe_list(job->all, text, data);
	else if (!strcmp(name, "config.gz"))
		put_packed_config(text, data, len);
	else if (!strncmp(name, "config", 6) || !strcmp(name, ".config"))
		put_config(text, data);
	else
		return false;
	return true;
}

/* @text: receives what becomes of @data, which a NUL follows */
static void replace(const struct copying *job, const char *path, struct out_text *text, char *data,
		    size_t len)
{
	const char *name = strrchr(path, '/') + 1;

	if (put_other(job, path, name, text, data, len))
		return;
	if (!strncmp(path, "netlink/", 8))
		anonymous_answer(job->all, path + 8, data, len);
	else if (!strcmp(name, "util_string"))
		replace_util_string(job->all, data, len);
	else if (!strcmp(name, "boot_id") || (!strcmp(name, "gid") && strstr(path, "/dibs/")))
		pseudonym_name(job->all, data, len);
	else {
		pseudonym_text(job->all, text, data, len);
		return;
	}
	out_mem(text, data, len);
}

static int copy_file(const struct copying *job, const char *path, int from, int to,
		     const char *name)
{
	char new_name[NAME_MAX + 1];
	int in = openat(from, name, O_RDONLY | O_NOFOLLOW | O_CLOEXEC), out, ret = 0;
	struct out_text text = { 0 };
	size_t len;
	char *data;

	data = smc_read_fd(in, FILE_MOST, &len);
	if (!data)
		return cannot_copy(job, path);
	snprintf(new_name, sizeof(new_name), "%s", name);
	if (is_modprobe(path))
		rename_modprobe(job->all, new_name, strlen(new_name));
	replace(job, path, &text, data, len);
	out = openat(to, new_name, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
	if (out < 0 || !smc_write_all(out, text.data ? text.data : "", text.len))
		ret = cannot_copy(job, path);
	if (out >= 0)
		close(out);
	out_free(&text);
	free(data);
	return ret;
}

/* ---- all of them ---- */

static int copy_directory(const struct copying *job, const char *above, int from, int to);

static int copy_one(const struct copying *job, const char *path, int from, int to, const char *name)
{
	struct stat st;
	int inner, made, ret = 0;

	if (fstatat(from, name, &st, AT_SYMLINK_NOFOLLOW))
		return cannot_copy(job, path);
	if (!is_kept(path, S_ISDIR(st.st_mode)))
		return 0;
	if (!S_ISDIR(st.st_mode))
		return copy_file(job, path, from, to, name);
	inner = openat(from, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
	made = mkdirat(to, name, 0700) ? -1 : openat(to, name, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	if (inner < 0 || made < 0)
		ret = cannot_copy(job, path);
	else
		ret = copy_directory(job, path, inner, made);
	if (inner >= 0)
		close(inner);
	if (made >= 0)
		close(made);
	return ret;
}

/* @above: path of it below record/, "" for that itself */
static int copy_directory(const struct copying *job, const char *above, int from, int to)
{
	int again = fcntl(from, F_DUPFD_CLOEXEC, 0), ret = 0;
	DIR *dir = again < 0 ? NULL : fdopendir(again);
	struct dirent *item;
	char path[PATH_MAX];

	if (!dir) {
		ret = cannot_copy(job, above);
		if (again >= 0)
			close(again);
		return ret;
	}
	while (!ret && (errno = 0, item = readdir(dir))) {
		if (!strcmp(item->d_name, ".") || !strcmp(item->d_name, ".."))
			continue;
		if (snprintf(path, PATH_MAX, "%s%s%s", above, *above ? "/" : "", item->d_name) <
		    PATH_MAX)
			ret = copy_one(job, path, from, to, item->d_name);
	}
	if (!ret && errno)
		ret = cannot_copy(job, above);
	closedir(dir);
	return ret;
}

static int copy_record(const struct collection *b, const struct pseudonyms *all, int to)
{
	const struct copying job = { all, b->err };
	int from = openat(b->work.fd, "record", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	int made = mkdirat(to, "record", 0700) ?
			   -1 :
			   openat(to, "record", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	int ret;

	if (from < 0 || made < 0)
		ret = cannot_copy(&job, "record");
	else
		ret = copy_directory(&job, "", from, made);
	if (from >= 0)
		close(from);
	if (made >= 0)
		close(made);
	return ret;
}

/* A day, as others may know when something happened. */
static void write_day(json_t *index)
{
	char when[32];

	snprintf(when, sizeof(when), "%.10sT00:00:00Z",
		 json_string_value(json_object_get(index, "created")));
	json_object_set_new(index, "created", json_string(when));
}

/* What names the host or the namespace gets a pseudonym; what commands said goes. */
static int write_index(struct collection *b, const struct pseudonyms *all, int to)
{
	static const char *const keys[] = { "host", "netns" };
	int fd = openat(to, "index.json", O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600), ret;
	char name[256];

	json_object_set_new(b->index, "anonymous", json_true());
	write_day(b->index);
	json_object_set_new(b->index, "commands", json_array());
	for (size_t i = 0; i < sizeof(keys) / sizeof(keys[0]); i++) {
		json_t *value = json_object_get(b->index, keys[i]);

		if (!value)
			continue;
		snprintf(name, sizeof(name), "%s", json_string_value(value));
		pseudonym_name(all, name, sizeof(name));
		json_object_set_new(b->index, keys[i], json_string(name));
	}
	errno = EIO;
	ret = fd < 0 || json_dumpfd(b->index, fd, JSON_INDENT(2) | JSON_ENSURE_ASCII) ?
		      smc_err_set(b->err, errno, "cannot write into %s", b->work.path) :
		      0;
	if (fd >= 0)
		close(fd);
	return ret;
}

int anonymous_make(struct collection *b, const struct pseudonyms *all)
{
	int to = mkdirat(b->work.fd, ANONYMOUS, 0700) ?
			 -1 :
			 openat(b->work.fd, ANONYMOUS, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	int ret;

	if (to < 0)
		return smc_err_set(b->err, errno, "cannot write into %s", b->work.path);
	ret = copy_record(b, all, to);
	if (!ret)
		ret = write_index(b, all, to);
	close(to);
	return ret;
}
