// SPDX-License-Identifier: MIT
/* Advice for each group of connections. */
#include "smc_advise/advice.h"

#include <arpa/inet.h>
#include <sys/param.h>

#include "base/array.h"
#include "base/memory.h"
#include "out/text.h"
#include "smc/buffer_sizes.h"

static const char *const bars[] = {
	[BAR_ULP] = "TLS in the kernel",
	[BAR_MPTCP] = "MPTCP",
	[BAR_SIGNED] = "TCP-MD5 signatures",
	[BAR_FAST_OPEN] = "TCP Fast Open",
	[BAR_IPSEC] = "IPsec, which SMC would bypass",
};

/* ---- how a row would use SMC, by the doctor's rules ---- */

#define refuse(use, ...) snprintf((use)->why_not, sizeof((use)->why_not), __VA_ARGS__)

/* The device that the kernel chooses: lo within the host, else the one with the local address. */
static const char *netdev_of(const struct netaddr_table *addrs, const struct tally_group *group)
{
	const struct netaddr local = netaddr_of(&group->local);

	if (group->peers == PEERS_LOCAL)
		return "lo";
	for_each(addr, addrs->addrs, addrs->count)
		if (netaddr_covers(&local, addr))
			return addr->netdev;
	return NULL;
}

/* True if both ends are in one subnet, as version 1 requires. False for a row of many peers. */
static bool is_in_subnet(const struct netaddr_table *addrs, const char *netdev,
			 const struct tally_group *group)
{
	const struct netaddr peer = netaddr_of(&group->sample);

	if (group->peers != PEERS_NEAR)
		return group->peers == PEERS_LOCAL;
	for_each(addr, addrs->addrs, addrs->count)
		if (!strcmp(addr->netdev, netdev) && netaddr_covers(addr, &peer))
			return true;
	return false;
}

/* Choose the first usable mode, or, if there is none, a mode that lacks only an EID. */
static void take(struct smc_use *use, const struct device_mode *mode)
{
	if (use->is_possible && (!use->mode.is_waiting || mode->is_waiting))
		return;
	use->is_possible = true;
	use->mode = *mode;
}

static void describe(struct smc_use *use, const struct tally_group *group)
{
	const struct device_mode *mode = &use->mode;
	const char *eid = mode->is_waiting ? ", once there is an EID" : "";
	bool is_one = group->peers != PEERS_LOCAL && !strcmp(mode->name, "SMC-D");

	if (mode->is_loopback)
		snprintf(use->text, sizeof(use->text), "%s loopback%s", mode->name, eid);
	else
		snprintf(use->text, sizeof(use->text), "%s v%u%s%s", mode->name, mode->version,
			 is_one ? " within one machine" : "", eid);
}

static void take_modes(struct smc_use *use, const struct devices *devices, const char *netdev,
		       const struct tally_group *group)
{
	bool is_near = is_in_subnet(&devices->addrs, netdev, group), is_far = false;

	for_each(mode, devices->modes, devices->count) {
		if (strcmp(mode->netdev, netdev) ||
		    (mode->is_loopback && group->peers != PEERS_LOCAL))
			continue;
		is_far = is_far || (mode->version == 1 && !is_near);
		if (mode->version != 1 || is_near)
			take(use, mode);
	}
	if (use->is_possible)
		describe(use, group);
	else if (is_far)
		refuse(use, "%s has only version 1, and the peer is not in its subnet", netdev);
	else if (group->peers == PEERS_LOCAL)
		refuse(use, "neither loopback nor a device for connections within this host");
	else
		refuse(use, "neither an RDMA port nor an ISM device for %s", netdev);
}

static void find_use(struct smc_use *use, const struct devices *devices,
		     const struct tally_group *group)
{
	const char *netdev = netdev_of(&devices->addrs, group);

	if (group->peers == PEERS_INTERNET)
		refuse(use, "SMC does not go through the internet");
	else if (!netdev)
		refuse(use, "no net device here has its address");
	else
		take_modes(use, devices, netdev, group);
}

/* ---- what one row is ---- */

static enum judge_class class_of(const struct tally_group *group, uint64_t life)
{
	uint64_t segments = MAX(group->segs_sent, group->segs_received);

	if (!group->n_info)
		return CLASS_UNKNOWN;
	if (advise_is_suited(group->n_info, segments, group->sent + group->received))
		return CLASS_SUITED;
	return life < ADVISE_SHORT_LIFE ? CLASS_SHORT : CLASS_QUIET;
}

static void judge_row(struct judge_row *row, const struct tally_group *group,
		      const struct tally *tally, const struct devices *devices)
{
	*row = (struct judge_row){ .group = group,
				   .owner = &tally->owners[group->owner],
				   .bar = bars[group->bar],
				   .bytes = group->sent + group->received };
	if (group->peers == PEERS_INTERNET || group->peers == PEERS_OTHER)
		strcpy(row->peer, group->peers == PEERS_INTERNET ? "(internet)" : "(other peers)");
	else if (!inet_ntop(group->peer.family, group->peer.ip, row->peer, sizeof(row->peer)))
		strcpy(row->peer, "?");
	row->life = group->life / group->conns;
	row->is_life_least = group->n_longer * 2 > group->conns;
	row->class = class_of(group, row->life);
	if (group->n_info)
		row->bytes_per_conn = row->bytes / group->n_info;
	if (group->segs_sent)
		row->send = group->sent / group->segs_sent;
	/* Segments that are at least half full on average do not show the size of the writes. */
	row->is_bulk = group->n_info && row->send >= group->mss / group->n_info / 2;
	if (devices->has_smc)
		find_use(&row->use, devices, group);
	else
		refuse(&row->use, "SMC cannot be used here: see smc_chk doctor");
	if (group->carrier != CARRIER_TCP || row->bar || row->class != CLASS_SUITED ||
	    !row->use.is_possible)
		return;
	row->profits = true;
	/* Over loopback both ends share the receiver's memory. */
	row->memory = MAX(group->open_peak, 1) * SMC_GOOD_BUFFER *
		      (row->use.mode.is_loopback ? 1 : SMC_BUFFERS_PER_CONNECTION);
}

