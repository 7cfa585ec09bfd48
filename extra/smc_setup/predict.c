// SPDX-License-Identifier: MIT
/* Predict a connection between two hosts. Without I/O. */
#include "smc_setup/predict.h"

#include <stdarg.h>
#include <sys/socket.h>

/** struct pair - a candidate connection: hosts, net devices and addresses, by side */
struct pair {
	const struct predict_host *hosts[2];
	const struct predict_net *nets[2];
	const struct netaddr *addrs[2];
	bool is_near; /* client and server are in one subnet, of the same prefix */
	bool is_routed;
	enum predict_mode mode;
};

const char *predict_mode_name(enum predict_mode mode)
{
	static const char *const names[] = { "TCP", "SMC-R v1", "SMC-R v2", "SMC-D v1",
					     "SMC-D v2" };

	return names[mode];
}

/* ---- gaps ---- */

/* @result: NULL to drop the gap; @fmt: own words, and names escaped or of a safe alphabet */
static void __attribute__((format(printf, 5, 6)))
say(struct prediction *result, enum predict_mode mode, enum predict_side side, const char *command,
    const char *fmt, ...)
{
	struct predict_gap *gap;
	va_list args;

	if (!result || result->n_gaps == PREDICT_GAPS)
		return;
	gap = &result->gaps[result->n_gaps++];
	gap->mode = mode;
	gap->side = side;
	va_start(args, fmt);
	vsnprintf(gap->text, sizeof(gap->text), fmt, args);
	va_end(args);
	snprintf(gap->command, sizeof(gap->command), "%s", command);
}

void predict_gap_text(struct out_text *text, const struct predict_gap *gap, const char *name)
{
	const char *mark = strchr(gap->text, *PREDICT_HOST);

	out_mem(text, gap->text, mark ? (size_t)(mark - gap->text) : strlen(gap->text));
	if (!mark)
		return;
	out_str(text, name);
	out_str(text, mark + 1);
}

/* "smc_pnet -a NET1 -I eth0 -D mlx5_0 -P 1" */
static bool pnet_line(char line[PREDICT_COMMAND_SIZE], const char *command)
{
	char id[32] = "", net[32] = "", ib[80] = "", rest;
	unsigned int port = 1;
	int n;

	n = sscanf(command, "smc_pnet -a %31s -I %31s -D %79s -P %u%c", id, net, ib, &port, &rest);
	if (n != 2 && n != 4)
		n = sscanf(command, "smc_pnet -a %31s -D %79s -P %u%c", id, ib, &port, &rest) + 1;
	if (n != 2 && n != 4)
		return false;
	snprintf(line, PREDICT_COMMAND_SIZE, "pnetid %s%s%s", id, *net ? " net " : "", net);
	if (*ib)
		snprintf(line + strlen(line), PREDICT_COMMAND_SIZE - strlen(line),
			 " device %s port %u", ib, port);
	return true;
}

bool predict_conf_line(char line[PREDICT_COMMAND_SIZE], const char *command)
{
	static const char *const rows[][2] = {
		{ "smcd ueid add ", "eid " },
		{ "sysctl -w net.smc.", "net.smc." },
		{ "smcr hs disable", "handshake-limit off" },
	};

	/* No line for a name with metacharacters of a shell. */
	if (command[strcspn(command, "'\"\\$;|&#")])
		return false;
	for_each(row, rows, ARRAY_SIZE(rows)) {
		size_t len = strlen((*row)[0]);

		if (strncmp(command, (*row)[0], len))
			continue;
		snprintf(line, PREDICT_COMMAND_SIZE, "%s%s", (*row)[1], command + len);
		return !strchr(command + len, ' ');
	}
	return pnet_line(line, command);
}

static bool has(const struct predict_host *host, uint32_t trait)
{
	return host->traits & trait;
}

static bool shares_kernel(const struct pair *pair)
{
	return *pair->hosts[0]->boot && !strcmp(pair->hosts[0]->boot, pair->hosts[1]->boot);
}

/* ---- EIDs ---- */

static bool has_common_ueid(const struct pair *pair)
{
	for (size_t i = 0; i < pair->hosts[0]->n_ueids; i++)
		for (size_t k = 0; k < pair->hosts[1]->n_ueids; k++)
			if (!strcmp(pair->hosts[0]->ueids[i], pair->hosts[1]->ueids[k]))
				return true;
	return false;
}

/* The system EID belongs to the machine: equal ones mean the same IBM Z machine. */
static bool has_common_seid(const struct pair *pair)
{
	const struct predict_host *one = pair->hosts[0], *other = pair->hosts[1];

	return has(one, PREDICT_SEID) && has(other, PREDICT_SEID) && *one->seid &&
	       !strcmp(one->seid, other->seid);
}

