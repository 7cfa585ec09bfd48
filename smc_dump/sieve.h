/* SPDX-License-Identifier: MIT */
/*
 * The filter of a capture: one text, compiled for each kind of link layer that packets come from,
 * and where libpcap cannot filter such a kind, for the IP packets in it.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <pcap/pcap.h>

#include "base/err.h"

/* TCP, and RoCE v2. */
#define SIEVE_DEFAULT "tcp or udp port 4791"

struct sieve_program;

/** struct sieve - @filter: of pcap-filter(7), NULL for what SMC needs */
struct sieve {
	const char *filter;
	struct sieve_program *programs;
	size_t count, size;
};

/** enum sieve_verdict - on a packet */
enum sieve_verdict {
	SIEVE_DROP,
	SIEVE_PASS,
	SIEVE_USELESS, /* the filter is about something that this link layer does not have */
};

/** sieve_compile() - for packets that libpcap filters itself. Return: 0, -EINVAL with @err */
int sieve_compile(const char *filter, pcap_t *pcap, struct bpf_program *program,
		  struct smc_err *err);

/** sieve_check() - is it a filter for any link layer? Return: 0, -EINVAL with @err */
int sieve_check(struct sieve *sieve, struct smc_err *err);

/** sieve_check_for() - the same for this one, DLT_* */
int sieve_check_for(struct sieve *sieve, int link, struct smc_err *err);

/** sieve_packet() - of @link (DLT_*), @len bytes, on the wire @full. Return: enum sieve_verdict */
int sieve_packet(struct sieve *sieve, int link, const uint8_t *data, size_t len, size_t full);

void sieve_free(struct sieve *sieve);
