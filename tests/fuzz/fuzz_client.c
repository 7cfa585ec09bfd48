// SPDX-License-Identifier: MIT
/*
 * The client of the live test with an arbitrary server. The first bytes describe the connection,
 * the next sixteen are the greeting, the rest selects the answers to requests.
 */
#include "fuzz.h"

#include <errno.h>

#include "fake_live.h"
#include "cli/screen.h"
#include "smc_chk/live/client.h"
#include "smc_chk/live/proto.h"

#define TIMEOUT_MS 10000

/* Kinds of answers: a byte each, whose upper bits are a repeat count. */
enum { HONEST, RAW = 4, FLIPPED, SILENT, SLOW };

static struct {
	const uint8_t *data;
	size_t left;
	uint8_t action;
	unsigned int times;
} script;

/* Read from the script. Return: false at its end. */
static bool take(void *out, size_t len)
{
	if (script.left < len)
		return false;
	memcpy(out, script.data, len);
	script.data += len;
	script.left -= len;
	return true;
}

/* As smc_chk serve, except for its answer to WHO, which is from the script. */
static bool be_honest(const uint8_t *out, uint8_t *in, size_t in_len)
{
	struct proto_request request;

	MUST(proto_get_request(&request, out));
	if (request.command == PROTO_WHO)
		return take(in, in_len);
	memcpy(in, out + (request.command == PROTO_ECHO ? PROTO_SIZE : 0), in_len);
	return true;
}

static int answer(const uint8_t *out, size_t out_len, uint8_t *in, size_t in_len)
{
	uint8_t at[2];

	MUST(out_len >= PROTO_SIZE);
	if (!script.times) {
		if (!take(&script.action, 1))
			return -ECONNRESET;
		script.times = 1 + (script.action >> 3);
	}
	script.times--;
	switch (script.action & 7) {
	case RAW: return take(in, in_len) ? 0 : -ECONNRESET;
	case SILENT: return -ETIMEDOUT;
	case SLOW: return -ETIME;
	case FLIPPED:
		if (!be_honest(out, in, in_len) || !take(at, sizeof(at)))
			return -ECONNRESET;
		in[((size_t)at[0] << 8 | at[1]) % in_len] ^= 0x20;
		return 0;
	default: return be_honest(out, in, in_len) ? 0 : -ECONNRESET;
	}
}

static void is_printable(const char *text, size_t len, bool has_lines)
{
	for (size_t i = 0; i < len; i++)
		MUST((text[i] >= ' ' && text[i] != 0x7f) || (has_lines && text[i] == '\n'));
}

static void report(const struct client_result *result)
{
	struct out_text text = { 0 };
	json_t *json;

	setenv("NO_COLOR", "1", 1);
	report_text(&text, result, 0);
	MUST(text.len);
	is_printable(text.data, text.len, true);
	out_free(&text);
	json = report_json(json_object(), result);
	MUST(json);
	json_decref(json);
}

static void check(const struct client_result *result, int status)
{
	MUST(status == result->status);
	if (status == CHK_ERROR) {
		MUST(result->err.text[0]);
		is_printable(result->err.text, strlen(result->err.text), false);
		return;
	}
	/* Results must be backed by data. */
	MUST(result->is_ours == !!result->bytes);
	MUST(!result->has_who || result->is_ours);
	report(result);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct chk_request req = { .timeout_ms = TIMEOUT_MS };
	struct client_result result;
	uint8_t how[2];
	int status;

	script.data = data;
	script.left = size;
	script.times = 0;
	if (!take(how, sizeof(how)))
		return 0;
	req.is_tcp_too = how[0] & 1;
	fake = (struct fake_live){
		.in = script.data,
		.in_len = script.left < PROTO_SIZE ? script.left : PROTO_SIZE,
		.chunk = 1 + how[0] % 17,
		.gap_ns = (uint64_t)(1 + how[1]) * (how[0] & 2 ? 20000000 : 100000000),
		.is_open = how[0] & 4,
		.is_tcp = how[0] & 8,
		.why_not = how[0] & 16 ? "a reason" : NULL,
		.answer = answer,
		.max_connects = 600,
	};
	script.data += fake.in_len;
	script.left -= fake.in_len;
	status = client_test(&result, &req, "127.0.0.1", 1);
	check(&result, status);
	return 0;
}
