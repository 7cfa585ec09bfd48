// SPDX-License-Identifier: MIT
/* Which services of systemd are enabled, and whether their processes use SMC. */
#include <dirent.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/xattr.h>
#include <unistd.h>

#include "base/memory.h"
#include "base/read.h"
#include "launch/ask.h"
#include "process/library.h"
#include "smc_unit/dropin.h"
#include "smc_unit/systemctl.h"
#include "smc_unit/unit.h"

#define PROPERTIES                                                                                 \
	"Id,LoadState,ActiveState,MainPID,NeedDaemonReload,DropInPaths,"                           \
	"ExecStart,Environment"

/* Bytes that are read of a list of mappings, at most. */
#define FILE_MAX (64 << 20)

/* enum use - what a service's main process does with the library */
enum use {
	USE_NONE,    /* no process, or one without it, as it should be */
	USE_YES,     /* the library, an attached control group, or SMC sockets without either */
	USE_RESTART, /* it was started before the last change */
	USE_FAILED,  /* its environment names the library, but it is not there */
	USE_UNKNOWN, /* the process cannot be looked into */
};

/* struct list - rows on their way out */
struct list {
	const struct request *req;
	FILE *out;
	int count;
};

/* struct row - one service */
struct row {
	char name[UNIT_NAME_SIZE];
	char file[PATH_MAX]; /* of the drop-in, "" for none */
	enum way way;
	const char *state; /* of systemd: "active"; "template" */
	int pid;	   /* of the main process, 0 for none */
	enum use use;
};

static const char *const way_names[] = {
	[WAY_NONE] = "none",
	[WAY_PRELOAD] = "preload",
	[WAY_BPF] = "ebpf",
	[WAY_OWN] = "own",
};
static const char *const use_names[] = { "-", "in use", "restart needed", "not loaded", "n/a" };
static const char *const use_keys[] = { NULL, "yes", "restart", "failed", NULL };

/* Is the text in this file of a process? -errno if it cannot be read. */
static int process_has(int pid, const char *name, const char *text)
{
	char path[64], *data;
	size_t size;
	int found;

	snprintf(path, sizeof(path), "/proc/%d/%s", pid, name);
	data = smc_read_file(path, 0, FILE_MAX, &size);
	if (!data)
		return -errno;
	found = memmem(data, size, text, strlen(text)) != NULL;
	free(data);
	return found;
}

/*
 * Has a process SMC sockets, whoever made them? The kernel has the protocol of a socket among the
 * extended attributes of its descriptor, where lsof(8) looks, too: nothing of the process is
 * touched. It is SMC, SMC6, INET_SMC or INET6_SMC.
 */
static bool has_smc_sockets(int pid)
{
	char path[64 + NAME_MAX], name[33];
	ssize_t len;
	struct dirent *entry;
	bool found = false;
	DIR *dir;

	snprintf(path, sizeof(path), "/proc/%d/fd", pid);
	dir = opendir(path);
	while (dir && !found && (entry = readdir(dir))) {
		snprintf(path, sizeof(path), "/proc/%d/fd/%s", pid, entry->d_name);
		len = getxattr(path, "system.sockprotoname", name, sizeof(name) - 1);
		name[len > 0 ? len : 0] = '\0';
		found = strstr(name, "SMC") != NULL;
	}
	if (dir)
		closedir(dir);
	return found;
}

/* The drop-in attaches the control group before the service starts. Only root can see that. */
static enum use find_bpf_use(const char *unit)
{
	struct smc_err ignored;
	int ret = geteuid() ? -EPERM : bpf_ask("status", "--unit", unit, &ignored);

	return !ret ? USE_YES : ret == -EIO ? USE_RESTART : USE_UNKNOWN;
}

