/* SPDX-License-Identifier: MIT */
/* What the parts of smcss share. */
#pragma once

#include "filter.h"
#include "out/table.h"
#include "base/err.h"
#include "smc/inet.h"
#include "smc/sock.h"
#include "sys/proc.h"

/** struct smcss_opts - the command line, read */
struct smcss_opts {
	bool is_all;
	bool is_listening;
	bool is_debug;
	bool only_smcd;
	bool only_smcr;
	bool is_wide;
	bool is_json;
	bool has_processes;
	bool has_names;
	bool is_explained;
	bool no_header;
	bool is_summary;
	const char *columns;
	const char *netns;
	double watch_seconds; /* 0: once */
	struct filter filter;
};

/** struct smcss_row - a socket and who holds it: what the column table reads */
struct smcss_row {
	struct smc_sock sock;
	const struct proc_fd *holders;
	size_t n_holders;
};

extern const struct out_col smcss_columns[];

/** smcss_view() - the columns that the options ask for. Return: 0, -EINVAL with @err */
int smcss_view(struct out_view *view, const struct smcss_opts *opts, struct smc_err *err);

/** smcss_ext() - bits of sock_diag attributes that the options need */
uint8_t smcss_ext(const struct smcss_opts *opts);

/** smcss_selects() - is the row to be shown? */
bool smcss_selects(const struct smcss_opts *opts, const struct smc_sock *sock);

/** smcss_append_addr() - "10.0.0.1:80", "[2001:db8::1]:80", "n/a:80"; no port is "-" */
void smcss_append_addr(struct out_text *text, const struct smc_addr *addr);

/** smcss_append_reason() - "PEERDECL/NOSMCDEV"; numbers for codes that are not Linux's */
void smcss_append_reason(struct out_text *text, const struct smc_abi_fallback *fallback);

/** smcss_explain() - append the lines that tell in words why a socket is on TCP */
void smcss_explain(struct out_text *text, const struct smc_sock *sock);

/** smcss_list() - fetch and print once. Return: 0, -errno with @err; -EPIPE closed stdout */
int smcss_list(const struct smcss_opts *opts, struct smc_err *err);

/* Counts by process, peer and reason. */
struct summary;

/** summary_new() - NULL without memory */
struct summary *summary_new(void);

/** summary_add() - count one socket. Return: 0, -ENOMEM */
int summary_add(struct summary *summary, const struct smcss_row *row);

/** summary_print() - append the tables */
void summary_print(struct summary *summary, struct out_text *text);

/** summary_json() - the same as JSON; new reference, NULL without memory */
json_t *summary_json(struct summary *summary);

void summary_free(struct summary *summary);
