// SPDX-License-Identifier: MIT
#include "cgroup/attach.h"

#include <dirent.h>

#include "base/array.h"
#include "base/memory.h"
#include "base/read.h"
#include "bpf/bpfmap.h"
#include "cgroup/cgroup.h"
#include "process/proc.h"

/* ---- targets ---- */

/* Return: 0 for a wrong number, with a message. */
static pid_t parse_pid(const char *text, struct smc_err *err)
{
	char *end;
	long value = strtol(text, &end, 10);

	/* LONG_MAX is out of range, too. */
	if (!*end && value > 0 && value <= INT_MAX && value < LONG_MAX)
		return (pid_t)value;
	smc_err_say(err, EINVAL, "'%s' is not a process id", text);
	return 0;
}

static int find_cgroup(const char *root, int option, const char *text, char path[PATH_MAX],
		       struct smc_err *err)
{
	char full[PATH_MAX];
	pid_t pid;
	int ret;

	switch (option) {
	case 'c': return cgroup_path(root, text, path);
	case 'p':
		ret = snprintf(full, sizeof(full), "%s%s", root, text);
		return ret < PATH_MAX ? cgroup_path(root, full, path) : -ENAMETOOLONG;
	case 'u': return cgroup_of_unit(root, text, path);
	case 'C': return cgroup_of_container(root, text, path);
	default: pid = parse_pid(text, err); return pid ? proc_cgroup(pid, path) : -EINVAL;
	}
}

static int explain(int ret, int option, const char *text, struct smc_err *err)
{
	switch (option) {
	case 'u':
		return smc_err_say(err, -ret, "unit '%s' has no control group: it is not running",
				   text);
	case 'C':
		if (ret == -EINVAL)
			return smc_err_say(err, EINVAL,
					   "'%s' is not a container id: docker, "
					   "podman and crictl show it with inspect",
					   text);
		return smc_err_say(
			err, -ret,
			ret == -EEXIST ?
				"several control groups match container '%s': give more of its id" :
				"no control group matches container '%s'",
			text);
	case 'o': return smc_err_set(err, -ret, "process %s", text);
	default:
		return ret == -EXDEV ? smc_err_say(err, -ret, "'%s' is not a control group", text) :
				       smc_err_set(err, -ret, "control group '%s'", text);
	}
}

int scope_target_cgroup(struct scope_target *target, int option, const char *text,
			struct smc_err *err)
{
	const char *root = cgroup_mount();
	char path[PATH_MAX];
	int ret;

	err->code = 0;
	if (!root)
		return smc_err_say(err, ENODEV, "no version 2 control groups at /sys/fs/cgroup");
	ret = find_cgroup(root, option, text, path, err);
	ret = ret ?: cgroup_id(root, path, &target->id);
	if (ret)
		return err->code ? ret : explain(ret, option, text, err);
	if (strlen(path) >= sizeof(target->name))
		return smc_err_set(err, ENAMETOOLONG, "control group '%s'", text);
	strcpy(target->name, path);
	target->kind = SCOPE_CGROUP;
	return 0;
}

void scope_target_run(struct scope_target *target)
{
	target->kind = SCOPE_RUN;
	target->id = SCOPE_RUN_ID;
	strcpy(target->name, "smc_run");
}

/* ---- list ---- */

/* True if a process has a mark; only programs of smc_run have one. */
static bool has_marks(int tasks)
{
	DIR *proc AUTO_CLOSEDIR = opendir("/proc");
	bool found = false;
	uint64_t mark;
	pid_t pid;

	while (!found && proc && (pid = proc_next(proc)))
		found = !bpfmap_marked(tasks, pid, &mark);
	return found;
}

/* A group with the same name but another id was created after the scope's group was removed. */
static enum scope_state find_state(const struct scope_entry *entry, int tasks)
{
	const char *root = cgroup_mount();
	uint64_t id;

	if (entry->scope.kind != SCOPE_CGROUP)
		return has_marks(tasks) ? STATE_ACTIVE : STATE_EMPTY;
	if (!root || cgroup_id(root, entry->scope.name, &id) || id != entry->id)
		return STATE_GONE;
	return cgroup_is_populated(root, entry->scope.name) > 0 ? STATE_ACTIVE : STATE_EMPTY;
}

static int load(struct scope_list *list, const struct pins *pins, struct smc_err *err)
{
	uint64_t key, *last = NULL;
	int ret = 0;

	list->count = 0;
	list->entries = xcalloc(SCOPE_MAX, sizeof(*list->entries));
	while (list->count < SCOPE_MAX && !(ret = bpfmap_next(pins->scopes, last, &key))) {
		struct scope_entry *entry = &list->entries[list->count];

		entry->id = key;
		last = &entry->id;
		list->count += !bpfmap_lookup(pins->scopes, &key, &entry->scope);
		entry->scope.name[SCOPE_NAME_SIZE - 1] = '\0';
	}
	if (ret && ret != -ENOENT) {
		scope_list_free(list);
		return smc_err_set(err, -ret, "cannot list the scopes");
	}
	for (size_t i = 0; i < list->count; i++)
		list->entries[i].state = find_state(&list->entries[i], pins->tasks);
	return 0;
}

