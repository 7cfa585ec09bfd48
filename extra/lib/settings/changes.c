// SPDX-License-Identifier: MIT
/* Compute the changes from the current to the wanted settings. */
#include "settings/settings.h"

#include "base/array.h"
#include "smc/knob.h"

static void push(struct settings *host, size_t netns, const struct conf_item *old,
		 const struct conf_item *new)
{
	const struct settings_change change = { old, new, netns };

	*smc_array_add(&host->changes, &host->n_changes) = change;
}

static int say_missing(const struct conf_item *item, struct smc_err *err)
{
	const struct smc_knob *knob = smc_knob_find(item->object);
	char place[CONF_PLACE_SIZE];

	conf_place_text(place, &item->place);
	if (item->kind == CONF_SEID)
		return smc_err_say(err, EOPNOTSUPP,
				   "%s: seid: this system has no system EID: only IBM Z has one",
				   place);
	return smc_err_say(err, EOPNOTSUPP,
			   "%s: this kernel does not have %s, which came with Linux %s", place,
			   knob ? knob->name : "handshake limitation", knob ? knob->since : "5.18");
}

static int compare(struct settings *host, const struct conf_item *new, struct smc_err *err)
{
	const struct conf_item *old = conf_find(&host->now, new->section, new);

	/* Settings that always have a value, if the kernel supports them. */
	bool is_single =
		new->kind == CONF_SEID || new->kind == CONF_LIMIT || new->kind == CONF_KNOB;

	if (!old && is_single) /* a missing system EID is off */
		return new->kind == CONF_SEID && !strcmp(new->value, "off") ? 0 :
									      say_missing(new, err);
	if (!old || !conf_has_value_of(old, new))
		push(host, new->section, old, new);
	return 0;
}

/* True if a setting is to be removed: it is of an exclusive kind, and the file lacks it. */
static bool goes(const struct settings *host, const struct conf_item *old)
{
	return host->netns[old->section].exclusive & 1U << old->kind && !settings_is_normal(old) &&
	       !conf_find(&host->wanted, old->section, old);
}

static int set_kind(struct settings *host, enum conf_kind kind, struct smc_err *err)
{
	int ret = 0;

	for (size_t i = 0; !ret && i < host->wanted.count; i++)
		if (host->wanted.items[i].kind == kind)
			ret = compare(host, &host->wanted.items[i], err);
	return ret;
}

/* Remove settings of a kind, from the @first one to the one before @end. */
static void remove_kind(struct settings *host, enum conf_kind kind, size_t first, size_t end)
{
	size_t at = 0;

	for_each(item, host->now.items, host->now.count) {
		if (item->kind != kind || !goes(host, item))
			continue;
		if (at >= first && at < end)
			push(host, item->section, item, NULL);
		at++;
	}
}

/*
 * The kernel has room for four EIDs, so some may have to go first. The others are removed last: the
 * system EID would come back if there were none.
 */
static void order_eids(struct settings *host)
{
	const struct conf *now = &host->now, *wanted = &host->wanted;
	size_t count = 0, first;

	for (size_t i = 0; i < now->count; i++)
		count += now->items[i].kind == CONF_EID;
	for (size_t i = 0; i < wanted->count; i++)
		count += wanted->items[i].kind == CONF_EID && !conf_find(now, 0, &wanted->items[i]);
	first = count > SMC_MAX_UEIDS ? count - SMC_MAX_UEIDS : 0;
	remove_kind(host, CONF_EID, 0, first);
	set_kind(host, CONF_EID, NULL); /* these are in all namespaces */
	remove_kind(host, CONF_EID, first, SIZE_MAX);
}

/* If the system EID is to stay off, disable it again: removing EIDs may have enabled it. */
static void keep_seid(struct settings *host)
{
	const struct conf_item any = { .kind = CONF_SEID, .object = "" };
	const struct conf_item *old = conf_find(&host->now, 0, &any);
	const struct conf_item *new = conf_find(&host->wanted, 0, &any);

	if (!old || strcmp(old->value, "off") || (new &&strcmp(new->value, "off")))
		return;
	for (size_t i = 0; i < host->n_changes; i++) {
		if (!host->changes[i].new) {
			push(host, 0, old, old);
			return;
		}
	}
}

static int order_kind(struct settings *host, enum conf_kind kind, struct smc_err *err)
{
	int ret = set_kind(host, kind, err);

	if (!ret)
		remove_kind(host, kind, 0, SIZE_MAX);
	return ret;
}

/*
 * Unnamed settings that always have a value get the kernel's default. Call this before keeping
 * pointers to items, as adding moves them.
 */
static void add_normals(struct settings *host)
{
	for (size_t i = 0; i < host->now.count; i++) {
		struct conf_item item = host->now.items[i];

		if (!settings_normal(&item) || !goes(host, &item))
			continue;
		item.value = settings_normal(&item);
		conf_add(&host->wanted, &item);
	}
}

/* Policies come late: they affect other programs at once. */
static void order_policies(struct settings *host)
{
	static const struct conf_item before = { .kind = CONF_POLICY, .object = "", .value = "" };

	for (size_t at = 0; at < host->n_netns; at++) {
		struct settings_netns *netns = &host->netns[at];

		if (!settings_policy_differs(host, at))
			continue;
		netns->policy = before;
		netns->policy.section = at;
		if (netns->wants)
			netns->policy.place = netns->wants->policy_place;
		push(host, at, &before, &netns->policy);
	}
}

int settings_compare(struct settings *host, struct smc_err *err)
{
	int ret = 0;

	add_normals(host);
	order_eids(host);
	keep_seid(host);
	for (int kind = CONF_SEID; !ret && kind < CONF_SCOPE; kind++)
		ret = order_kind(host, kind, err);
	if (!ret)
		order_policies(host);
	/* Scopes come last: programs that get SMC sockets must find the policy in force. */
	return ret ? ret : order_kind(host, CONF_SCOPE, err);
}
