// SPDX-License-Identifier: MIT
/* Captures the payload of SMC connections. */
#include "smc_dump/payload/run.h"

#include <errno.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

#include "host/smc.h"
#include "netlink/diag.h"
#include "smc_dump/payload/pcapng.h"
#include "smc_dump/payload/tap.h"
#include "version.h"

/* How long a piece may wait to be told. */
#define WAIT_MS 50
#define WRITE_AT 65536
/* What a sink returns when enough was told. */
#define ENOUGH 1

/** struct payload_capture - @fd: where packets go, -1: standard output gets text */
struct payload_capture {
	const struct payload_request *request;
	struct tap *tap;
	struct conversations *all;
	struct out_text text;
	struct smc_err *err;
	uint64_t told;
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
	const struct payload_request *request = capture->request;
	int ret;

	if (capture->fd >= 0)
		pcapng_payload(&capture->text, payload);
	else
		print_payload(&capture->text, &request->print, payload);
	capture->told += !payload->is_end;
	ret = capture->text.len >= WRITE_AT ? write_out(capture) : 0;
	if (ret)
		return ret;
	return request->count && capture->told == request->count ? ENOUGH : 0;
}

static int on_record(void *arg, const struct smcdata_record *record, const uint8_t *data,
		     int64_t at)
{
	struct payload_capture *capture = arg;
	int ret = conversations_record(capture->all, record, data, at);

	return ret == -ENOMEM ? smc_err_set(capture->err, ENOMEM, "cannot follow connections") :
				ret;
}

static int repeat(struct payload_capture *capture)
{
	bool is_last;
	int ret;

	/* What came before the signal is told, too. */
	do {
		is_last = *capture->request->stopped;
		ret = tap_read(capture->tap, is_last ? 0 : WAIT_MS, capture->err);
		if (!ret)
			ret = write_out(capture);
	} while (!ret && !is_last);
	return ret == ENOUGH ? write_out(capture) : ret;
}

static int64_t now(void)
{
	struct timespec time;

	clock_gettime(CLOCK_REALTIME, &time);
	return (int64_t)time.tv_sec * 1000000000 + time.tv_nsec;
}

int payload_run(struct payload_capture *capture, struct payload_result *result, struct smc_err *err)
{
	const struct smcdata_state *state = tap_state(capture->tap);
	int ret = 0;

	capture->err = err;
	if (capture->request->output->fd >= 0) {
		capture->fd = output_take(capture->request->output, err);
		if (capture->fd < 0)
			return capture->fd;
		pcapng_head(&capture->text, SMC_TOOLS_VERSION);
		ret = write_out(capture);
	}
	if (!ret)
		ret = repeat(capture);
	*result = (struct payload_result){
		.told = capture->told, .conversations = conversations_count(capture->all),
		.lost = state->lost, .lost_bytes = state->lost_bytes, .unread = state->unread,
	};
	if (!ret && capture->fd >= 0) {
		pcapng_tail(&capture->text, now(), capture->told, state->lost);
		ret = write_out(capture);
	}
	return ret;
}

/* ---- beginning and end ---- */

static int on_socket(const struct nlmsghdr *nlh, void *arg)
{
	struct payload_capture *capture = arg;
	struct smc_sock sock;

	return smc_sock_decode(&sock, nlh) ? 0 : conversations_known(capture->all, &sock);
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

int payload_open(struct payload_capture **result, const struct payload_request *request,
		 struct smc_err *err)
{
	struct payload_capture *capture;
	int ret;

	/* The program looks for SMC in the kernel. */
	if (host_af_smc() == -EAFNOSUPPORT)
		return smc_err_say(err, ENOENT, SMC_MISSING);
	capture = calloc(1, sizeof(*capture));
	if (!capture)
		return smc_err_set(err, ENOMEM, "cannot follow connections");
	capture->request = request;
	capture->fd = -1;
	ret = tap_open(&capture->tap, request->snaplen, on_record, capture, err);
	if (!ret) {
		capture->all = conversations_new(&request->wish,
						 tap_state(capture->tap)->unwanted, on_payload,
						 capture);
		if (!capture->all)
			ret = smc_err_set(err, ENOMEM, "cannot follow connections");
	}
	if (ret) {
		payload_close(capture);
		return ret;
	}
	read_list(capture);
	*result = capture;
	return 0;
}

void payload_close(struct payload_capture *capture)
{
	if (!capture)
		return;
	tap_close(capture->tap);
	conversations_free(capture->all);
	out_free(&capture->text);
	if (capture->fd >= 0)
		close(capture->fd);
	free(capture);
}
