// SPDX-License-Identifier: MIT
/* lib/smc/reason: compare the table of decline reasons with the kernel's list. */
#include "test.h"

#include <ctype.h>

#include "smc/reason.h"

/* net/smc/smc_clc.h of Linux 7.2, without SMC_CLC_DECL_; none was removed since 5.10. */
static const struct {
	uint32_t code;
	const char *symbol;
} kernel[] = {
	{ 0x01010000, "MEM" },	      { 0x02010000, "TIMEOUT_CL" }, { 0x02020000, "TIMEOUT_AL" },
	{ 0x03000000, "CNFERR" },     { 0x03010000, "PEERNOSMC" },  { 0x03020000, "IPSEC" },
	{ 0x03030000, "NOSMCDEV" },   { 0x03030001, "NOSMCDDEV" },  { 0x03030002, "NOSMCRDEV" },
	{ 0x03030003, "NOISM2SUPP" }, { 0x03030004, "NOV2EXT" },    { 0x03030005, "NOV2DEXT" },
	{ 0x03030006, "NOSEID" },     { 0x03030007, "NOSMCD2DEV" }, { 0x03030008, "NOUEID" },
	{ 0x03030009, "RELEASEERR" }, { 0x0303000a, "MAXCONNERR" }, { 0x0303000b, "MAXLINKERR" },
	{ 0x03040000, "MODEUNSUPP" }, { 0x03050000, "RMBE_EC" },    { 0x03060000, "OPTUNSUPP" },
	{ 0x03070000, "DIFFPREFIX" }, { 0x03080000, "GETVLANERR" }, { 0x03090000, "ISMVLANERR" },
	{ 0x030a0000, "NOACTLINK" },  { 0x030b0000, "NOSRVLINK" },  { 0x030c0000, "VERSMISMAT" },
	{ 0x030d0000, "MAX_DMB" },    { 0x030e0000, "NOROUTE" },    { 0x030f0000, "NOINDIRECT" },
	{ 0x04000000, "SYNCERR" },    { 0x05000000, "PEERDECL" },   { 0x09990000, "INTERR" },
	{ 0x09990001, "ERR_RTOK" },   { 0x09990002, "ERR_RDYLNK" }, { 0x09990003, "ERR_REGBUF" },
};

TEST(complete)
{
	assert_int_equal(smc_reason_count, ARRAY_SIZE(kernel));
	for (size_t i = 0; i < ARRAY_SIZE(kernel); i++) {
		const struct smc_reason *reason = smc_reason_find(kernel[i].code);

		if (!reason)
			fail_msg("no entry for 0x%08x %s", kernel[i].code, kernel[i].symbol);
		assert_int_equal(reason->code, kernel[i].code);
		assert_string_equal(reason->symbol, kernel[i].symbol);
	}
}

/* These ranges answer messages of one side; the other side raises them. All others: both sides. */
TEST(sides)
{
	static const struct {
		uint32_t first, last;
		enum smc_raised raised;
	} ranges[] = {
		{ 0x02020000, 0x02020000, SMC_RAISED_NONE },
		{ 0x03000000, 0x03000000, SMC_RAISED_CLIENT }, /* answers an accept */
		{ 0x03030006, 0x03030006, SMC_RAISED_NONE },
		{ 0x03030001, 0x03030009, SMC_RAISED_SERVER }, /* answer a proposal */
		{ 0x03040000, 0x03040000, SMC_RAISED_CLIENT },
		{ 0x03070000, 0x03080000, SMC_RAISED_SERVER },
		{ 0x030b0000, 0x030b0000, SMC_RAISED_CLIENT },
		{ 0x030c0000, 0x030c0000, SMC_RAISED_NONE },
		{ 0x030f0000, 0x04000000, SMC_RAISED_CLIENT },
		{ 0, UINT32_MAX, SMC_RAISED_BOTH },
	};

	for (size_t i = 0; i < smc_reason_count; i++) {
		size_t at = 0;

		while (smc_reasons[i].code < ranges[at].first ||
		       smc_reasons[i].code > ranges[at].last)
			at++;
		if (smc_reasons[i].raised != ranges[at].raised)
			fail_msg("%s: %d", smc_reasons[i].symbol, smc_reasons[i].raised);
	}
}

/* SMC-Dv2 came with 5.11, SMC-Rv2 with 5.16, release 1 of version 2 with 6.6. */
static const char *since(uint32_t code)
{
	if (code >= 0x03030003 && code <= 0x03030007)
		return "5.11";
	if (code == 0x03030008 || code == 0x030e0000 || code == 0x030f0000)
		return "5.16";
	return code >= 0x03030009 && code <= 0x0303000b ? "6.6" : "";
}

TEST(releases)
{
	for (size_t i = 0; i < smc_reason_count; i++)
		assert_string_equal(smc_reasons[i].since ? smc_reasons[i].since : "",
				    since(smc_reasons[i].code));
}

