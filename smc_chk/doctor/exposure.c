// SPDX-License-Identifier: MIT
/* Doctor: peers that may use SMC with this host, by policy and by its listeners. */
#include <arpa/inet.h>
#include <sys/socket.h>

#include "base/words.h"
#include "smc_chk/doctor/findings.h"

/* Maximum number of findings about listeners. */
#define LISTENERS_MAX 8

static void say_policy(struct doctor *doc, const struct exposure_facts *exposure)
{
	const struct policy *policy = &exposure->policy;
	size_t nets = 0;
	char learned[48] = "";

	for (size_t i = 0; i < policy->count; i++)
		nets += policy->rules[i].count;
	if (policy->learn)
		snprintf(learned, sizeof(learned), ", %" PRIu64 " peer%s learned",
			 exposure->learned, plural_s(exposure->learned));
	doctor_ok(doc, "policy", policy_by_name(policy->by),
		  "limits SMC: %zu rule%s with %zu network%s, %zu range%s of ports "
		  "denied%s; %" PRIu64 " denied so far",
		  policy->count, plural_s(policy->count), nets, plural_s(nets), policy->port_count,
		  plural_s(policy->port_count), learned, exposure->denied);
}

static void check_policy(struct doctor *doc)
{
	const struct exposure_facts *exposure = &doc->facts->exposure;
	int code = exposure->why_not.code;

	if (exposure->has_policy && exposure->policy.by)
		say_policy(doc, exposure);
	else if (exposure->has_policy)
		doctor_note(doc, "policy", NULL,
			    "none: SMC is used with every peer that supports it, see smc.conf(5)");
	else if (code == EPERM || code == EACCES)
		doctor_note(doc, "policy", NULL, "only root can read the policy");
	else if (code)
		doctor_say(doc, DOCTOR_WARNING, "policy", NULL, "smc_conf apply",
			   "cannot be read: %s", exposure->why_not.text);
}

static void say_open(struct doctor *doc, const struct smc_addr *local, const struct netaddr *door)
{
	const struct netaddr addr = netaddr_of(local);
	char where[NETADDR_TEXT_SIZE], object[NETADDR_TEXT_SIZE + 8], by[NETADDR_TEXT_SIZE];
	bool has_policy = doc->facts->exposure.has_policy;
	const char *remedy;

	netaddr_short(where, &addr);
	snprintf(object, sizeof(object), addr.family == AF_INET ? "%s:%u" : "[%s]:%u", where,
		 local->port);
	inet_ntop(door->family, door->bytes, by, sizeof(by));
	remedy = doctor_remedy(doc,
			       "allow your own networks only, such as: mkdir -p "
			       "/etc/smc-tools/smc.conf.d && echo 'allow from 10.0.0.0/8:%u' "
			       ">/etc/smc-tools/smc.conf.d/port-%u.conf && smc_conf apply",
			       local->port, local->port);
	doctor_say(doc, has_policy ? DOCTOR_WARNING : DOCTOR_NOTE, "exposure", object, remedy,
		   "listens, and anyone who reaches %s can use SMC with it%s", by,
		   has_policy ? ": no policy limits that" : ", unless a policy limits that");
}

static void check_listeners(struct doctor *doc)
{
	static const uint8_t any[16];
	const struct exposure_facts *exposure = &doc->facts->exposure;
	long long is_v6only = 0;
	size_t count = 0;

	knob_number(&is_v6only, doc->facts, "net.ipv6.bindv6only");
	for_each(listener, exposure->listeners, exposure->n_listeners) {
		const struct smc_addr *local = &listener->local;
		const struct netaddr addr = netaddr_of(local);
		/* Its public address; NULL if none, or if the policy denies it. */
		const struct netaddr *door = policy_door(
			&exposure->policy, &doc->facts->choices.addrs, &addr, local->port,
			!is_v6only && !memcmp(local->ip, any, sizeof(any)));

		if (door && count++ < LISTENERS_MAX)
			say_open(doc, local, door);
	}
	if (count > LISTENERS_MAX)
		doctor_note(doc, "exposure", NULL, "%zu more socket%s open in the same way",
			    count - LISTENERS_MAX, count - LISTENERS_MAX == 1 ? " is" : "s are");
	if (exposure->n_hidden)
		doctor_note(doc, "exposure", NULL, "only root sees where %zu SMC socket%s",
			    exposure->n_hidden, exposure->n_hidden == 1 ? " listens" : "s listen");
	else if (!count && exposure->n_listeners)
		doctor_ok(doc, "exposure", NULL,
			  "no listening SMC socket (of %zu) is open beyond private networks",
			  exposure->n_listeners);
}

/* The TCP socket inside an SMC socket has no file, so no owner: af_smc(7). */
static void check_owners(struct doctor *doc)
{
	const struct exposure_facts *exposure = &doc->facts->exposure;
	const char *list = "nft list ruleset";
	char fix[128];

	if (!strncmp(exposure->owner_rule, "iptables-legacy ", 16))
		list = "iptables-legacy-save";
	if (!strncmp(exposure->owner_rule, "ip6tables-legacy ", 17))
		list = "ip6tables-legacy-save";
	snprintf(fix, sizeof(fix), "%s # and replace such rules by those of addresses and ports",
		 list);
	if (exposure->owner_rules > 0)
		doctor_say(doc, DOCTOR_WARNING, "firewall", NULL, fix,
			   "%d rule%s by owner, which packets of SMC do not have: accepted owners "
			   "cannot connect over SMC, dropped ones can (%s)",
			   exposure->owner_rules, exposure->owner_rules == 1 ? " goes" : "s go",
			   exposure->owner_rule);
	else if (exposure->owner_rules == -ENOENT)
		doctor_note(doc, "firewall", NULL, "%s", exposure->owner_rule);
	else if (!exposure->owner_rules)
		doctor_ok(doc, "firewall", NULL, "no firewall rule matches the owner of packets");
}

void doctor_exposure(struct doctor *doc)
{
	if (!doc->facts->has_smc)
		return;
	check_policy(doc);
	check_listeners(doc);
	check_owners(doc);
}
