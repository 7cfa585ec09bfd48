/* SPDX-License-Identifier: MIT */
/* Output of a matrix: each connection is put, in one of several formats. */
#pragma once

#include "out/list.h"
#include "smc_chk/matrix/predict.h"
#include "smc_chk/smc_chk.h"

/* From this number of hosts on, nobody reads all pairs. */
#define SHOW_MANY 17

#define SHOW_MODE_SIZE 16

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
 * struct show - pending output, and data for its end
 * @width: of the terminal, 0 for none
 * @why: of the current connection
 * @rows: of a summary
 * @is_begun: the JSON document has a connection; @is_both: the next put is for both directions
 * @own: data of the format, which frees it
 */
struct show {
	const struct gathered *all;
	size_t width;
	struct out_list list;
	struct out_text text, why;
	struct row *rows;
	size_t count;
	struct todo *todos;
	size_t n_todos;
	bool is_begun, is_both;
	void *own;
};

/**
 * struct format - an output format
 * @put: print a connection from one host as client to another
 * @many: format for SHOW_MANY hosts and more, NULL for the same one
 * @is_for_both: put once for both directions if they are the same
 */
struct format {
	void (*begin)(struct show *show);
	void (*put)(struct show *show, size_t from, size_t to, const struct prediction *result);
	void (*end)(struct show *show);
	bool is_for_both;
	const struct format *many;
};

/**
 * show_run() - gather the hosts of @req, predict and put each connection
 *
 * Return: chk_status, also of an error that was printed.
 */
int show_run(const struct chk_request *req, const struct format *format);

/** show_row() - make a row of a connection; its @why is valid until the next one */
void show_row(struct row *row, struct show *show, size_t from, size_t to,
	      const struct prediction *result);

/** show_count() - put: count equal connections in @show->rows */
void show_count(struct show *show, size_t from, size_t to, const struct prediction *result);

/** show_sort_rows() - most frequent first */
void show_sort_rows(struct show *show);

/** show_sort_todos() - commands for most connections first */
void show_sort_todos(struct show *show);

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
