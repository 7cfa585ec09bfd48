// SPDX-License-Identifier: MIT
/* lib/smc/reason: the table of decline reasons against the kernel's list. */
#include "test.h"

#include <ctype.h>

#include "smc/reason.h"

/* net/smc/smc_clc.h of Linux 6.1 to 7.2, without SMC_CLC_DECL_ */
static const struct {
	uint32_t code;
	const char *symbol;
} kernel[] = {
	{ 0x01010000, "MEM" },
	{ 0x02010000, "TIMEOUT_CL" },
	{ 0x02020000, "TIMEOUT_AL" },
	{ 0x03000000, "CNFERR" },
	{ 0x03010000, "PEERNOSMC" },
	{ 0x03020000, "IPSEC" },
	{ 0x03030000, "NOSMCDEV" },
	{ 0x03030001, "NOSMCDDEV" },
	{ 0x03030002, "NOSMCRDEV" },
	{ 0x03030003, "NOISM2SUPP" },
	{ 0x03030004, "NOV2EXT" },
	{ 0x03030005, "NOV2DEXT" },
	{ 0x03030006, "NOSEID" },
	{ 0x03030007, "NOSMCD2DEV" },
	{ 0x03030008, "NOUEID" },
	{ 0x03030009, "RELEASEERR" },
	{ 0x0303000a, "MAXCONNERR" },
	{ 0x0303000b, "MAXLINKERR" },
	{ 0x03040000, "MODEUNSUPP" },
	{ 0x03050000, "RMBE_EC" },
	{ 0x03060000, "OPTUNSUPP" },
	{ 0x03070000, "DIFFPREFIX" },
	{ 0x03080000, "GETVLANERR" },
	{ 0x03090000, "ISMVLANERR" },
	{ 0x030a0000, "NOACTLINK" },
	{ 0x030b0000, "NOSRVLINK" },
	{ 0x030c0000, "VERSMISMAT" },
	{ 0x030d0000, "MAX_DMB" },
	{ 0x030e0000, "NOROUTE" },
	{ 0x030f0000, "NOINDIRECT" },
	{ 0x04000000, "SYNCERR" },
	{ 0x05000000, "PEERDECL" },
	{ 0x09990000, "INTERR" },
	{ 0x09990001, "ERR_RTOK" },
	{ 0x09990002, "ERR_RDYLNK" },
	{ 0x09990003, "ERR_REGBUF" },
};

static void complete(void **state)
{
	(void)state;
	assert_int_equal(smc_reason_count, ARRAY_SIZE(kernel));
	for (size_t i = 0; i < ARRAY_SIZE(kernel); i++) {
		const struct smc_reason *reason = smc_reason_find(kernel[i].code);

		if (!reason)
			fail_msg("no entry for 0x%08x %s", kernel[i].code, kernel[i].symbol);
		assert_string_equal(reason->symbol, kernel[i].symbol);
	}
}

static void ordered(void **state)
{
	(void)state;
	for (size_t i = 1; i < smc_reason_count; i++) {
		assert_true(smc_reasons[i - 1].code < smc_reasons[i].code);
		for (size_t j = 0; j < i; j++) {
			assert_string_not_equal(smc_reasons[i].symbol, smc_reasons[j].symbol);
			assert_string_not_equal(smc_reasons[i].meaning, smc_reasons[j].meaning);
		}
	}
}

/* A clause goes into a sentence of the tool: no capital, no full stop, nothing at its ends. */
static void check_clause(const char *symbol, const char *text)
{
	size_t len;

	assert_non_null(text);
	len = strlen(text);
	if (len < 10 || isspace((unsigned char)text[0]) || isspace((unsigned char)text[len - 1]) ||
	    strchr(".:;,", text[len - 1]) ||
	    (isupper((unsigned char)text[0]) && islower((unsigned char)text[1])))
		fail_msg("%s: '%s'", symbol, text);
	for (; *text; text++)
		assert_true(isprint((unsigned char)*text));
}

static void worded(void **state)
{
	(void)state;
	for (size_t i = 0; i < smc_reason_count; i++) {
		assert_true(smc_reasons[i].stats_name && smc_reasons[i].stats_name[0]);
		check_clause(smc_reasons[i].symbol, smc_reasons[i].meaning);
		check_clause(smc_reasons[i].symbol, smc_reasons[i].check);
	}
}

static void unknown(void **state)
{
	static const uint32_t codes[] = { 0, 1, 0x03030000 - 1, 0x0303000c, 0x03100000, 0x05000001,
					  0x00000005, 0x09990004, 0x7fffffff, 0xffffffff };

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(codes); i++)
		assert_null(smc_reason_find(codes[i]));
	assert_string_equal(smc_reason_find(SMC_REASON_PEERDECL)->symbol, "PEERDECL");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(complete),
		cmocka_unit_test(ordered),
		cmocka_unit_test(worded),
		cmocka_unit_test(unknown),
	};

	return cmocka_run_group_tests_name("reason", tests, NULL, NULL);
}
