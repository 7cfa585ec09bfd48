/* SPDX-License-Identifier: MIT */
/* Advice for each group of connections, as text and JSON, and what it is based on. */
#pragma once

#include "base/err.h"
#include "out/table.h"
#include "smc_advise/tally.h"

#define USE_TEXT_SIZE 128

/** struct device_mode - @is_loopback: within this host only; @is_waiting: lacks only an EID */
struct device_mode {
	char netdev[NETDEV_NAME_SIZE], name[8];
	unsigned int version;
	bool is_loopback, is_waiting;
};

/** struct devices - @modes: those of a net device in the kernel's order */
struct devices {
	struct device_mode *modes;
	size_t count;
	struct netaddr_table addrs;
	bool has_smc;
};

/**
 * devices_load() - load the devices of this process's network namespace
 * @is_entered: by smc_netns_enter()
 *
 * Return: 0; -errno with @err. Free them with devices_free() in any case.
 */
int devices_load(struct devices *devices, bool is_entered, struct smc_err *err);

/** devices_parse() - @text: document of "smc_chk -s -j". Return: false if it is none */
bool devices_parse(struct devices *devices, const char *text);

void devices_free(struct devices *devices);

/**
 * struct smc_use - how SMC could connect, as far as this host knows without the peer
 * @is_possible: this host can, in @mode, which @text describes; else @why_not
 */
struct smc_use {
	bool is_possible;
	struct device_mode mode;
	char text[USE_TEXT_SIZE], why_not[USE_TEXT_SIZE];
};

/** enum judge_class - classes of traffic, as in SMCAT of z/OS */
enum judge_class {
	CLASS_UNKNOWN, /* no numbers */
	CLASS_SHORT,
	CLASS_QUIET, /* long-lived, with little traffic */
	CLASS_SUITED,
};

/**
 * struct judge_row - a row of the table
 * @peer: address, or "(internet)"
 * @life: average in ms; @is_life_least: a lower bound, most connections outlived the watch
 * @bytes_per_conn, @send: averages; @send is the segment size, 0 for none
 * @is_bulk: segments are full
 * @bar: why SMC cannot carry it, a clause; NULL for nothing
 * @profits: SMC would pay off, over @use, with @memory bytes of buffers
 * @advice: a command, or "keep TCP"; names in it are shell words
 */
struct judge_row {
	const struct tally_group *group;
	const struct tally_owner *owner;
	char peer[64];
	uint64_t life;
	uint64_t bytes, bytes_per_conn, send;
	bool is_bulk, is_life_least;
	enum judge_class class;
	const char *bar;
	struct smc_use use;
	bool profits;
	uint64_t memory;
	char *advice;
};

/**
 * struct judge_sum - sums over plain TCP connections; connections within this host count once
 * @smc_conns: connections of SMC sockets, counted only here
 */
struct judge_sum {
	uint64_t conns, bytes, suited_conns, suited_bytes, memory, smc_conns;
};

/** struct judged - all rows, those with most bytes first */
struct judged {
	struct judge_row *rows;
	size_t count;
	struct judge_sum sum;
};

/** advise_judge() - fill in @judged; free it with judged_free() */
void advise_judge(struct judged *judged, const struct tally *tally, const struct devices *devices);

void judged_free(struct judged *judged);

/**
 * struct watched - quality of the observation
 * @has_bpf: an eBPF program saw each connection begin and end; else socket lists were polled, and
 * @why_not has the reason
 * @duration: how long it took, in ms; @interval: longest time between two polls, in ms
 * @is_lossy: some ends were lost, the buffer was full
 * @is_blind: processes of other users could not be seen
 */
struct watched {
	char why_not[512];
	uint64_t duration, interval;
	bool has_bpf, is_lossy, is_blind;
};

/** advise_watch() - watch until the time is over, or a signal; @is_debug: report the begin */
int advise_watch(struct tally *tally, struct watched *watched, unsigned int seconds, bool is_debug,
		 struct smc_err *err);

/** advice_text() - append the table, the sum and the method. @width: of the terminal, or 0 */
void advice_text(struct out_text *text, const struct judged *judged, const struct tally *tally,
		 const struct watched *watched, size_t width);

/** advice_json() - the report as JSON. Return: new reference */
json_t *advice_json(const struct judged *judged, const struct tally *tally,
		    const struct watched *watched);