static void say_eids(struct prediction *result, enum predict_mode mode, const struct pair *pair)
{
	const struct predict_host *client = pair->hosts[0], *server = pair->hosts[1];
	int more = (int)client->n_ueids - (int)server->n_ueids;
	enum predict_side side = PREDICT_SERVER;
	struct out_text text AUTO(out_free) = { 0 };
	const char *line;
	bool is_word;

	if (!result)
		return;
	/* The result does not depend on which host is the client. */
	if (more < 0 || (!more && strcmp(client->name, server->name) > 0))
		side = PREDICT_CLIENT;
	out_str(&text, "smcd ueid add ");
	is_word = out_shell_word(&text, pair->hosts[!side]->ueids[0]);
	out_char(&text, '\0');
	line = is_word && text.len <= PREDICT_COMMAND_SIZE ? text.data : "";
	if (!client->n_ueids && !server->n_ueids)
		say(result, mode, PREDICT_BOTH, "smcd ueid add MYEID", "neither has a user EID");
	else if (!pair->hosts[side]->n_ueids)
		say(result, mode, side, line, PREDICT_HOST " has no user EID");
	else
		say(result, mode, side, line, "they have no user EID in common");
}

/* True if both sides support version 2. */
static bool knows_v2(struct prediction *result, enum predict_mode mode, const struct pair *pair)
{
	for (int side = PREDICT_CLIENT; side <= PREDICT_SERVER; side++) {
		if (has(pair->hosts[side], PREDICT_EIDS))
			continue;
		say(result, mode, side, "install kernel 5.16 or later",
		    "the kernel of " PREDICT_HOST " has no EIDs");
		return false;
	}
	return true;
}

/* ---- SMC-D ---- */

/* True if ISM devices can reach each other: channel ids are unique only within a system EID. */
static bool may_reach(const struct pair *pair)
{
	const char *one = pair->hosts[0]->seid, *other = pair->hosts[1]->seid;

	return !*one || !*other || !strcmp(one, other);
}

static bool has_common_ism(const struct pair *pair)
{
	for (size_t i = 0; may_reach(pair) && i < pair->hosts[0]->n_chids; i++)
		for (size_t k = 0; k < pair->hosts[1]->n_chids; k++)
			if (pair->hosts[0]->chids[i] == pair->hosts[1]->chids[k])
				return true;
	return false;
}

static bool has_common_loopback(const struct pair *pair)
{
	return shares_kernel(pair) && has(pair->hosts[0], PREDICT_LOOPBACK) &&
	       has(pair->hosts[1], PREDICT_LOOPBACK);
}

static bool is_smcd_v2(struct prediction *result, const struct pair *pair)
{
	if (!has_common_loopback(pair) && !has_common_ism(pair))
		return false;
	if (!knows_v2(result, PREDICT_SMCD_V2, pair))
		return false;
	if (has_common_ueid(pair) || has_common_seid(pair))
		return true;
	say_eids(result, PREDICT_SMCD_V2, pair);
	return false;
}

static bool is_smcd_v1(const struct pair *pair)
{
	const struct predict_net *client = pair->nets[0], *server = pair->nets[1];

	return pair->is_near && client->flags & server->flags & PREDICT_ISM_V1 &&
	       client->ism_v1 == server->ism_v1 && may_reach(pair);
}

/* Say why there is no SMC-D, but only for hosts that may share an IBM Z machine or a kernel. */
static void say_no_smcd(struct prediction *result, const struct pair *pair)
{
	if (shares_kernel(pair))
		say(result, PREDICT_SMCD_V2, PREDICT_BOTH, "",
		    "their common kernel has no loopback for SMC-D (CONFIG_DIBS_LO, before 6.18 "
		    "CONFIG_SMC_LO), or it has a PNET ID");
	else if (!has(pair->hosts[0], PREDICT_ISM) || !has(pair->hosts[1], PREDICT_ISM))
		return;
	else if (!may_reach(pair))
		say(result, PREDICT_SMCD_V2, PREDICT_BOTH, "", "they are on different machines");
	else
		say(result, PREDICT_SMCD_V2, PREDICT_BOTH, "smcd device",
		    "they offer no common ISM network (CHID)");
}

/* ---- SMC-R ---- */

static void say_no_port(struct prediction *result, const struct pair *pair, int side)
{
	const struct predict_net *net = pair->nets[side];

	if (net->flags & PREDICT_GID_V1)
		say(result, PREDICT_SMCR_V2, side, "smc_rnics -w",
		    "the RDMA port of " PREDICT_HOST " has no GID of RoCE v2 for it");
	else
		say(result, PREDICT_SMCR_V2, side, net->command, PREDICT_HOST ": %s",
		    *net->why ? net->why : "no RDMA port for it");
}