/* Does the unit start smc_run, or preload the library, by settings that are not ours? */
static bool is_own(const struct unit_props *props)
{
	const char *list = unit_prop_text(props, "Environment"), *command = NULL;
	char word[PATH_MAX], *entry, *rest;
	size_t len;

	while ((command = unit_prop(props, "ExecStart", command))) {
		command += strncmp(command, "{ path=", 7) ? 0 : 7;
		len = strcspn(command, " ");
		if (len >= 8 && !strncmp(command + len - 8, "/smc_run", 8))
			return true;
	}
	while (unit_next_word(&list, word)) {
		if (strncmp(word, PRELOAD "=", sizeof(PRELOAD)))
			continue;
		rest = word + sizeof(PRELOAD);
		while ((entry = strsep(&rest, ": ")))
			if (preload_is_ours(entry))
				return true;
	}
	return false;
}

static enum use find_use(int pid, const char *unit, enum way way)
{
	int mapped, named;

	if (!pid)
		return USE_NONE;
	if (way == WAY_BPF)
		return find_bpf_use(unit);
	mapped = process_has(pid, "maps", "/" LIBRARY_NAME);
	named = process_has(pid, "environ", LIBRARY_NAME);
	if (mapped < 0 || named < 0)
		return USE_UNKNOWN;
	if (way == WAY_NONE && !mapped)
		return has_smc_sockets(pid) ? USE_YES : USE_NONE;
	if (way == WAY_NONE)
		return USE_RESTART;
	if (mapped)
		return USE_YES;
	/* smc_run may have taken eBPF, or TCP; or this is what the unit started before. */
	if (way == WAY_OWN)
		return named ? USE_FAILED : USE_UNKNOWN;
	return named ? USE_FAILED : USE_RESTART;
}

/* Ours among the drop-ins: of the unit itself, or of its template. */
static void find_dropin(const struct unit_props *props, struct row *row)
{
	const char *list = unit_prop_text(props, "DropInPaths");
	struct smc_err err;
	char path[PATH_MAX];
	char *text;

	while (unit_next_word(&list, path)) {
		const char *base = strrchr(path, '/');

		if (!base || strcmp(base + 1, DROPIN_FILE) || dropin_read(path, &text, &err) ||
		    !text)
			continue;
		row->way = dropin_is_bpf(text) ? WAY_BPF : WAY_PRELOAD;
		memcpy(row->file, path, sizeof(row->file));
		free(text);
	}
}

static void fill(struct row *row, const struct unit_props *props)
{
	*row = (struct row){ .way = WAY_NONE };
	snprintf(row->name, sizeof(row->name), "%s", unit_prop_text(props, "Id"));
	row->state = unit_prop_text(props, "ActiveState");
	row->pid = atoi(unit_prop_text(props, "MainPID"));
	find_dropin(props, row);
	if (row->way == WAY_NONE && is_own(props))
		row->way = WAY_OWN;
	row->use = find_use(row->pid, row->name, row->way);
	unit_file_name(row->name);
	if (unit_is_template(row->name))
		row->state = "template";
	else if (strcmp(unit_prop_text(props, "LoadState"), "loaded"))
		row->state = unit_prop_text(props, "LoadState");
}

static void put_string(FILE *out, const char *key, const char *value)
{
	fprintf(out, ",\"%s\":\"", key);
	for (; *value; value++) {
		if (strchr("\"\\", *value))
			putc('\\', out);
		if ((unsigned char)*value < ' ')
			fprintf(out, "\\u%04x", (unsigned int)*value);
		else
			putc(*value, out);
	}
	putc('"', out);
}

static void put_json(FILE *out, const struct row *row)
{
	fprintf(out, "{\"enabled\":%s", row->file[0] ? "true" : "false");
	put_string(out, "unit", row->name);
	put_string(out, "state", row->state);
	if (row->way)
		put_string(out, "way", way_names[row->way]);
	if (row->file[0])
		put_string(out, "drop_in", row->file);
	if (row->pid)
		fprintf(out, ",\"pid\":%d", row->pid);
	if (use_keys[row->use])
		put_string(out, "smc", use_keys[row->use]);
	putc('}', out);
}

static void put_row(struct list *list, const struct row *row)
{
	if (list->req->json) {
		fputs(list->count++ ? "," : "", list->out);
		put_json(list->out, row);
		return;
	}
	fprintf(list->out, "%-32s %-7s %-10s %-14s ", row->name, way_names[row->way], row->state,
		use_names[row->use]);
	fprintf(list->out, row->pid ? "%d\n" : "-\n", row->pid);
}

