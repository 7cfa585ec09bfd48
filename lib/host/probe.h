/* SPDX-License-Identifier: MIT */
/* Facts of this host or of a recorded one that are not in any file. */
#pragma once

#include <net/if.h>

#include "base/libc.h"

#define HOST_PROBE_SIZE 512

/**
 * typedef host_probe_fn - finds out a fact that is not in a file, such as a system call's result
 *
 * Return: a number, or -errno; words in @text, which may stay empty.
 */
typedef int (*host_probe_fn)(void *arg, char text[HOST_PROBE_SIZE]);

/**
 * host_probe() - call @fn, or get the recorded result
 * @fmt: name of the fact, a file name: "socket-af_smc", "ifindex-%u"; its arguments come last
 * @text: receives the words; may be NULL
 *
 * Return: result of @fn; -ENODATA if it is not in the record.
 */
int host_probe(const char *fmt, host_probe_fn fn, void *arg, char *text, ...)
	__attribute__((format(printf, 1, 5)));

/** host_probe_number() - host_probe() of a function that needs no argument and has no words */
int host_probe_number(const char *name, int (*fn)(void));

/**
 * host_probe_parse() - parse a recorded probe, an untrusted string
 *
 * Return: its number; -EBADMSG with an empty @text if there is none.
 */
int host_probe_parse(const char *data, char text[HOST_PROBE_SIZE]);

/** host_ifname() - name of a net device by index. Return: false with an empty name if none */
bool host_ifname(char name[IF_NAMESIZE], uint32_t ifindex);
