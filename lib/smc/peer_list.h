/* SPDX-License-Identifier: MIT */
/* Connections as alternatives: expressions of smc-filter(7), and lists of addresses and ports. */
#pragma once

#include "base/err.h"
#include "base/scan.h"

#define PEERS_MAX 64
/* "[ADDR]/128:65534-65535" */
#define PEER_TEXT_SIZE (INET6_ADDRSTRLEN + 20)

enum peer_side { PEER_LOCAL, PEER_REMOTE };

/** struct peer - connections with these ends; at least one of them matters */
struct peer {
	struct scan_end ends[2];
};

/** struct peers - alternatives; zero-initialize */
struct peers {
	struct peer all[PEERS_MAX];
	size_t count;
};

/** peers_are_filter() - true if a text is an expression, not a list */
bool peers_are_filter(const char *text);

/**
 * peers_parse() - add what a text means
 * @text: an expression with tests of addresses and ports; or items separated by commas or blanks:
 *	[ADDR[/BITS]:]PORTS or ADDR[/BITS] of the peer, "listen" or "listen:" and the same of the
 *	listening socket
 * @is_server: ports in a list are those of the server, which is local
 *
 * Return: 0; -EINVAL with a sentence that names the wrong word.
 */
int peers_parse(struct peers *peers, const char *text, bool is_server, struct smc_err *err);

/** peer_end_text() - write as an item: 10.0.0.0/8, [fd00::]/8:80, 80-90; "*" for any */
void peer_end_text(char text[PEER_TEXT_SIZE], const struct scan_end *end);

/**
 * peers_list() - append to a list as ld_pre_smc.so reads it
 * @list: NULL, or malloc()ed
 *
 * Return: 0; -EINVAL for an alternative with tests of both ends, which the library never knows.
 */
int peers_list(const char **list, const struct peers *peers, struct smc_err *err);