/* All units of a name or a pattern. Return: 0, or -errno with a sentence. */
static int put_units(struct list *list, const char *pattern, struct smc_err *err)
{
	struct unit_props props, rest, one;
	int ret = systemctl_show(list->req->user, pattern, PROPERTIES, &props, err);
	struct row row;

	if (ret)
		return ret;
	rest = props;
	while (unit_next_props(&rest, &one)) {
		if (list->req->unit && !strcmp(unit_prop_text(&one, "LoadState"), "not-found")) {
			ret = smc_err_say(err, ENOENT, "no unit '%s'", unit_prop_text(&one, "Id"));
			break;
		}
		fill(&row, &one);
		put_row(list, &row);
	}
	free(props.text);
	return ret;
}

/* A unit, and all loaded instances of a template: in such a pattern a backslash is literal. */
static int put_unit(struct list *list, const char *name, struct smc_err *err)
{
	char shown[UNIT_NAME_SIZE], pattern[UNIT_NAME_SIZE + 4];
	int ret;

	unit_shown_name(name, shown);
	ret = put_units(list, shown, err);
	if (ret || !unit_is_template(name))
		return ret;
	snprintf(pattern, sizeof(pattern), "%.*s?*.service", (int)(strchr(name, '@') + 1 - name),
		 name);
	return put_units(list, pattern, err);
}

struct search {
	struct list *list;
	struct smc_err *err;
};

static int put_enabled_unit(const char *name, void *arg)
{
	struct search *search = arg;

	return put_unit(search->list, name, search->err);
}

/* Loaded units that use SMC by their own settings. */
static int put_own(struct list *list, struct smc_err *err)
{
	struct unit_props props, rest, one;
	struct row row;
	int ret = systemctl_show(list->req->user, "*.service", PROPERTIES, &props, err);

	if (ret)
		return ret;
	rest = props;
	while (unit_next_props(&rest, &one)) {
		if (!is_own(&one))
			continue;
		fill(&row, &one);
		if (row.way == WAY_OWN)
			put_row(list, &row);
	}
	free(props.text);
	return 0;
}

/* Each unit that has a drop-in of ours, and each that needs none. */
static int put_enabled(struct list *list, struct smc_err *err)
{
	struct search search = { list, err };
	struct unit_props version;
	int ret;

	/* Without systemd nothing is enabled, whatever lies there. */
	ret = systemctl_show(list->req->user, NULL, "Version", &version, err);
	if (ret)
		return ret;
	free(version.text);
	ret = dropin_each(list->req->user, put_enabled_unit, &search, err);
	return ret ? ret : put_own(list, err);
}

/* The list is printed when it is complete. */
static int put_list(struct list *list, struct smc_err *err)
{
	char name[UNIT_NAME_SIZE];
	int ret = 0;

	if (list->req->unit)
		ret = unit_name(list->req->unit, name, err);
	if (ret)
		return ret;
	if (list->req->json)
		fputs("{\"schema\":\"smc-tools/services/1\",\"services\":[", list->out);
	else
		fprintf(list->out, "%-32s %-7s %-10s %-14s %s\n", "Unit", "Way", "State", "SMC",
			"PID");
	ret = list->req->unit ? put_unit(list, name, err) : put_enabled(list, err);
	if (list->req->json)
		fputs("]}\n", list->out);
	return ret;
}

int unit_status(const struct request *req)
{
	struct list list = { .req = req };
	struct smc_err err = { 0 };
	char *text = NULL;
	size_t size;
	int ret;

	list.out = open_memstream(&text, &size);
	if (!list.out)
		return cli_error(req->launch.tool, "%s", strerror(errno));
	ret = put_list(&list, &err);
	if (fclose(list.out))
		memory_end();
	if (!ret)
		fputs(text, stdout);
	free(text);
	return ret ? cli_error(req->launch.tool, "%s", err.text) : 0;
}
