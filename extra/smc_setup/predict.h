/* SPDX-License-Identifier: MIT */
/*
 * Predict the connection between two hosts, by Linux's rules of negotiation. Pure.
 *
 * Source: net/smc/af_smc.c, smc_clc.c, smc_ism.c of Linux 6.1 to 7.2; RFC 7609. The server tries
 * SMC-D v2, SMC-D v1, SMC-R v2, SMC-R v1, in this order, as far as the client proposes them.
 */
#pragma once

#include "base/array.h"
#include "net/netaddr.h"
#include "net/netdev.h"
#include "net/rdma.h"
#include "out/text.h"
#include "smc/eid.h"

#define PREDICT_ADDRS 8
#define PREDICT_CHIDS 8
#define PREDICT_NAME_SIZE 128
#define PREDICT_WORDS_SIZE 320
#define PREDICT_COMMAND_SIZE 256

/** enum predict_flag - modes that a net device can use */
enum predict_flag {
	PREDICT_GID_V1 = 1 << 0, /* SMC-R v1: a GID of RoCE v1 */
	PREDICT_GID_V2 = 1 << 1, /* SMC-R v2: a GID of RoCE v2 with an IPv4 address */
	PREDICT_ISM_V1 = 1 << 2, /* SMC-D v1: @ism_v1 is the CHID of the ISM device */
};

/**
 * struct predict_net - a net device with addresses
 * @flags: enum predict_flag
 * @addrs: addresses reachable from other hosts: no loopback, no link-local
 * @why: a clause why it has no SMC-R, escaped; empty if it has
 * @command: remedy of the doctor, empty for none
 */
struct predict_net {
	char name[NETDEV_NAME_SIZE];
	uint32_t flags, n_addrs;
	int32_t ism_v1;
	struct netaddr addrs[PREDICT_ADDRS];
	char why[PREDICT_WORDS_SIZE], command[PREDICT_COMMAND_SIZE];
};

/** enum predict_trait - facts about a host */
enum predict_trait {
	PREDICT_SMC = 1 << 0,	   /* the kernel has SMC */
	PREDICT_EIDS = 1 << 1,	   /* with version 2 and EIDs: Linux 5.16 */
	PREDICT_SEID = 1 << 2,	   /* the system EID is in use */
	PREDICT_LOOPBACK = 1 << 3, /* SMC-D v2 between sockets of this kernel */
	PREDICT_ISM = 1 << 4,	   /* it has an ISM device */
	PREDICT_COOKIES = 1 << 5,  /* SYN cookies always on: as a server it loses SMC's option */
	PREDICT_LIMITED = 1 << 6,  /* handshake limitation: it answers without SMC while busy */
	PREDICT_INNER = 1 << 7,	   /* the PNET ID of loopback cannot be seen from inside */
};

/**
 * struct predict_host - facts about one host or network namespace
 * @name: as the user knows it, already escaped; @kernel: release
 * @boot: boot id of the kernel, empty if unknown; hosts with the same id share the kernel
 * @traits: enum predict_trait; @release: of SMC version 2: 0 for 2.0, 1 for 2.1
 * @seid: empty if none; @chids: of ISM devices offered for SMC-D v2
 * @max_links: of a link group, net.smc.smcr_max_links_per_lgr; 0 if unknown
 * @why, @command: why the kernel has no SMC, as in struct predict_net
 */
struct predict_host {
	char name[PREDICT_NAME_SIZE], kernel[PREDICT_NAME_SIZE], boot[40];
	uint32_t traits, release, n_ueids, n_chids, max_links;
	char ueids[SMC_MAX_UEIDS][SMC_EID_SIZE];
	char seid[SMC_EID_SIZE];
	int32_t chids[PREDICT_CHIDS];
	char why[PREDICT_WORDS_SIZE], command[PREDICT_COMMAND_SIZE];
	size_t n_nets;
	struct predict_net *nets;
};

/** enum predict_mode - the server tries higher ones first */
enum predict_mode {
	PREDICT_TCP,
	PREDICT_SMCR_V1,
	PREDICT_SMCR_V2,
	PREDICT_SMCD_V1,
	PREDICT_SMCD_V2,
};

/** predict_mode_name() - "TCP", "SMC-R v1", ... */
const char *predict_mode_name(enum predict_mode mode);

enum predict_side { PREDICT_CLIENT, PREDICT_SERVER, PREDICT_BOTH };

#define PREDICT_GAPS 6

/* Placeholder in the text of a gap for the name of the host at its side, at most once. */
#define PREDICT_HOST "\1"

/**
 * struct predict_gap - an obstacle to a better connection
 * @mode: the mode it prevents; the mode of the connection, or TCP, if it affects all modes
 * @side: host where @command is typed; @text: a clause, already escaped, see predict_gap_text()
 * @command: a shell command, or an imperative clause; empty for none
 */
struct predict_gap {
	enum predict_mode mode;
	enum predict_side side;
	char text[PREDICT_WORDS_SIZE], command[PREDICT_COMMAND_SIZE];
};

/**
 * struct prediction - the predicted connection
 * @client, @server: the net devices, NULL if no addresses match
 * @is_routed: the addresses are in different subnets; @release: of version 2, the lower one
 * @max_links: of an SMC-R link group, 0 if unknown; @links: that it will have, 0 without SMC-R
 * @address: of the server
 */
struct prediction {
	enum predict_mode mode;
	const struct predict_net *client, *server;
	bool is_routed;
	uint32_t release, max_links, links;
	struct netaddr address;
	struct predict_gap gaps[PREDICT_GAPS];
	size_t n_gaps;
};

/**
 * predict() - predict a connection of programs that both use SMC. Pure.
 *
 * Uses the address pair with the best mode: preferably in one IPv4 subnet, then in different
 * subnets with a route, then IPv6. Programs may use another pair. Not considered: packet filters,
 * policies, IPsec, routes, lack of memory.
 */
void predict(struct prediction *result, const struct predict_host *client,
	     const struct predict_host *server);

/** predict_conf_line() - the line of smc.conf(5) for a gap's command. Return: false for none */
bool predict_conf_line(char line[PREDICT_COMMAND_SIZE], const char *command);

/** predict_gap_text() - append the clause of a gap; @name: of the host at its side */
void predict_gap_text(struct out_text *text, const struct predict_gap *gap, const char *name);

/** predict_same() - true if the other direction looks the same to a reader */
bool predict_same(const struct prediction *forth, const struct prediction *back);
