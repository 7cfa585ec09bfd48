/* SPDX-License-Identifier: MIT */
/* Buffer sizes as people write them. Shared by the preload library and smc_run. */
#ifndef SMC_SIZE_H
#define SMC_SIZE_H

#pragma GCC visibility push(hidden)

/**
 * smc_parse_size() - read a buffer size such as 65536, 64K or 1M
 * @s: decimal digits, optionally followed by one of k, K (times 1024), m, M (times 1048576)
 * @bytes: the size in bytes, 0 to INT_MAX: what setsockopt(2) takes for SO_SNDBUF and SO_RCVBUF;
 *	written only on success
 *
 * No locale, no sign, no blanks, no errno, no memory: safe in a signal handler.
 * The format is that of smc-tools 1.8.5, which accepted overflow and trailing garbage too.
 *
 * Return: 0; -EINVAL if @s is anything else; -ERANGE if the size does not fit an int.
 */
int smc_parse_size(const char *s, int *bytes);

#pragma GCC visibility pop

#endif
