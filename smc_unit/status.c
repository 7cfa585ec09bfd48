// SPDX-License-Identifier: MIT
/* Show which systemd services are enabled, and whether their processes use SMC. */
#include <dirent.h>
#include <sys/xattr.h>

#include "cli/screen.h"
#include "out/list.h"
#include "process/ask.h"
#include "process/confined.h"
#include "process/proc.h"
#include "smc_unit/unit.h"

#define PROPERTIES "Id,LoadState,ActiveState,DropInPaths,Environment," CONFINED_PROPERTIES

enum use {
	USE_NONE,    /* no library or eBPF, as intended; or no process */
	USE_YES,     /* has the library, an attached control group, or SMC sockets by other means */
	USE_RESTART, /* started before the last change */
	USE_DENIED,  /* has the library or eBPF, but SMC sockets are denied */
	USE_FAILED,  /* the environment names the library, which is not mapped */
	USE_UNKNOWN, /* no permission to inspect the process */
};

/**
 * struct row - one service
 * @file: of the drop-in, "" for none
 * @state: of systemd: "active"; "template"
 * @pid: of the main process, 0 for none
 * @why: with USE_DENIED: who denies it; else ""
 */
struct row {
	char name_text[UNIT_NAME_SIZE], file[PATH_MAX], why[HOST_PROBE_SIZE];
	const char *name, *state;
	enum way way;
	unsigned int pid;
	enum use use;
};

/** struct list - rows to be printed; @array: as JSON, NULL for a table; @notes: text after it */
struct list {
	const struct request *req;
	struct out_text text, notes;
	struct out_list rows;
	json_t *array;
	bool is_any;
	struct smc_err *err;
};

static const struct out_names ways =
	OUT_NAMES(NULL, NULL, [WAY_PRELOAD] = { "preload", "preload" },
		  [WAY_BPF] = { "ebpf", "ebpf" }, [WAY_OWN] = { "own", "own" });
static const struct out_names uses =
	OUT_NAMES(NULL, NULL, [USE_YES] = { "in use", NULL },
		  [USE_RESTART] = { "restart needed", NULL }, [USE_DENIED] = { "denied", NULL },
		  [USE_FAILED] = { "not loaded", NULL }, [USE_UNKNOWN] = { "n/a", NULL });

static json_t *json_use(const void *use)
{
	static const char *const keys[] = { NULL, "yes", "restart", "denied", "failed", NULL };
	const char *key = keys[*(const enum use *)use];

	return key ? json_string(key) : NULL;
}

static json_t *json_enabled(const void *file)
{
	return json_boolean(*(const char *)file);
}

static const struct out_col columns[] = {
	{ NULL, NULL, "enabled", 0, OUT_STR(row, file), .json = json_enabled },
	{ "unit", "Unit", "unit", 32, OUT_ESCAPED(row, name) },
	{ "state", "State", "state", 10, OUT_PTR(row, state) },
	{ "way", "Way", "way", 7, OUT_NAME(row, way, ways), OUT_OPTIONAL, .none = "none" },
	{ NULL, NULL, "drop_in", 0, OUT_STR(row, file), OUT_OPTIONAL },
	{ "pid", "PID", "pid", 0, OUT_DEC(row, pid, 0), OUT_OPTIONAL, .none = "-" },
	{ "smc", "SMC", "smc", 14, OUT_NAME(row, use, uses), OUT_OPTIONAL, .json = json_use },
	{ NULL, NULL, "why", 0, OUT_STR(row, why), OUT_OPTIONAL },
	{ 0 },
};

/*
 * True if a process has SMC sockets, opened in any way. The kernel exports a socket's protocol as
 * an extended attribute of its descriptor, where lsof(8) reads it as well: SMC, SMC6, INET_SMC or
 * INET6_SMC. This does not disturb the process.
 */
static bool has_smc_sockets(int pid)
{
	char path[64 + NAME_MAX], name[33];
	ssize_t len;
	struct dirent *entry;
	bool found = false;
	DIR *dir AUTO_CLOSEDIR = NULL;

	snprintf(path, sizeof(path), "/proc/%d/fd", pid);
	dir = opendir(path);
	while (dir && !found && (entry = readdir(dir))) {
		snprintf(path, sizeof(path), "/proc/%d/fd/%s", pid, entry->d_name);
		len = getxattr(path, "system.sockprotoname", name, sizeof(name) - 1);
		name[len > 0 ? len : 0] = '\0';
		found = strstr(name, "SMC") != NULL;
	}
	return found;
}

/* The drop-in attaches the control group before the service starts. Only root can see it. */
static enum use find_bpf_use(const char *unit)
{
	struct smc_err ignored;
	int ret = geteuid() ? -EPERM : bpf_ask("status", "--unit", unit, &ignored);

	if (!ret)
		return USE_YES;
	return ret == -EIO ? USE_RESTART : USE_UNKNOWN;
}

/* True if the unit starts smc_run or preloads the library in its own settings. */
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

