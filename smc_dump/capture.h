/* SPDX-License-Identifier: MIT */
/* Packets from an interface or a file, by libpcap; and into a file. */
#pragma once

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <pcap/pcap.h>

#include "base/err.h"
#include "smc_dump/blocks.h"
#include "smc_dump/output.h"
#include "smc_dump/packet.h"
#include "smc_dump/sieve.h"

/* What libpcap takes for a packet of any size. */
#define CAPTURE_SNAPLEN 262144

/**
 * struct capture - an open source
 * @pcap: an interface, or a file of pcap; @header: of its last packet
 * @file: that is read, until libpcap has taken it; @blocks: it is pcapng
 * @output, @copy: where packets of @pcap, @blocks go as they are, NULL for none
 * @to: the same before anything was written
 * @sieve: of a file: the kernel filters what comes from an interface
 * @n_taken: packets that were looked at; @n_left_out: that could not be, @left_out: the link layer
 *	of the first one
 */
struct capture {
	pcap_t *pcap;
	const struct pcap_pkthdr *header;
	FILE *file, *copy;
	struct blocks *blocks;
	pcap_dumper_t *output;
	struct output to;
	struct sieve sieve;
	uint64_t n_taken, n_left_out;
	int left_out;
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

/** capture_sink() - gets each packet. Return: 0, or a positive value or -errno that ends it all */
typedef int capture_sink(void *arg, const struct packet *packet, struct packet_time time);

/**
 * capture_run() - until the file's end, a signal (capture_stop()), or the sink's word
 * @sink: NULL: packets only go to the output; @count: of packets then, 0 for all
 *
 * Return: 0, what the sink returned, -errno with @err.
 */
int capture_run(struct capture *capture, capture_sink *sink, void *arg, uint64_t count,
		struct smc_err *err);

/**
 * capture_left_out() - packets that were not looked at, as others were
 * @why: their link layer is not known, or the filter is not for it
 *
 * Return: how many; 0: @why is as it was.
 */
uint64_t capture_left_out(struct capture *capture, struct smc_err *why);

/** capture_is_payload() - is it a file of payload that smc_dump wrote? */
bool capture_is_payload(const struct capture *capture);

/** capture_stop() - from a signal handler */
void capture_stop(struct capture *capture);

/** capture_lost() - how many packets the kernel could not keep; 0 of a file */
uint32_t capture_lost(const struct capture *capture);

/** capture_close() - Return: 0, -errno with @err if the output could not be written */
int capture_close(struct capture *capture, struct smc_err *err);

/** capture_list() - the names of interfaces, through @show. Return: 0, -errno with @err */
int capture_list(void (*show)(void *arg, const char *name, const char *about), void *arg,
		 struct smc_err *err);
