/* SPDX-License-Identifier: MIT */
/* The interface of libFuzzer, and common code of the targets. */
#pragma once

#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <linux/netlink.h>
#include <linux/sock_diag.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* A property that must hold for every input; abort() is noticed by libFuzzer and the shell. */
#define MUST(condition)                                                                            \
	do {                                                                                       \
		if (!(condition))                                                                  \
			abort();                                                                   \
	} while (0)

/* The input as a string, to be freed. */
static inline char *fuzz_text(const void *data, size_t size)
{
	char *text = malloc(size + 1);

	MUST(text);
	if (size)
		memcpy(text, data, size);
	text[size] = '\0';
	return text;
}

/*
 * A netlink message with this payload, to be freed. Its memory ends with the message, padded to
 * four bytes as in the kernel, so sanitizers detect any access beyond.
 */
static inline struct nlmsghdr *fuzz_message(const uint8_t *data, size_t size)
{
	struct nlmsghdr *nlh = calloc(1, NLMSG_SPACE(size));

	MUST(nlh);
	nlh->nlmsg_len = (uint32_t)NLMSG_LENGTH(size);
	nlh->nlmsg_type = SOCK_DIAG_BY_FAMILY;
	if (size)
		memcpy(NLMSG_DATA(nlh), data, size);
	return nlh;
}
