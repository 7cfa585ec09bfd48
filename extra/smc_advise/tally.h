/* SPDX-License-Identifier: MIT */
/* Count TCP connections by process and peer, in bounded memory. Pure: the sources pass the time. */
#pragma once

#include "base/index.h"
#include "net/netaddr.h"
#include "smc/tcp.h"
#include "smc_advise/xfrm.h"

/*
 * Limits. Connections beyond them are counted in a row for the rest, or not at all, which the
 * report mentions. Together less than 100 MB; a host with 10 000 connections takes about 6 MB.
 */
#define TALLY_LIVE_MAX 250000 /* connections open at a time */
#define TALLY_OWNERS_MAX 2048 /* different processes */
#define TALLY_GROUPS_MAX 1024 /* rows */
#define TALLY_PEERS_MAX 32    /* rows of one process and port */

/*
 * Thresholds from which SMC pays off. A short connection with one small request (socket, connect,
 * accept, 64 bytes each way, close) costs 2.75 times as much over SMC as over TCP: SMC begins as
 * TCP, and then negotiates devices and buffers. The extra 1.75 connections cost about as much as
 * six exchanges each; if SMC then saves a third of each exchange, 32 exchanges recover the cost.
 * For large transfers, with fewer segments and no slow start, 256 KiB do.
 */
#define ADVISE_SEGMENTS 32
#define ADVISE_BYTES (256 * 1024)

/* Milliseconds. A connection that ended sooner, with less data, was too short for SMC. */
#define ADVISE_SHORT_LIFE 10000

/** advise_is_suited() - true if a connection, or @conns on average, moved enough data */
static inline bool advise_is_suited(uint64_t conns, uint64_t segments, uint64_t bytes)
{
	return conns && (segments / conns >= ADVISE_SEGMENTS || bytes / conns >= ADVISE_BYTES);
}

/** enum tally_side - role of the local end */
enum tally_side {
	SIDE_UNKNOWN,
	SIDE_CLIENT,
	SIDE_SERVER,
};

/** enum tally_peers - kind of peer of a row */
enum tally_peers {
	PEERS_LOCAL,	/* an address of this host */
	PEERS_NEAR,	/* an address in a private network or in a subnet of this host */
	PEERS_OTHER,	/* other near peers, if there are too many for separate rows */
	PEERS_INTERNET, /* all other peers together */
};

/** tally_peers_of() - kind of a peer, by its address and those of this host */
enum tally_peers tally_peers_of(const struct netaddr_table *own, const struct smc_addr *peer);

/** enum tally_carrier - transport of a connection */
enum tally_carrier {
	CARRIER_TCP,
	CARRIER_FALLBACK, /* SMC socket that fell back to TCP */
	CARRIER_SMC,	  /* SMC socket, transport unknown */
	CARRIER_SMCR,
	CARRIER_SMCD,
};

/** enum tally_bar - why SMC could not carry a connection */
enum tally_bar {
	BAR_NONE,
	BAR_ULP, /* kTLS and other upper layer protocols */
	BAR_MPTCP,
	BAR_SIGNED, /* TCP-MD5 */
	BAR_FAST_OPEN,
	BAR_IPSEC,
};

/**
 * struct tally_owner - a kind of process
 * @comm: its name, not escaped; empty if unknown; @unit: its systemd service, empty for none
 * @is_user: a service of a user's systemd
 */
struct tally_owner {
	char comm[16];
	char unit[NAME_MAX + 1];
	bool is_user;
};

/**
 * struct tally_group - the connections of one row
 * @owner: index into the owners, 0 if unknown; @port: of the server, local or remote
 * @peer: without its port; its family is AF_UNSPEC for several
 * @sample, @local: addresses of an example
 * @conns: all connections of the row; @open now, @open_peak at a time
 * @n_info: number of @conns with TCP_INFO; the following sums are over these
 * @n_suited, @suited_bytes: number and bytes of those of @n_info that would each gain from SMC
 * @life: sum over @conns in ms; @n_longer: those still open, or older than the watch
 */
struct tally_group {
	uint32_t owner;
	enum tally_side side;
	uint16_t port;
	enum tally_peers peers;
	enum tally_carrier carrier;
	enum tally_bar bar;
	struct smc_addr peer, sample, local;
	uint64_t conns, open, open_peak;
	uint64_t n_info, sent, received, segs_sent, segs_received, mss;
	uint64_t n_suited, suited_bytes;
	uint64_t life, n_longer;
};

struct tally_conn;
struct tally_listener;

/**
 * struct tally - all counts
 * @own: addresses of this host; @policies: of IPsec, NULL for none
 * @live: connections that are open; @listeners: by port
 * @by_cookie, @by_group: look up connections and groups; only until tally_finish()
 * @round: number of the poll; @polled: when the last one began, in ms
 * @n_untracked: connections beyond TALLY_LIVE_MAX; @is_capped: too many processes or rows
 */
struct tally {
	const struct netaddr_table *own;
	const struct smc_xfrm_table *policies;
	struct tally_conn *live;
	size_t n_live;
	struct tally_listener *listeners;
	struct tally_owner *owners;
	size_t n_owners;
	struct tally_group *groups;
	size_t n_groups;
	struct smc_index by_cookie, by_group;
	unsigned int round;
	uint64_t polled;
	uint64_t n_untracked;
	bool is_capped;
};

/** tally_start() - initialize; @tally: all zero, except @own and @policies */
void tally_start(struct tally *tally);

void tally_free(struct tally *tally);

/** tally_owner() - index of a kind of process, added if new */
uint32_t tally_owner(struct tally *tally, const struct tally_owner *owner);

/* ---- a poll: begin, each socket, SMC's, names, end; times: ms, of a monotonic clock ---- */

void tally_begin(struct tally *tally, uint64_t now);

void tally_see(struct tally *tally, const struct smc_tcp *tcp);

/** tally_smcs() - mark TCP sockets inside SMC sockets. @socks: with their addresses; sorted */
void tally_smcs(struct tally *tally, struct smc_sock *socks, size_t count);

/** typedef tally_name_fn - look up a socket's owner by inode; 0 if unknown */
typedef uint32_t (*tally_name_fn)(void *arg, uint64_t inode);

/** tally_name() - look up owners that were not looked up yet */
void tally_name(struct tally *tally, tally_name_fn fn, void *arg);

/** tally_end() - finish a poll; a socket that two polls in a row did not list has ended */
void tally_end(struct tally *tally);

/**
 * struct tally_death - facts about the end of a connection, beyond its socket
 * @owner: 0 if the source does not know it; @is_smc: both SYNs had the SMC option
 * @born: when it was established, 0: before the watch, or never
 */
struct tally_death {
	struct smc_tcp tcp;
	uint32_t owner;
	enum tally_side side;
	bool is_smc;
	uint64_t born;
};

/** tally_die() - a connection has ended; allowed at any time */
void tally_die(struct tally *tally, const struct tally_death *death, uint64_t now);

/** tally_finish() - end the watch: count open connections */
void tally_finish(struct tally *tally, uint64_t now);
