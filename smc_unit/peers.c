// SPDX-License-Identifier: MIT
/* Peers with which a service uses SMC, as rules of smc.conf(5). */
#include "base/array.h"
#include "out/text.h"
#include "process/ask.h"
#include "settings/conf_files.h"
#include "smc/peer_list.h"
#include "smc_unit/unit.h"

/* Remove rules that the remaining files do not have, even if these are empty. */
#define WITHOUT DROPIN_MARK "exclusive policy\n"

/* ---- the rules ---- */

static int check_ports(const struct listeners *found, const struct unit *unit, struct smc_err *err)
{
	static const char hint[] = "name its ports, as in 10.0.0.0/8:6379";

	if (found->count)
		return 0;
	if (found->is_away)
		return smc_err_say(err, EINVAL,
				   "%s runs in a network namespace of its own: its "
				   "policy goes after 'netns' in smc.conf(5)",
				   unit->name);
	return smc_err_say(
		err, EINVAL,
		found->is_running ?
			"%s listens on no TCP port now: %s" :
			"%s is not running, so its ports are unknown: start it first, or %s",
		unit->name, hint);
}

static int compare_port(const void *one, const void *other)
{
	return *(const uint16_t *)one - *(const uint16_t *)other;
}

/* Lines for an alternative: any address is one of both families. */
static void add_line(struct out_text *text, const struct peer *peer, uint16_t low, uint16_t high)
{
	struct scan_end end = peer->ends[PEER_REMOTE];
	char item[PEER_TEXT_SIZE];

	end.low = low;
	end.high = high;
	for (int i = 0; i < (end.family ? 1 : 2); i++) {
		struct scan_end any = { .family = i ? AF_INET6 : AF_INET, .low = low };

		any.high = high;
		peer_end_text(item, end.family ? &end : &any);
		out_printf(text, "allow from %s\n", item);
	}
}

/* Lines for each port of the unit, with the peers that have none of their own */
static int add_ports(struct out_text *text, const struct unit *unit, const struct peers *peers,
		     struct smc_err *err)
{
	struct listeners found = { 0 };
	int ret = unit_listeners(&found, unit, err);

	if (!ret)
		ret = check_ports(&found, unit, err);
	if (!ret)
		qsort(found.ports, found.count, sizeof(*found.ports), compare_port);
	for (size_t i = 0; !ret && i < found.count; i++)
		for (size_t k = 0; k < peers->count; k++)
			if (!peers->all[k].ends[PEER_LOCAL].low &&
			    (!i || found.ports[i] != found.ports[i - 1]))
				add_line(text, &peers->all[k], found.ports[i], found.ports[i]);
	free(found.ports);
	return ret;
}

static int make_rules(struct out_text *text, const struct unit *unit, const struct peers *peers,
		      struct smc_err *err)
{
	bool need_ports = false;

	for_each(peer, peers->all, peers->count) {
		const struct scan_end *own = &peer->ends[PEER_LOCAL];

		if (own->low)
			add_line(text, peer, own->low, own->high);
		else
			need_ports = true;
	}
	return need_ports ? add_ports(text, unit, peers, err) : 0;
}

/* Check what needs no unit, before the unit is looked for. */
static int check_peers(const struct peers *peers, struct smc_err *err)
{
	if (!peers->count)
		return smc_err_say(err, EINVAL, "expected a network such as 10.0.0.0/8");
	for_each(peer, peers->all, peers->count) {
		if (peer->ends[PEER_LOCAL].family)
			return smc_err_say(err, EINVAL, "a policy cannot test 'src'");
		if (peer->ends[PEER_REMOTE].low)
			return smc_err_say(err, EINVAL,
					   "the policy of a service cannot test 'dport', its "
					   "clients' ports: use 'sport'");
	}
	return 0;
}

/* ---- their file ---- */

static int locate(const char *unit, struct dropin *out, struct smc_err *err)
{
	*out = (struct dropin){ .dir = CONF_DIR, .keeps_dir = true };
	if (snprintf(out->file, sizeof(out->file), CONF_DIR "/%s.conf", unit) < PATH_MAX)
		return 0;
	return smc_err_set(err, ENAMETOOLONG, "'%s'", unit);
}

