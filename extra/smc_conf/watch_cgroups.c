// SPDX-License-Identifier: MIT
/* Attach scopes to control groups that are created later, when their directories appear. */
#include "smc_conf/smc_conf.h"

#include <sys/inotify.h>

#include "base/memory.h"
#include "cgroup/cgroup.h"
#include "cgroup/pins.h"
#include "host/record.h"
#include "process/signals.h"

/**
 * struct watching - @host has only scopes
 * @root: mount point of the control groups; @ids: of the groups of @host.wanted, 0 if missing
 */
struct watching {
	struct settings host;
	const char *root;
	uint64_t *ids;
	int fd;
	struct smc_err *err;
};

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
	const struct conf *now = &watching->host.now, *wanted = &watching->host.wanted;
	char place[CONF_PLACE_SIZE];
	struct smc_err inner = { 0 };
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
		    !scope_set(item, NULL, &inner))
			continue;
		ret = smc_err_say(watching->err, inner.code, "%s: %.300s",
				  conf_place_text(place, &item->place), inner.text);
	}
	return ret;
}

/* An error at the start ends the watch. A later one may mean that a group is gone again. */
static int watch(struct watching *watching, const struct cli_tool *tool)
{
	char events[4096];
	sigset_t ends;
	int ret = scopes_read(&watching->host, watching->err);

	if (!ret)
		ret = attach_to_new(watching);
	conf_free(&watching->host.now);
	signals_interruptible(&ends);
	while (!ret) {
		if (read(watching->fd, events, sizeof(events)) < 0 && errno != EINTR)
			ret = smc_err_set(watching->err, errno, "cannot watch control groups");
		else if (attach_to_new(watching))
			cli_note(tool, "%s", watching->err->text);
	}
	return ret;
}

static int want_scopes(struct watching *watching, const struct conf *file)
{
	struct conf *wanted = &watching->host.wanted;
	int ret = 0;

	conf_section(wanted, "");
	conf_section(&watching->host.now, "");
	for (size_t i = 0; !ret && i < file->count; i++) {
		struct conf_item item = file->items[i];

		if (item.kind != CONF_SCOPE)
			continue;
		ret = scope_user_number(wanted, &item, watching->err);
		if (!ret)
			conf_add(wanted, &item);
	}
	return ret;
}

int sc_watch(const struct conf *file, const struct cli_tool *tool, struct smc_err *err)
{
	struct watching watching = { .root = cgroup_mount(), .fd = -1, .err = err };
	size_t *count = &watching.host.wanted.count;
	int ret = record_root() ? record_refuse(err) : want_scopes(&watching, file);

	if (!ret && *count)
		ret = pins_check(err);
	if (!ret && *count && !watching.root)
		ret = smc_err_say(err, ENOENT, "control groups version 2 are not mounted");
	if (!ret && *count) {
		watching.ids = xcalloc(*count, sizeof(*watching.ids));
		watching.fd = inotify_init1(IN_CLOEXEC);
		ret = watching.fd < 0 ? smc_err_set(err, errno, "cannot watch control groups") :
					watch(&watching, tool);
	}
	if (watching.fd >= 0)
		close(watching.fd);
	free(watching.ids);
	settings_free(&watching.host);
	return ret;
}
