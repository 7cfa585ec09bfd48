/* SPDX-License-Identifier: MIT */
/* Shared by the parts of smcss. */
#pragma once

#include "smc/filter.h"
#include "sockets/columns.h"
#include "sockets/kill.h"

/** struct smcss_opts - parsed options; @width: of the terminal, 0 for none, and JSON */
struct smcss_opts {
	bool is_all, is_listening, is_debug, only_smcd, only_smcr, is_wide, is_json, has_processes;
	bool has_names, is_explained, no_header, is_summary, is_metrics, is_all_netns;
	bool is_kill, is_dry;
	const char *columns, *netns;
	double watch_seconds; /* 0: once */
	size_t width;
	struct filter filter;
};

/* Columns of struct sockets_row. */
extern const struct out_col smcss_columns[];

/** smcss_view() - the columns chosen by the options. Return: 0, -EINVAL with @err */
int smcss_view(struct out_view *view, const struct smcss_opts *opts, struct smc_err *err);

/** smcss_ext() - bits of sock_diag attributes that the options need */
uint8_t smcss_ext(const struct smcss_opts *opts);

/** smcss_selects() - true if the options select the row */
bool smcss_selects(const struct smcss_opts *opts, const struct smc_sock *sock);

/** smcss_has_listening() - true if the options select listening sockets */
bool smcss_has_listening(const struct smcss_opts *opts);

/**
 * smcss_list() - fetch and print once
 * @spaces: for --all-netns, receives the namespaces; else NULL
 *
 * Return: 0, -errno with @err; -EIO if some namespaces failed, after printing the others.
 */
int smcss_list(const struct smcss_opts *opts, struct netns_list *spaces, struct smc_err *err);

/* Counts by network namespace, process, peer and reason. */
struct summary;

/** summary_new() - create an empty one; @has_listening: listening sockets will be counted, too */
struct summary *summary_new(bool has_listening);

/** summary_add() - count one socket */
void summary_add(struct summary *summary, const struct sockets_row *row);

/** summary_print() - append the tables; with @spaces (--all-netns), also that of namespaces */
void summary_print(struct summary *summary, const struct netns_list *spaces, struct out_text *text,
		   size_t width);

/**
 * summary_line() - append a line, "3 connections: 2 SMCD, 1 TCP (PEERNOSMC)"
 * @width: of the terminal; @is_advised: include the option that explains reasons
 */
void summary_line(struct summary *summary, struct out_text *text, size_t width, bool is_advised);

/** summary_json() - all counts as JSON; new reference */
json_t *summary_json(struct summary *summary, const struct netns_list *spaces);

/** summary_metrics() - all counts in Prometheus' text format, by namespace for @spaces */
void summary_metrics(struct summary *summary, const struct netns_list *spaces,
		     struct out_text *text);

void summary_free(struct summary *summary);

/** smcss_learned() - print the destinations that ld_pre_smc.so knows in this network namespace */
int smcss_learned(bool is_json, struct smc_err *err);
