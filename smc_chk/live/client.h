/* SPDX-License-Identifier: MIT */
/* One connection, tested: for -C and -l. */
#ifndef SMC_CHK_CLIENT_H
#define SMC_CHK_CLIENT_H

#include <stdbool.h>
#include <stdint.h>
#include <jansson.h>

#include "out/text.h"
#include "base/err.h"
#include "smc/lgr.h"
#include "smc_chk/live/endpoint.h"
#include "smc_chk/live/proto.h"
#include "smc_chk/smc_chk.h"

/* What client_measure() finds out; for a server that is not ours only about connecting. */
struct client_rates {
	double connects_per_second;
	uint64_t connect_ns; /* median */
	double bytes_per_second;
	uint64_t round_trip_ns; /* median */
};

/**
 * struct client_result - what became of a test
 * @status: CHK_OK, CHK_TCP, CHK_UNTESTED; CHK_ERROR has its sentence in @err
 * @err: also filled with CHK_UNTESTED: why
 * @peer, @local: valid when @is_connected
 * @mode: SMC_MODE_NONE: SMC, but nobody says whether -R or -D
 * @has_sock: did sock_diag tell about our socket?
 * @has_lgr: was its link group found?
 * @is_ours: the server speaks our protocol; only then @bytes and @rtt_* count
 * @has_who: it has told how the connection looks from there
 * @bytes: of test data, each way
 * @has_rates: @smc and @tcp are measured
 */
struct client_result {
	int status;
	struct smc_err err;
	union endpoint_addr peer, local;
	bool is_connected, has_sock, has_lgr, is_ours, has_who, has_rates;
	enum smc_mode mode;
	struct smc_sock sock;
	struct smc_lgr lgr;
	struct proto_who who;
	uint64_t handshake_ns, rtt_min_ns, rtt_median_ns;
	uint64_t bytes;
	struct client_rates smc, tcp;
};

/** client_test() - connect and test, as @req says. Return: @result->status */
int client_test(struct client_result *result, const struct chk_request *req, const char *host,
		uint16_t port);

/** report_text() - for people: the verdict first */
void report_text(struct out_text *text, const struct client_result *result);

/** report_json() - add what is known to an object. Return: 0, -1 without memory */
int report_json(json_t *json, const struct client_result *result);

/* The parts of client_test() that the rates are made of; a sentence is in result->err after -1. */

/** client_exchange() - send a request with @len bytes of test data and check what comes back */
int client_exchange(struct client_result *result, int fd, uint8_t command, size_t len,
		    int timeout_ms);

/** client_round_trips() - @count small exchanges. Return: 0, -1 */
int client_round_trips(struct client_result *result, int fd, int count, int timeout_ms,
		       uint64_t *min_ns, uint64_t *median_ns);

/** client_greeted() - does the server greet as ours does? Nothing is sent. */
bool client_greeted(int fd, int wait_ms);

/** client_measure() - compare SMC with plain TCP; @fd: connection that exists. Return: 0, -1 */
int client_measure(struct client_result *result, int fd, int timeout_ms);

#endif
