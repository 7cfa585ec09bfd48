// SPDX-License-Identifier: MIT
/* Peers with which a service uses SMC, as rules of smc.conf(5). */

#include "base/array.h"
#include "process/ask.h"
#include "out/text.h"
#include "smc_unit/unit.h"

/* Make the remaining files authoritative, even if they are empty. */
#define WITHOUT DROPIN_MARK "exclusive policy\n"

/* Comma-separated networks. Return: 0, or an exit status after a message. */
static int read_nets(struct policy *peers, const char *list, const struct cli_tool *tool)
{
	char bad[POLICY_LINE_SIZE];
	const char *words[] = { "allow", "from", bad };
	struct smc_err err = { 0 };
	size_t at, len;
	int ret = 0;

	do {
		len = strcspn(list, ",");
		snprintf(bad, sizeof(bad), "%.*s", (int)len, list);
		ret = policy_line(peers, words, 3, &at, &err);
		list += len;
	} while (!ret && *list++);
	return ret ? cli_usage_error(tool, "'%s': %s", bad, err.text) : 0;
}

/* ---- the rules ---- */

static void add_rule(struct policy *policy, const struct policy_rule *peers,
		     struct policy_range ports)
{
	struct policy_rule *rule = policy_rule(policy, POLICY_ALLOW, POLICY_FROM, ports);

	for (size_t i = 0; i < peers->count; i++)
		*smc_array_add(&rule->nets, &rule->count) = peers->nets[i];
}

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

/* Networks without ports get the ports of the unit. */
static int make_rules(struct policy *policy, const struct unit *unit, const struct policy *peers,
		      struct smc_err *err)
{
	struct listeners found = { 0 };
	int ret = 0;

	for (size_t i = 0; !ret && i < peers->count; i++) {
		const struct policy_rule *rule = &peers->rules[i];

		if (rule->ports.low) {
			add_rule(policy, rule, rule->ports);
			continue;
		}
		ret = unit_listeners(&found, unit, err);
		if (!ret)
			ret = check_ports(&found, unit, err);
		for (size_t k = 0; !ret && k < found.count; k++)
			add_rule(policy, rule,
				 (struct policy_range){ found.ports[k], found.ports[k] });
		free(found.ports);
	}
	policy_settle(policy);
	return ret;
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
	char *old AUTO_FREE = NULL;
	int ret = dropin_read(dropin->file, &old, err);

	if (!ret)
		ret = dropin_write(dropin, text, err);
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

static int limit(const struct unit *unit, const struct policy *peers, struct smc_err *err)
{
	struct policy policy AUTO(policy_free) = { 0 };
	struct out_text text AUTO(out_free) = { 0 };
	struct dropin dropin;
	int ret = locate(unit->name, &dropin, err);

	if (!ret)
		ret = make_rules(&policy, unit, peers, err);
	if (!ret) {
		out_str(&text, DROPIN_MARK);
		policy_write(&text, &policy);
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

int unit_peers(const struct request *req, const char *nets)
{
	bool is_all = !strcmp(nets, "all");
	struct unit unit = { .req = req };
	struct policy peers AUTO(policy_free) = { 0 };
	struct smc_err err = { 0 };
	int status = is_all ? 0 : read_nets(&peers, nets, req->launch.tool);
	int ret = status ? 0 : unit_load(req, &unit, &err);

	if (!status && !ret)
		ret = check_enabled(&unit, &err);
	if (!status && !ret)
		ret = is_all ? lift(&unit, &err) : limit(&unit, &peers, &err);
	free(unit.props.text);
	return ret ? cli_error(req->launch.tool, "%s", err.text) : status;
}
