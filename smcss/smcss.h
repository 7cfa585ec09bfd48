/* SPDX-License-Identifier: MIT */
/* What the parts of smcss share. */
#pragma once

#include "smc/filter.h"
#include "out/table.h"
#include "out/units.h"
#include "base/err.h"
#include "netlink/diag.h"
#include "smc/inet.h"
#include "rate.h"
#include "smc/sock.h"
#include "sys/netns_list.h"
#include "sys/proc.h"

/* What --top puts first. */
enum smcss_sort { SMCSS_BY_RATE, SMCSS_BY_UNREAD, SMCSS_BY_UNSENT, SMCSS_BY_PROCESS, SMCSS_SORTS };

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
	bool has_rates; /* a column needs two samples */
	bool is_top;
	bool is_once;
	enum smcss_sort sort;
	bool is_events;
	unsigned long max_events; /* 0: no end */
	const char *columns;
	const char *netns;
	bool is_metrics;
	bool is_all_netns;
	double watch_seconds; /* 0: once */
	struct filter filter;
};

/**
 * struct smcss_row - a socket, how fast it is, and who holds it: what the column table reads
 * @netns: where it is, as far as all namespaces are shown; else NULL
 */
struct smcss_row {
	struct smc_sock sock;
	struct smc_rate rate;
	const struct proc_fd *holders;
	size_t n_holders;
	const struct netns *netns;
};

extern const struct out_col smcss_columns[];

/** smcss_view() - the columns that the options ask for. Return: 0, -EINVAL with @err */
int smcss_view(struct out_view *view, const struct smcss_opts *opts, struct smc_err *err);

/** smcss_ext() - bits of sock_diag attributes that the options need */
uint8_t smcss_ext(const struct smcss_opts *opts);

/** smcss_selects() - is the row to be shown? */
bool smcss_selects(const struct smcss_opts *opts, const struct smc_sock *sock);

/** smcss_has_listening() - do the options ask for sockets that listen? */
bool smcss_has_listening(const struct smcss_opts *opts);

/** smcss_append_addr() - "10.0.0.1:80", "[2001:db8::1]:80", "n/a:80"; no port is "-" */
void smcss_append_addr(struct out_text *text, const struct smc_addr *addr);

/** smcss_append_reason() - "PEERDECL/NOSMCDEV"; numbers for codes that are not Linux's */
void smcss_append_reason(struct out_text *text, const struct smc_abi_fallback *fallback);

/** smcss_explain() - append the lines that tell in words why a socket is on TCP */
void smcss_explain(struct out_text *text, const struct smc_sock *sock);

/** smcss_append_rate() - bytes in a second in three digits or less, "812M", ">1.1G" */
void smcss_append_rate(struct out_text *text, uint64_t bytes, bool is_least);

/** smcss_json_addr() - an address as an object */
json_t *smcss_json_addr(const struct smc_addr *addr);

/** smcss_json_reason() - a reason with its name and meaning */
json_t *smcss_json_reason(uint32_t code);

struct rates;

/**
 * smcss_list() - fetch and print once
 * @rates: NULL: no rates; else what was sampled last
 * @spaces: of --all-netns, receives which there are; else NULL
 *
 * Return: 0, -errno with @err; -EPIPE closed stdout; -EIO when some namespaces failed, and then the
 * others were printed.
 */
int smcss_list(const struct smcss_opts *opts, struct rates *rates, struct netns_list *spaces,
	       struct smc_err *err);

/**
 * struct smcss_source - who takes all SMC sockets of the kernel
 * @ext: see smcss_ext()
 * @begin: forget what came: the kernel's table changed meanwhile, all comes anew
 * @end: all has come; NULL is allowed
 * @is_final: it cannot be forgotten any more; NULL: it always can
 */
struct smcss_source {
	uint8_t ext;
	int (*begin)(void *arg);
	smc_diag_fn on_message;
	int (*end)(void *arg);
	const bool *is_final;
	void *arg;
};

/** smcss_fetch() - ask the kernel, make it load SMC if need be. Return: 0, -errno with @err */
int smcss_fetch(const struct smcss_source *source, struct smc_err *err);

/** struct smcss_lookup - what addresses and processes are looked up in; begin with all zero */
struct smcss_lookup {
	bool has_inet[2], has_procs; /* of AF_INET, of AF_INET6 */
	struct smc_inet_table inet;
	struct proc_table procs;
};

/**
 * smcss_complete() - the kernel did not tell the addresses: ask the TCP socket inside, else the
 * process
 *
 * Return: 0, also when nobody knows; -errno with @err.
 */
int smcss_complete(struct smcss_lookup *lookup, struct smc_sock *sock, struct smc_err *err);

/** smcss_load_processes() - once. Return: 0, -errno with @err */
int smcss_load_processes(struct smcss_lookup *lookup, struct smc_err *err);

/** smcss_forget_inet() - what is looked up next is in another network namespace */
void smcss_forget_inet(struct smcss_lookup *lookup);

void smcss_lookup_free(struct smcss_lookup *lookup);

/** typedef smcss_tcp_request_fn - smc_inet_request() or smc_tcp_request() */
typedef struct inet_diag_req_v2 (*smcss_tcp_request_fn)(uint8_t family);

/**
 * smcss_tcp_dump() - TCP sockets of AF_INET or AF_INET6, as far as the kernel tells
 *
 * Dear: for each, the kernel walks the table of all network namespaces.
 *
 * Return: 0, -errno with @err.
 */
int smcss_tcp_dump(uint8_t family, smcss_tcp_request_fn request, smc_diag_fn fn, void *arg,
		   struct smc_err *err);

/* Counts by network namespace, process, peer and reason. */
struct summary;

/**
 * summary_new() - of no socket yet
 * @has_listening: sockets that listen will be counted, too; else nothing says how many there are
 */
struct summary *summary_new(bool has_listening);

/** summary_add() - count one socket */
void summary_add(struct summary *summary, const struct smcss_row *row);

/**
 * summary_print() - append the tables
 * @spaces: of --all-netns: a table of namespaces instead; else NULL
 */
void summary_print(struct summary *summary, const struct netns_list *spaces, struct out_text *text);

/** summary_json() - all as JSON; new reference */
json_t *summary_json(struct summary *summary, const struct netns_list *spaces);

/** summary_metrics() - the same in Prometheus' text form, by namespace for @spaces */
void summary_metrics(struct summary *summary, const struct netns_list *spaces,
		     struct out_text *text);

void summary_free(struct summary *summary);
