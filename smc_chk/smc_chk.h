/* SPDX-License-Identifier: MIT */
/* What all commands of smc_chk have in common, and most of them. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "base/err.h"
#include "cli/cli.h"
#include "out/table.h"

/** enum chk_status - what main() returns; scripts can trust it: CHK_OK after no failed check */
enum chk_status {
	CHK_OK,	      /* SMC works; the doctor found no problem */
	CHK_ERROR,    /* bad arguments, no such host, refused, timed out, a problem of the host */
	CHK_TCP,      /* reached the peer, but over TCP */
	CHK_UNTESTED, /* cannot be tested here: this kernel has no SMC, or a sandbox forbids it */
};

/* The same default as in smc-tools 1.8.5: the server takes the first free port from here. */
#define CHK_PORT 37373

/* Options without a letter. */
enum {
	CHK_OPT_ANONYMOUS = CLI_LONG_ONLY,
	CHK_OPT_BIND,
	CHK_OPT_FOR,
	CHK_OPT_HTML,
	CHK_OPT_KEY,
	CHK_OPT_ONCE,
	CHK_OPT_PROBLEMS,
	CHK_OPT_SHAPE,
	CHK_OPT_TCP_TOO,
};

/** enum chk_shape - of what tune measures */
enum chk_shape {
	CHK_SHAPE_BULK,	       /* much data, one way */
	CHK_SHAPE_RPC,	       /* requests and answers of one size */
	CHK_SHAPE_CONNECTIONS, /* that come and go */
};

#define CHK_RPC_BYTES (1 << 20) /* the largest such size */

struct chk_request;

/** struct chk_command - one thing to do */
struct chk_command {
	const struct cli_tool *tool; /* with the words that stand for it, "smc_chk connect" */
	const char *operand;	     /* name of what it needs, NULL if it takes none */
	bool is_list;		     /* it takes several of them */
	bool is_on_network;	     /* it tests this machine, so not for a recorded host */
	bool reads_elsewhere; /* also of a recorded host: bundles, or a program of this one */
	int (*run)(
		const struct chk_request *req); /* prints result or error. Return: a chk_status */
	int (*page)(const struct chk_request *req); /* the same, as a page: with --html */
};

/**
 * struct chk_request - the command line, read
 * @object: its first operand, or the argument of --connect
 * @operands: all of them; NULL-terminated
 * @bind: address that serve listens on, NULL for all
 * @iface: of --pnetid: with the doctor and the live test the interface to look at
 * @key: file that decides the pseudonyms of --anonymous, NULL for a key of its own
 * @html: file of the page to write instead, "-" for standard output, NULL for none
 * @timeout_ms: longest wait for one step
 * @watch_seconds: how long advise watches
 * @shape, @rpc_bytes: of tune
 * @width: of the terminal that shows the text; 0 for the layout of pipes
 */
struct chk_request {
	const struct chk_command *command;
	const char *object, *bind, *iface, *netns, *key, *html;
	char **operands;
	uint16_t port;
	int family;
	int timeout_ms;
	unsigned int watch_seconds;
	enum chk_shape shape;
	int rpc_bytes;
	bool is_json, is_debug, is_once, is_tcp_too, is_live, is_static, is_brief;
	bool is_server, is_anonymous, is_verbose;
	size_t width;
};

/** chk_tool - the name in messages, without a command */
extern const struct cli_tool chk_tool;

/**
 * chk_command() - what the command line begins with
 * @word: its first argument, or NULL
 *
 * Return: smc_chk itself if that is an option, or missing; NULL after a message about the word.
 */
const struct chk_command *chk_command(const char *word);

/** chk_asked - what chk_parse() reads, named by the rows of options */
extern struct chk_request chk_asked;

/**
 * chk_parse() - read the command line of chk_asked.command, whose name is argv[0]
 *
 * Return: -1 to go on; or the exit status: after a message, or after --help or --version.
 */
int chk_parse(int argc, char **argv);

/** chk_debug() - one "[DEBUG] " line on stderr if --debug was given */
void chk_debug(const struct chk_request *req, const char *fmt, ...)
	__attribute__((format(printf, 2, 3)));

#define CHK_DATE_SIZE 32

/** chk_date() - now, "2026-11-27 09:30 UTC", to a minute; empty if it is beyond all calendars */
void chk_date(char text[CHK_DATE_SIZE]);

/**
 * chk_print() - write the text, and free it
 * @width: the request's: no line is wider, except what is to be typed: behind "-> " or "More: "
 * @indent: where the rest of a line with a label goes on, which is one that begins with a blank
 *
 * Return: CHK_OK, or CHK_ERROR after a message.
 */
int chk_print(struct out_text *text, size_t width, size_t indent);

/** chk_print_json() - the same with a document, whose reference it takes */
int chk_print_json(json_t *json);

/** chk_json_optional() - a string, NULL for none: what is not there is left out */
json_t *chk_json_optional(const char *str);

/* ---- the commands: see chk_command's run ---- */

int chk_advise(const struct chk_request *req); /* CHK_OK: something profits, CHK_TCP: nothing */
int chk_bundle(const struct chk_request *req);
int chk_connect(const struct chk_request *req); /* also -C */
int chk_doctor(const struct chk_request *req);	/* also the static analysis of -s */
int chk_explain(const struct chk_request *req);
int chk_from(const struct chk_request *req); /* returns the exit status of the tool */
int chk_live(const struct chk_request *req); /* -l */
int chk_matrix(const struct chk_request *req);
int chk_pnetid(const struct chk_request *req); /* -i */
int chk_program(const struct chk_request *req);
int chk_server(const struct chk_request *req); /* also -S */
int chk_tune(const struct chk_request *req);

/** live_worse_status() - of two: an error is worse than untested, that than TCP, that than SMC */
int live_worse_status(int one, int other);
