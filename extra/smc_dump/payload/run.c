// SPDX-License-Identifier: MIT
/* Capture the payload of SMC connections by eBPF, and show or write it. */
#include <poll.h>
#include <sys/mman.h>

#include "base/clock.h"
#include "base/memory.h"
#include "base/words.h"
#include "bpf/programs.h"
#include "host/smc.h"
#include "smc_dump/payload/conversation.h"
#include "smc_dump/request.h"
#include "version.h"

/* ms that a piece may wait in the ring */
#define WAIT_MS 50
#define WRITE_AT 65536
/* Follow clock steps larger than this, in ns; smaller differences are read latency. */
#define CLOCK_STEP 1000000 /* ns */
#define CLOCK_TRIES 10

/**
 * struct payload_capture
 * @state: of the eBPF program: counters and verdicts
 * @clock: offset from CLOCK_MONOTONIC, as in records, to the time of day
 * @end: time it was stopped, nanoseconds since 1970; 0 while it runs
 */
struct payload_capture {
	const struct request *request;
	struct output output;
	struct bpf_programs *programs;
	struct smcdata_state *state;
	struct conversations *all;
	struct out_text text;
	struct smc_err *err;
	uint64_t messages;
	int64_t clock, end;
};

/* ---- events ---- */

static int write_out(struct payload_capture *capture)
{
	int ret;

	if (!capture->request->write)
		return out_print(&capture->text, capture->err);
	ret = out_flush(&capture->text, capture->output.fd);
	return ret ? smc_err_set(capture->err, -ret, "cannot write packets") : 0;
}

static int on_payload(void *arg, const struct payload *payload)
{
	struct payload_capture *capture = arg;
	int ret;

	if (capture->request->write)
		pcapng_payload(&capture->text, payload);
	else
		print_payload(&capture->text, &capture->request->show, payload);
	capture->messages += !payload->is_end;
	ret = capture->text.len >= WRITE_AT ? write_out(capture) : 0;
	if (ret)
		return ret;
	return capture->messages == capture->request->count ? BPF_ENOUGH : 0;
}

static int on_record(void *arg, void *data, size_t len)
{
	const struct smcdata_record *record = data;
	struct payload_capture *capture = arg;
	int64_t at;

	if (len < sizeof(*record) || record->len > len - sizeof(*record) ||
	    record->len > record->full)
		return -EBADMSG;
	at = (int64_t)record->at + capture->clock;
	/* Records may never stop coming: drop those after the signal. */
	if (guard_is_stopped() && !capture->end)
		capture->end = clock_ns(CLOCK_REALTIME);
	if (capture->end && at > capture->end)
		return BPF_ENOUGH;
	return conversations_record(capture->all, record, (const uint8_t *)(record + 1), at);
}

static void set_clock(struct payload_capture *capture)
{
	int64_t before, clock, took;
	int tries = CLOCK_TRIES;

	do {
		before = clock_ns(CLOCK_MONOTONIC);
		clock = clock_ns(CLOCK_REALTIME) - before;
		took = clock_ns(CLOCK_MONOTONIC) - before;
	} while (took > CLOCK_STEP / 2 && --tries);
	if (llabs(clock - capture->clock) > CLOCK_STEP + took)
		capture->clock = clock;
}

static int repeat(struct payload_capture *capture)
{
	struct pollfd ring = { .fd = bpf_programs_fd(capture->programs), .events = POLLIN };
	bool is_last;
	int ret;

	/* Print the events before the signal as well. */
	do {
		is_last = guard_is_stopped();
		poll(&ring, 1, is_last ? 0 : WAIT_MS);
		set_clock(capture);
		ret = bpf_programs_read(capture->programs, capture->err) ?: write_out(capture);
	} while (!ret && !is_last);
	return ret > 0 ? write_out(capture) : ret;
}

