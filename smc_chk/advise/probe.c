// SPDX-License-Identifier: MIT
/* --probe: asks peers whether they speak SMC, with one connection each that sends nothing. */
#include "smc_chk/advise/probe.h"

#include <arpa/inet.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "smc/reason.h"
#include "smc_chk/advise/watch.h"
#include "smc_chk/live/stream.h"
#include "sockets/show.h"

#define PEERS_MAX 32
#define WAIT_MS 3000

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

/* Of one peer and port there may be rows of several processes. */
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

void probe_peers(struct judged *judged)
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
