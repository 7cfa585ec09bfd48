// SPDX-License-Identifier: MIT
#include "smc_dump/flow.h"

#include <arpa/inet.h>
#include <stdarg.h>

#include "base/words.h"
#include "smc/reason.h"

#define LIST_SIZE 200

const char *judge_mode_name(enum judge_mode mode)
{
	static const char *const names[] = { "unknown", "TCP", "SMC-R", "SMC-D" };

	return names[mode];
}

/* There are fewer than JUDGE_NOTES. */
#define note(result, ...)                                                                          \
	snprintf((result)->notes[(result)->n_notes++], sizeof((result)->notes[0]), __VA_ARGS__)

/* ---- lists ---- */

/* Append an item; items that do not fit are left out. */
static void __attribute__((format(printf, 3, 4)))
list(char *text, size_t size, const char *fmt, ...)
{
	size_t len = strlen(text);
	va_list args;

	if (len)
		len += (size_t)snprintf(text + len, size - len, ", ");
	va_start(args, fmt);
	if (len < size)
		vsnprintf(text + len, size - len, fmt, args);
	va_end(args);
}

const char *judge_paths(char text[JUDGE_PATHS_SIZE], const struct smc_clc *proposal)
{
	text[0] = '\0';
	for (int version = 1; version <= 2; version++) {
		if (smc_clc_offers(proposal, SMC_CLC_R, version))
			list(text, JUDGE_PATHS_SIZE, "SMC-R v%d", version);
		if (smc_clc_offers(proposal, SMC_CLC_D, version))
			list(text, JUDGE_PATHS_SIZE, "SMC-D v%d", version);
	}
	return text[0] ? text : "nothing";
}

static const char *eids(char text[LIST_SIZE], const struct smc_clc *proposal)
{
	text[0] = '\0';
	for (size_t i = 0; i < proposal->n_ueids; i++)
		list(text, LIST_SIZE, "%s", proposal->ueids[i]);
	if (proposal->has_seid && proposal->seid[0])
		list(text, LIST_SIZE, "%s (system)", proposal->seid);
	return text[0] ? text : "none";
}

static const char *chids(char text[LIST_SIZE], const struct smc_clc *proposal)
{
	text[0] = '\0';
	if (proposal->has & SMC_CLC_HAS_CHID && proposal->ism_gid)
		list(text, LIST_SIZE, "%04x", proposal->chid);
	for (size_t i = 0; i < proposal->n_isms; i++)
		list(text, LIST_SIZE, "%04x", proposal->isms[i].chid);
	return text[0] ? text : "none";
}

/* ---- why not more ---- */

static void why_not_smcd(struct judgement *result, const struct smc_clc *proposal)
{
	char text[LIST_SIZE];

	if (smc_clc_offers(proposal, SMC_CLC_D, 2))
		note(result,
		     "not SMC-D: the client offered it with CHID %s; the server reaches "
		     "none of these devices, or has none of the client's EIDs",
		     chids(text, proposal));
	else if (smc_clc_offers(proposal, SMC_CLC_D, 1))
		note(result,
		     "not SMC-D: the client offered it with GID %016" PRIx64
		     ", which no ISM device of the server reaches",
		     proposal->ism_gid);
	else
		note(result, "not SMC-D: the client did not offer it; it has no ISM device for "
			     "this interface");
}

static void why_not_v2(struct judgement *result, const struct smc_clc *proposal)
{
	char text[LIST_SIZE];

	if (proposal->version < 2)
		note(result, "not version 2: the client does not know it");
	else if (proposal->path_v2 == SMC_CLC_NONE)
		note(result, "not version 2: the client did not offer it; it has no EID (smcd ueid "
			     "add) or no device for it");
	else
		note(result,
		     "not version 2: the client offered it with EID %s; the server has "
		     "no such EID, no device for it, or no version 2",
		     eids(text, proposal));
}