static bool is_smcr_v2(struct prediction *result, const struct pair *pair)
{
	for (int side = PREDICT_CLIENT; side <= PREDICT_SERVER; side++)
		if (!(pair->nets[side]->flags & PREDICT_GID_V2))
			say_no_port(result, pair, side);
	if (!(pair->nets[0]->flags & pair->nets[1]->flags & PREDICT_GID_V2))
		return false;
	if (pair->addrs[0]->family != AF_INET) {
		say(result, PREDICT_SMCR_V2, PREDICT_BOTH,
		    "give both an address in one IPv4 subnet", "SMC-R v2 is for IPv4 only");
		return false;
	}
	if (!knows_v2(result, PREDICT_SMCR_V2, pair))
		return false;
	if (has_common_ueid(pair))
		return true;
	say_eids(result, PREDICT_SMCR_V2, pair);
	return false;
}

static bool have_gid_v1(const struct pair *pair)
{
	return pair->nets[0]->flags & pair->nets[1]->flags & PREDICT_GID_V1;
}

/* ---- the mode of one pair ---- */

/* Check obstacles to all kinds of SMC. */
static bool is_possible(struct prediction *result, const struct predict_host *const hosts[2])
{
	for (int side = PREDICT_CLIENT; side <= PREDICT_SERVER; side++)
		if (!has(hosts[side], PREDICT_SMC))
			say(result, PREDICT_TCP, side, hosts[side]->command, PREDICT_HOST ": %s",
			    *hosts[side]->why ? hosts[side]->why : "no SMC in its kernel");
	if (!(hosts[0]->traits & hosts[1]->traits & PREDICT_SMC))
		return false;
	if (!has(hosts[PREDICT_SERVER], PREDICT_COOKIES))
		return true;
	say(result, PREDICT_TCP, PREDICT_SERVER, "sysctl -w net.ipv4.tcp_syncookies=1",
	    PREDICT_HOST " answers each SYN with a cookie, which loses SMC's option");
	return false;
}

static enum predict_mode mode_of(const struct pair *pair)
{
	if (!is_possible(NULL, pair->hosts))
		return PREDICT_TCP;
	if (is_smcd_v2(NULL, pair))
		return PREDICT_SMCD_V2;
	if (is_smcd_v1(pair))
		return PREDICT_SMCD_V1;
	if (is_smcr_v2(NULL, pair))
		return PREDICT_SMCR_V2;
	return pair->is_near && have_gid_v1(pair) ? PREDICT_SMCR_V1 : PREDICT_TCP;
}

static void say_limits(struct prediction *result, const struct pair *pair)
{
	const struct predict_host *client = pair->hosts[0], *server = pair->hosts[1];
	enum predict_side one;

	if (has(server, PREDICT_LIMITED))
		say(result, result->mode, PREDICT_SERVER, "smcr hs disable",
		    PREDICT_HOST " limits handshakes: TCP while too many are pending");
	if (result->mode == PREDICT_SMCD_V2 && !has_common_ism(pair) &&
	    client->traits & server->traits & PREDICT_INNER)
		say(result, result->mode, PREDICT_BOTH, "",
		    "TCP if loopback has a PNET ID, which only a bundle of the initial network namespace shows");
	if (result->max_links != 1)
		return;
	one = server->max_links == 1 ? PREDICT_SERVER : PREDICT_CLIENT;
	say(result, result->mode, server->max_links == client->max_links ? PREDICT_BOTH : one,
	    "sysctl -w net.smc.smcr_max_links_per_lgr=2",
	    "one link per group, which does not survive the loss of a port");
}

static void say_gaps(struct prediction *result, const struct pair *pair)
{
	enum predict_mode mode = result->mode;

	if (!is_possible(result, pair->hosts))
		return;
	if (mode < PREDICT_SMCD_V2) {
		if (has_common_loopback(pair) || has_common_ism(pair))
			is_smcd_v2(result, pair);
		else if (mode != PREDICT_SMCD_V1)
			say_no_smcd(result, pair);
	}
	if (mode < PREDICT_SMCR_V2) {
		is_smcr_v2(result, pair);
		if (mode < PREDICT_SMCR_V1 && have_gid_v1(pair))
			say(result, PREDICT_SMCR_V1, PREDICT_BOTH, "ip -br address",
			    "they are not in one subnet with the same prefix");
	}
	if (mode != PREDICT_TCP)
		say_limits(result, pair);
}

static uint32_t lower(uint32_t one, uint32_t other)
{
	return one < other ? one : other;
}