static int apply(struct smc_err *err)
{
	return tool_ask("smc_conf", "apply", NULL, NULL, NULL, err);
}

/* Write and apply the rules, or restore the previous state. */
static int write_rules(const struct dropin *dropin, const char *text, struct smc_err *err)
{
	struct smc_err ignored;
	char *old AUTO_FREE = NULL, path[PATH_MAX];
	int ret = dropin_read(dropin->file, &old, err);

	if (!ret) /* if smc_conf is missing, apply() reports it */
		ret = tool_find("smc_conf", path) ? dropin_write(dropin, text, err) : 0;
	if (ret >= 0) {
		ret = apply(err);
		if (ret && old)
			dropin_write(dropin, old, &ignored);
		else if (ret)
			dropin_remove(dropin, &ignored);
	}
	return ret;
}

int peers_disable(const char *unit, struct smc_err *err)
{
	struct dropin dropin;
	char *old AUTO_FREE = NULL;
	int ret = locate(unit, &dropin, err), applied;

	if (!ret)
		ret = dropin_read(dropin.file, &old, err);
	if (ret || !old)
		return ret;
	ret = dropin_write(&dropin, WITHOUT, err);
	if (ret < 0)
		return ret;
	applied = apply(err);
	ret = dropin_remove(&dropin, applied ? &(struct smc_err){ 0 } : err);
	return applied ? applied : ret;
}

bool peers_are_limited(const char *unit)
{
	struct smc_err ignored;
	struct dropin dropin;
	char *text AUTO_FREE = NULL;

	return !locate(unit, &dropin, &ignored) && !dropin_read(dropin.file, &text, &ignored) &&
	       text;
}

/* ---- smc_unit peers ---- */

/* smc-conf.service applies the policy at boot. */
static void warn_boot(const struct request *req)
{
	struct unit_props props AUTO(unit_props_free) = { 0 };

	if (systemctl_show(false, "smc-conf.service", "UnitFileState", &props, NULL))
		return;
	if (strcmp(unit_prop_text(&props, "UnitFileState"), "enabled"))
		unit_warn(req, "these rules are gone at the next boot: "
			       "'systemctl enable smc-conf' applies them again");
}

static int check_enabled(const struct unit *unit, struct smc_err *err)
{
	char *text AUTO_FREE = NULL;
	int ret = dropin_read(unit->dropin.file, &text, err);

	if (!ret && !text)
		ret = smc_err_say(err, ENOENT, "%s is not enabled: run 'smc_unit enable' first",
				  unit->name);
	return ret;
}

static int limit(const struct unit *unit, const struct peers *peers, struct smc_err *err)
{
	struct out_text text AUTO(out_free) = { 0 };
	struct dropin dropin;
	int ret = locate(unit->name, &dropin, err);

	out_str(&text, DROPIN_MARK);
	if (!ret)
		ret = make_rules(&text, unit, peers, err);
	if (!ret) {
		out_char(&text, '\0');
		ret = write_rules(&dropin, text.data, err);
	}
	if (!ret) {
		printf("%s: its peers are now limited by %s\n", unit->name, dropin.file);
		fflush(stdout);
		warn_boot(unit->req);
	}
	return ret;
}

static int lift(const struct unit *unit, struct smc_err *err)
{
	int ret = peers_disable(unit->name, err);

	if (ret >= 0)
		printf("%s: its peers are %s limited\n", unit->name, ret ? "no longer" : "not");
	return ret < 0 ? ret : 0;
}

int unit_peers(const struct request *req, const char *text)
{
	bool is_all = !strcmp(text, "all");
	struct unit unit = { .req = req };
	struct peers peers = { .count = 0 };
	struct smc_err err = { 0 };
	int ret = is_all ? 0 : peers_parse(&peers, text, true, &err);

	if (!ret && !is_all)
		ret = check_peers(&peers, &err);
	if (ret)
		return cli_usage_error(req->launch.tool, "%s", err.text);
	ret = unit_load(req, &unit, &err);
	if (!ret)
		ret = check_enabled(&unit, &err);
	if (!ret)
		ret = is_all ? lift(&unit, &err) : limit(&unit, &peers, &err);
	free(unit.props.text);
	return ret ? cli_error(req->launch.tool, "%s", err.text) : 0;
}
