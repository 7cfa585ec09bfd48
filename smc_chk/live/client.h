/* SPDX-License-Identifier: MIT */
/* Test one connection: for connect and -l. */
#pragma once

#include "base/err.h"
#include "smc/gen.h"
#include "smc_chk/live/endpoint.h"
#include "smc_chk/live/proto.h"
#include "smc_chk/smc_chk.h"

/* Results of measure_rates(); for a foreign server, all but those of connecting are 0. */
struct client_rates {
	double connects_per_second, connect_ns; /* median */
	double bytes_per_second, round_trip_ns; /* median */
};

/**
 * struct client_result - result of a test
 * @status: CHK_OK, CHK_TCP, CHK_UNTESTED; CHK_ERROR with a message in @err
 * @err: the reason for CHK_UNTESTED
 * @mode: SMC_MODE_NONE: SMC, but unknown whether -R or -D
 * @has_sock: sock_diag listed our socket; @has_lgr: its link group was found
 * @is_ours: the server speaks our protocol; @bytes and @rtt_* are only valid then
 * @has_who: the server reported its view of the connection
 * @bytes: of test data, in each direction; @has_rates: @smc and @tcp are valid
 */
struct client_result {
	int status;
	struct smc_err err;
	union endpoint_addr peer, local;
	bool has_sock, has_lgr, is_ours, has_who, has_rates;
	enum smc_mode mode;
	struct smc_sock sock;
	struct smc_lgr lgr;
	struct proto_who who;
	uint64_t handshake_ns, bytes;
	double rtt_min_ns, rtt_median_ns;
	struct client_rates smc, tcp;
};

#define REPORT_INDENT 15 /* column of text after the labels of report_text() */

/** report_text() - print as text, verdict first. @width: chk_request's */
void report_text(struct out_text *text, const struct client_result *result, size_t width);

/** report_json() - add the results to an object. Return: @json */
json_t *report_json(json_t *json, const struct client_result *result);

/** client_test() - connect and test, as in @req. Return: @result->status */
int client_test(struct client_result *result, const struct chk_request *req, const char *host,
		uint16_t port);

/* ---- requests, what comes back, and how fast ---- */

#define EXCHANGE_ROUND_TRIPS 20

/* Functions that do not return 0 leave a message in @result. */

/** exchange_data() - send a request with test data, and check the answer. Return: 0, -errno */
int exchange_data(struct client_result *result, int fd, uint8_t command, size_t len,
		  const struct stream_limit *limit);

/** exchange_round_trips() - measure EXCHANGE_ROUND_TRIPS small messages. Return: 0, -1 */
int exchange_round_trips(struct client_result *result, int fd, const struct stream_limit *limit,
			 double *min_ns, double *median_ns);

/**
 * exchange_greeting() - wait @wait_ms for the server's greeting. Nothing is sent.
 *
 * Return: 0; -EBUSY with a message; -EPROTO: a foreign greeting, or too late.
 */
int exchange_greeting(struct client_result *result, int fd, int wait_ms);

/** measure_rates() - --tcp-too: compare @fd over SMC with plain TCP. Return: 0, -1 */
int measure_rates(struct client_result *result, int fd, const struct stream_limit *limit);
