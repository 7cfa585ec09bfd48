/* SPDX-License-Identifier: MIT */
/* eBPF that takes the input of sockets, by any program of the host. */
#pragma once

#include "base/libc.h"

#define SOCKMAP_NAME_SIZE 16

/**
 * struct sockmap - a map of sockets whose input goes through a verdict (BPF_PROG_TYPE_SK_SKB)
 * @filler: a sock_ops program that uses it, "" for none: it can add each socket of its groups
 */
struct sockmap {
	char name[SOCKMAP_NAME_SIZE], filler[SOCKMAP_NAME_SIZE];
};

/**
 * sockmap_find() - find such maps of the host
 * @first: one of them, if possible with a @filler
 *
 * Needs Linux 5.17 and capabilities of the first user namespace.
 * Return: their number; -EPERM; -errno of bpf(2).
 */
int sockmap_find(struct sockmap *first);
