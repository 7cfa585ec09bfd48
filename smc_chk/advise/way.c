// SPDX-License-Identifier: MIT
/* What SMC would use between this host and a peer, by the doctor's rules. */
#include "smc_chk/advise/way.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

static void __attribute__((format(printf, 2, 3))) refuse(struct way *way, const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(way->why_not, sizeof(way->why_not), fmt, ap);
	va_end(ap);
}

/* The kernel goes by the route's device: to itself that is lo, to others the one of its address. */
static const char *netdev_of(const struct netaddr_table *addrs, const struct tally_group *group)
{
	const struct netaddr local = tally_netaddr(&group->local);

	if (group->peers == PEERS_LOCAL)
		return "lo";
	for (size_t i = 0; i < addrs->count; i++)
		if (netaddr_covers(&local, &addrs->addrs[i]))
			return addrs->addrs[i].netdev;
	return NULL;
}

/* Version 1 wants both ends in one subnet; of many peers not all are. */
static bool is_in_subnet(const struct netaddr_table *addrs, const char *netdev,
			 const struct tally_group *group)
{
	const struct netaddr peer = tally_netaddr(&group->sample);

	if (group->peers == PEERS_LOCAL)
		return true;
	for (size_t i = 0; i < addrs->count && group->peers == PEERS_NEAR; i++)
		if (!strcmp(addrs->addrs[i].netdev, netdev) &&
		    netaddr_covers(&addrs->addrs[i], &peer))
			return true;
	return false;
}

/* The first that would do; one without an EID only if nothing else does. */
static void take(struct way *way, const struct choice_mode *mode)
{
	if (way->is_possible && (!way->mode.is_waiting || mode->is_waiting))
		return;
	way->is_possible = true;
	way->mode = *mode;
}

static void describe(struct way *way, const struct tally_group *group)
{
	const struct choice_mode *mode = &way->mode;
	const char *eid = mode->is_waiting ? ", once there is an EID" : "";
	bool is_one = group->peers != PEERS_LOCAL && !strcmp(mode->name, "SMC-D");

	if (mode->is_loopback)
		snprintf(way->text, sizeof(way->text), "%s loopback%s", mode->name, eid);
	else
		snprintf(way->text, sizeof(way->text), "%s v%u%s%s", mode->name, mode->version,
			 is_one ? " within one machine" : "", eid);
}

static void take_modes(struct way *way, const struct choices *choices, const char *netdev,
		       const struct tally_group *group)
{
	const struct choice *choice = choice_of(choices, netdev);
	struct choice_mode modes[CHOICE_MAX_MODES];
	bool is_near = is_in_subnet(&choices->facts.addrs, netdev, group), is_far = false;
	size_t count = choice ? choice_modes(modes, &choices->facts, choice, true) : 0;

	for (size_t i = 0; i < count; i++) {
		if (modes[i].is_loopback && group->peers != PEERS_LOCAL)
			continue;
		is_far = is_far || (modes[i].version == 1 && !is_near);
		if (modes[i].version != 1 || is_near)
			take(way, &modes[i]);
	}
	if (way->is_possible)
		describe(way, group);
	else if (is_far)
		refuse(way, "%s has only version 1, and the peer is not in its subnet", netdev);
	else if (group->peers == PEERS_LOCAL)
		refuse(way, "neither loopback nor a device for connections within this host");
	else
		refuse(way, "neither an RDMA port nor an ISM device for %s", netdev);
}

void way_find(struct way *way, const struct way_facts *facts, const struct tally_group *group)
{
	const char *netdev = netdev_of(&facts->choices->facts.addrs, group);

	*way = (struct way){ 0 };
	if (!facts->has_smc)
		refuse(way, "this kernel has no SMC");
	else if (group->peers == PEERS_INTERNET)
		refuse(way, "SMC does not go through the internet");
	else if (!netdev)
		refuse(way, "no net device here has its address");
	else
		take_modes(way, facts->choices, netdev, group);
}
