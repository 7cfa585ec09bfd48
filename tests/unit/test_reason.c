// SPDX-License-Identifier: MIT
/* lib/smc/reason: the table of decline reasons against the kernel's list. */
#include "test.h"

#include <ctype.h>
#include <errno.h>
#include <stdio.h>

#include "smc/reason.h"
#include "smc/remedy.h"

/*
 * net/smc/smc_clc.h of Linux 6.1 to 7.2, without SMC_CLC_DECL_; where net/smc/af_smc.c and its like
 * raise it (C client, S server), and the kernel after 5.10 that was the first to have it.
 */
static const struct {
	uint32_t code;
	const char *symbol;
	const char *sides;
	const char *since;
} kernel[] = {
	{ 0x01010000, "MEM", "CS", NULL },
	{ 0x02010000, "TIMEOUT_CL", "CS", NULL },
	{ 0x02020000, "TIMEOUT_AL", "", NULL },
	{ 0x03000000, "CNFERR", "C", NULL },
	{ 0x03010000, "PEERNOSMC", "CS", NULL },
	{ 0x03020000, "IPSEC", "CS", NULL },
	{ 0x03030000, "NOSMCDEV", "CS", NULL },
	{ 0x03030001, "NOSMCDDEV", "S", NULL },
	{ 0x03030002, "NOSMCRDEV", "S", NULL },
	{ 0x03030003, "NOISM2SUPP", "S", "5.11" },
	{ 0x03030004, "NOV2EXT", "S", "5.11" },
	{ 0x03030005, "NOV2DEXT", "S", "5.11" },
	{ 0x03030006, "NOSEID", "", "5.11" },
	{ 0x03030007, "NOSMCD2DEV", "S", "5.11" },
	{ 0x03030008, "NOUEID", "S", "5.16" },
	{ 0x03030009, "RELEASEERR", "S", "6.6" },
	{ 0x0303000a, "MAXCONNERR", "CS", "6.6" },
	{ 0x0303000b, "MAXLINKERR", "CS", "6.6" },
	{ 0x03040000, "MODEUNSUPP", "C", NULL },
	{ 0x03050000, "RMBE_EC", "CS", NULL },
	{ 0x03060000, "OPTUNSUPP", "CS", NULL },
	{ 0x03070000, "DIFFPREFIX", "S", NULL },
	{ 0x03080000, "GETVLANERR", "S", NULL },
	{ 0x03090000, "ISMVLANERR", "CS", NULL },
	{ 0x030a0000, "NOACTLINK", "CS", NULL },
	{ 0x030b0000, "NOSRVLINK", "C", NULL },
	{ 0x030c0000, "VERSMISMAT", "", NULL },
	{ 0x030d0000, "MAX_DMB", "CS", NULL },
	{ 0x030e0000, "NOROUTE", "CS", "5.16" },
	{ 0x030f0000, "NOINDIRECT", "C", "5.16" },
	{ 0x04000000, "SYNCERR", "C", NULL },
	{ 0x05000000, "PEERDECL", "CS", NULL },
	{ 0x09990000, "INTERR", "CS", NULL },
	{ 0x09990001, "ERR_RTOK", "CS", NULL },
	{ 0x09990002, "ERR_RDYLNK", "CS", NULL },
	{ 0x09990003, "ERR_REGBUF", "CS", NULL },
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
		assert_int_equal(!!(reason->raised & SMC_RAISED_CLIENT), !!strchr(kernel[i].sides, 'C'));
		assert_int_equal(!!(reason->raised & SMC_RAISED_SERVER), !!strchr(kernel[i].sides, 'S'));
		assert_int_equal(!reason->since, !kernel[i].since);
		if (reason->since)
			assert_string_equal(reason->since, kernel[i].since);
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

/* Each reason of the kernel has something to type, in words of one line. */
static void remedies(void **state)
{
	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(kernel); i++) {
		const struct smc_remedy *first = smc_remedies(kernel[i].code), *at;

		if (!first->command)
			fail_msg("no remedy for 0x%08x %s", kernel[i].code, kernel[i].symbol);
		for (at = first; at->command; at++) {
			assert_non_null(at->purpose);
			assert_true(at->command[0] && at->purpose[0]);
			assert_null(strpbrk(at->command, "\n#"));
			assert_null(strpbrk(at->purpose, "\n#"));
			for (const struct smc_remedy *other = first; other < at; other++)
				assert_true(other->at != at->at ||
					    strcmp(other->command, at->command));
		}
	}
	assert_null(smc_remedies(0x12345678)->command);
}