/* The release, and limits of an SMC-Rv2.1 link group. Linux: net.smc.smcr_max_*_per_lgr. */
static void why_limits(struct judgement *result, const struct smc_clc *proposal,
		       const struct smc_clc *accept)
{
	const uint32_t both = proposal->has & accept->has;
	bool is_servers;

	if (both & SMC_CLC_HAS_RELEASE && accept->release < proposal->release)
		note(result, "not version 2.%u: the server has only 2.%u (Linux has 2.1 since 6.6)",
		     proposal->release, accept->release);
	else if (both & SMC_CLC_HAS_RELEASE && !proposal->release)
		note(result, "not version 2.1: the client has only 2.0 (Linux has 2.1 since 6.6)");
	if (result->mode != JUDGE_SMCR || !(both & SMC_CLC_HAS_LIMITS) || !accept->release)
		return;
	is_servers = accept->max_conns < proposal->max_conns;
	if (accept->max_conns && accept->max_conns < 255)
		note(result, "at most %u connection%s per link group: the %s's limit",
		     accept->max_conns, plural_s(accept->max_conns),
		     is_servers ? "server" : "client");
	is_servers = accept->max_links < proposal->max_links;
	if (accept->max_links == 1)
		note(result,
		     "one link per link group, which does not survive the loss of a port: the %s's "
		     "limit",
		     is_servers ? "server" : "client");
}

static void why_not_more(struct judgement *result, const struct smc_clc *proposal,
			 const struct smc_clc *answer)
{
	char text[JUDGE_PATHS_SIZE];

	note(result, "the client offered %s", judge_paths(text, proposal));
	if (result->mode == JUDGE_SMCD &&
	    (smc_clc_offers(proposal, SMC_CLC_R, 1) || smc_clc_offers(proposal, SMC_CLC_R, 2)))
		note(result, "not SMC-R: SMC-D is better where both are possible");
	if (result->mode == JUDGE_SMCR)
		why_not_smcd(result, proposal);
	if (answer->version < 2)
		why_not_v2(result, proposal);
	else
		why_limits(result, proposal, answer);
}

/* ---- SMC ---- */

static void judge_smc(struct judgement *result, const struct flow_conn *conn)
{
	const struct smc_clc *proposal = conn->messages[SMC_CLC_PROPOSAL];
	const struct smc_clc *answer =
		conn->messages[SMC_CLC_ACCEPT] ?: conn->messages[SMC_CLC_CONFIRM];

	result->mode = answer->is_smcd ? JUDGE_SMCD : JUDGE_SMCR;
	result->version = answer->version;
	result->release = answer->release;
	result->has_release = answer->has & SMC_CLC_HAS_RELEASE;
	if (answer->has & SMC_CLC_HAS_EID && answer->eid[0])
		note(result, "by EID %s", answer->eid);
	if (answer->is_smcd && answer->has & SMC_CLC_HAS_CHID)
		note(result, "through ISM device with CHID %04x%s", answer->chid,
		     answer->chid >= 0xff00 ? ", emulated" : "");
	if (!answer->is_first)
		note(result, "in an existing link group");
	else if (!answer->is_smcd && answer->has & SMC_CLC_HAS_FIRST && !answer->is_direct)
		note(result, "in a new link group, whose RoCE path has a gateway");
	else
		note(result, "in a new link group");
	if (proposal)
		why_not_more(result, proposal, answer);
}

/* ---- TCP ---- */

/* Note the part of the proposal that the server's reason refers to. */
static void tell_offer(struct judgement *result, const struct smc_clc *proposal, uint32_t reason)
{
	char text[LIST_SIZE], paths[JUDGE_PATHS_SIZE], subnet[INET_ADDRSTRLEN];

	note(result, "the client offered %s", judge_paths(paths, proposal));
	if (reason == 0x03070000 && proposal->has & SMC_CLC_HAS_SUBNET)
		note(result, "the client's subnet is %s/%u",
		     inet_ntop(AF_INET, proposal->subnet, subnet, sizeof(subnet)),
		     proposal->subnet_len);
	else if (reason == 0x03030003 || reason == 0x03030007)
		note(result, "the client's ISM devices have CHID %s", chids(text, proposal));
	else if ((reason == 0x03030008 || (reason >= 0x03030000 && reason <= 0x03030002)) &&
		 proposal->has & SMC_CLC_HAS_V2)
		note(result, "the client's EIDs: %s", eids(text, proposal));
}

