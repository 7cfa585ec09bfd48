// SPDX-License-Identifier: MIT
/* Plan changes, and describe them. */
#include "settings/settings.h"

#include <fcntl.h>
#include <sys/file.h>

#include "base/array.h"
#include "base/write.h"

/*
 * The kernel only deletes whole PNET IDs: two concurrent runs, as udev starts them for devices,
 * would undo each other's changes.
 */
void settings_lock(struct settings *host)
{
	host->lock = rundir_open("smc_conf.lock", O_RDWR, 0600);
	if (host->lock >= 0)
		flock(host->lock, LOCK_EX);
}

int settings_plan(struct settings *host, const struct conf *file, const char *netns,
		  struct smc_err *err)
{
	int ret = netns ? settings_read_netns(host, file, netns, err) :
			  settings_read(host, file, false, NULL, err);

	if (!ret)
		ret = settings_want(host, file, err);
	return ret ? ret : settings_compare(host, err);
}

/** struct lines - @netns: namespace of the current policy */
struct lines {
	struct out_text *text;
	const struct settings *host;
	size_t netns;
};

static void append_begin(const struct lines *lines, char sign)
{
	out_printf(lines->text, "%c ", sign);
	if (!lines->netns)
		return;
	out_str(lines->text, "netns ");
	out_escaped(lines->text, lines->host->netns[lines->netns].name, SIZE_MAX);
	out_str(lines->text, ": ");
}

static int append_policy_line(void *arg, char sign, const char *line)
{
	const struct lines *lines = arg;

	append_begin(lines, sign);
	out_printf(lines->text, "%s\n", line);
	return 0;
}

static void append_change(const struct lines *lines, const struct settings_change *change)
{
	const struct conf_item *old = change->old, *wanted = change->new;
	struct out_text *text = lines->text;
	char sign = wanted ? '+' : '-';

	append_begin(lines, old && wanted ? '~' : sign);
	conf_append_line(text, wanted ? wanted : old);
	if (old && wanted) {
		out_str(text, " # is ");
		out_escaped(text, *old->value ? old->value : "without rules", SIZE_MAX);
		if (old->port != wanted->port)
			out_printf(text, ", port %u", old->port);
	}
	out_char(text, '\n');
}

void settings_diff(struct out_text *text, const struct settings *host)
{
	struct lines lines = { text, host, 0 };

	for_each(change, host->changes, host->n_changes) {
		if (change->old == change->new) /* repeated, as another change may have undone it */
			continue;
		lines.netns = change->netns;
		if (change->new && change->new->kind == CONF_POLICY)
			policy_diff(&host->now.sections[change->netns].policy,
				    settings_policy_wanted(&host->netns[change->netns]),
				    append_policy_line, &lines);
		else
			append_change(&lines, change);
	}
}
