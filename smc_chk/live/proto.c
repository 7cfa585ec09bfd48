// SPDX-License-Identifier: MIT
#include "smc_chk/live/proto.h"

#include <endian.h>

#define VERSION 1
#define WHO_HAS_REASON 1
#define STATE_AT 9 /* offset in the greeting */
#define STATE_BUSY 1

static const uint8_t greeting[PROTO_SIZE] = "SMC_CHK\n\001";
static const uint8_t request_magic[PROTO_MAGIC_SIZE] = { 'S', 'M', 'C', '?' };
static const uint8_t who_magic[PROTO_MAGIC_SIZE] = { 'S', 'M', 'C', '!' };

/* Wire formats; naturally aligned, so without padding. */
struct wire_request {
	uint8_t magic[PROTO_MAGIC_SIZE], version, command, reserved[2];
	uint64_t length;
};

struct wire_who {
	uint8_t magic[PROTO_MAGIC_SIZE], version, mode, flags, reserved;
	uint32_t reason, peer_diagnosis;
};

_Static_assert(sizeof(struct wire_request) == PROTO_SIZE, "request");
_Static_assert(sizeof(struct wire_who) == PROTO_SIZE, "answer");

void proto_put_greeting(uint8_t out[PROTO_SIZE], bool is_busy)
{
	memcpy(out, greeting, PROTO_SIZE);
	out[STATE_AT] = is_busy ? STATE_BUSY : 0;
}

/* True if @in, as far as it goes, matches the magic. */
static bool begins(const uint8_t *in, size_t len, const uint8_t *magic, size_t size)
{
	return !memcmp(in, magic, len < size ? len : size);
}

bool proto_is_greeting(const uint8_t *in, size_t len)
{
	/* Reserved bytes may get a meaning: do not compare them. */
	return begins(in, len, greeting, strlen((const char *)greeting));
}

bool proto_is_busy(const uint8_t in[PROTO_SIZE])
{
	return proto_is_greeting(in, PROTO_SIZE) && in[STATE_AT] == STATE_BUSY;
}

void proto_put_request(uint8_t out[PROTO_SIZE], const struct proto_request *request)
{
	struct wire_request wire = { .version = VERSION, .command = request->command };

	memcpy(wire.magic, request_magic, PROTO_MAGIC_SIZE);
	wire.length = htobe64(request->length);
	memcpy(out, &wire, PROTO_SIZE);
}

bool proto_is_request(const uint8_t *in, size_t len)
{
	return begins(in, len, request_magic, PROTO_MAGIC_SIZE);
}

bool proto_get_request(struct proto_request *request, const uint8_t in[PROTO_SIZE])
{
	struct wire_request wire;

	memcpy(&wire, in, PROTO_SIZE);
	request->command = wire.command;
	request->length = be64toh(wire.length);
	if (memcmp(wire.magic, request_magic, PROTO_MAGIC_SIZE) || wire.version != VERSION)
		return false;
	switch (request->command) {
	case PROTO_ECHO:
	case PROTO_SINK: return request->length <= PROTO_MAX_LENGTH;
	case PROTO_WHO: return request->length == 0;
	default: return false;
	}
}

void proto_put_who(uint8_t out[PROTO_SIZE], const struct proto_who *who)
{
	struct wire_who wire = { .version = VERSION, .mode = (uint8_t)who->mode };

	memcpy(wire.magic, who_magic, PROTO_MAGIC_SIZE);
	if (who->has_reason) {
		wire.flags = WHO_HAS_REASON;
		wire.reason = htobe32(who->reason);
		wire.peer_diagnosis = htobe32(who->peer_diagnosis);
	}
	memcpy(out, &wire, PROTO_SIZE);
}

bool proto_get_who(struct proto_who *who, const uint8_t in[PROTO_SIZE])
{
	struct wire_who wire;

	memcpy(&wire, in, PROTO_SIZE);
	if (memcmp(wire.magic, who_magic, PROTO_MAGIC_SIZE) || wire.version != VERSION ||
	    wire.mode > SMC_MODE_TCP)
		return false;
	*who = (struct proto_who){
		.mode = (enum smc_mode)wire.mode,
		.has_reason = wire.flags & WHO_HAS_REASON,
		.reason = be32toh(wire.reason),
		.peer_diagnosis = be32toh(wire.peer_diagnosis),
	};
	return true;
}

/* xorshift64: a shifted, repeated or missing piece does not match. */
void proto_fill(uint8_t *out, size_t len, uint64_t seed)
{
	uint64_t x = seed * 0x9e3779b97f4a7c15 + 1;

	for (size_t i = 0; i < len; i += sizeof(x)) {
		x ^= x << 13;
		x ^= x >> 7;
		x ^= x << 17;
		memcpy(out + i, &x, len - i < sizeof(x) ? len - i : sizeof(x));
	}
}
