/* SPDX-License-Identifier: MIT */
/* Packets from an interface or a file, by libpcap; and into a file. */
#pragma once

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <pcap/pcap.h>

#include "base/err.h"
#include "smc_dump/output.h"
#include "smc_dump/packet.h"

/* What libpcap takes for a packet of any size. */
#define CAPTURE_SNAPLEN 262144

/**
 * struct capture - an open source
 * @file: that is read, until libpcap has taken it
 * @output: where packets go as they are, NULL for none; @to: while it is not yet libpcap's
 */
struct capture {
	pcap_t *pcap;
	FILE *file;
	pcap_dumper_t *output;
	struct output to;
	bool is_live;
};

/** capture_open_live() - listen on an interface; needs rights. Return: 0, -errno with @err */
int capture_open_live(struct capture *capture, const char *interface, int snaplen,
		      struct smc_err *err);

/**
 * capture_open_file() - only open it: nothing of it is read before capture_start()
 * @path: "-" is standard input
 */
int capture_open_file(struct capture *capture, const char *path, struct smc_err *err);

/**
 * capture_open_output() - a file for packets, mode 0600; "-" is standard output
 *
 * Refuses the file that is read, and a terminal. What a file has is kept until capture_start()
 * found no error.
 */
int capture_open_output(struct capture *capture, const char *path, struct smc_err *err);

/**
 * capture_start() - read a file's header, set the filter
 * @filter: of pcap-filter(7), NULL for what SMC needs
 */
int capture_start(struct capture *capture, const char *filter, struct smc_err *err);

/** capture_sink() - gets each packet. Return: 0, or a value that ends it all */
typedef int capture_sink(void *arg, const struct packet *packet, struct packet_time time);

/**
 * capture_run() - until the file's end, a signal (capture_stop()), or the sink's word
 * @sink: NULL: packets only go to the output; @count: of packets then, 0 for all
 *
 * Return: 0, what the sink returned, -errno with @err.
 */
int capture_run(struct capture *capture, capture_sink *sink, void *arg, uint64_t count,
		struct smc_err *err);

/** capture_stop() - from a signal handler */
void capture_stop(struct capture *capture);

/** capture_lost() - how many packets the kernel could not keep; 0 of a file */
uint32_t capture_lost(const struct capture *capture);

/** capture_close() - Return: 0, -errno with @err if the output could not be written */
int capture_close(struct capture *capture, struct smc_err *err);

/** capture_list() - the names of interfaces, through @show. Return: 0, -errno with @err */
int capture_list(void (*show)(void *arg, const char *name, const char *about), void *arg,
		 struct smc_err *err);
