/* SPDX-License-Identifier: MIT */
/*
 * Messages between "smc_chk serve" and "smc_chk connect". Pure: bytes <-> structs.
 *
 * All numbers in network order. The server speaks first, as soon as it has accepted:
 *
 *	greeting	8 bytes "SMC_CHK\n", version (1), state (0 ready, 1 busy), offers (1: it
 *			knows BUFFERS, 2: with length 0, too), 5 bytes reserved (0)
 *
 * That is how the client knows a server of ours: until then it sends nothing. A busy server ends
 * the connection then. Otherwise requests and answers take turns, as often as the client likes:
 *
 *	request		4 bytes "SMC?", version (1), command, 2 bytes reserved (0), 8 bytes length
 *	ECHO		length bytes follow; they come back as they are
 *	SINK		length bytes follow; when all have come, the request comes back
 *	WHO		length 0; how the connection looks from the server's side comes back:
 *	BUFFERS		listen at another port, whose connections get buffers of length bytes,
 *			which do not follow; 0: whose connections are plain TCP. The request comes
 *			back, its length the port, 0 if that was refused. The port is closed by
 *			the next such request, and at the end of this connection. Only if it was
 *			offered
 *	answer		4 bytes "SMC!", version (1), mode (0 unknown, 1 SMC-R, 2 SMC-D, 3 TCP),
 *			flags (1: the next two are known), reserved (0), 4 bytes reason,
 *			4 bytes diagnosis of the peer
 *
 * A client that begins with anything else gets every byte back, and so does one that says nothing.
 * What begins like a request, but is not a valid one, ends the connection.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "smc/sock.h"

#define PROTO_SIZE 16		    /* of every message */
#define PROTO_MAX_LENGTH (1 << 30)  /* of what follows a request */
#define PROTO_MAX_BUFFERS (4 << 20) /* what a client may ask for */
#define PROTO_MAGIC_SIZE 4

enum {
	PROTO_ECHO = 1,
	PROTO_SINK,
	PROTO_WHO,
	PROTO_BUFFERS,
};

struct proto_request {
	uint8_t command;
	uint64_t length;
};

/**
 * struct proto_who - one side of a connection
 * @mode: SMC_MODE_NONE if unknown
 * @has_reason: are the next two known?
 */
struct proto_who {
	enum smc_mode mode;
	bool has_reason;
	uint32_t reason, peer_diagnosis;
};

/** proto_put_greeting() - @is_busy: the server takes no requests on this connection */
void proto_put_greeting(uint8_t out[PROTO_SIZE], bool is_busy);

/* Bits of an offer: PROTO_BUFFERS, and also with length 0. */
enum {
	PROTO_OFFER_BUFFERS = 1,
	PROTO_OFFER_TCP = 2,
};

/** proto_offer() - into a greeting: all that this server knows */
void proto_offer(uint8_t greeting[PROTO_SIZE]);

/** proto_offers() - PROTO_OFFER_* of a greeting */
uint8_t proto_offers(const uint8_t greeting[PROTO_SIZE]);

/** proto_is_greeting() - could these be its first bytes? With PROTO_SIZE: are they? */
bool proto_is_greeting(const uint8_t *in, size_t len);

/** proto_is_busy() - is this greeting that of a busy server? */
bool proto_is_busy(const uint8_t in[PROTO_SIZE]);

void proto_put_request(uint8_t out[PROTO_SIZE], const struct proto_request *request);

/** proto_is_request() - could these be the first bytes of a request, or be one? Magic only */
bool proto_is_request(const uint8_t *in, size_t len);

/** proto_get_request() - false: unknown version or command, or a length out of range */
bool proto_get_request(struct proto_request *request, const uint8_t in[PROTO_SIZE]);

void proto_put_who(uint8_t out[PROTO_SIZE], const struct proto_who *who);

/** proto_get_who() - false for anything else */
bool proto_get_who(struct proto_who *who, const uint8_t in[PROTO_SIZE]);

/** proto_fill() - test data that looks random; the same for the same seed */
void proto_fill(uint8_t *out, size_t len, uint64_t seed);
