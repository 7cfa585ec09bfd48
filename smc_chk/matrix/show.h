/* SPDX-License-Identifier: MIT */
/* Output of a matrix, as text, JSON or a page. */
#pragma once

#include "out/list.h"
#include "smc_chk/matrix/predict.h"
#include "smc_chk/smc_chk.h"

/* From this number of hosts on, nobody reads all pairs. */
#define SHOW_MANY 17
/* More hosts fit neither on a screen nor on paper. */
#define SHOW_GRID_MAX 64

#define SHOW_MODE_SIZE 16
#define SHOW_MODES (PREDICT_SMCD_V2 + 1)

/**
 * struct row - a connection, or @count that look the same, with an example
 * @arrow: to the server, or in both directions
 */
struct row {
	uint64_t count;
	const char *one, *arrow, *other;
	char mode[SHOW_MODE_SIZE], over[2 * NETDEV_NAME_SIZE + 16];
	char *why;
};

/** struct todo - a command; @counts: connections per host; @most: the maximum */
struct todo {
	char command[PREDICT_COMMAND_SIZE];
	size_t *counts, most;
};

/**
 * struct show - all connections
 * @text: pending output; @why: of the current connection
 * @rows: each connection, or with @is_many each kind of connection
 * @counts: of connections, by mode
 * @grid: mode of each, from a host to another, for a page; NULL for too many hosts
 */
struct show {
	const struct chk_request *req;
	const struct gathered *all;
	struct out_text text, why;
	struct row *rows;
	size_t count;
	struct todo *todos;
	size_t n_todos;
	size_t counts[SHOW_MODES];
	char (*grid)[SHOW_MODE_SIZE];
	bool is_many;
};

/**
 * show_run() - gather the hosts of @req, and predict each connection
 * @end: appends the end of the output; for JSON there are no rows
 *
 * Return: chk_status, also of an error that was printed.
 */
int show_run(const struct chk_request *req, void (*end)(struct show *show));

/* ---- hosts, by ssh or from bundles ---- */

/**
 * struct gathered - all requested hosts
 * @names: as typed, NULL-terminated
 * @hosts: one per name, valid if @errors has code 0; @good: the valid ones
 */
struct gathered {
	char *const *names;
	size_t count, n_good;
	struct predict_host *hosts, **good;
	struct smc_err *errors;
};

/**
 * gather() - read all hosts, several at a time
 * @names: a bundle if it has a slash or ends with .tar.gz or .tgz; else a host for ssh, which
 *	must log in without a prompt
 *
 * Each bundle is unpacked and read by separate processes, without rights and with limited time and
 * memory. An unreadable bundle has its error and does not affect others.
 *
 * Return: 0; -errno with @err: nothing could be done, or a signal ended it.
 */
int gather(struct gathered *all, char *const *names, struct smc_err *err);

void gather_free(struct gathered *all);
