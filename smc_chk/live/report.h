/* SPDX-License-Identifier: MIT */
/* What became of the test of one connection, for people and as JSON. */
#pragma once

#include "base/err.h"
#include "out/table.h"
#include "smc/gen.h"
#include "smc_chk/live/endpoint.h"
#include "smc_chk/live/proto.h"

/* What measure_rates() finds out; for a server that is not ours only about connecting, else 0. */
struct client_rates {
	double connects_per_second, connect_ns; /* median */
	double bytes_per_second, round_trip_ns; /* median */
};

/**
 * struct client_result - what became of a test
 * @status: CHK_OK, CHK_TCP, CHK_UNTESTED; CHK_ERROR has its sentence in @err
 * @err: also filled with CHK_UNTESTED: why
 * @mode: SMC_MODE_NONE: SMC, but nobody says whether -R or -D
 * @has_sock: did sock_diag tell about our socket?
 * @has_lgr: was its link group found?
 * @is_ours: the server speaks our protocol; only then @bytes and @rtt_* count
 * @has_who: it has told how the connection looks from there
 * @offers: PROTO_OFFER_* of the server's last greeting
 * @bytes: of test data, each way
 * @has_rates: @smc and @tcp are measured
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
	uint8_t offers;
	uint64_t handshake_ns, bytes;
	double rtt_min_ns, rtt_median_ns;
	struct client_rates smc, tcp;
};

/** report_text() - for people: the verdict first */
void report_text(struct out_text *text, const struct client_result *result);

/** report_json() - add what is known to an object. Return: @json */
json_t *report_json(json_t *json, const struct client_result *result);
