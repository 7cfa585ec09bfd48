// SPDX-License-Identifier: MIT
/* The lines of a file of settings, word by word. */
#include "settings/conf_keys.h"

#include <ctype.h>
#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "settings/conf_scope.h"
#include "smc/eid.h"
#include "smc/knob.h"
#include "smc/pnet.h"

#define IB_MAC_BYTES 20

int conf_expected(struct conf_line *line, size_t bad, const char *what)
{
	line->bad = bad;
	return smc_err_say(line->err, EINVAL, "%s", what);
}

/* The same again is nothing new, something else contradicts. */
static int add(struct conf_line *line, struct conf_item *item, size_t bad)
{
	const struct conf_item *other;
	char place[CONF_PLACE_SIZE];

	item->section = line->section;
	item->place = line->place;
	other = conf_find(line->conf, item->section, item);
	if (!other)
		conf_add(line->conf, item);
	if (!other || conf_has_value_of(other, item))
		return 0;
	line->bad = bad;
	return smc_err_say(line->err, EINVAL, "contradicts %s",
			   conf_place_text(place, &other->place));
}

/* One word behind the first, no more. */
static int need_one(struct conf_line *line, const char *what)
{
	if (line->count < 2)
		return conf_expected(line, 1, what);
	return line->count > 2 ? conf_expected(line, 2, "expected the end of the line") : 0;
}

static int read_eids(struct conf_line *line)
{
	struct conf_item item = { .kind = CONF_EID, .value = "" };
	int ret = line->count < 2 ? conf_expected(line, 1, "expected an EID") : 0;

	for (size_t i = 1; !ret && i < line->count; i++) {
		line->bad = i;
		ret = smc_eid_check(line->words[i], line->err);
		item.object = line->words[i];
		if (!ret)
			ret = add(line, &item, i);
	}
	return ret;
}

static int read_switch(struct conf_line *line, enum conf_kind kind)
{
	struct conf_item item = { .kind = kind, .object = "" };
	int ret = need_one(line, "expected on or off");

	if (ret)
		return ret;
	item.value = line->words[1];
	if (strcmp(item.value, "on") && strcmp(item.value, "off"))
		return conf_expected(line, 1, "expected on or off");
	return add(line, &item, 1);
}

static int read_seid(struct conf_line *line)
{
	return read_switch(line, CONF_SEID);
}

static int read_limit(struct conf_line *line)
{
	return read_switch(line, CONF_LIMIT);
}

static int read_knob(struct conf_line *line)
{
	const struct smc_knob *knob = smc_knob_find(line->words[0]);
	char value[24], text[100];
	struct conf_item item = { .kind = CONF_KNOB, .object = line->words[0], .value = value };
	long long number;

	if (!strcmp(line->words[0], SMC_KNOB_PREFIX "limit_smc_hs"))
		return conf_expected(line, 0, "expected handshake-limit on or off in its place");
	if (!knob)
		return conf_expected(line, 0, "not a number of net.smc that is known");
	snprintf(text, sizeof(text), "expected a number from %lld to %lld", knob->low, knob->high);
	if (line->count < 2 || strspn(line->words[1], "0123456789") != strlen(line->words[1]))
		return conf_expected(line, 1, text);
	errno = 0;
	number = strtoll(line->words[1], NULL, 10);
	if (errno || !*line->words[1] || number < knob->low || number > knob->high)
		return conf_expected(line, 1, text);
	if (line->count > 2)
		return conf_expected(line, 2, "expected the end of the line");
	snprintf(value, sizeof(value), "%lld", number);
	return add(line, &item, 1);
}

/* ---- PNET IDs ---- */

static void lower(char *word)
{
	for (; *word; word++)
		*word = (char)tolower((unsigned char)*word);
}

/* An x in @form stands for one hexadecimal digit. */
static bool has_form(const char *word, const char *form)
{
	for (; *word && *form; word++, form++)
		if (*form == 'x' ? !isxdigit((unsigned char)*word) : *word != *form)
			return false;
	return *word == *form;
}

/* A PCI function, whose domain may be wide, or a CCW device. */
static bool is_bus_id(const char *word)
{
	static const char pci[] = "xxxxxxxx:xx:xx.x";
	size_t domain = strcspn(word, ":");

	return has_form(word, "x.x.xxxx") ||
	       (domain >= 4 && domain <= 8 && has_form(word, &pci[8 - domain]));
}

/* 6 bytes, or the 20 of IP over InfiniBand. */
static bool is_mac(const char *word)
{
	size_t len = strlen(word);

	for (size_t i = 0; i < len; i++)
		if (i % 3 == 2 ? word[i] != ':' : !isxdigit((unsigned char)word[i]))
			return false;
	return len == 6 * 3 - 1 || len == IB_MAC_BYTES * 3 - 1;
}

static int find_by(const char *word)
{
	int by = 0;

	while (by < CONF_BYS && strcmp(word, conf_by_name(by)))
		by++;
	return by;
}

/* The same checks as smc_pnet -I and -D. */
static int check_device(struct conf_line *line, enum conf_by by, size_t at)
{
	char eth[SMC_PNET_ETH_SIZE], ib[SMC_PNET_IB_SIZE];

	line->bad = at;
	switch (by) {
	case CONF_BY_NET: return smc_pnet_eth(eth, line->words[at], line->err);
	case CONF_BY_MAC:
		lower(line->words[at]);
		return is_mac(line->words[at]) ?
			       0 :
			       conf_expected(line, at, "expected a MAC address, 02:00:00:00:00:01");
	case CONF_BY_BUS:
		lower(line->words[at]);
		return is_bus_id(line->words[at]) ?
			       0 :
			       conf_expected(line, at,
					     "expected a PCI function, 0000:3b:00.0, or a CCW "
					     "device, 0.0.f500");
	default: return smc_pnet_ib(ib, line->words[at], line->err);
	}
}

