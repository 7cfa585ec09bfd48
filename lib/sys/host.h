/* SPDX-License-Identifier: MIT */
/* This host, or one that was recorded: everything that a check reads can be read again elsewhere. */
#ifndef SMC_SYS_HOST_H
#define SMC_SYS_HOST_H

#include <limits.h>
#include <net/if.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define HOST_PROBE_SIZE 512

/**
 * host_path() - where a file of the host is
 * @path: absolute, "/proc/sys/net/smc/rmem"
 *
 * To be read by the functions of sys/sysfs.h: they keep what they read of a host that is recorded.
 *
 * Return: the same below the folder that SMC_TOOLS_ROOT names; @buf, or @path without that.
 */
const char *host_path(char buf[PATH_MAX], const char *path);

/**
 * typedef host_probe_fn - finds out a fact that is in no file: a system call's answer
 * @text: receives words, may stay empty
 *
 * Return: a number, or -errno.
 */
typedef int (*host_probe_fn)(void *arg, char text[HOST_PROBE_SIZE]);

/**
 * host_probe() - ask for such a fact
 * @name: of the fact, a file name: "socket-af_smc"
 *
 * Of a recorded host it says what was recorded.
 *
 * Return: what @fn returns; -ENODATA when the record does not have it.
 */
int host_probe(const char *name, host_probe_fn fn, void *arg, char text[HOST_PROBE_SIZE]);

/**
 * host_probe_parse() - read a recorded probe
 * @data: a NUL-terminated string of any origin
 *
 * Return: the number in it; -EBADMSG with an empty @text when it is none.
 */
int host_probe_parse(const char *data, char text[HOST_PROBE_SIZE]);

/** host_ifname() - name of a net device by its number. Return: false with an empty name if none */
bool host_ifname(char name[IF_NAMESIZE], uint32_t ifindex);

#endif
