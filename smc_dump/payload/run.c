// SPDX-License-Identifier: MIT
/* The payload of SMC connections: captured by eBPF, shown or written. */
#include "smc_dump/payload/run.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <unistd.h>

#include "base/clock.h"
#include "host/smc.h"
#include "netlink/diag.h"
#include "smc_dump/capture.h"
#include "smc_dump/guard.h"
#include "smc_dump/output.h"
#include "smc_dump/payload/print.h"
#include "smc_dump/payload/pcapng.h"
#include "smc_dump/payload/tap.h"
#include "version.h"

/* How long a piece may wait to be told. */
#define WAIT_MS 50
#define WRITE_AT 65536
/* What a sink returns when enough was told. */
#define ENOUGH 1

/**
 * struct payload_capture - @fd: where packets go, -1: standard output gets text
 * @end: when it was stopped, nanoseconds since 1970; 0: it was not
 */
struct payload_capture {
	const struct request *request;
	struct print print;
	struct output output;
	struct tap *tap;
	struct conversations *all;
	struct out_text text;
	struct smc_err *err;
	uint64_t told;
	int64_t end;
	int fd;
};

/* ---- what comes ---- */

static int write_out(struct payload_capture *capture)
{
	int ret;

	if (capture->fd < 0)
		return out_print(&capture->text, capture->err);
	ret = out_flush(&capture->text, capture->fd);
	return ret ? smc_err_set(capture->err, -ret, "cannot write packets") : 0;
}

static int on_payload(void *arg, const struct payload *payload)
{
	struct payload_capture *capture = arg;
	int ret;

	if (capture->fd >= 0)
		pcapng_payload(&capture->text, payload);
	else
		print_payload(&capture->text, &capture->print, payload);
	capture->told += !payload->is_end;
	ret = capture->text.len >= WRITE_AT ? write_out(capture) : 0;
	if (ret)
		return ret;
	return capture->told == capture->request->count ? ENOUGH : 0;
}

static int on_record(void *arg, const struct smcdata_record *record, const uint8_t *data,
		     int64_t at)
{
	struct payload_capture *capture = arg;

	/* While it is read more comes, maybe for good. */
	if (guard_is_stopped() && !capture->end)
		capture->end = clock_ns(CLOCK_REALTIME);
	if (capture->end && at > capture->end)
		return ENOUGH;
	return conversations_record(capture->all, record, data, at);
}

static int repeat(struct payload_capture *capture)
{
	bool is_last;
	int ret;

	/* What came before the signal is told, too. */
	do {
		is_last = guard_is_stopped();
		ret = tap_read(capture->tap, is_last ? 0 : WAIT_MS, capture->err);
		if (!ret)
			ret = write_out(capture);
	} while (!ret && !is_last);
	return ret == ENOUGH ? write_out(capture) : ret;
}

static int start_file(struct payload_capture *capture)
{
	capture->fd = output_take(&capture->output, capture->err);
	if (capture->fd < 0)
		return capture->fd;
	pcapng_head(&capture->text, SMC_TOOLS_VERSION);
	return write_out(capture);
}

static int end_file(struct payload_capture *capture)
{
	pcapng_tail(&capture->text, clock_ns(CLOCK_REALTIME), capture->told,
		    tap_state(capture->tap)->lost);
	return write_out(capture);
}

static void say_result(const struct payload_capture *capture)
{
	const struct smcdata_state *state = tap_state(capture->tap);

	cli_note(&dump_tool, "%" PRIu64 " messages of %" PRIu64 " connections", capture->told,
		 conversations_count(capture->all));
	if (state->lost)
		cli_note(&dump_tool, "%llu messages, with %llu bytes, came too fast and are lost",
			 state->lost, state->lost_bytes);
	if (state->unread)
		cli_note(&dump_tool, "%llu bytes could not be read: their length is shown",
			 state->unread);
}

static int tell_all(struct payload_capture *capture)
{
	bool is_file = capture->request->write;
	int ret = is_file ? start_file(capture) : 0;

	if (!ret)
		ret = repeat(capture);
	if (!ret && is_file)
		ret = end_file(capture);
	if (!ret)
		say_result(capture);
	return ret;
}

/* ---- beginning and end ---- */

static int on_socket(const struct nlmsghdr *nlh, void *arg)
{
	struct payload_capture *capture = arg;
	struct smc_sock sock;

	if (!smc_sock_decode(&sock, nlh))
		conversations_known(capture->all, &sock);
	return 0;
}

/*
 * Of connections that are there the list says the mode, if it can be had. That of those that come
 * or go while it is made is of no interest.
 */
static void read_list(struct payload_capture *capture)
{
	const struct smc_abi_diag_req req = smc_sock_request(0);
	struct smc_err ignored;

	smc_diag_dump(&req, sizeof(req), sizeof(struct smc_abi_diag_msg), on_socket, capture,
		      &ignored);
}

/* A number is that of a process. */
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
	uint32_t snaplen;
	int ret;

	/* The program looks for SMC in the kernel. */
	if (host_af_smc() == -EAFNOSUPPORT)
		return smc_err_say(capture->err, ENOENT, SMC_MISSING);
	/* The most that can be asked for is all, however much SMC copies at once. */
	snaplen = request->snaplen < CAPTURE_SNAPLEN ? (uint32_t)request->snaplen : UINT32_MAX;
	ret = tap_open(&capture->tap, snaplen, on_record, capture, capture->err);
	if (ret)
		return ret;
	capture->all =
		conversations_new(&wish, tap_state(capture->tap)->unwanted, on_payload, capture);
	read_list(capture);
	return request->write ? output_open(&capture->output, request->write, -1, capture->err) : 0;
}

int payload_run(const struct request *request, struct smc_err *err)
{
	struct payload_capture capture = {
		.request = request,
		.err = err,
		.fd = -1,
		.output = { .fd = -1 },
		.print = { request->show.is_json, request->show.is_hex, request->is_text },
	};
	int ret = open_all(&capture);

	if (!ret)
		ret = guard_give_up_rights(err);
	if (!ret) {
		guard_catch_signals(NULL);
		cli_note(&dump_tool, "capturing SMC payload, until Ctrl-C");
		ret = tell_all(&capture);
	}
	output_close(&capture.output);
	if (capture.fd >= 0)
		close(capture.fd);
	tap_close(capture.tap);
	conversations_free(capture.all);
	out_free(&capture.text);
	return ret;
}
