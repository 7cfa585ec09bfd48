// SPDX-License-Identifier: MIT
/* The eBPF program that sees each TCP connection begin and end. */
#include "smc_chk/advise/lives.h"

#include <errno.h>
#include <stdio.h>

#include "bpf/address.h"
#include "bpf/bpfmap.h"
#include "bpf/programs.h"
#include "bpf/tcplife.h"

/*
 * Read at a time, more than there is room for: whoever reads has other things to do, even if ends
 * come faster than they are read.
 */
#define ENDS_MAX 65536

/* ---- what it tells ---- */

static void copy_socket(struct smc_tcp *tcp, const struct tcplife_end *end)
{
	*tcp = (struct smc_tcp){
		.local = bpf_ends_local(&end->ends),
		.peer = bpf_ends_peer(&end->ends),
		.cookie = end->cookie,
		.has_info = true,
		.sent = end->sent,
		.received = end->received,
		.segs_sent = end->segs_sent,
		.segs_received = end->segs_received,
		.mss = end->mss,
		.is_signed = end->is_signed,
		.is_fast_open = end->is_fast_open,
	};
	snprintf(tcp->ulp, sizeof(tcp->ulp), "%.*s", (int)sizeof(end->ulp), end->ulp);
}

static int on_end(void *arg, void *record, size_t len)
{
	struct lives *lives = arg;
	struct tally_death death = { .owner = 0 };
	const struct tcplife_end *end = record;

	if (len < sizeof(*end))
		return -EBADMSG;
	copy_socket(&death.tcp, end);
	death.side = end->side == TCPLIFE_CLIENT ? SIDE_CLIENT :
		     end->side == TCPLIFE_SERVER ? SIDE_SERVER :
						   SIDE_UNKNOWN;
	death.is_smc = end->is_smc;
	death.born = end->born / 1000000;
	/* SMC's own threads connect and close in the place of the program. */
	if (end->process.pid && !end->is_smc)
		death.owner = lists_owner(lives->lists, (pid_t)end->process.pid, end->process.comm,
					  end->process.unit);
	tally_die(lives->lists->tally, &death, end->died / 1000000);
	/* It has been taken all the same. */
	return --lives->left > 0 ? 0 : -EAGAIN;
}

/* ---- beginning and end ---- */

static const _Alignas(8) unsigned char elf[] = {
#include "bpf/tcplife.bytes.h"
};

int lives_open(struct lives *lives, struct smc_err *err)
{
	struct tcplife_state state = { 0 };
	const struct bpf_watch watch = {
		.elf = elf,
		.len = sizeof(elf),
		.state = TCPLIFE_STATE,
		.value = &state,
		.ring = TCPLIFE_EVENTS,
		.fn = on_end,
		.arg = lives,
	};

	lives->state = bpf_programs_start(&lives->programs, &watch, err);
	if (lives->state >= 0)
		return 0;
	lives->programs = NULL;
	return lives->state;
}

int lives_read(struct lives *lives, struct smc_err *err)
{
	int ret;

	lives->left = ENDS_MAX;
	ret = bpf_programs_read(lives->programs, err);
	return ret == -EAGAIN ? 0 : ret;
}

bool lives_lost(const struct lives *lives)
{
	struct tcplife_state state;
	const uint32_t first = 0;

	return bpfmap_lookup(lives->state, &first, &state) || state.lost;
}

void lives_close(struct lives *lives)
{
	bpf_programs_close(lives->programs);
}