/* ---- what to type ---- */

/* True if the process also has kinds of connections that would be slower. */
static bool has_others(const struct judged *judged, const struct judge_row *row)
{
	for_each(other, judged->rows, judged->count) {
		const struct tally_group *a = row->group, *b = other->group;

		if (a->owner != b->owner || other->profits || b->carrier != CARRIER_TCP)
			continue;
		/* A listening socket serves all of its clients. */
		if (a->side != b->side || a->port != b->port || a->side == SIDE_CLIENT)
			return true;
	}
	return false;
}

static void append_rule(struct out_text *text, const struct judge_row *row)
{
	const struct tally_group *group = row->group;

	if (group->side == SIDE_SERVER)
		out_printf(text, " --include listen:%u", group->port);
	else if (group->peers == PEERS_OTHER)
		out_printf(text, " --include %u", group->port);
	else
		out_printf(text,
			   group->peer.family == AF_INET6 ? " --include '[%s]:%u'" :
							    " --include %s:%u",
			   row->peer, group->port);
}

static bool append_command(struct out_text *text, const struct judged *judged,
			   const struct judge_row *row)
{
	const struct tally_owner *owner = row->owner;
	size_t len = strlen(owner->unit), ending = strlen(".service");
	char unit[NAME_MAX + 1];
	const char *name = *owner->unit ? unit : owner->comm;

	/* "ssh" for "ssh.service". */
	snprintf(unit, sizeof(unit), "%.*s", (int)(len > ending ? len - ending : len), owner->unit);
	out_str(text, *owner->unit ? "smc_unit enable" : "smc_run");
	if (*owner->unit && owner->is_user)
		out_str(text, " --user");
	if (*owner->comm && has_others(judged, row))
		append_rule(text, row);
	/* Processes choose their names: do not let one look like an option. */
	out_str(text, *name == '-' ? " -- " : " ");
	return out_shell_word(text, *name ? name : "COMMAND");
}

static void advise_none(struct out_text *text, const struct judge_row *row)
{
	const struct tally_group *group = row->group;

	if (group->carrier == CARRIER_FALLBACK)
		out_str(text, "smcss --explain says why it fell back");
	else if (group->carrier != CARRIER_TCP)
		out_str(text, "uses SMC");
	else if (row->bar)
		out_printf(text, "keep TCP: %s", row->bar);
	else if (row->class == CLASS_UNKNOWN)
		out_str(text, "keep TCP: its traffic is unknown");
	else if (row->class != CLASS_SUITED || group->peers == PEERS_INTERNET)
		out_str(text, "keep TCP");
	else
		out_printf(text, "keep TCP: %s", row->use.why_not);
}

static char *advise(const struct judged *judged, const struct judge_row *row)
{
	struct out_text text = { 0 };

	if (!row->profits)
		advise_none(&text, row);
	else if (row->use.mode.is_waiting)
		out_str(&text, "smcd ueid add NAME; ");
	if (row->profits && !append_command(&text, judged, row)) {
		out_reset(&text);
		out_str(&text, "smc_run for a command whose name cannot be typed");
	}
	out_char(&text, '\0');
	return text.data;
}

/* ---- all of them ---- */

/* A connection within this host has two rows: count the server's. */
static void sum_up(struct judge_sum *sum, const struct judge_row *row)
{
	const struct tally_group *group = row->group;

	if (row->profits)
		sum->memory += row->memory;
	if (group->peers == PEERS_LOCAL && group->side == SIDE_CLIENT)
		return;
	if (group->carrier != CARRIER_TCP) {
		sum->smc_conns += group->conns;
		return;
	}
	sum->conns += group->conns;
	sum->bytes += row->bytes;
	if (row->profits) {
		sum->suited_conns += group->n_suited;
		sum->suited_bytes += group->suited_bytes;
	}
}

static int by_bytes(const void *a, const void *b)
{
	const struct judge_row *x = a, *y = b;

	if (x->bytes != y->bytes)
		return x->bytes > y->bytes ? -1 : 1;
	if (x->group->conns != y->group->conns)
		return x->group->conns > y->group->conns ? -1 : 1;
	return (x->group > y->group) - (x->group < y->group);
}

void advise_judge(struct judged *judged, const struct tally *tally, const struct devices *devices)
{
	*judged = (struct judged){ .rows = xcalloc(tally->n_groups, sizeof(*judged->rows)) };
	for_each(group, tally->groups, tally->n_groups)
		if (group->conns)
			judge_row(&judged->rows[judged->count++], group, tally, devices);
	qsort(judged->rows, judged->count, sizeof(*judged->rows), by_bytes);
	for (size_t i = 0; i < judged->count; i++) {
		judged->rows[i].advice = advise(judged, &judged->rows[i]);
		sum_up(&judged->sum, &judged->rows[i]);
	}
}

void judged_free(struct judged *judged)
{
	for (size_t i = 0; i < judged->count; i++)
		free(judged->rows[i].advice);
	free(judged->rows);
	*judged = (struct judged){ 0 };
}