void scope_list_free(struct scope_list *list)
{
	free(list->entries);
	*list = (struct scope_list){ 0 };
}

bool scope_target_has(const struct scope_target *target, pid_t pid)
{
	size_t len = strlen(target->name);
	char path[PATH_MAX];

	return target->kind == SCOPE_CGROUP && !proc_cgroup(pid, path) &&
	       (len == 1 ||
		(!strncmp(path, target->name, len) && (!path[len] || path[len] == '/')));
}

/* ---- changes ---- */

static int remove_gone(struct pins *pins, struct smc_err *err)
{
	struct scope_list list AUTO(scope_list_free) = { 0 };
	int ret = load(&list, pins, err);
	uint64_t id;

	for_each(entry, list.entries, list.count)
		if (entry->state == STATE_GONE)
			bpfmap_delete(pins->scopes, &entry->id);
	return !ret && bpfmap_next(pins->scopes, NULL, &id) == -ENOENT ? pins_remove(err) : ret;
}

static int put_scope(struct pins *pins, const struct scope_target *target,
		     const struct smc_scope *rules, struct smc_err *err)
{
	struct smc_scope scope = *rules;
	int ret;

	scope.kind = target->kind;
	memcpy(scope.name, target->name, sizeof(scope.name));
	ret = bpfmap_update(pins->scopes, &target->id, &scope);
	if (ret == -E2BIG)
		return smc_err_say(err, E2BIG, "there are %d scopes already, the maximum",
				   SCOPE_MAX);
	return ret ? smc_err_set(err, -ret, "cannot attach to %s", target->name) : 0;
}

int scope_attach(struct scope_target *target, const struct smc_scope *rules, struct smc_err *err)
{
	struct pins pins AUTO(pins_close) = PINS_CLOSED;
	struct smc_err ignored;
	int ret = pins_change(&pins, true, err);

	if (!ret) {
		ret = put_scope(&pins, target, rules, err);
		remove_gone(&pins, &ignored);
	}
	return ret;
}

int scope_detach(struct scope_target *target, struct smc_err *err)
{
	struct pins pins AUTO(pins_close) = PINS_CLOSED;
	int ret = pins_change(&pins, false, err);

	if (!ret && bpfmap_delete(pins.scopes, &target->id))
		ret = smc_err_say(err, ENOENT, "nothing is attached to %s", target->name);
	ret = ret ?: remove_gone(&pins, err);
	return ret;
}

int scope_detach_container(const char *id, struct smc_err *err)
{
	struct pins pins AUTO(pins_close) = PINS_CLOSED;
	struct scope_list list AUTO(scope_list_free) = { 0 };
	int ret = access(SCOPE_DIR, F_OK) && errno == ENOENT ? -ENOENT : 0;

	ret = ret ?: pins_change(&pins, false, err);
	ret = ret ?: load(&list, &pins, err);
	for_each(entry, list.entries, list.count)
		if (entry->scope.kind == SCOPE_CGROUP && entry->state != STATE_ACTIVE &&
		    cgroup_is_named(entry->scope.name, id))
			bpfmap_delete(pins.scopes, &entry->id);
	ret = ret ?: remove_gone(&pins, err);
	return ret == -ENOENT ? 0 : ret;
}

/*
 * Remove all that is pinned, even in part or by another version. The kernel detaches the programs
 * some time after unlink(): without a scope they do nothing until then.
 */
int scope_detach_all(struct smc_err *err)
{
	struct pins pins AUTO(pins_close) = PINS_CLOSED;
	int ret = pins_change(&pins, false, err);
	uint64_t id;

	while (!ret && !bpfmap_next(pins.scopes, NULL, &id) && !bpfmap_delete(pins.scopes, &id))
		continue;
	if (pins.dir >= 0 || ret == -ENOENT)
		ret = pins_remove(err);
	return ret;
}

void scope_remove_gone(void)
{
	struct pins pins AUTO(pins_close) = PINS_CLOSED;
	struct smc_err ignored;

	if (!pins_change(&pins, false, &ignored))
		remove_gone(&pins, &ignored);
}

static int select_one(struct scope_list *list, const struct scope_target *target,
		      struct smc_err *err)
{
	for_each(entry, list->entries, list->count)
		if (entry->id == target->id) {
			list->entries[0] = *entry;
			list->count = 1;
			return 0;
		}
	return smc_err_say(err, ENOENT, "nothing is attached to %s", target->name);
}

int scope_list_load(struct scope_list *list, const struct scope_target *target, struct smc_err *err)
{
	struct pins pins AUTO(pins_close) = PINS_CLOSED;
	int ret = pins_read(&pins, err);

	*list = (struct scope_list){ 0 };
	if (!ret)
		ret = load(list, &pins, err);
	else if (ret == -ENOENT && !target)
		ret = 0;
	if (!ret && target)
		ret = select_one(list, target, err);
	return ret;
}
