// SPDX-License-Identifier: MIT
/* smc_chk/live/client: time limits for the server, and the message about a busy one. */
#include "said.h"

#include "../fuzz/fake_live.h"
#include "cli/screen.h"
#include "smc_chk/live/client.h"
#include "smc_chk/live/proto.h"

#define SECOND 1000000000ULL

static uint8_t greeting[PROTO_SIZE];

static struct client_result run_client(void)
{
	const struct chk_request req = { .timeout_ms = 2000 };
	struct client_result result;
	int status = client_test(&result, &req, "127.0.0.1", 1);

	assert_int_equal(status, result.status);
	return result;
}

static struct client_result test(bool is_busy, uint64_t gap_ns,
				 int (*answer)(const uint8_t *, size_t, uint8_t *, size_t))
{
	proto_put_greeting(greeting, is_busy);
	fake = (struct fake_live){ .in = greeting,
				   .in_len = PROTO_SIZE,
				   .chunk = PROTO_SIZE,
				   .gap_ns = gap_ns,
				   .is_tcp = true,
				   .max_connects = 1,
				   .answer = answer };
	return run_client();
}

/* Answer as smc_chk serve does, except for WHO. */
static int be_honest(const uint8_t *out, size_t out_len, uint8_t *in, size_t in_len)
{
	memset(in, 0, in_len);
	memcpy(in, out + PROTO_SIZE, out_len - PROTO_SIZE);
	return 0;
}

TEST(works)
{
	struct client_result result = test(false, SECOND / 100, be_honest);

	assert_int_equal(result.status, CHK_TCP);
	assert_true(result.is_ours && result.bytes > 300000);
}

TEST(is_busy)
{
	struct client_result result = test(true, SECOND / 100, be_honest);

	assert_int_equal(result.status, CHK_ERROR);
	assert_int_equal(result.err.code, EBUSY);
	assert_non_null(strstr(result.err.text, "the server is busy"));
	assert_true(fake.is_aborted);
}

/* A server that does not greet has declined SMC, or is another program. Over TCP none declines. */
TEST(declines)
{
	static const struct {
		bool is_tcp, has_declined;
		int status;
		const char *text;
	} rows[] = {
		{ false, true, CHK_ERROR, "the server has declined SMC after all" },
		{ false, false, CHK_OK, "" },
		{ true, true, CHK_TCP, "" },
	};

	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		struct client_result result;

		fake = (struct fake_live){ .is_tcp = rows[i].is_tcp,
					   .has_declined = rows[i].has_declined,
					   .max_connects = 1 };
		result = run_client();
		assert_int_equal(result.status, rows[i].status);
		assert_true(strlen(rows[i].text) ? !!strstr(result.err.text, rows[i].text) :
						   !*result.err.text);
		assert_int_equal(fake.is_aborted, rows[i].status == CHK_ERROR);
	}
}

static int drip(const uint8_t *out, size_t out_len, uint8_t *in, size_t in_len)
{
	/* Thirty steps; test_stream.c tests the limit. */
	assert_int_equal(fake.limit.step_ms, 2000);
	assert_true(fake.limit.end >= 60 * SECOND && fake.limit.end <= 62 * SECOND);
	return -ETIME;
}

TEST(drips)
{
	struct client_result result = test(false, SECOND / 100, drip);

	assert_int_equal(result.status, CHK_ERROR);
	assert_string_equal(result.err.text, "the test takes too long: the server still sends, "
					     "but too slowly");
}

TEST(ratios)
{
	const struct client_result result = {
		.status = CHK_OK,
		.mode = SMC_MODE_SMCD,
		.is_ours = true,
		.has_rates = true,
		.smc = { 100, 2e6, 4e9, 5000 },
		.tcp = { 100, 1e6, 1e9, 10000 },
	};
	struct out_text text = { 0 };

	setenv("NO_COLOR", "1", 1);
	report_text(&text, &result, 0);
	out_char(&text, '\0');
	assert_non_null(strstr(
		text.data, "  measured            SMC-D    plain TCP\n"
			   "  connecting          2.000        1.000 ms    0.50 x TCP (slower)\n"
			   "  connections       100.000      100.000 1/s   1.00 x TCP\n"
			   "  round trip          0.005        0.010 ms    2.00 x TCP (faster)\n"
			   "  throughput       4000.000     1000.000 MB/s  4.00 x TCP (faster)\n"));
	out_reset(&text);
	setenv("LC_ALL", "C.UTF-8", 1);
	report_text(&text, &result, 80);
	assert_non_null(strstr(said(&text), " 1/s   1.00 \u00d7 TCP\n"));
}