static enum use find_use(const struct row *row, const struct unit_props *props,
			 char why[HOST_PROBE_SIZE])
{
	enum way way = row->way;
	int pid = (int)row->pid;
	int mapped, named;

	if (!pid)
		return USE_NONE;
	if (way == WAY_BPF)
		return confined_unit(row->name, props, true, why) > 0 ? USE_DENIED :
									find_bpf_use(row->name);
	mapped = proc_has(pid, "maps", "/" LIBRARY_NAME);
	named = proc_has(pid, "environ", LIBRARY_NAME);
	if (mapped < 0 || named < 0)
		return USE_UNKNOWN;
	if (way == WAY_NONE && !mapped)
		return has_smc_sockets(pid) ? USE_YES : USE_NONE;
	if (way == WAY_NONE)
		return USE_RESTART;
	if (mapped)
		return confined_unit(row->name, props, false, why) > 0 ? USE_DENIED : USE_YES;
	/* smc_run may have used eBPF or TCP; or the process is older than the unit's change. */
	if (way == WAY_OWN)
		return named ? USE_FAILED : USE_UNKNOWN;
	return named ? USE_FAILED : USE_RESTART;
}

/* Find our drop-in, of the unit itself or of its template. */
static void find_dropin(const struct unit_props *props, struct row *row)
{
	const char *list = unit_prop_text(props, "DropInPaths");
	struct smc_err err;
	char path[PATH_MAX];

	while (unit_next_word(&list, path)) {
		const char *base = strrchr(path, '/');
		char *text AUTO_FREE = NULL;

		if (!base || strcmp(base + 1, DROPIN_FILE) || dropin_read(path, &text, &err) ||
		    !text)
			continue;
		row->way = dropin_is_bpf(text) ? WAY_BPF : WAY_PRELOAD;
		memcpy(row->file, path, sizeof(row->file));
	}
}

static void fill(struct row *row, const struct unit_props *props, const char *asked)
{
	*row = (struct row){ .state = unit_prop_text(props, "ActiveState") };
	row->name = row->name_text;
	snprintf(row->name_text, sizeof(row->name_text), "%s", unit_prop_text(props, "Id"));
	row->pid = (unsigned int)atoi(unit_prop_text(props, "MainPID"));
	find_dropin(props, row);
	if (row->way == WAY_NONE && is_own(props))
		row->way = WAY_OWN;
	row->use = find_use(row, props, row->why);
	unit_file_name(row->name_text, asked);
	if (unit_is_template(row->name))
		row->state = "template";
	else if (strcmp(unit_prop_text(props, "LoadState"), "loaded"))
		row->state = unit_prop_text(props, "LoadState");
}

static void put_row(struct list *list, const struct row *row)
{
	list->is_any = true;
	if (list->array)
		json_array_append_new(list->array, out_json(columns, NULL, row));
	else
		out_list_row(&list->rows, row);
	if (!*row->why)
		return;
	out_escaped(&list->notes, row->name, UNIT_NAME_SIZE);
	out_str(&list->notes, ": ");
	out_escaped(&list->notes, row->why, sizeof(row->why));
	out_str(&list->notes, ": " CONFINED_SEE "\n");
}

/* Add units of a pattern, or only @asked; @own: only those with SMC in their own settings */
static int put_units(struct list *list, const char *pattern, const char *asked, bool own)
{
	struct unit_props props AUTO(unit_props_free) = { 0 }, rest, one;
	int ret = systemctl_show(list->req->user, pattern, PROPERTIES, &props, list->err);
	struct row row;

	if (ret)
		return ret;
	rest = props;
	while (!ret && unit_next_props(&rest, &one)) {
		if (list->req->unit && !strcmp(unit_prop_text(&one, "LoadState"), "not-found"))
			ret = smc_err_say(list->err, ENOENT, "no unit '%s'",
					  unit_prop_text(&one, "Id"));
		if (ret || (own && !is_own(&one)))
			continue;
		fill(&row, &one, asked);
		if (!own || row.way == WAY_OWN)
			put_row(list, &row);
	}
	return ret;
}

/* Add a unit, or all loaded instances of a template. Backslashes in patterns are literal. */
static int put_unit(const char *name, void *list)
{
	char shown[UNIT_NAME_SIZE];
	int ret;

	unit_shown_name(name, shown);
	ret = put_units(list, shown, name, false);
	return ret || !unit_instances(name, shown) ? ret : put_units(list, shown, "", false);
}

/* Add the named unit, or all units with our drop-in and all that do not need one. */
static int put_list(struct list *list)
{
	char name[UNIT_NAME_SIZE];
	int ret;

	if (list->req->unit) {
		return unit_name(list->req->unit, name, list->err) ?: put_unit(name, list);
	}
	ret = dropin_each(list->req->user, put_unit, list, list->err);
	return ret ? ret : put_units(list, "*.service", "", true);
}

/* The list is printed when it is complete. */
int unit_status(const struct request *req)
{
	struct smc_err err = { 0 };
	struct list list = { .req = req, .err = &err, .array = req->json ? json_array() : NULL };
	struct out_view view = { .count = 0 };
	int ret;

	out_view_add(&view, columns, "unit,way,state,smc,pid");
	if (!req->json)
		out_list_begin(&list.rows, &view, &list.text, cli_columns(), true);
	ret = put_list(&list);
	if (req->json)
		out_json_document(&list.text,
				  json_pack("{s:s, s:o}", "schema", "smc-tools/services/1",
					    "services", list.array),
				  true);
	else if (!ret && !list.is_any)
		cli_none("smc_unit: no service uses SMC by smc_unit");
	out_list_end(&list.rows);
	if (!req->json)
		out_mem(&list.text, list.notes.data, list.notes.len);
	if (!ret)
		ret = out_print(&list.text, &err);
	out_free(&list.notes);
	out_free(&list.text);
	return ret ? cli_error(req->launch.tool, "%s", err.text) : 0;
}
