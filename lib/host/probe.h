/* SPDX-License-Identifier: MIT */
/* Facts that no file has, of this host or of a recorded one. */
#pragma once

#include <net/if.h>
#include <stdbool.h>
#include <stdint.h>

#define HOST_PROBE_SIZE 512

/**
 * typedef host_probe_fn - finds out a fact that no file has, such as a system call's answer
 *
 * Return: a number, or -errno; words in @text, which may stay empty.
 */
typedef int (*host_probe_fn)(void *arg, char text[HOST_PROBE_SIZE]);

/**
 * host_probe() - ask for such a fact, or for what was recorded of it
 * @fmt: name of the fact, a file name: "socket-af_smc", "ifindex-%u"; its arguments come last
 * @text: receives the words; NULL if nobody wants them
 *
 * Return: what @fn returns; -ENODATA when the record does not have it.
 */
int host_probe(const char *fmt, host_probe_fn fn, void *arg, char *text, ...)
	__attribute__((format(printf, 1, 5)));

/**
 * host_probe_parse() - read a recorded probe, a string of any origin
 *
 * Return: the number in it; -EBADMSG with an empty @text if there is none.
 */
int host_probe_parse(const char *data, char text[HOST_PROBE_SIZE]);

/** host_ifname() - name of a net device by its number. Return: false with an empty name if none */
bool host_ifname(char name[IF_NAMESIZE], uint32_t ifindex);
