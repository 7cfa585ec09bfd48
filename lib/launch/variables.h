/* SPDX-License-Identifier: MIT */
/* Environment variables of the preload library, and their values. */
#pragma once

#include "base/libc.h"

#pragma GCC visibility push(hidden)

/* In the order in which smc_run writes them; see smc_run(8). */
enum smc_variable {
	VAR_FAMILY,
	VAR_RCVBUF,
	VAR_SNDBUF,
	VAR_INCLUDE,
	VAR_EXCLUDE,
	VAR_STRICT,
	VAR_RAW,
	VAR_DEBUG,
	VAR_REPAIRS, /* names of rows of ld_pre_smc/repairs, for diagnosis */
	VAR_LEARN,
	VAR_SPIN, /* of ld_pre_smc_spin.so, see smc_parse_spin() */
	VARIABLES,
};

/* In microseconds. Signals are blocked during a spin. */
#define SMC_SPIN_DEFAULT "max:200"
#define SMC_SPIN_MAX 1000

extern const char *const smc_variables[VARIABLES];

/** smc_is_on() - true if a switch is set, not empty, and does not start with 0 */
bool smc_is_on(const char *value);

/** smc_is_family() - true for a value of SMC_SOCK_FAMILY: smc, inet or auto */
bool smc_is_family(const char *value);

/** smc_wants_inet() - true if SMC_SOCK_FAMILY prefers IPPROTO_SMC. False for NULL */
bool smc_wants_inet(const char *value);

/**
 * smc_parse_size() - parse a buffer size such as 65536, 64K or 1M
 * @s: decimal digits, optionally followed by one of k, K (times 1024), m, M (times 1048576)
 * @bytes: the size in bytes, 0 to INT_MAX, the range of setsockopt(2) for SO_SNDBUF and SO_RCVBUF;
 *	written only on success
 *
 * Safe in a signal handler. Return: 0; -EINVAL if @s is anything else; -ERANGE beyond an int.
 */
int smc_parse_size(const char *s, int *bytes);

/** smc_parse_spin() - parse SMC_SPIN. Return: 1 to SMC_SPIN_MAX, negative after max:, else 0 */
int smc_parse_spin(const char *s);

/**
 * struct smc_buffer - a value of SMC_RCVBUF or SMC_SNDBUF: SIZE, or SIZE:BELOW
 * @bytes: 0 for the kernel's own size
 * @below: only for sockets whose descriptors are less than this; INT_MAX: for all
 */
struct smc_buffer {
	int bytes, below;
};

/** smc_buffer_of() - buffer size of a socket, or 0; a low descriptor means few connections */
static inline int smc_buffer_of(const struct smc_buffer *buffer, int fd)
{
	return fd < buffer->below ? buffer->bytes : 0;
}

/* A descriptor limit of at most this many times @below means few connections. */
#define SMC_LISTENER_SHARE 4

/** smc_buffer_fits() - true if all @descriptors (RLIMIT_NOFILE) may have this size */
static inline bool smc_buffer_fits(const struct smc_buffer *buffer, unsigned long long descriptors)
{
	return buffer->below == INT_MAX ||
	       descriptors / SMC_LISTENER_SHARE <= (unsigned int)buffer->below;
}

/** smc_parse_buffer() - like smc_parse_size(); both numbers may have a unit */
int smc_parse_buffer(const char *s, struct smc_buffer *buffer);

#pragma GCC visibility pop