/* ---- the best pair ---- */

static bool is_own(const struct predict_host *host, const struct netaddr *addr)
{
	const size_t size = addr->family == AF_INET ? 4 : 16;

	for (size_t i = 0; i < host->n_nets; i++)
		for_each(own, host->nets[i].addrs, host->nets[i].n_addrs) {
			if (own->family == addr->family && !memcmp(own->bytes, addr->bytes, size))
				return true;
		}
	return false;
}

/* Try all pairs of addresses of a family, in one subnet or, with @is_routed, any. */
static void try_pairs(struct pair *best, struct pair *pair, int family, bool is_routed)
{
	for_each(from, pair->nets[0]->addrs, pair->nets[0]->n_addrs) {
		for_each(to, pair->nets[1]->addrs, pair->nets[1]->n_addrs) {
			bool is_near = netaddr_covers(from, to);

			if (from->family != family || to->family != family ||
			    (!is_near && !is_routed) || is_own(pair->hosts[0], to))
				continue;
			pair->is_near = is_near && from->prefix == to->prefix;
			pair->is_routed = !is_near;
			pair->addrs[0] = from;
			pair->addrs[1] = to;
			pair->mode = mode_of(pair);
			/* If several pairs are equally good, keep the first one. */
			if (!best->nets[0] || pair->mode > best->mode)
				*best = *pair;
		}
	}
}

/* Prefer IPv4 to IPv6, and one subnet to several. */
static void find_pair(struct pair *best)
{
	struct pair pair = *best;

	for (int try = 0; try < 4 && !best->nets[0]; try++)
		for (size_t i = 0; i < pair.hosts[0]->n_nets; i++)
			for (size_t k = 0; k < pair.hosts[1]->n_nets; k++) {
				pair.nets[0] = &pair.hosts[0]->nets[i];
				pair.nets[1] = &pair.hosts[1]->nets[k];
				try_pairs(best, &pair, try < 2 ? AF_INET : AF_INET6, try % 2);
			}
}

/* Devices that a link can use; for SMC-R v2, those with an address in the first one's subnet. */
static uint32_t count_ports(const struct predict_host *host, const struct netaddr *addr)
{
	uint32_t count = 0;

	for_each(net, host->nets, host->n_nets) {
		bool is_near = false;

		for_each(own, net->addrs, net->n_addrs)
			is_near |= netaddr_covers(own, addr);
		count += is_near && net->flags & (PREDICT_GID_V1 | PREDICT_GID_V2);
	}
	return count;
}

static uint32_t count_links(const struct prediction *result, const struct pair *pair)
{
	if (result->mode != PREDICT_SMCR_V1 && result->mode != PREDICT_SMCR_V2)
		return 0;
	/* If only one side has two ports, both links share the port of the other. */
	return result->max_links != 1 && (count_ports(pair->hosts[0], pair->addrs[0]) > 1 ||
					  count_ports(pair->hosts[1], pair->addrs[1]) > 1) ?
		       2 :
		       1;
}

void predict(struct prediction *result, const struct predict_host *client,
	     const struct predict_host *server)
{
	struct pair pair = { .hosts = { client, server } };

	find_pair(&pair);
	*result = (struct prediction){ pair.mode, pair.nets[0], pair.nets[1], pair.is_routed };
	if (!result->client) {
		if (is_possible(result, pair.hosts))
			say(result, PREDICT_TCP, PREDICT_BOTH, "ip -br address",
			    "neither host can reach an address of the other");
		return;
	}
	if (result->mode == PREDICT_SMCD_V2 || result->mode == PREDICT_SMCR_V2)
		result->release = lower(client->release, server->release);
	if (result->mode == PREDICT_SMCR_V2 && result->release)
		result->max_links = lower(client->max_links, server->max_links);
	result->links = count_links(result, &pair);
	result->address = *pair.addrs[1];
	say_gaps(result, &pair);
}

/* Client and server are swapped in the other direction. */
static bool is_same_gap(const struct predict_gap *one, const struct predict_gap *other)
{
	int side = other->side == PREDICT_BOTH ? PREDICT_BOTH : !other->side;

	return (int)one->side == side && one->mode == other->mode &&
	       !strcmp(one->text, other->text) && !strcmp(one->command, other->command);
}

bool predict_same(const struct prediction *forth, const struct prediction *back)
{
	size_t same = 0;

	for (size_t i = 0; i < forth->n_gaps; i++)
		for (size_t k = 0; k < back->n_gaps; k++)
			same += is_same_gap(&forth->gaps[i], &back->gaps[k]);
	return forth->mode == back->mode && forth->release == back->release &&
	       forth->n_gaps == back->n_gaps && same == forth->n_gaps;
}