/* One device, at word @at, which is moved behind it. */
static int read_device(struct conf_line *line, const char *id, size_t *at)
{
	struct conf_item item = { .kind = CONF_PNETID, .value = id };
	int ret, by = find_by(line->words[*at]);
	size_t object = *at + 1;

	if (by == CONF_BYS)
		return conf_expected(line, *at, "expected net, bus, mac or device");
	item.by = (enum conf_by)by;
	if (object >= line->count)
		return conf_expected(line, object, "expected a device");
	ret = check_device(line, item.by, object);
	if (ret)
		return ret;
	item.object = line->words[object];
	*at = object + 1;
	if (by == CONF_BY_DEVICE) {
		item.port = 1;
		if (*at < line->count && !strcmp(line->words[*at], "port")) {
			ret = *at + 1 < line->count ?
				      smc_pnet_port(line->words[*at + 1], line->err) :
				      -EINVAL;
			if (ret < 0)
				return conf_expected(line, *at + 1, "expected port 1 or 2");
			item.port = (uint8_t)ret;
			*at += 2;
		}
		if (*line->conf->sections[line->section].netns)
			return conf_expected(line, object,
					     "RDMA and ISM devices have PNET IDs "
					     "only before the first netns, or behind host");
	}
	return add(line, &item, object);
}

static int read_pnetid(struct conf_line *line)
{
	char id[SMC_PNET_NAME_SIZE];
	size_t at = 2;
	int ret;

	if (line->count < 2)
		return conf_expected(line, 1, "expected a PNET ID");
	line->bad = 1;
	ret = smc_pnet_name(id, line->words[1], line->err);
	if (!ret && line->count < 3)
		return conf_expected(line, 2, "expected net, bus, mac or device");
	while (!ret && at < line->count)
		ret = read_device(line, id, &at);
	return ret;
}

static int read_scope(struct conf_line *line)
{
	struct conf_item item = { .kind = CONF_SCOPE };
	struct out_text rules = { 0 };
	int ret = conf_scope_line(line->words, line->count, &line->bad, &item.object, &rules,
				  line->err);

	item.value = rules.data;
	if (!ret)
		ret = add(line, &item, 1);
	out_free(&rules);
	return ret;
}

/* ---- what is around them ---- */

static int read_netns(struct conf_line *line)
{
	static const char what[] = "expected the name of a network namespace, or *";
	int ret = need_one(line, what);
	const char *name;

	if (ret)
		return ret;
	name = line->words[1];
	if (!*name || !strcmp(name, ".") || !strcmp(name, "..") || strlen(name) > NAME_MAX ||
	    strchr(name, '/') || strspn(name, "0123456789") == strlen(name))
		return conf_expected(line, 1, what);
	line->section = conf_section(line->conf, name);
	return 0;
}

/* The end of a "netns". */
static int read_host(struct conf_line *line)
{
	if (line->count > 1)
		return conf_expected(line, 1, "expected the end of the line");
	line->section = conf_section(line->conf, "");
	return 0;
}

static int find_kind(const char *word)
{
	int kind = 0;

	while (kind < CONF_KINDS && strcmp(word, conf_kind_name(kind)))
		kind++;
	return kind;
}

static int read_exclusive(struct conf_line *line)
{
	struct conf_section *section = &line->conf->sections[line->section];

	if (line->count == 1)
		section->exclusive = (1U << CONF_KINDS) - 1;
	for (size_t i = 1; i < line->count; i++) {
		int kind = find_kind(line->words[i]);

		if (kind == CONF_KINDS)
			return conf_expected(line, i,
					     "expected eid, seid, handshake-limit, "
					     "sysctl, pnetid, scope or policy");
		section->exclusive |= 1U << kind;
	}
	return 0;
}

/* Who is to be spoken to: allow, deny, learn, by. */
static int read_policy(struct conf_line *line)
{
	struct conf_section *section = &line->conf->sections[line->section];

	if (!section->has_policy)
		section->policy_place = line->place;
	section->has_policy = true;
	return policy_line(&section->policy, (const char *const *)line->words, line->count,
			   &line->bad, line->err);
}

/* ---- the table ---- */

/** struct key - first word of a line; @is_host: only before the first "netns" */
static const struct key {
	const char *word;
	bool is_host;
	int (*read)(struct conf_line *line);
} keys[] = {
	{ "eid", true, read_eids },
	{ "seid", true, read_seid },
	{ "handshake-limit", false, read_limit },
	{ "pnetid", false, read_pnetid },
	{ "scope", true, read_scope },
	{ "netns", false, read_netns },
	{ "host", false, read_host },
	{ "exclusive", false, read_exclusive },
};

int conf_line(struct conf_line *line)
{
	const char *word = line->words[0];

	if (!strncmp(word, SMC_KNOB_PREFIX, strlen(SMC_KNOB_PREFIX)))
		return read_knob(line);
	if (policy_is_keyword(word))
		return read_policy(line);
	for (size_t i = 0; i < sizeof(keys) / sizeof(keys[0]); i++) {
		if (strcmp(word, keys[i].word))
			continue;
		if (keys[i].is_host && *line->conf->sections[line->section].netns)
			return conf_expected(line, 0,
					     "is the same in all network namespaces: "
					     "put it before the first netns, or behind host");
		return keys[i].read(line);
	}
	return conf_expected(line, 0,
			     "expected eid, seid, handshake-limit, net.smc.*, pnetid, "
			     "scope, allow, deny, learn, by, netns, host, exclusive or include");
}
