// SPDX-License-Identifier: MIT
/* The eBPF program that tells the bytes of SMC connections. */
#include "smc_dump/payload/tap.h"

#include <errno.h>
#include <poll.h>
#include <stdlib.h>
#include <sys/mman.h>

#include "base/clock.h"
#include "base/memory.h"
#include "bpf/programs.h"

/* A clock that was set is followed; how long it takes to read one, on a busy machine, is not. */
#define CLOCK_STEP 1000000 /* ns */
#define CLOCK_TRIES 10

/** struct tap - @clock: from CLOCK_MONOTONIC to the time of day; @result: of @fn, if not 0 */
struct tap {
	struct bpf_programs *programs;
	struct smcdata_state *state;
	tap_fn *fn;
	void *arg;
	int64_t clock;
	int result;
};

static void set_clock(struct tap *tap)
{
	int64_t before, clock, took;
	int tries = CLOCK_TRIES;

	do {
		before = clock_ns(CLOCK_MONOTONIC);
		clock = clock_ns(CLOCK_REALTIME) - before;
		took = clock_ns(CLOCK_MONOTONIC) - before;
	} while (took > CLOCK_STEP / 2 && --tries);
	if (llabs(clock - tap->clock) > CLOCK_STEP + took)
		tap->clock = clock;
}

static int on_record(void *arg, void *data, size_t len)
{
	const struct smcdata_record *record = data;
	struct tap *tap = arg;

	if (len < sizeof(*record) || record->len > len - sizeof(*record) ||
	    record->len > record->full)
		return -EBADMSG;
	tap->result = tap->fn(tap->arg, record, (const uint8_t *)(record + 1),
			      (int64_t)record->at + tap->clock);
	return tap->result ? -ECANCELED : 0;
}

static int start(struct tap *tap, uint32_t snaplen, struct smc_err *err)
{
	/* The object file. */
	static const _Alignas(8) unsigned char elf[] = {
#include "bpf/smcdata.bytes.h"
	};
	struct smcdata_state *state = xcalloc(1, sizeof(*state));
	struct bpf_watch watch = {
		.elf = elf,
		.len = sizeof(elf),
		.state = SMCDATA_STATE,
		.value = state,
		.module = "smc",
		.ring = SMCDATA_RECORDS,
		.fn = on_record,
		.arg = tap,
	};
	void *shared;
	int map;

	state->snaplen = snaplen;
	map = bpf_programs_start(&tap->programs, &watch, err);
	free(state);
	if (map < 0)
		return map;
	shared = mmap(NULL, sizeof(*state), PROT_READ | PROT_WRITE, MAP_SHARED, map, 0);
	if (shared == MAP_FAILED)
		return smc_err_set(err, errno, "cannot read what eBPF counts");
	tap->state = shared;
	return 0;
}

int tap_open(struct tap **result, uint32_t snaplen, tap_fn *fn, void *arg, struct smc_err *err)
{
	struct tap *tap = xcalloc(1, sizeof(*tap));
	int ret;

	tap->fn = fn;
	tap->arg = arg;
	ret = start(tap, snaplen, err);
	if (ret)
		tap_close(tap);
	else
		*result = tap;
	return ret;
}

struct smcdata_state *tap_state(const struct tap *tap)
{
	return tap->state;
}

int tap_read(struct tap *tap, int wait_ms, struct smc_err *err)
{
	struct pollfd ring = { .fd = bpf_programs_fd(tap->programs), .events = POLLIN };
	int ret;

	poll(&ring, 1, wait_ms);
	set_clock(tap);
	tap->result = 0;
	ret = bpf_programs_read(tap->programs, err);
	return tap->result ? tap->result : ret;
}

void tap_close(struct tap *tap)
{
	if (!tap)
		return;
	bpf_programs_close(tap->programs);
	if (tap->state)
		munmap(tap->state, sizeof(*tap->state));
	free(tap);
}