static void say_result(const struct payload_capture *capture)
{
	const struct smcdata_state *state = capture->state;
	uint64_t conversations = conversations_count(capture->all);

	cli_note(&dump_tool, "%" PRIu64 " message%s of %" PRIu64 " connection%s", capture->messages,
		 plural_s(capture->messages), conversations, plural_s(conversations));
	if (state->lost)
		cli_note(&dump_tool, "too fast: lost %llu message%s with %llu byte%s", state->lost,
			 plural_s(state->lost), state->lost_bytes, plural_s(state->lost_bytes));
	if (state->unread)
		cli_note(&dump_tool, "%llu byte%s could not be read: the length is shown",
			 state->unread, plural_s(state->unread));
}

static int tell_all(struct payload_capture *capture)
{
	bool is_file = capture->request->write;
	int ret = output_empty(&capture->output, capture->err);

	if (is_file)
		pcapng_head(&capture->text, SMC_TOOLS_VERSION);
	if (!ret)
		ret = write_out(capture);
	if (!ret)
		ret = repeat(capture);
	if (is_file)
		pcapng_tail(&capture->text, clock_ns(CLOCK_REALTIME), capture->messages,
			    capture->state->lost);
	if (!ret)
		ret = write_out(capture);
	if (!ret)
		say_result(capture);
	return ret;
}

/* ---- beginning ---- */

/* Needs CAP_BPF and CAP_PERFMON until it is open. */
static int start_program(struct payload_capture *capture)
{
	/* The object file. */
	static const _Alignas(8) unsigned char elf[] = {
#include "bpf/smcdata.bytes.h"
	};
	struct smcdata_state *state AUTO_FREE = xcalloc(1, sizeof(*state));
	const struct bpf_watch watch = { .elf = elf,
					 .len = sizeof(elf),
					 .state = SMCDATA_STATE,
					 .value = state,
					 .module = "smc",
					 .ring = SMCDATA_RECORDS,
					 .fn = on_record,
					 .arg = capture };
	int snaplen = capture->request->snaplen, map;

	/* The maximum means all, however much SMC copies at once. */
	state->snaplen = snaplen < CAPTURE_SNAPLEN ? (uint32_t)snaplen : UINT32_MAX;
	map = bpf_programs_start(&capture->programs, &watch, capture->err);
	if (map < 0)
		return map;
	capture->state = mmap(NULL, sizeof(*state), PROT_READ | PROT_WRITE, MAP_SHARED, map, 0);
	return capture->state == MAP_FAILED ?
		       smc_err_set(capture->err, errno,
				   "cannot read the counters of the eBPF programs") :
		       0;
}

/* A number is a process id. */
static struct wish wish_of(const struct request *request)
{
	struct wish wish = { .filter = &request->sockets, .comm = request->process };
	char *end = NULL;
	unsigned long pid = wish.comm ? strtoul(wish.comm, &end, 10) : 0;

	if (pid && !*end && pid <= INT32_MAX) {
		wish.comm = NULL;
		wish.pid = (pid_t)pid;
	}
	return wish;
}

static int open_all(struct payload_capture *capture)
{
	const struct request *request = capture->request;
	const struct wish wish = wish_of(request);
	int ret;

	/* The program looks for SMC in the kernel. */
	if (host_af_smc() == -EAFNOSUPPORT)
		return smc_err_say(capture->err, ENOENT, "%s", smc_missing());
	ret = start_program(capture);
	if (ret)
		return ret;
	capture->all = conversations_new(&wish, capture->state->unwanted, on_payload, capture);
	return request->write ? output_open(&capture->output, request->write, -1, capture->err) : 0;
}

int payload_run(const struct request *request, struct smc_err *err)
{
	struct payload_capture capture = { .request = request, .err = err, .output.fd = -1 };
	int ret = open_all(&capture) ?: guard_give_up_rights(err);

	if (!ret) {
		guard_catch_signals(NULL);
		cli_note(&dump_tool, "capturing SMC payload, until Ctrl-C");
		ret = tell_all(&capture);
	}
	if (capture.output.fd >= 0)
		close(capture.output.fd);
	bpf_programs_close(capture.programs);
	conversations_free(capture.all);
	out_free(&capture.text);
	return ret;
}
