/* SPDX-License-Identifier: MIT */
/*
 * Messages between "smc_chk serve" and "smc_chk connect". Pure: bytes <-> structs.
 *
 * All numbers are in network order. The server speaks first, on accept:
 *
 *	greeting	8 bytes "SMC_CHK\n", version (1), state (0 ready, 1 busy), 6 bytes
 *			reserved (0)
 *
 * The client recognizes our server by the greeting, and sends nothing before it. A busy server
 * closes the connection then. Otherwise requests and answers alternate, any number of times:
 *
 *	request		4 bytes "SMC?", version (1), command, 2 bytes reserved (0), 8 bytes length
 *	ECHO		length bytes follow; they are sent back unchanged
 *	SINK		length bytes follow; after them the request is sent back
 *	WHO		length 0; the server's view of the connection is sent back, see answer
 *	answer		4 bytes "SMC!", version (1), mode (0 unknown, 1 SMC-R, 2 SMC-D, 3 TCP),
 *			flags (1: the next two are known), reserved (0), 4 bytes reason,
 *			4 bytes diagnosis of the peer
 *
 * A client that begins with anything else, or stays silent, gets every byte echoed. An invalid
 * request closes the connection.
 */
#pragma once

#include "smc/sock.h"

#define PROTO_SIZE 16		   /* of each message */
#define PROTO_MAX_LENGTH (1 << 30) /* of the data after a request */
#define PROTO_MAGIC_SIZE 4

enum { PROTO_ECHO = 1, PROTO_SINK, PROTO_WHO };

struct proto_request {
	uint8_t command;
	uint64_t length;
};

/**
 * struct proto_who - one side of a connection
 * @mode: SMC_MODE_NONE if unknown; @has_reason: the next two are valid
 */
struct proto_who {
	enum smc_mode mode;
	bool has_reason;
	uint32_t reason, peer_diagnosis;
};

/** proto_put_greeting() - @is_busy: no requests are accepted on this connection */
void proto_put_greeting(uint8_t out[PROTO_SIZE], bool is_busy);

/** proto_is_greeting() - true for a greeting, or fewer than PROTO_SIZE bytes that may become one */
bool proto_is_greeting(const uint8_t *in, size_t len);

/** proto_is_busy() - true if this greeting says that the server is busy */
bool proto_is_busy(const uint8_t in[PROTO_SIZE]);

void proto_put_request(uint8_t out[PROTO_SIZE], const struct proto_request *request);

/** proto_is_request() - true for a request, or its beginning. Only the magic is checked */
bool proto_is_request(const uint8_t *in, size_t len);

/** proto_get_request() - false: unknown version or command, or length out of range */
bool proto_get_request(struct proto_request *request, const uint8_t in[PROTO_SIZE]);

void proto_put_who(uint8_t out[PROTO_SIZE], const struct proto_who *who);

/** proto_get_who() - decode a WHO message. Return: false for any other message */
bool proto_get_who(struct proto_who *who, const uint8_t in[PROTO_SIZE]);

/** proto_fill() - pseudo-random test data; the same for the same seed */
void proto_fill(uint8_t *out, size_t len, uint64_t seed);
