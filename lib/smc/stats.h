/* SPDX-License-Identifier: MIT */
/* Statistics of a network namespace: bytes -> struct smc_stats. Pure. */
#pragma once

#include <linux/netlink.h>

#include "base/libc.h"
#include "smc/genl_abi.h"

#define SMC_STAT_SIZES 9  /* up to 8K, 16K, ... 1024K, and more */
#define SMC_STAT_EVENTS 7 /* buffer events, see enum smc_stat_event */

/*
 * Index of each number of one technology, in the order of "stats json" in smc-tools. BUF: buffers
 * of connections, by size. REQ: send and receive calls, by length.
 */
enum {
	SMC_STAT_TX_BUF = 0,
	SMC_STAT_RX_BUF = SMC_STAT_TX_BUF + SMC_STAT_SIZES,
	SMC_STAT_TX_REQ = SMC_STAT_RX_BUF + SMC_STAT_SIZES,
	SMC_STAT_RX_REQ = SMC_STAT_TX_REQ + SMC_STAT_SIZES,
	SMC_STAT_TX_EVENT = SMC_STAT_RX_REQ + SMC_STAT_SIZES,
	SMC_STAT_RX_EVENT = SMC_STAT_TX_EVENT + SMC_STAT_EVENTS,
	SMC_STAT_CLNT_V1 = SMC_STAT_RX_EVENT + SMC_STAT_EVENTS,
	SMC_STAT_CLNT_V2,
	SMC_STAT_SRV_V1,
	SMC_STAT_SRV_V2,
	SMC_STAT_SENDPAGE,
	SMC_STAT_URG_DATA,
	SMC_STAT_SPLICE,
	SMC_STAT_CORK,
	SMC_STAT_NDLY,
	SMC_STAT_RX_BYTES,
	SMC_STAT_TX_BYTES,
	SMC_STAT_RX_CNT,
	SMC_STAT_TX_CNT,
	SMC_STAT_RX_USAGE, /* bytes in use now: the last two are gauges */
	SMC_STAT_TX_USAGE,
	SMC_STAT_COUNT,
};

enum smc_stat_event {
	SMC_EVENT_SMALL_PEER, /* one request larger than the peer's whole buffer */
	SMC_EVENT_SMALL,      /* one request larger than the local buffer */
	SMC_EVENT_FULL_PEER,
	SMC_EVENT_FULL,
	SMC_EVENT_REUSE,
	SMC_EVENT_ALLOC,
	SMC_EVENT_DOWNGRADE,
};

/** struct smc_tech_stats - counters of SMC-R or SMC-D; @has: true if the kernel sent it */
struct smc_tech_stats {
	uint64_t value[SMC_STAT_COUNT];
	bool has[SMC_STAT_COUNT];
};

/* Kernels keep at most 36 codes for each side; further ones are in the totals only. */
#define SMC_STAT_REASONS 64

/** struct smc_reason_count - @count wraps at 65536 */
struct smc_reason_count {
	uint32_t code;
	uint16_t count;
};

/** struct smc_side_stats - client or server; @fallbacks: can exceed the sum of the reasons */
struct smc_side_stats {
	uint64_t handshake_errors, fallbacks;
	struct smc_reason_count reasons[SMC_STAT_REASONS];
	size_t n_reasons;
};

enum { SMC_SIDE_CLIENT, SMC_SIDE_SERVER, SMC_SIDES };
enum { SMC_TECH_D, SMC_TECH_R, SMC_TECHS };

/** struct smc_stats - all statistics; the sides count SMC-R and SMC-D together */
struct smc_stats {
	struct smc_tech_stats tech[SMC_TECHS];
	struct smc_side_stats side[SMC_SIDES];
};

/* Two callbacks for smc_genl_dump(). */

/** smc_stats_decode() - read the counters into @stats, which must be zeroed. Return: 0, -EBADMSG */
int smc_stats_decode(const struct nlmsghdr *nlh, void *stats);

/** smc_fback_decode() - add one message of the fallback dump. Return: 0, -EBADMSG */
int smc_fback_decode(const struct nlmsghdr *nlh, void *stats);

/** smc_stat_is_gauge() - true if the number can decrease without a reset */
bool smc_stat_is_gauge(size_t index);

/**
 * smc_stats_since() - subtract a baseline; gauges are unchanged
 *
 * Counts of reasons, which wrap, are taken modulo 65536.
 * Return: 0; -ERANGE, with @stats unchanged, if the kernel has reset a counter since.
 */
int smc_stats_since(struct smc_stats *stats, const struct smc_stats *base);

/** smc_stat_key() - name in "stats json" of smc-tools 1.8.5, like "SMC_RX_BYTES" */
const char *smc_stat_key(size_t index);
