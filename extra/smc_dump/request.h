/* SPDX-License-Identifier: MIT */
/* The command line's request. */
#pragma once

#include <pcap/pcap.h>

#include "base/err.h"
#include "cli/cli.h"
#include "smc/filter.h"
#include "smc_dump/print_event.h"

/* libpcap's snapshot length for packets of any size. */
#define CAPTURE_SNAPLEN 262144

/**
 * struct request - the whole request
 * @filter: of packets; to be freed, NULL for none
 * @sockets: capture payload, the default without @read and @interface
 * @process: name or number, NULL for all
 */
struct request {
	const char *read, *interface, *write, *process;
	char *filter;
	struct filter sockets;
	uint64_t count;
	int snaplen;
	struct show show;
};

extern const struct cli_tool dump_tool;

/** capture_run() - show handshakes, or save packets */
int capture_run(const struct request *request, struct smc_err *err);

/** payload_run() - show or save payload */
int payload_run(const struct request *request, struct smc_err *err);

/* ---- all captures: no rights before the first foreign byte, signals, the file for packets ---- */

/** guard_give_up_rights() - drop root, files and more. Return: 0, -errno: read nothing */
int guard_give_up_rights(struct smc_err *err);

/**
 * guard_catch_signals() - from now on Ctrl-C ends the capture cleanly
 *
 * A signal is the regular end of a live capture, neither a failure nor an error of the output. A
 * second signal kills the program, whatever it waits for. @pcap: to be stopped; NULL for none.
 */
void guard_catch_signals(pcap_t *pcap);

/** guard_is_stopped() - true after a signal */
bool guard_is_stopped(void);

/** guard_release() - forget @pcap before it is closed */
void guard_release(void);

/** struct output - an open file; @is_replaced: its old content is still there */
struct output {
	int fd;
	bool is_replaced;
};

/**
 * output_open() - open a file with mode 0600; "-" is standard output
 * @input: descriptor of the input, which must be another file; -1 for none
 *
 * Refuses a terminal. The old content stays until output_empty().
 */
int output_open(struct output *output, const char *path, int input, struct smc_err *err);

/** output_empty() - drop the old content */
int output_empty(struct output *output, struct smc_err *err);