static void judge_decline(struct judgement *result, const struct flow_conn *conn)
{
	const struct smc_clc *decline = conn->messages[SMC_CLC_DECLINE];
	const struct smc_clc *proposal = conn->messages[SMC_CLC_PROPOSAL];
	const char *os = smc_clc_os_name(decline->os);

	result->mode = JUDGE_TCP;
	result->side = conn->decliner;
	result->reason = decline->reason;
	result->has_reason = decline->has & SMC_CLC_HAS_REASON;
	if (!result->has_reason) {
		note(result, "the capture lacks part of the decline");
		return;
	}
	if (!smc_reason_find(decline->reason))
		note(result, "Linux has no such reason%s%s",
		     os ? ": see the documentation of " : "", os ? os : "");
	if (decline->is_first)
		note(result, "the two sides' link groups are out of step");
	if (!proposal && conn->decliner == FLOW_CLIENT && !conn->messages[SMC_CLC_ACCEPT])
		note(result, "it declined instead of proposing anything");
	if (proposal && conn->decliner == FLOW_SERVER)
		tell_offer(result, proposal, decline->reason);
	if (conn->messages[SMC_CLC_CONFIRM])
		note(result, "after the confirm: the RDMA path between the two did not work");
}

static void judge_syns(struct judgement *result, const struct flow_conn *conn)
{
	result->mode = JUDGE_TCP;
	if (conn->has_syn[FLOW_CLIENT] && !conn->offers[FLOW_CLIENT]) {
		note(result, "the client did not offer SMC in its SYN");
		return;
	}
	result->reason = 0x03010000;
	result->side = FLOW_CLIENT;
	result->has_reason = true;
	if (conn->has_syn[FLOW_CLIENT])
		note(result, "the client offered SMC, the server did not");
}

/* ---- impossible values ---- */

#define doubt(result, message, fmt, ...)                                                           \
	note(result, "impossible in the %s: " fmt, smc_clc_type_name((message)->type), __VA_ARGS__)

static void doubt_values(struct judgement *result, const struct smc_clc *message)
{
	static const uint8_t no_gid[sizeof(message->gid)];
	/* The only element of a buffer of Linux. */
	const unsigned int only = message->is_smcd ? 0 : 1;
	const bool is_linux = message->has & SMC_CLC_HAS_FIRST && message->os == SMC_CLC_LINUX;

	if (!message->is_smcd && !message->index)
		doubt(result, message, "RMBE index %u: the first element of a buffer is 1", 0U);
	else if (message->index != only && is_linux)
		doubt(result, message,
		      "%cMBE index %u: a buffer of Linux has only element %u; a receiver that does "
		      "not check this writes outside of the buffer",
		      message->is_smcd ? 'D' : 'R', message->index, only);
	if (message->has & SMC_CLC_HAS_CHID && !message->chid)
		doubt(result, message, "CHID 0000, which no ISM device has%s",
		      message->type == SMC_CLC_ACCEPT ?
			      ": a Linux client without the fix of CVE-2026-64048 crashes" :
			      "");
	if (message->is_smcd)
		return;
	if (message->mtu_code < 1 || message->mtu_code > 5)
		doubt(result, message, "path MTU code %u: they are 1 (256) to 5 (4096)",
		      message->mtu_code);
	if (message->qp < 2)
		doubt(result, message, "queue pair %" PRIu32 ": 0 and 1 are for management",
		      message->qp);
	if (message->has & SMC_CLC_HAS_GID && !memcmp(message->gid, no_gid, sizeof(no_gid)))
		doubt(result, message, "%s", "no GID");
}

static bool offers_chid(const struct smc_clc *proposal, uint16_t chid)
{
	bool found = proposal->has & SMC_CLC_HAS_CHID && proposal->chid == chid;

	for (size_t i = 0; i < proposal->n_isms; i++)
		found |= proposal->isms[i].chid == chid;
	return found;
}

static bool offers_eid(const struct smc_clc *proposal, const char *eid)
{
	bool found = proposal->has_seid && !strcmp(proposal->seid, eid);

	for (size_t i = 0; i < proposal->n_ueids; i++)
		found |= !strcmp(proposal->ueids[i], eid);
	return found;
}

