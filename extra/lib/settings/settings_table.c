// SPDX-License-Identifier: MIT
/* The table of settings, with EIDs, switches, sysctls and rules for peers. */
#include "bpf/rights.h"
#include "cgroup/attach.h"
#include "host/file.h"
#include "host/record.h"
#include "settings/setting.h"
#include "smc/genl_abi.h"
#include "smc/knob.h"

void settings_found(const struct settings_look *look, struct conf_item item)
{
	item.kind = look->kind;
	item.section = look->at;
	conf_add(&look->host->now, &item);
}

/* ---- EIDs ---- */

static int eids_parse(struct conf_line *line)
{
	int ret = line->count < 2 ? conf_expected(line, 1, "expected an EID") : 0;

	for (size_t i = 1; !ret && i < line->count; i++) {
		struct conf_item item = { .object = line->words[i], .value = "" };

		line->bad = i;
		ret = smc_eid_check(item.object, line->err);
		if (!ret)
			ret = conf_accept(line, &item, i);
	}
	return ret;
}

/* Settings that an old kernel does not support are skipped. */
static int unless_old(int ret)
{
	return ret == -EOPNOTSUPP ? 0 : ret;
}

static int eids_read(struct settings_look *look)
{
	struct smc_eids eids = { .count = 0 };
	int ret = look->nl ? unless_old(smc_eids_read(&eids, look->nl, look->err)) : 0;

	for (size_t i = 0; !ret && i < eids.count; i++)
		settings_found(look, (struct conf_item){ .object = eids.eids[i], .value = "" });
	return ret;
}

/* ---- switches: system EID, handshake limitation ---- */

static int switch_parse(struct conf_line *line)
{
	struct conf_item item = { .object = "", .value = line->count > 1 ? line->words[1] : "" };

	if (strcmp(item.value, "on") && strcmp(item.value, "off"))
		return conf_expected(line, 1, "expected on or off");
	if (line->count > 2)
		return conf_expected(line, 2, "expected the end of the line");
	return conf_accept(line, &item, 1);
}

static void switch_found(const struct settings_look *look, bool is_on)
{
	settings_found(look, (struct conf_item){ .object = "", .value = is_on ? "on" : "off" });
}

static int seid_read(struct settings_look *look)
{
	struct smc_seid seid = { 0 };
	int ret = look->nl ? unless_old(smc_seid_read(&seid, look->nl, look->err)) : 0;

	if (!ret && seid.has_eid)
		switch_found(look, seid.is_enabled);
	return ret;
}

static int limit_read(struct settings_look *look)
{
	bool is_on;
	int ret = look->nl ? smc_hs_read(&is_on, look->nl, look->err) : -EOPNOTSUPP;

	if (!ret)
		switch_found(look, is_on);
	return unless_old(ret);
}

/* EIDs and switches. @to: NULL to remove an EID. */
static int generic_set(struct settings_step *step, const struct conf_item *from,
		       const struct conf_item *to)
{
	bool has_seid;
	struct smc_genl *nl;
	int ret = smc_genl_open(&nl, SMC_GENL_FAMILY_NAME, step->err);

	if (ret)
		return ret;
	if (!to)
		ret = smc_eid_remove(nl, from->object, &has_seid, step->err);
	else if (to->kind->toggle)
		ret = to->kind->toggle(nl, !strcmp(to->value, "on"), step->err);
	else
		ret = smc_eid_add(nl, to->object, step->err);
	smc_genl_close(nl);
	return ret;
}

/* ---- sysctls ---- */

static int knobs_parse(struct conf_line *line)
{
	const struct smc_knob *knob = smc_knob_find(line->words[0]);
	char value[24], text[100];
	struct conf_item item = { .object = line->words[0], .value = value };
	const char *word = line->count > 1 ? line->words[1] : "";
	long long number;

	if (!strcmp(line->words[0], SMC_KNOB_PREFIX "limit_smc_hs"))
		return conf_expected(line, 0, "expected 'handshake-limit on' or 'off' instead");
	if (!knob)
		return conf_expected(line, 0, "not a known sysctl of net.smc");
	errno = 0;
	number = strtoll(word, NULL, 10);
	snprintf(text, sizeof(text), "expected a number from %lld to %lld", knob->low, knob->high);
	if (errno || !*word || word[strspn(word, "0123456789")] || number < knob->low ||
	    number > knob->high)
		return conf_expected(line, 1, text);
	if (line->count > 2)
		return conf_expected(line, 2, "expected the end of the line");
	snprintf(value, sizeof(value), "%lld", number);
	return conf_accept(line, &item, 1);
}

