// SPDX-License-Identifier: MIT
/* Apply all changes of the settings, or none. */
#include <fcntl.h>
#include <glob.h>
#include <sys/file.h>

#include "base/array.h"
#include "base/write.h"
#include "host/record.h"
#include "net/netns.h"
#include "settings/setting.h"

static int do_step(void *arg)
{
	struct settings_step *step = arg;
	const struct settings_change *change = step->changes;

	return settings_any(change)->kind->set(step, step->is_back ? change->new : change->old,
					       step->is_back ? change->old : change->new);
}

/* The step that begins with change @at. */
static struct settings_step step_at(struct settings *host, size_t at, struct smc_err *err)
{
	struct settings_step step = { .host = host, .changes = &host->changes[at], .err = err };
	const struct setting *kind = settings_any(step.changes)->kind;

	do
		step.count++;
	while (kind->is_whole && at + step.count < host->n_changes &&
	       settings_any(&step.changes[step.count])->kind == kind &&
	       step.changes[step.count].netns == step.changes->netns);
	return step;
}

/* Undo the changes before @end, the last step first. Return: 0, or the first error. */
static int take_back(struct settings *host, size_t at, size_t end, struct smc_err *err)
{
	struct settings_step step;
	struct smc_err inner;
	int ret, one;

	if (at >= end)
		return 0;
	step = step_at(host, at, &inner);
	step.is_back = true;
	ret = take_back(host, at + step.count, end, err);
	one = smc_netns_run(host->netns[step.changes->netns].name, do_step, &step, &inner);
	if (one && !ret)
		*err = inner;
	return ret ? ret : one;
}

int settings_apply(struct settings *host, struct smc_err *err)
{
	struct smc_err why, inner = { 0 };
	char place[CONF_PLACE_SIZE];
	struct settings_step step;
	int ret = 0;
	size_t at;

	for (at = 0; at < host->n_changes; at += step.count) {
		step = step_at(host, at, &why);
		ret = smc_netns_run(host->netns[step.changes->netns].name, do_step, &step, &why);
		if (ret)
			break;
	}
	if (!ret)
		return 0;
	ret = take_back(host, 0, at, &inner);
	conf_place_text(place, &settings_any(step.changes)->place);
	return smc_err_say(err, why.code, "%s%s%.160s; %s%.120s", place, *place ? ": " : "",
			   why.text, ret ? "not everything was restored: " : "nothing was changed",
			   inner.text);
}

int settings_check(const struct settings *host, struct smc_err *err)
{
	int ret = 0;

	for (size_t i = 0; !ret && !geteuid() && !record_root() && i < host->n_changes; i++) {
		const struct conf_item *wanted = host->changes[i].new;

		if (wanted && wanted->kind->check)
			ret = wanted->kind->check(err);
	}
	return ret;
}

/* ---- one process at a time ---- */

void settings_remove_left(const char *pattern)
{
	glob_t found;

	if (glob(pattern, 0, NULL, &found))
		return;
	for (size_t i = 0; i < found.gl_pathc; i++)
		unlink(found.gl_pathv[i]);
	globfree(&found);
}

/* Restore what a process deleted before it was killed. */
static void finish(void)
{
	static const char path[] = RUN_DIR "/" SETTINGS_UNFINISHED;
	struct settings host AUTO(settings_free) = { 0 };
	struct conf before AUTO(conf_free) = { 0 };
	struct smc_err ignored;
	size_t missing = 0;

	if (record_root())
		return;
	settings_remove_left(RUN_DIR "/." SETTINGS_UNFINISHED ".*");
	if (access(path, F_OK))
		return;
	if (!conf_read(&before, path, true, &ignored) &&
	    !settings_plan(&host, &before, NULL, &ignored)) {
		for_each(change, host.changes, host.n_changes) {
			if (!change->old)
				host.changes[missing++] = *change;
		}
		host.n_changes = missing;
		settings_apply(&host, &ignored);
	}
	unlink(path);
}

/*
 * The kernel only deletes whole PNET IDs: two concurrent runs, as udev starts them for devices,
 * would undo each other's changes.
 */
void settings_lock(struct settings *host)
{
	host->lock = rundir_open("smc_conf.lock", O_RDWR, 0600);
	if (host->lock >= 0 && !flock(host->lock, LOCK_EX))
		finish();
}