/* More than the client has offered. */
static void doubt_answer(struct judgement *result, const struct smc_clc *proposal,
			 const struct smc_clc *accept)
{
	char text[JUDGE_PATHS_SIZE];

	if (!smc_clc_offers(proposal, accept->is_smcd ? SMC_CLC_D : SMC_CLC_R, accept->version))
		doubt(result, accept, "SMC-%c v%u: the client offered %s",
		      accept->is_smcd ? 'D' : 'R', accept->version, judge_paths(text, proposal));
	if (accept->version < 2)
		return;
	if (accept->has & SMC_CLC_HAS_EID && !offers_eid(proposal, accept->eid))
		doubt(result, accept, "EID %s, which the client did not offer", accept->eid);
	if (accept->is_smcd && accept->has & SMC_CLC_HAS_CHID && accept->chid &&
	    !offers_chid(proposal, accept->chid))
		doubt(result, accept, "CHID %04x, which the client did not offer", accept->chid);
	if (accept->has & proposal->has & SMC_CLC_HAS_RELEASE &&
	    accept->release > proposal->release)
		doubt(result, accept, "version 2.%u: the client has 2.%u", accept->release,
		      proposal->release);
	if (accept->is_smcd || !(accept->has & proposal->has & SMC_CLC_HAS_LIMITS))
		return;
	if (accept->max_conns > proposal->max_conns)
		doubt(result, accept, "%u connections per link group: the client's limit is %u",
		      accept->max_conns, proposal->max_conns);
	if (accept->max_links > proposal->max_links)
		doubt(result, accept, "%u links per link group: the client's limit is %u",
		      accept->max_links, proposal->max_links);
}

/* A confirm repeats what the accept has chosen. */
static void doubt_confirm(struct judgement *result, const struct smc_clc *accept,
			  const struct smc_clc *confirm)
{
	if (confirm->is_smcd != accept->is_smcd || confirm->version != accept->version)
		doubt(result, confirm, "SMC-%c v%u: the server chose SMC-%c v%u",
		      confirm->is_smcd ? 'D' : 'R', confirm->version, accept->is_smcd ? 'D' : 'R',
		      accept->version);
	if (confirm->has & accept->has & SMC_CLC_HAS_EID && strcmp(confirm->eid, accept->eid) != 0)
		doubt(result, confirm, "EID %s: the server chose %s", confirm->eid, accept->eid);
	if (confirm->is_first != accept->is_first)
		doubt(result, confirm, "%s link group: the server chose %s one",
		      confirm->is_first ? "a new" : "an existing",
		      accept->is_first ? "a new" : "an existing");
}

/* Values that no correct peer sends: it is broken, or hostile. */
static void doubts(struct judgement *result, const struct flow_conn *conn)
{
	const struct smc_clc *proposal = conn->messages[SMC_CLC_PROPOSAL];
	const struct smc_clc *accept = conn->messages[SMC_CLC_ACCEPT];
	const struct smc_clc *confirm = conn->messages[SMC_CLC_CONFIRM];

	for (int type = SMC_CLC_ACCEPT; type <= SMC_CLC_CONFIRM; type++) {
		const struct smc_clc *message = conn->messages[type];

		if (message && message->has & (SMC_CLC_HAS_RDMA | SMC_CLC_HAS_DMB))
			doubt_values(result, message);
	}
	/* A proposal that is not all there may have offered more. */
	if (proposal && accept && !proposal->is_cut && !proposal->damage)
		doubt_answer(result, proposal, accept);
	if (accept && confirm)
		doubt_confirm(result, accept, confirm);
}

void judge(struct judgement *result, const struct flow_conn *conn, bool is_over)
{
	const char *end = is_over ? "the connection ended" : "the capture ended";

	*result = (struct judgement){ .mode = JUDGE_UNKNOWN };
	if (conn->messages[SMC_CLC_DECLINE])
		judge_decline(result, conn);
	else if (conn->messages[SMC_CLC_CONFIRM])
		judge_smc(result, conn);
	else if (conn->has_syn[FLOW_SERVER] && !conn->offers[FLOW_SERVER])
		judge_syns(result, conn);
	else if (conn->messages[SMC_CLC_ACCEPT])
		note(result, "%s before a confirm of the client was seen", end);
	else if (conn->messages[SMC_CLC_PROPOSAL])
		note(result, "%s before the server's answer was seen", end);
	else if (conn->has_syn[FLOW_SERVER])
		note(result, "both offered SMC, but %s before a proposal was seen", end);
	else
		note(result, "%s before an answer to the SYN was seen", end);
	doubts(result, conn);
}