/* Names for typing and scripts: capitals, digits and underscores, unique. */
TEST(named)
{
	static const char letters[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_";

	for (size_t i = 0; i < smc_reason_count; i++) {
		const struct smc_reason *at = &smc_reasons[i];

		assert_true(at->symbol[0] && at->stats_name[0]);
		assert_int_equal(at->symbol[strspn(at->symbol, letters)], '\0');
		assert_int_equal(at->stats_name[strspn(at->stats_name, letters)], '\0');
		for (size_t other = 0; other < i; other++)
			assert_string_not_equal(at->stats_name, smc_reasons[other].stats_name);
	}
}

TEST(ordered)
{
	for (size_t i = 1; i < smc_reason_count; i++) {
		assert_true(smc_reasons[i - 1].code < smc_reasons[i].code);
		for (size_t j = 0; j < i; j++) {
			assert_string_not_equal(smc_reasons[i].symbol, smc_reasons[j].symbol);
			assert_string_not_equal(smc_reasons[i].meaning, smc_reasons[j].meaning);
		}
	}
}

/* A clause becomes part of a sentence: no capital, no full stop, no blanks around it. */
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

TEST(worded)
{
	for (size_t i = 0; i < smc_reason_count; i++) {
		check_clause(smc_reasons[i].symbol, smc_reasons[i].meaning);
		check_clause(smc_reasons[i].symbol, smc_reasons[i].check);
	}
}

TEST(unknown)
{
	static const uint32_t codes[] = { 0,	      1,	  0x03030000 - 1, 0x0303000c,
					  0x03100000, 0x05000001, 0x00000005,	  0x09990004,
					  0x7fffffff, 0xffffffff };

	for (size_t i = 0; i < ARRAY_SIZE(codes); i++)
		assert_null(smc_reason_find(codes[i]));
	assert_string_equal(smc_reason_find(SMC_REASON_PEERDECL)->symbol, "PEERDECL");
}

/* Each reason of the kernel has a remedy, with lines of words. */
TEST(remedies)
{
	for (size_t i = 0; i < ARRAY_SIZE(kernel); i++) {
		const struct smc_remedy *first = smc_remedies(kernel[i].code), *at;

		if (!first)
			fail_msg("no remedy for 0x%08x %s", kernel[i].code, kernel[i].symbol);
		for (at = first; at; at = smc_remedy_next(at)) {
			assert_non_null(at->command);
			assert_non_null(at->purpose);
			assert_true(at->command[0] && at->purpose[0]);
			assert_null(strpbrk(at->command, "\n#"));
			assert_null(strpbrk(at->purpose, "\n#"));
			for (const struct smc_remedy *other = first; other < at;
			     other = smc_remedy_next(other))
				assert_true(other->at != at->at ||
					    strcmp(other->command, at->command));
		}
	}
	assert_null(smc_remedies(0x12345678));
	assert_null(smc_remedies(0));
}

/* Each row belongs to a raised reason, next to the other rows of that reason. */
TEST(remedies_in_order)
{
	const struct smc_remedy *at = smc_remedies(0x01010000);

	for (uint32_t last = 0; at->command; last = at++->code) {
		if (at->code < last || !smc_reason_find(at->code))
			fail_msg("0x%08x: %s", at->code, at->command);
		assert_true(at->code == last || smc_remedies(at->code) == at);
		assert_ptr_equal(smc_remedy_next(at), at[1].code == at->code ? at + 1 : NULL);
	}
}

static void parses(const char *word, uint32_t want)
{
	uint32_t code = 0xa5a5a5a5;
	int ret = smc_reason_parse(word, &code);

	if (ret || code != want)
		fail_msg("'%s': %d, 0x%08x, not 0x%08x", word, ret, code, want);
}

/* Every spelling of every code. */
TEST(parsed)
{
	char words[6][16], word[64];

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

TEST(not_parsed)
{
	static const struct {
		const char *word;
		int ret;
	} words[] = {
		{ "", -EINVAL },
		{ "-1", -EINVAL },
		{ "+1", -EINVAL },
		{ " 1", -EINVAL },
		{ "1 ", -EINVAL },
		{ "0x", -EINVAL },
		{ "0xg", -EINVAL },
		{ "NOSMC", -EINVAL },
		{ "NOSMCDEVX", -EINVAL },
		{ "SMC_CLC_DECL_", -EINVAL },
		{ "0x1.8p3", -EINVAL },
		{ "0x100000000", -ERANGE },
		{ "4294967296", -ERANGE },
		{ "99999999999999999999999", -ERANGE },
		{ "ffffffffffffffffffffff", -ERANGE },
	};
	uint32_t code;

	for (size_t i = 0; i < ARRAY_SIZE(words); i++)
		if (smc_reason_parse(words[i].word, &code) != words[i].ret)
			fail_msg("'%s'", words[i].word);
}

TEST(families)
{
	for (size_t i = 0; i < smc_reason_count; i++)
		assert_non_null(smc_reason_family(smc_reasons[i].code));
	assert_string_equal(smc_reason_family(0x03fffffe), "configuration");
	assert_null(smc_reason_family(0));
	assert_null(smc_reason_family(0xff000000));
}
