// SPDX-License-Identifier: MIT
/* Compute the changes from the current to the wanted settings, and show them as text. */
#include "base/array.h"
#include "settings/setting.h"
#include "smc/knob.h"

static const char *normal(const struct conf_item *item)
{
	return item->kind->normal_of ? item->kind->normal_of(item) : item->kind->normal;
}

bool settings_is_normal(const struct conf_item *item)
{
	return normal(item) && !strcmp(item->value, normal(item));
}

static void push(struct settings *host, size_t netns, const struct conf_item *old,
		 const struct conf_item *wanted)
{
	const struct settings_change change = { old, wanted, netns };

	*smc_array_add(&host->changes, &host->n_changes) = change;
}

/* True if a setting is to be removed: no file has it, and it is of an exclusive kind, or gone. */
static bool goes(const struct settings *host, const struct conf_item *old)
{
	const struct conf_item *gone = conf_find(&host->gone, old->section, old);

	return (host->netns[old->section].exclusive & settings_bit(old->kind) ||
		(old->kind->is_set && conf_has_kind(&host->wanted, old->kind, old->section)) ||
		(gone && conf_has_value_of(gone, old))) &&
	       !settings_is_normal(old) && !conf_find(&host->wanted, old->section, old);
}

static int say_missing(const struct conf_item *item, struct smc_err *err)
{
	const struct smc_knob *knob = smc_knob_find(item->object);
	char place[CONF_PLACE_SIZE];

	conf_place_text(place, &item->place);
	if (!knob)
		return smc_err_say(err, EOPNOTSUPP, "%s: %s", place, item->kind->missing);
	return smc_err_say(err, EOPNOTSUPP,
			   "%s: this kernel does not have %s, which came with Linux %s", place,
			   knob->name, knob->since);
}

static int set_kind(struct settings *host, const struct setting *kind, size_t at,
		    struct smc_err *err)
{
	for_each_of(item, &host->wanted, kind, at)
	{
		const struct conf_item *old = conf_find(&host->now, at, item);

		if (!old && kind->absent && !strcmp(item->value, kind->absent))
			continue;
		if (!old && normal(item))
			return say_missing(item, err);
		if (!old || !conf_has_value_of(old, item))
			push(host, at, old, item);
	}
	return 0;
}

/* Remove settings of a kind, number @first to the one before @end. Return: number of all */
static size_t remove_kind(struct settings *host, const struct setting *kind, size_t at,
			  size_t first, size_t end)
{
	size_t number = 0;

	for_each_of(item, &host->now, kind, at)
	{
		if (!goes(host, item))
			continue;
		if (number >= first && number < end)
			push(host, at, item, NULL);
		number++;
	}
	return number;
}

/*
 * The kernel may have no room for all, so some may have to be removed first, the others last:
 * without user EIDs, the system EID would come back.
 */
static int order_kind(struct settings *host, const struct setting *kind, size_t at,
		      struct smc_err *err)
{
	size_t total = 0, goers = remove_kind(host, kind, at, 0, 0), first = 0;
	const struct conf_item *last = NULL;
	char place[CONF_PLACE_SIZE];

	for_each_of(item, &host->now, kind, at) total++;
	for_each_of(item, &host->wanted, kind, at)
	{
		if (conf_find(&host->now, at, item))
			continue;
		last = item;
		total++;
	}
	if (last && kind->room && total - goers > kind->room)
		return smc_err_say(err, ERANGE,
				   "%s: %s: there would be %zu, but the kernel takes only %zu",
				   conf_place_text(place, &last->place), kind->name, total - goers,
				   kind->room);
	if (kind->room && total > kind->room)
		first = total - kind->room;
	remove_kind(host, kind, at, 0, first);
	if (set_kind(host, kind, at, err))
		return -err->code;
	remove_kind(host, kind, at, first, SIZE_MAX);
	return 0;
}

/* If the system EID is to stay off, disable it again: removing EIDs may have enabled it. */
static void keep_absent(struct settings *host, const struct setting *kind)
{
	const struct conf_item any = { .kind = kind, .object = "" };
	const struct conf_item *old = conf_find(&host->now, 0, &any);
	const struct conf_item *wanted = conf_find(&host->wanted, 0, &any);

	if (!kind->absent || !old || strcmp(old->value, kind->absent) ||
	    (wanted && strcmp(wanted->value, kind->absent)))
		return;
	for_each(change, host->changes, host->n_changes) {
		if (!change->new) {
			push(host, 0, old, old);
			return;
		}
	}
}

/*
 * Unnamed settings that always have a value get the kernel's default. Call this before keeping
 * pointers to items, as adding moves them.
 */
static void add_normals(struct settings *host)
{
	for_each(now, host->now.items, host->now.count) {
		struct conf_item item = *now;

		item.value = normal(now);
		if (item.value && goes(host, now))
			conf_add(&host->wanted, &item);
	}
}

/* PNET IDs of a device, by its own name or that of its PCI function. */
static void compare_device(struct settings *host)
{
	const char *device = host->device;
	const struct rdma_dev *rdma = rdma_find(&host->netns[0].world.rdma, device);
	const char *bus = rdma ? rdma->bus_id : "";

	for_each(item, host->wanted.items, host->wanted.count) {
		if (!item->section && item->by &&
		    (!strcmp(item->object, device) ||
		     (item->port && *bus && !strcmp(item->object, bus))))
			push(host, 0, conf_find(&host->now, 0, item), item);
	}
}

int settings_compare(struct settings *host, struct smc_err *err)
{
	int ret = 0;

	if (host->device) {
		compare_device(host);
		return 0;
	}
	add_normals(host);
	for (const struct setting *kind = settings_rows; !ret && kind->name; kind++) {
		keep_absent(host, kind);
		for (size_t at = 0; !ret && at < host->n_netns; at++)
			ret = order_kind(host, kind, at, err);
	}
	return ret;
}

/* ---- the changes as text ---- */

void settings_each(const struct settings *host, settings_change_fn fn, void *arg)
{
	for_each(change, host->changes, host->n_changes) {
		const struct conf_item *old = change->old, *any = settings_any(change);
		struct out_text line AUTO(out_free) = { 0 };
		char sign = change->new ? '+' : '-';

		if (old == change->new) /* repeated, as another change may have undone it */
			continue;
		conf_append_line(&line, any);
		out_char(&line, '\0');
		fn(arg, old && change->new ? '~' : sign, line.data, change);
	}
}

/** struct lines - of settings_diff() */
struct lines {
	struct out_text *text;
	const struct settings *host;
};

static void append_line(void *arg, char sign, const char *line,
			const struct settings_change *change)
{
	const struct lines *lines = arg;
	const struct conf_item *old = change->old;
	struct out_text *text = lines->text;

	out_printf(text, "%c %s", sign, change->netns ? "netns " : "");
	out_escaped(text, lines->host->netns[change->netns].name, SIZE_MAX);
	out_printf(text, "%s%s", change->netns ? ": " : "", line);
	if (sign == '~') {
		out_str(text, " # is ");
		out_escaped(text, *old->value ? old->value : "without rules", SIZE_MAX);
		if (old->port != change->new->port)
			out_printf(text, ", port %u", old->port);
	}
	out_char(text, '\n');
}

void settings_diff(struct out_text *text, const struct settings *host)
{
	struct lines lines = { text, host };

	settings_each(host, append_line, &lines);
}
