// SPDX-License-Identifier: MIT
/* The way from what is set to what is wanted. */
#include "smc_conf/smc_conf.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "smc/knob.h"

struct making {
	struct sc_changes *changes;
	struct sc_host *host;
	struct smc_err *err;
};

static void push(struct making *making, size_t netns, const struct conf_item *old,
		 const struct conf_item *new)
{
	const struct sc_change change = { old, new, netns };
	struct sc_changes *changes = making->changes;

	smc_array_append(&changes->changes, &changes->count, &changes->size, &change,
			 sizeof(change));
}

static int say_missing(const struct conf_item *item, struct smc_err *err)
{
	const struct smc_knob *knob = smc_knob_find(item->object);
	char place[CONF_PLACE_SIZE];

	conf_place_text(place, &item->place);
	if (item->kind == CONF_SEID)
		return smc_err_say(err, EOPNOTSUPP,
				   "%s: seid: this system has no system EID: only "
				   "IBM Z has one",
				   place);
	return smc_err_say(err, EOPNOTSUPP,
			   "%s: this kernel does not have %s, which came with "
			   "Linux %s",
			   place, knob ? knob->name : "handshake limitation",
			   knob ? knob->since : "5.18");
}

/* There is always one of these, where the kernel knows it. */
static bool is_single(const struct conf_item *item)
{
	return item->kind == CONF_SEID || item->kind == CONF_LIMIT || item->kind == CONF_KNOB;
}

static int compare(struct making *making, const struct conf_item *new)
{
	const struct conf_item *old = conf_find(&making->host->now, new->section, new);

	if (!old && is_single(new)) /* no system EID is one that is off */
		return new->kind == CONF_SEID && !strcmp(new->value, "off") ?
			       0 :
			       say_missing(new, making->err);
	if (!old || !conf_has_value_of(old, new))
		push(making, new->section, old, new);
	return 0;
}

/* What the file does not name, where it is exclusive. Return: is there something to be done? */
static bool goes(const struct sc_host *host, const struct conf_item *old)
{
	return host->netns[old->section].exclusive & 1U << old->kind && !sc_is_normal(old) &&
	       !conf_find(&host->wanted, old->section, old);
}

/*
 * The kernel takes four EIDs, so some may have to go first. The rest goes last: without any, the
 * system EID would come back.
 */
static int order_eids(struct making *making)
{
	const struct conf *now = &making->host->now, *wanted = &making->host->wanted;
	size_t count = 0, comes = 0;
	int ret = 0, last;

	for (size_t i = 0; i < now->count; i++)
		count += now->items[i].kind == CONF_EID;
	for (size_t i = 0; i < wanted->count; i++)
		comes += wanted->items[i].kind == CONF_EID && !conf_find(now, 0, &wanted->items[i]);
	last = count + comes > SMC_MAX_UEIDS ? (int)(count + comes - SMC_MAX_UEIDS) : 0;
	for (int pass = 0; pass < 2; pass++) {
		int skipped = 0;

		for (size_t i = 0; !ret && i < now->count; i++) {
			if (now->items[i].kind != CONF_EID || !goes(making->host, &now->items[i]))
				continue;
			if ((skipped++ < last) == !pass)
				push(making, 0, &now->items[i], NULL);
		}
		for (size_t i = 0; !ret && !pass && i < wanted->count; i++)
			if (wanted->items[i].kind == CONF_EID)
				ret = compare(making, &wanted->items[i]);
	}
	return ret;
}

/* It was off, and is to stay so, but removing EIDs may have switched it on. */
static void keep_seid(struct making *making)
{
	const struct conf_item any = { .kind = CONF_SEID, .object = "" };
	const struct conf_item *old = conf_find(&making->host->now, 0, &any);
	const struct conf_item *new = conf_find(&making->host->wanted, 0, &any);

	if (!old || strcmp(old->value, "off") || (new &&strcmp(new->value, "off")))
		return;
	for (size_t i = 0; i < making->changes->count; i++) {
		if (!making->changes->changes[i].new) {
			push(making, 0, old, old);
			return;
		}
	}
}

static int order_kind(struct making *making, enum conf_kind kind)
{
	struct sc_host *host = making->host;
	int ret = 0;

	for (size_t i = 0; !ret && i < host->wanted.count; i++)
		if (host->wanted.items[i].kind == kind)
			ret = compare(making, &host->wanted.items[i]);
	for (size_t i = 0; !ret && i < host->now.count; i++)
		if (host->now.items[i].kind == kind && goes(host, &host->now.items[i]))
			push(making, host->now.items[i].section, &host->now.items[i], NULL);
	return ret;
}

/*
 * A setting that always has a value gets the one that the kernel begins with. Before anything
 * points to an item: what is added moves them.
 */
static void add_normals(struct making *making)
{
	struct sc_host *host = making->host;

	for (size_t i = 0; i < host->now.count; i++) {
		struct conf_item item = host->now.items[i];

		if (!sc_normal(&item) || !goes(host, &item))
			continue;
		item.value = sc_normal(&item);
		conf_add(&host->wanted, &item);
	}
}

/* Late: others feel it at once. */
static void order_policies(struct making *making)
{
	static const struct conf_item before = { .kind = CONF_POLICY, .object = "", .value = "" };

	for (size_t at = 0; at < making->host->n_netns; at++) {
		struct sc_netns *netns = &making->host->netns[at];

		if (!sc_policy_differs(making->host, at))
			continue;
		netns->policy = before;
		netns->policy.section = at;
		if (netns->wants)
			netns->policy.place = netns->wants->policy_place;
		push(making, at, &before, &netns->policy);
	}
}

int sc_changes_make(struct sc_changes *changes, struct sc_host *host, struct smc_err *err)
{
	struct making making = { changes, host, err };
	int ret;

	*changes = (struct sc_changes){ 0 };
	add_normals(&making);
	ret = order_eids(&making);
	if (!ret)
		keep_seid(&making);
	for (int kind = CONF_SEID; !ret && kind < CONF_SCOPE; kind++)
		ret = order_kind(&making, kind);
	if (!ret)
		order_policies(&making);
	/* Whoever gets SMC sockets is to find the policy in force. */
	return ret ? ret : order_kind(&making, CONF_SCOPE);
}

void sc_changes_free(struct sc_changes *changes)
{
	free(changes->changes);
	*changes = (struct sc_changes){ 0 };
}