static void knobs_write(struct out_text *text, const struct conf_item *item)
{
	out_printf(text, "%s %s", item->object, item->value);
}

static int knobs_read(struct settings_look *look)
{
	char value[32];

	for (const struct smc_knob *knob = smc_knobs; knob->name; knob++)
		if (host_text(value, sizeof(value), "/proc/sys/net/smc/%s",
			      knob->name + strlen(SMC_KNOB_PREFIX)))
			settings_found(look,
				       (struct conf_item){ .object = knob->name, .value = value });
	return 0;
}

static const char *knobs_normal(const struct conf_item *item)
{
	return smc_knob_find(item->object)->normal_text;
}

static int knobs_set(struct settings_step *step, const struct conf_item *from,
		     const struct conf_item *to)
{
	int ret =
		host_write(to->value, "/proc/sys/net/smc/%s", to->object + strlen(SMC_KNOB_PREFIX));

	(void)from;
	return ret ? smc_err_set(step->err, -ret, "cannot set %s to %s", to->object, to->value) : 0;
}

/* ---- rules for peers ---- */

static int policy_accept(void *line, const char *item)
{
	return conf_accept(line, &(struct conf_item){ .object = item, .value = "" },
			   ((struct conf_line *)line)->bad);
}

static int policy_parse(struct conf_line *line)
{
	return policy_line((const char *const *)line->words, line->count, &line->bad, policy_accept,
			   line, line->err);
}

static void policy_write(struct out_text *text, const struct conf_item *item)
{
	out_str(text, item->object);
}

static bool policy_may_read(void)
{
	struct smc_err ignored;

	return !bpf_net_right(&ignored);
}

static int policy_found(void *look, const char *item)
{
	settings_found(look, (struct conf_item){ .object = item, .value = "" });
	return 0;
}

static int policy_look(struct settings_look *look)
{
	struct policy *policy = &look->host->netns[look->at].policy;
	int ret = record_root() ? 0 : policy_nft_read(policy, look->err);

	return ret ? ret : policy_each(policy, policy_found, look);
}

/* The table is replaced as a whole. Removed items come last, in the order of all. */
static int policy_set(struct settings_step *step, const struct conf_item *from,
		      const struct conf_item *to)
{
	const struct setting *kind = (to ? to : from)->kind;
	struct policy policy AUTO(policy_free) = { 0 };
	size_t at = 0;

	for (; at < step->count && step->changes[at].new; at++)
		if (!step->is_back)
			policy_add(&policy, step->changes[at].new->object);
	for_each_of(item, &step->host->now, kind, step->changes->netns)
	{
		if (!step->is_back && at < step->count && step->changes[at].old == item)
			at++;
		else
			policy_add(&policy, item->object);
	}
	return policy_nft_apply(&policy, step->err);
}

/*
 * The system EID comes after EIDs, as removing the last of them enables it. Policies affect other
 * programs at once, so they come late; programs that get SMC sockets by a scope find them in force.
 */
const struct setting settings_rows[] = {
	{ "eid", "eid", .is_host = true, .room = SMC_MAX_UEIDS, .parse = eids_parse,
	  .read = eids_read, .set = generic_set },
	{ "seid", "seid", .is_host = true, .parse = switch_parse, .read = seid_read, .normal = "on",
	  .absent = "off", .missing = "seid: this system has no system EID: only IBM Z has one",
	  .set = generic_set, .toggle = smc_seid_switch },
	{ "handshake-limit", "handshake-limit", .parse = switch_parse, .read = limit_read,
	  .normal = "off",
	  .missing = "this kernel does not have handshake limitation, which came with Linux 5.18",
	  .set = generic_set, .toggle = smc_hs_switch },
	{ "sysctl", SMC_KNOB_PREFIX "*", .parse = knobs_parse, .write = knobs_write,
	  .read = knobs_read, .normal_of = knobs_normal, .set = knobs_set },
	{ "pnetid", "pnetid", .is_whole = true, .parse = pnetids_parse, .read = pnetids_read,
	  .want = pnetids_want, .waits_for = "its device", .set = pnetids_set },
	{ "policy", "allow, deny", .is_whole = true, .is_set = true, .parse = policy_parse,
	  .write = policy_write, .may_read = policy_may_read, .read = policy_look,
	  .check = policy_nft_check, .set = policy_set },
	{ "scope", "scope", .is_host = true, .parse = scopes_parse, .write = scopes_write,
	  .may_read = scopes_may_read, .read = scopes_read, .want = scopes_want,
	  .waits_for = "its control group", .check = pins_check, .set = scopes_set },
	{ 0 },
};
