/* SPDX-License-Identifier: MIT */
/* Common to all unit tests: cmocka, and netlink messages, built or captured. */
#pragma once

/* cmocka.h needs these four first. */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>

/* cmocka 2.0 deprecates the old name. */
#ifndef assert_int_in_range
#define assert_int_in_range assert_in_range
#endif

/* And what most tests need. */
#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <linux/netlink.h>
#include <linux/sock_diag.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/wait.h>

#include "base/array.h"
#include "smc/abi.h"

#ifdef main
int main(void); /* renamed: one of many in a program, see tests.mk */
#endif

/*
 * A test is TEST(name) { ... }, and needs no list: constructors register those of a file, in their
 * order. A file may have "static struct fixture fixture" with functions to call before and after
 * each test, before the first and after the last, each FIXTURE(name) { ... return 0; }.
 */
#define FIXTURE(name) static inline int name(__attribute__((unused)) void **state)
#define TEST(name)                                                                                 \
	static void name(void **state);                                                            \
	__attribute__((constructor(1000 + __LINE__))) static void unit_add_##name(void)            \
	{                                                                                          \
		assert_true(n_unit_tests < ARRAY_SIZE(unit_tests));                                \
		unit_tests[n_unit_tests++] = (struct CMUnitTest)cmocka_unit_test(name);            \
	}                                                                                          \
	static void name(__attribute__((unused)) void **state)

static struct fixture {
	int (*setup)(void **), (*teardown)(void **), (*first)(void **), (*last)(void **);
} fixture;
static struct CMUnitTest unit_tests[64];
static size_t n_unit_tests;

int main(void)
{
	for (size_t i = 0; i < n_unit_tests; i++) {
		unit_tests[i].setup_func = fixture.setup;
		unit_tests[i].teardown_func = fixture.teardown;
	}
	return _cmocka_run_group_tests(__BASE_FILE__, unit_tests, n_unit_tests, fixture.first,
				       fixture.last);
}

/* Captured from kernel 7.2 on x86-64 (little-endian). Blanks are for the reader. */
#define CAPTURE_FALLBACK                                                                           \
	"2b010100 b21e413c 7f000001 00000000 00000000 00000000 7f000001 00000000"                  \
	"00000000 00000000 00000000 02000000 00000000 00000000 c0000000 00000000"
#define CAPTURE_FALLBACK_REASON "00000005 08000303"
#define CAPTURE_SMCR_CONNINFO                                                                      \
	"01000000 00000100 00000100 00000100 00000000 64000000 00000000 00000000"                  \
	"00000000 64000000 00000000 64000000 00000000 00000000 64000000 00000000"                  \
	"64000000 00000000 64000000"
#define CAPTURE_SMCR_LGRINFO                                                                       \
	"01727831 00000000 00000000 00000000 00000000 00000000 00000000 00000000"                  \
	"00000000 00000000 00000000 00000000 00000000 00000000 00000000 00000000"                  \
	"00013030 30303a30 3030303a 30303030 3a303030 303a3030 30303a66 6666663a"                  \
	"30613038 3a303030 31003030 30303a30 3030303a 30303030 3a303030 303a3030"                  \
	"30303a66 6666663a 30613038 3a303030 320001"
#define CAPTURE_SMCD_CONNINFO                                                                      \
	"01000000 e0ff0000 e0ff0000 e0ff0000 00000000 64000000 00000000 00000000"                  \
	"00000000 64000000 00000000 64000000 00000000 00000000 64000000 00000000"                  \
	"64000000 00000000 00000000"
#define CAPTURE_SMCD_DMBINFO                                                                       \
	"00010000 00000000 4746526e 5ff1e177 4746526e 5ff1e177 63059e4e be9dab82"                  \
	"d4835544 fefd816b 0c237917 63b2eeaf 0c237917 63b2eeaf"

/** struct message - a netlink message; the length in the header is kept up to date */
struct message {
	union {
		struct nlmsghdr nlh;
		uint8_t bytes[2048];
	};
};

/* true if it is this text, where '*' stands for any part of a line */
static inline bool is_like(const char *text, const char *pattern)
{
	for (; *pattern != '*'; text++, pattern++)
		if (*text != *pattern || !*text)
			return *text == *pattern;
	do {
		if (is_like(text, pattern + 1))
			return true;
	} while (*text != '\n' && *text++);
	return false;
}

#define assert_like(text, pattern)                                                                 \
	do {                                                                                       \
		if (!is_like(text, pattern))                                                       \
			assert_string_equal(text, pattern);                                        \
	} while (0)

/* Values of several members, printed as by printf(3). */
#define assert_printed(want, ...)                                                                  \
	do {                                                                                       \
		char got_text[1024];                                                               \
		snprintf(got_text, sizeof(got_text), __VA_ARGS__);                                 \
		assert_string_equal(got_text, want);                                               \
	} while (0)

/* Parse hexadecimal text; returns the number of bytes. */
static inline size_t hex(uint8_t *out, size_t size, const char *text)
{
	size_t len = 0;

	for (; *text; text += 2) {
		char pair[3] = "";

		text += strspn(text, " ");
		if (!*text)
			break;
		assert_true(text[1] && len < size);
		memcpy(pair, text, 2);
		out[len++] = (uint8_t)strtoul(pair, NULL, 16);
	}
	return len;
}

static inline void message_start(struct message *m, uint16_t type)
{
	memset(m, 0, sizeof(*m));
	m->nlh.nlmsg_len = NLMSG_HDRLEN;
	m->nlh.nlmsg_type = type;
	m->nlh.nlmsg_flags = NLM_F_MULTI;
}

static inline void message_put(struct message *m, const void *data, size_t len)
{
	assert_true(NLMSG_ALIGN(m->nlh.nlmsg_len) + len <= sizeof(m->bytes));
	memcpy(m->bytes + m->nlh.nlmsg_len, data, len);
	m->nlh.nlmsg_len += (uint32_t)len;
}

static inline void message_attr(struct message *m, uint16_t type, const void *data, size_t len)
{
	struct nlattr attr = { .nla_len = (uint16_t)(NLA_HDRLEN + len), .nla_type = type };

	m->nlh.nlmsg_len = NLMSG_ALIGN(m->nlh.nlmsg_len);
	message_put(m, &attr, sizeof(attr));
	message_put(m, data, len);
}

static inline void message_attr_hex(struct message *m, uint16_t type, const char *text)
{
	uint8_t bytes[512];
	size_t len = hex(bytes, sizeof(bytes), text);

	message_attr(m, type, bytes, len);
}

/* A basic message without attributes. */
static inline void message_sock(struct message *m, const struct smc_abi_diag_msg *msg)
{
	message_start(m, SOCK_DIAG_BY_FAMILY);
	message_put(m, msg, sizeof(*msg));
}

static inline void message_capture(struct message *m, const char *base)
{
	uint8_t bytes[128];
	size_t len = hex(bytes, sizeof(bytes), base);

	message_start(m, SOCK_DIAG_BY_FAMILY);
	message_put(m, bytes, len);
}

/* An address as in sock_diag. */
static inline void set_words(uint32_t *words, int family, const char *ip)
{
	memset(words, 0, 16);
	assert_int_equal(inet_pton(family, ip, words), 1);
}
