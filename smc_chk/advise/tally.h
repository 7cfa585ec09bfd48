/* SPDX-License-Identifier: MIT */
/*
 * TCP connections, counted by process and peer in bounded memory. Pure: the sources tell what they
 * saw, and when.
 */
#pragma once

#include <limits.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/index.h"
#include "net/netaddr.h"
#include "smc/tcp.h"
#include "smc_chk/advise/xfrm.h"

/*
 * Limits: what is beyond is counted in a row for all the rest, or not at all, and the report says
 * so. Together less than 100 MB, of which a host with 10 000 connections takes about 6.
 */
#define TALLY_LIVE_MAX 250000 /* connections that are open at one time */
#define TALLY_OWNERS_MAX 2048 /* different processes */
#define TALLY_GROUPS_MAX 1024 /* rows */
#define TALLY_PEERS_MAX 32    /* rows of one process and port */

/*
 * Which connections SMC pays for. A whole life of one with one small request (socket, connect,
 * accept, 64 bytes each way, close) costs 2.75 times over SMC what it costs over TCP: SMC begins as
 * TCP, and then agrees on devices and buffers. That is 1.75 lives more, each worth about six
 * exchanges; where an exchange then saves a third, 32 of them have earned it back. What comes in
 * large pieces has fewer segments, and no slow start: there it is earned by 256 KiB.
 */
#define ADVISE_SEGMENTS 32
#define ADVISE_BYTES (256 * 1024)

/* What moved less, and was over before this, did not live long enough: ms. */
#define ADVISE_SHORT_LIFE 10000

/** advise_is_suited() - has a connection, or have @conns of them on average, moved enough? */
static inline bool advise_is_suited(uint64_t conns, uint64_t segments, uint64_t bytes)
{
	return conns && (segments / conns >= ADVISE_SEGMENTS || bytes / conns >= ADVISE_BYTES);
}

/** enum tally_side - which end of a connection is here */
enum tally_side {
	SIDE_UNKNOWN,
	SIDE_CLIENT,
	SIDE_SERVER,
};

/** enum tally_peers - who is at the other end of a group's connections */
enum tally_peers {
	PEERS_LOCAL,	/* one address of this host */
	PEERS_NEAR,	/* one address, of a private network or of a subnet of this host */
	PEERS_OTHER,	/* more of those than there are rows for */
	PEERS_INTERNET, /* all the rest together */
};

/** tally_netaddr() - an address alone, without its port */
struct netaddr tally_netaddr(const struct smc_addr *addr);

/** tally_peers_of() - who a peer is, by its address and those of this host */
enum tally_peers tally_peers_of(const struct netaddr_table *own, const struct smc_addr *peer);

/** enum tally_carrier - what a connection runs over now */
enum tally_carrier {
	CARRIER_TCP,
	CARRIER_FALLBACK, /* of an SMC socket, but over TCP */
	CARRIER_SMC,	  /* of an SMC socket; over what, nobody saw */
	CARRIER_SMCR,
	CARRIER_SMCD,
};

/** enum tally_bar - what of a connection SMC could not carry */
enum tally_bar {
	BAR_NONE,
	BAR_ULP, /* kTLS, and what else takes a TCP socket over */
	BAR_MPTCP,
	BAR_SIGNED, /* TCP-MD5 */
	BAR_FAST_OPEN,
	BAR_IPSEC,
};

/**
 * struct tally_owner - a kind of process
 * @comm: its name, not escaped; empty for an unknown one
 * @unit: systemd's service that it belongs to, empty for none
 * @is_user: a service of a user's systemd
 */
struct tally_owner {
	char comm[16];
	char unit[NAME_MAX + 1];
	bool is_user;
};

/**
 * struct tally_group - the connections of one row
 * @owner: index into the owners, 0 for an unknown one
 * @port: the server's, at whichever end
 * @peer: without its port; its family is AF_UNSPEC for several
 * @sample, @local: addresses of one of the connections
 * @conns: all that were open at some time; @open now, @open_peak at one time
 * @n_info: of @conns those with numbers; the sums that follow are theirs
 * @n_suited, @suited_bytes: of @n_info those that would profit themselves
 * @life: ms that all of @conns lasted together; @n_longer: of them still open, or older than the
 *	watch
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
 * struct tally - all of it
 * @own: addresses of this host
 * @policies: of IPsec, NULL for none
 * @live: connections that are open
 * @listeners: for each port
 * @by_cookie, @by_group: find connections and groups; these only until tally_finish()
 * @round: number of the poll; @polled: when the last one began, in ms
 * @n_untracked: connections beyond TALLY_LIVE_MAX
 * @is_capped: there are more processes or rows than fit
 */
struct tally {
	const struct netaddr_table *own;
	const struct smc_xfrm_table *policies;
	struct tally_conn *live;
	size_t n_live, live_size;
	struct tally_listener *listeners;
	struct tally_owner *owners;
	size_t n_owners, owners_size;
	struct tally_group *groups;
	size_t n_groups, groups_size;
	struct smc_index by_cookie, by_group;
	unsigned int round;
	uint64_t polled;
	uint64_t n_untracked;
	bool is_capped;
};

/** tally_start() - @tally: all zero, except @own and @policies */
void tally_start(struct tally *tally);

void tally_free(struct tally *tally);

/** tally_owner() - the index of a kind of process, which is added */
uint32_t tally_owner(struct tally *tally, const struct tally_owner *owner);

/* ---- a poll: begin, each socket, SMC's, names, end; times: ms, of a clock that only runs ---- */

void tally_begin(struct tally *tally, uint64_t now);

void tally_see(struct tally *tally, const struct smc_tcp *tcp);

/**
 * struct tally_smc - an SMC socket: the TCP socket inside has its addresses, but not its holder
 * @peer: port 0 for one that listens
 */
struct tally_smc {
	struct smc_addr local, peer;
	enum tally_carrier carrier;
	uint64_t inode;
};

/** tally_smcs() - which sockets are SMC's. @smcs is sorted */
void tally_smcs(struct tally *tally, struct tally_smc *smcs, size_t count);

/** typedef tally_name_fn - the owner of a socket by its inode; 0 if it is not known */
typedef uint32_t (*tally_name_fn)(void *arg, uint64_t inode);

/** tally_name() - ask for the owner of each socket whose process has not been looked for yet */
void tally_name(struct tally *tally, tally_name_fn fn, void *arg);

/** tally_end() - a socket that is missing in one list may end by a message: in two it has ended */
void tally_end(struct tally *tally);

/**
 * struct tally_death - what a source tells of a connection's end, beyond its socket
 * @owner: 0 if the source does not know it; @side
 * @is_smc: its SYN offered SMC, and the peer's took it
 * @born: when it was established, 0 for before the watch, or never
 */
struct tally_death {
	struct smc_tcp tcp;
	uint32_t owner;
	enum tally_side side;
	bool is_smc;
	uint64_t born;
};

/** tally_die() - a connection has ended: at any time */
void tally_die(struct tally *tally, const struct tally_death *death, uint64_t now);

/** tally_finish() - the watch is over: count what is still open */
void tally_finish(struct tally *tally, uint64_t now);
