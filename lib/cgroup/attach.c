// SPDX-License-Identifier: MIT
/* Attaches, detaches and lists scopes. */
#include "cgroup/attach.h"

#include <errno.h>
#include <string.h>
#include <unistd.h>

#include "base/clock.h"
#include "bpf/bpfmap.h"
#include "cgroup/cgroup.h"

/* An id that no scope had before: the clock never goes back. */
static uint64_t new_id(void)
{
	return SCOPE_NOT_CGROUP | (uint64_t)clock_ns(CLOCK_BOOTTIME);
}

/* Remove the scopes that are gone, and with the last scope the programs. */
static int remove_gone(struct pins *pins, struct smc_err *err)
{
	struct scope_list list;
	size_t left = 0;
	int ret = scopes_load(&list, pins, err);

	for (size_t i = 0; !ret && i < list.count; i++) {
		if (list.entries[i].state == STATE_GONE)
			bpfmap_delete(pins->scopes, &list.entries[i].id);
		else
			left++;
	}
	if (ret)
		return ret;
	scopes_free(&list);
	return left ? 0 : pins_remove(err);
}

static int put_scope(struct pins *pins, struct scope_target *target, const struct smc_scope *rules,
		     struct smc_err *err)
{
	struct smc_scope scope = *rules, before;
	bool was_there;
	int ret;

	scope.kind = target->kind;
	memcpy(scope.name, target->name, sizeof(scope.name));
	if (target->kind == SCOPE_PROCESS)
		target->id = new_id();
	was_there = !bpfmap_lookup(pins->scopes, &target->id, &before);
	ret = bpfmap_update(pins->scopes, &target->id, &scope);
	if (ret == -E2BIG)
		return smc_err_say(err, E2BIG, "there are %d scopes already, the maximum",
				   SCOPE_MAX);
	if (ret)
		return smc_err_set(err, -ret, "cannot attach to %s", target->name);
	if (target->kind == SCOPE_PROCESS)
		ret = scopes_mark_tree(pins, target->pid, target->id, err);
	if (ret && was_there)
		bpfmap_update(pins->scopes, &target->id, &before);
	else if (ret)
		bpfmap_delete(pins->scopes, &target->id);
	return ret;
}

int scope_attach(struct scope_target *target, const struct smc_scope *rules, struct smc_err *err)
{
	struct pins pins = PINS_CLOSED;
	struct smc_err ignored;
	int ret = pins_change(&pins, true, err);

	if (!ret) {
		ret = put_scope(&pins, target, rules, err);
		remove_gone(&pins, &ignored);
	}
	pins_close(&pins);
	return ret;
}

/* Make the target of a process that of its mark. */
static int find_mark(const struct pins *pins, struct scope_target *target, struct smc_err *err)
{
	int ret;

	if (target->kind != SCOPE_PROCESS)
		return 0;
	ret = bpfmap_marked(pins->tasks, target->pid, &target->id);
	if (ret)
		return smc_err_say(err, -ret, "nothing is attached to %s", target->name);
	if (target->id == SCOPE_RUN_ID)
		return smc_err_say(err, EINVAL, "process %s was started by smc_run: see --run",
				   target->name);
	return 0;
}

int scope_detach(struct scope_target *target, struct smc_err *err)
{
	struct pins pins = PINS_CLOSED;
	int ret = pins_change(&pins, false, err);

	if (!ret)
		ret = find_mark(&pins, target, err);
	if (!ret && bpfmap_delete(pins.scopes, &target->id))
		ret = smc_err_say(err, ENOENT, "nothing is attached to %s", target->name);
	if (!ret)
		ret = remove_gone(&pins, err);
	pins_close(&pins);
	return ret;
}

int scope_detach_container(const char *id, struct smc_err *err)
{
	struct pins pins = PINS_CLOSED;
	struct scope_list list = { 0 };
	int ret = access(SCOPE_DIR, F_OK) && errno == ENOENT ? -ENOENT : 0;

	if (!ret)
		ret = pins_change(&pins, false, err);
	if (!ret)
		ret = scopes_load(&list, &pins, err);
	for (size_t i = 0; !ret && i < list.count; i++)
		if (list.entries[i].scope.kind == SCOPE_CGROUP &&
		    list.entries[i].state != STATE_ACTIVE &&
		    cgroup_is_named(list.entries[i].scope.name, id))
			bpfmap_delete(pins.scopes, &list.entries[i].id);
	scopes_free(&list);
	if (!ret)
		ret = remove_gone(&pins, err);
	pins_close(&pins);
	return ret == -ENOENT ? 0 : ret;
}

/* Whatever is there is removed: half of it, or what another version has left. */
int scope_detach_all(struct smc_err *err)
{
	struct pins pins = PINS_CLOSED;
	int ret = pins_change(&pins, false, err);

	if (pins.dir >= 0 || ret == -ENOENT)
		ret = pins_remove(err);
	pins_close(&pins);
	return ret;
}

void scope_remove_gone(void)
{
	struct pins pins = PINS_CLOSED;
	struct smc_err ignored;

	if (!pins_change(&pins, false, &ignored))
		remove_gone(&pins, &ignored);
	pins_close(&pins);
}

/* Reduce the list to one scope. */
static int select_one(struct scope_list *list, const struct scope_target *target,
		      struct smc_err *err)
{
	for (size_t i = 0; i < list->count; i++) {
		if (list->entries[i].id != target->id)
			continue;
		list->entries[0] = list->entries[i];
		list->count = 1;
		return 0;
	}
	return smc_err_say(err, ENOENT, "nothing is attached to %s", target->name);
}

int scope_list_load(struct scope_list *list, struct scope_target *target, struct smc_err *err)
{
	struct pins pins = PINS_CLOSED;
	int ret = pins_read(&pins, err);

	*list = (struct scope_list){ 0 };
	if (!ret)
		ret = scopes_load(list, &pins, err);
	else if (ret == -ENOENT && !target)
		ret = 0;
	if (!ret && target)
		ret = find_mark(&pins, target, err);
	if (!ret && target)
		ret = select_one(list, target, err);
	pins_close(&pins);
	return ret;
}
