/* SPDX-License-Identifier: MIT */
/*
 * What a connection between two hosts would be: Linux' rules of negotiation, as one pure function
 * of what is known of both.
 *
 * Facts: net/smc/af_smc.c, smc_clc.c, smc_ism.c of Linux 6.1 to 7.2; RFC 7609. The server tries
 * SMC-D v2, SMC-D v1, SMC-R v2, SMC-R v1, in this order, of what the client proposes.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "base/err.h"
#include "net/netaddr.h"
#include "net/pnetid.h"
#include "net/rdma.h"
#include "out/text.h"
#include "settings/policy.h"
#include "smc/eid.h"

#define PREDICT_ADDRS 8
#define PREDICT_CHIDS 8
#define PREDICT_NAME_SIZE 128
#define PREDICT_WORDS_SIZE 320
#define PREDICT_COMMAND_SIZE 256

/** enum predict_flag - of a net device, and what SMC would use for its connections */
enum predict_flag {
	PREDICT_GID_V1 = 1 << 0, /* SMC-R v1: a GID of RoCE v1 */
	PREDICT_GID_V2 = 1 << 1, /* SMC-R v2: a GID of RoCE v2 with an IPv4 address */
	PREDICT_ISM_V1 = 1 << 2, /* SMC-D v1: @ism_v1 is the CHID of the ISM device */
};

/**
 * struct predict_net - a net device with addresses
 * @flags: enum predict_flag
 * @addrs: those that others can connect to: neither of loopback nor link-local
 * @why: a clause that says why it has no SMC-R, escaped; empty if it has
 * @command: what the doctor says to type, empty for nothing
 */
struct predict_net {
	char name[NETDEV_NAME_SIZE];
	uint32_t flags, n_addrs;
	int32_t ism_v1;
	struct netaddr addrs[PREDICT_ADDRS];
	char why[PREDICT_WORDS_SIZE], command[PREDICT_COMMAND_SIZE];
};

/** enum predict_trait - of a host */
enum predict_trait {
	PREDICT_SMC = 1 << 0,	   /* the kernel has SMC */
	PREDICT_EIDS = 1 << 1,	   /* and version 2 of it, with EIDs: Linux 5.16 */
	PREDICT_SEID = 1 << 2,	   /* the system EID is in use */
	PREDICT_LOOPBACK = 1 << 3, /* SMC-D v2 between sockets of this kernel */
	PREDICT_ISM = 1 << 4,	   /* it has an ISM device */
	PREDICT_COOKIES = 1 << 5,  /* SYN cookies always: as a server it loses SMC's option */
	PREDICT_INNER = 1 << 7,	   /* what PNET ID loopback has cannot be seen from it */
	PREDICT_LIMITED = 1 << 6,  /* handshake limitation: TCP while the server is busy */
};

/**
 * struct predict_rule - of the policy, one network that is for all ports
 * @action: enum policy_action; @side: enum policy_side
 */
struct predict_rule {
	uint32_t action, side;
	struct netaddr net;
};

/**
 * struct predict_host - what decides, of one host or network namespace
 * @name: how the reader knows it, escaped already
 * @kernel: its release
 * @boot: of the running kernel, empty if unknown; hosts with the same one share it
 * @traits: enum predict_trait
 * @release: of SMC version 2: 0 for 2.0, 1 for 2.1
 * @seid: empty where there is none
 * @chids: of ISM devices that are offered for SMC-D v2
 * @max_links: of a link group, net.smc.smcr_max_links_per_lgr; 0 if unknown
 * @why, @command: why the kernel has no SMC, as in struct predict_net
 * @rules: with whom it uses SMC, as in policy.h
 */
struct predict_host {
	char name[PREDICT_NAME_SIZE], kernel[PREDICT_NAME_SIZE], boot[40];
	uint32_t traits, release, n_ueids, n_chids, max_links;
	char ueids[SMC_MAX_UEIDS][SMC_EID_SIZE];
	char seid[SMC_EID_SIZE];
	int32_t chids[PREDICT_CHIDS];
	char why[PREDICT_WORDS_SIZE], command[PREDICT_COMMAND_SIZE];
	uint32_t n_nets, n_rules;
	struct predict_net *nets;
	struct predict_rule *rules;
};

/** enum predict_mode - the later, the earlier the server tries it */
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

/* In the text of a gap, for the name of the host at its side, once. */
#define PREDICT_HOST "\1"

/**
 * struct predict_gap - one thing that keeps a connection from more
 * @mode: what it keeps away; that of the connection itself, or TCP, for what is about all of it
 * @side: where @command is to be typed
 * @text: a clause, escaped already, see predict_gap_text()
 * @command: a shell's line, or an imperative clause; empty for none
 */
struct predict_gap {
	enum predict_mode mode;
	enum predict_side side;
	char text[PREDICT_WORDS_SIZE], command[PREDICT_COMMAND_SIZE];
};

/**
 * struct prediction - what a connection would be
 * @client, @server: the net devices, NULL when no addresses fit together
 * @is_routed: their addresses have no subnet in common
 * @release: of version 2, the lower one
 * @max_links: of a link group of SMC-R, 0 where nobody says so
 */
struct prediction {
	enum predict_mode mode;
	const struct predict_net *client, *server;
	bool is_routed;
	uint32_t release, max_links;
	struct predict_gap gaps[PREDICT_GAPS];
	size_t n_gaps;
};

/**
 * predict() - what a connection of programs that both use SMC would be. Pure.
 *
 * Of the ways between the hosts it takes that which makes most of SMC: first between addresses of
 * one IPv4 subnet, else of several, which a route must connect, else of IPv6. Programs may
 * use another one. Not known, and not counted: packet filters, IPsec, routes, lack of memory.
 */
void predict(struct prediction *result, const struct predict_host *client,
	     const struct predict_host *server);

/** predict_gap_text() - append the clause; @name: of the host at its side, or words for it */
void predict_gap_text(struct out_text *text, const struct predict_gap *gap, const char *name);

/** predict_same() - is the other direction the same to a reader? */
bool predict_same(const struct prediction *forth, const struct prediction *back);

/* ---- hosts: read where strangers' bytes are decoded, judged elsewhere ---- */

/**
 * matrix_host_write() - the facts of a recorded host, by the doctor's own judgement
 * @name: of the host, of any bytes
 * @fd: receives a struct predict_host, its net devices and its rules
 *
 * SMC_TOOLS_ROOT says which one; its process has given up its rights. Return: 0, -errno with @err.
 */
int matrix_host_write(const char *name, int fd, struct smc_err *err);

/**
 * matrix_host_read() - what matrix_host_write() wrote, @at in @fd
 *
 * A process that was taken over may have written anything: what is read fits the struct.
 *
 * Return: 0, -errno with @err.
 */
int matrix_host_read(struct predict_host *host, int fd, off_t at, struct smc_err *err);

/** matrix_host_set_name() - of any bytes */
void matrix_host_set_name(struct predict_host *host, const char *name);

void matrix_host_free(struct predict_host *host);
