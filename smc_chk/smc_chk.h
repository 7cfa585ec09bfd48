/* SPDX-License-Identifier: MIT */
/* What all commands of smc_chk have in common, and those that are no more than one file. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "base/err.h"
#include "cli/cli.h"

/**
 * enum chk_status - what main() returns
 *
 * A script can trust them: no check that failed ends with CHK_OK.
 */
enum chk_status {
	CHK_OK,	      /* SMC works; the doctor found no problem */
	CHK_ERROR,    /* bad arguments, no such host, refused, timed out, a problem of the host */
	CHK_TCP,      /* reached the peer, but over TCP */
	CHK_UNTESTED, /* cannot be tested here: this kernel has no SMC, or a sandbox forbids it */
};

/* The same default as in smc-tools 1.8.5: the server takes the first free port from here. */
#define CHK_PORT 37373

/* The option of the doctor, which has no letter. */
#define CHK_OPT_DOCTOR CLI_LONG_ONLY
/* And of --advise; those in between are private to options.c. */
#define CHK_OPT_ADVISE (CLI_LONG_ONLY + 16)
/* And of --matrix. */
#define CHK_OPT_MATRIX (CLI_LONG_ONLY + 32)

/** enum chk_shape - of what --tune measures */
enum chk_shape {
	CHK_SHAPE_BULK,	       /* much data, one way */
	CHK_SHAPE_RPC,	       /* requests and answers of one size */
	CHK_SHAPE_CONNECTIONS, /* that come and go */
};

#define CHK_RPC_BYTES (1 << 20) /* the largest such size */

/**
 * struct chk_request - the command line, read
 * @command: value of the option that says what to do, 0 for the doctor
 * @host: of --connect
 * @bind: address that --server listens on, NULL for all
 * @iface: of --pnetid: with the doctor and the live test the interface to look at
 * @text: argument of --explain, --program, --bundle
 * @from: recorded host to read instead of this one, NULL for this one
 * @key: file that decides the pseudonyms of --anonymous, NULL for a key of its own
 * @operands: after --from: a tool and its arguments; of --matrix the hosts; NULL-terminated
 * @port: 0 if not given
 * @family: AF_INET, AF_INET6, or AF_UNSPEC
 * @timeout_ms: longest wait for one step
 * @watch_seconds: how long --advise watches
 * @is_probing: it also asks peers
 * @shape, @rpc_bytes: of --tune
 */
struct chk_request {
	int command;
	const char *host, *bind, *iface, *text, *from, *netns, *key;
	char **operands;
	uint16_t port;
	int family;
	int timeout_ms;
	unsigned int watch_seconds;
	enum chk_shape shape;
	int rpc_bytes;
	bool is_json, is_debug, is_once, is_tcp_too, is_live, is_static, is_brief;
	bool is_probing, is_tune, is_dot, is_anonymous;
};

extern const struct cli_tool chk_tool;

/**
 * chk_parse() - read the command line. Pure
 * @req: all zero before
 *
 * Return: -1 to go on; or the exit status: after a message, or after --help or --version.
 */
int chk_parse(struct chk_request *req, int argc, char **argv);

/** chk_debug() - one "[DEBUG] " line on stderr if --debug was given */
void chk_debug(const struct chk_request *req, const char *fmt, ...)
	__attribute__((format(printf, 2, 3)));

/* Commands: each prints what it found, or one error, and returns a chk_status. */

/** chk_explain() - --explain: a reason code, in words and with commands to type */
int chk_explain(const struct chk_request *req);

/** chk_pnetid() - --pnetid: the PNET ID of one net device */
int chk_pnetid(const struct chk_request *req);

/** chk_program() - --program: which way of smc_run reaches a program */
int chk_program(const struct chk_request *req);
