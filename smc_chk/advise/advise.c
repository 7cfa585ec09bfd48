// SPDX-License-Identifier: MIT
/* advise: would SMC pay for what this host does over TCP? */
#include <arpa/inet.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "netlink/diag.h"
#include "smc/reason.h"
#include "smc_chk/advise/advice.h"
#include "smc_chk/doctor/facts.h"
#include "smc_chk/live/stream.h"
#include "smc_chk/smc_chk.h"
#include "sockets/show.h"

/* Of --probe: so many peers are asked, each with one connection that sends nothing. */
#define PEERS_MAX 32
#define WAIT_MS 3000

/* ---- --probe ---- */

/* Servers within this host are in the table themselves; without an EID all would say TCP. */
static bool is_to_be_asked(const struct judge_row *row)
{
	return row->profits && row->group->side == SIDE_CLIENT && row->group->peers == PEERS_NEAR &&
	       !row->way.mode.is_waiting;
}

static union endpoint_addr address_of(const struct smc_addr *addr)
{
	union endpoint_addr to = { .sa.sa_family = addr->family };

	if (addr->family == AF_INET6)
		memcpy(&to.in6.sin6_addr, addr->ip, sizeof(to.in6.sin6_addr));
	else
		memcpy(&to.in.sin_addr, addr->ip, sizeof(to.in.sin_addr));
	endpoint_set_port(&to, addr->port);
	return to;
}

static void ask(struct judge_row *row)
{
	static const int results[] = { [SMC_MODE_NONE] = ASKED_FAILED,
				       [SMC_MODE_TCP] = ASKED_TCP,
				       [SMC_MODE_SMCR] = ASKED_SMCR,
				       [SMC_MODE_SMCD] = ASKED_SMCD };
	const union endpoint_addr to = address_of(&row->group->sample);
	struct judge_asked *asked = &row->asked;
	const struct smc_reason *reason;
	enum stream_stage stage;
	struct smc_sock sock;
	uint64_t ns;
	int fd = stream_connect(&to, true, 0, WAIT_MS, &ns, &stage);

	asked->result = ASKED_FAILED;
	if (fd < 0) {
		snprintf(asked->why, sizeof(asked->why), "%s", strerror(-fd));
		return;
	}
	if (endpoint_diag(fd, &sock)) {
		asked->result = results[smc_sock_mode(&sock)];
		reason = smc_reason_find(sock.fallback.reason);
		if (sockets_has_reason(&sock) && reason)
			snprintf(asked->why, sizeof(asked->why), "%s", reason->symbol);
	} else if (endpoint_is_tcp(fd)) {
		asked->result = ASKED_TCP;
	}
	close(fd);
}

/* Several processes may have rows for one peer and port. */
static bool take_answer(struct judge_row *row, const struct judge_row *rows, size_t count)
{
	for (size_t i = 0; i < count; i++)
		if (rows[i].asked.result && rows[i].group->port == row->group->port &&
		    !strcmp(rows[i].peer, row->peer)) {
			row->asked = rows[i].asked;
			return true;
		}
	return false;
}

/* Where this host is the client, fill in @asked of the rows that would profit. */
static void probe_peers(struct judged *judged)
{
	size_t asked = 0;

	for (size_t i = 0; i < judged->count && asked < PEERS_MAX && !watch_interrupted(); i++) {
		struct judge_row *row = &judged->rows[i];

		if (!is_to_be_asked(row) || take_answer(row, judged->rows, i))
			continue;
		ask(row);
		asked++;
	}
}

/* ---- the command ---- */

/* Return: chk_status. */
static int print(const struct judged *judged, const struct tally *tally,
		 const struct watched *watched, bool is_json)
{
	struct out_text text = { 0 };
	int status = judged->sum.suited_bytes ? CHK_OK : CHK_TCP;

	if (is_json)
		return chk_print_json(advice_json(judged, tally, watched)) ? CHK_ERROR : status;
	advice_text(&text, judged, tally, watched);
	return chk_print(&text) ? CHK_ERROR : status;
}

static int advise(struct doctor_facts *facts, const struct chk_request *req, struct smc_err *err)
{
	struct smc_xfrm_table policies = { 0 };
	struct tally tally = { .own = &facts->choices.facts.addrs, .policies = &policies };
	const struct way_facts ways = { &facts->choices, facts->has_smc };
	struct watched watched = { .source = SOURCE_POLL };
	struct judged judged;
	int ret;

	tally_start(&tally);
	/* Without the right to see policies, and without IPsec, there are none. */
	smc_xfrm_dump(smc_xfrm_add, &policies);
	if (isatty(STDERR_FILENO))
		fprintf(stderr, "Watching TCP for %u s; Ctrl-C ends it.\n", req->watch_seconds);
	ret = watch(&tally, &watched, req, err);
	if (!ret) {
		advise_judge(&judged, &tally, &ways);
		if (req->is_probing)
			probe_peers(&judged);
		/* Whatever takes what is printed may be slow, or wait for ever. */
		watch_unblock();
		ret = print(&judged, &tally, &watched, req->is_json);
		judged_free(&judged);
	}
	tally_free(&tally);
	smc_xfrm_free(&policies);
	return ret;
}

int chk_advise(const struct chk_request *req)
{
	return facts_use(req, advise);
}
