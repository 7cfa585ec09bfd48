// SPDX-License-Identifier: MIT
/* Attach scopes to control groups that are created later, when their directories appear. */
#include "smc_conf/smc_conf.h"

#include <sys/inotify.h>

#include "base/array.h"
#include "base/memory.h"
#include "cgroup/cgroup.h"
#include "cgroup/attach.h"
#include "host/record.h"
#include "process/signals.h"
#include "settings/setting.h"

/**
 * struct watching - @host has the current scopes, and those of the file as @wanted
 * @root: mount point of the control groups; @ids: of the groups of @host.wanted, 0 if missing
 */
struct watching {
	struct settings *host;
	const char *root;
	uint64_t *ids;
	int fd;
	struct smc_err *err;
};

static const struct setting *scopes(void)
{
	const struct setting *kind = settings_rows;

	while (kind->set != scopes_set)
		kind++;
	return kind;
}

/* Watch from the top down, so that no new directory is missed. */
static int watch_parents(const struct watching *watching, const char *path)
{
	char directory[PATH_MAX];

	for (const char *end = path; end; end = strchr(end + 1, '/')) {
		snprintf(directory, sizeof(directory), "%s%.*s", watching->root, (int)(end - path),
			 path);
		if (inotify_add_watch(watching->fd, directory, IN_CREATE | IN_ONLYDIR) >= 0)
			continue;
		if (errno == ENOENT || errno == ENOTDIR)
			break;
		return smc_err_set(watching->err, errno, "cannot watch %.200s", directory);
	}
	return 0;
}

static int attach_to_new(struct watching *watching)
{
	const struct conf *now = &watching->host->now, *wanted = &watching->host->wanted;
	char place[CONF_PLACE_SIZE];
	struct smc_err inner = { 0 };
	struct settings_step step = { .host = watching->host, .err = &inner };
	int ret = 0;

	for (size_t i = 0; i < wanted->count; i++) {
		const struct conf_item *item = &wanted->items[i], *old = conf_find(now, 0, item);
		uint64_t id = 0, before = watching->ids[i];

		if (watch_parents(watching, item->object))
			return -watching->err->code;
		if (cgroup_id(watching->root, item->object, &id))
			id = 0;
		watching->ids[i] = id;
		if (!id || id == before || (old && conf_has_value_of(old, item)) ||
		    !scopes_set(&step, NULL, item))
			continue;
		ret = smc_err_say(watching->err, inner.code, "%s: %.300s",
				  conf_place_text(place, &item->place), inner.text);
	}
	return ret;
}

/* An error at the start ends the watch. A later one may mean that a group is gone again. */
static int watch(struct watching *watching, const struct cli_tool *tool)
{
	struct settings_look look = { .host = watching->host,
				      .kind = scopes(),
				      .err = watching->err };
	char events[4096];
	sigset_t ends;
	int ret = scopes_read(&look);

	if (!ret)
		ret = attach_to_new(watching);
	conf_free(&watching->host->now);
	signals_interruptible(&ends);
	while (!ret) {
		if (read(watching->fd, events, sizeof(events)) < 0 && errno != EINTR)
			ret = smc_err_set(watching->err, errno, "cannot watch control groups");
		else if (attach_to_new(watching))
			cli_note(tool, "%s", watching->err->text);
	}
	return ret;
}

int sc_watch(struct settings *host, const struct conf *file, const struct cli_tool *tool,
	     struct smc_err *err)
{
	struct watching watching = { host, cgroup_mount(), NULL, -1, err };
	int ret = record_root() ? record_refuse(err) : 0;

	for_each(item, file->items, file->count)
		if (item->kind == scopes())
			conf_add(&host->wanted, item);
	if (ret || !host->wanted.count)
		return ret;
	ret = pins_check(err);
	if (!ret && !watching.root)
		ret = smc_err_say(err, ENOENT, "control groups version 2 are not mounted");
	if (ret)
		return ret;
	watching.fd = inotify_init1(IN_CLOEXEC);
	if (watching.fd < 0)
		return smc_err_set(err, errno, "cannot watch control groups");
	watching.ids = xcalloc(host->wanted.count, sizeof(*watching.ids));
	ret = watch(&watching, tool);
	close(watching.fd);
	free(watching.ids);
	return ret;
}