static void check_seen(const char *text, uint32_t own, uint32_t peer)
{
	if ((own && !smc_reason_find(own)) || (peer && !smc_reason_find(peer)) ||
	    (own == SMC_REASON_PEERDECL) != !!peer)
		fail_msg("%s: 0x%08x/0x%08x", text, own, peer);
}

/* Only who was declined has a second number, and that is what the other side shows. */
static void situations(void **state)
{
	(void)state;
	for (size_t i = 0; i < smc_situation_count; i++) {
		const struct smc_situation *at = &smc_situations[i];

		check_clause("situation", at->text);
		check_seen(at->text, at->client, at->client_peer);
		check_seen(at->text, at->server, at->server_peer);
		assert_true(at->client || at->server);
		assert_true(!at->client_peer || at->client_peer == at->server);
		assert_true(!at->server_peer || at->server_peer == at->client);
		for (size_t k = 0; k < i; k++)
			assert_string_not_equal(at->text, smc_situations[k].text);
	}
}

static void parses(const char *word, uint32_t want)
{
	uint32_t code = 0xa5a5a5a5;
	int ret = smc_reason_parse(word, &code);

	if (ret || code != want)
		fail_msg("'%s': %d, 0x%08x, not 0x%08x", word, ret, code, want);
}

/* Every way to write every code. */
static void parsed(void **state)
{
	char words[6][16], word[64];

	(void)state;
	for (size_t i = 0; i < smc_reason_count; i++) {
		const struct smc_reason *reason = &smc_reasons[i];

		snprintf(words[0], sizeof(words[0]), "0x%08x", reason->code);
		snprintf(words[1], sizeof(words[1]), "%08x", reason->code);
		snprintf(words[2], sizeof(words[2]), "0X%X", reason->code);
		snprintf(words[3], sizeof(words[3]), "%X", reason->code);
		snprintf(words[4], sizeof(words[4]), "%x", reason->code);
		snprintf(words[5], sizeof(words[5]), "%u", reason->code);
		for (size_t k = 0; k < ARRAY_SIZE(words); k++)
			parses(words[k], reason->code);
		parses(reason->symbol, reason->code);
		parses(reason->stats_name, reason->code);
		snprintf(word, sizeof(word), "SMC_CLC_DECL_%s", reason->symbol);
		parses(word, reason->code);
		for (char *c = word; *c; c++)
			*c = (char)tolower((unsigned char)*c);
		parses(word, reason->code);
	}
	parses("ERR_REGRMB", 0x09990003);
	parses("0xffffffff", 0xffffffff);
	parses("4294967295", 0xffffffff);
	parses("12345678", 12345678);
	parses("01234567", 0x01234567);
	parses("1234567", 1234567);
	parses("0", 0);
}

static void not_parsed(void **state)
{
	static const struct {
		const char *word;
		int ret;
	} words[] = {
		{ "", -EINVAL }, { "-1", -EINVAL }, { "+1", -EINVAL }, { " 1", -EINVAL },
		{ "1 ", -EINVAL }, { "0x", -EINVAL }, { "0xg", -EINVAL }, { "NOSMC", -EINVAL },
		{ "NOSMCDEVX", -EINVAL }, { "SMC_CLC_DECL_", -EINVAL }, { "0x1.8p3", -EINVAL },
		{ "0x100000000", -ERANGE }, { "4294967296", -ERANGE },
		{ "99999999999999999999999", -ERANGE }, { "ffffffffffffffffffffff", -ERANGE },
	};
	uint32_t code;

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(words); i++)
		if (smc_reason_parse(words[i].word, &code) != words[i].ret)
			fail_msg("'%s'", words[i].word);
}

static void families(void **state)
{
	(void)state;
	for (size_t i = 0; i < smc_reason_count; i++)
		assert_non_null(smc_reason_family(smc_reasons[i].code));
	assert_string_equal(smc_reason_family(0x03fffffe), "configuration");
	assert_null(smc_reason_family(0));
	assert_null(smc_reason_family(0xff000000));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(complete),
		cmocka_unit_test(ordered),
		cmocka_unit_test(worded),
		cmocka_unit_test(unknown),
		cmocka_unit_test(remedies),
		cmocka_unit_test(situations),
		cmocka_unit_test(parsed),
		cmocka_unit_test(not_parsed),
		cmocka_unit_test(families),
	};

	return cmocka_run_group_tests_name("reason", tests, NULL, NULL);
}
