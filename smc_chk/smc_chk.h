/* SPDX-License-Identifier: MIT */
/* Interface shared by the commands of smc_chk. */
#pragma once

#include "base/err.h"
#include "cli/cli.h"
#include "out/table.h"

/** enum chk_status - exit status, for scripts: CHK_OK only if no check failed */
enum chk_status {
	CHK_OK,	      /* SMC works; the doctor found no problem */
	CHK_ERROR,    /* bad arguments, no such host, refused, timed out, a problem of the host */
	CHK_TCP,      /* the peer was reached, but over TCP */
	CHK_UNTESTED, /* cannot be tested: this kernel has no SMC, or a sandbox forbids it */
};

/* Same default as in smc-tools 1.8.5: the server takes the first free port from here on. */
#define CHK_PORT 37373

/* Options without a letter. */
enum {
	CHK_OPT_ANONYMOUS = CLI_LONG_ONLY,
	CHK_OPT_BIND,
	CHK_OPT_HTML,
	CHK_OPT_KEY,
	CHK_OPT_MONITOR,
	CHK_OPT_ONCE,
	CHK_OPT_PROBLEMS,
	CHK_OPT_TCP_TOO,
};

struct chk_request;

struct chk_command {
	const struct cli_tool *tool; /* its name includes the command: "smc_chk connect" */
	const char *operand;	     /* name of its operand, NULL for none */
	bool is_list;		     /* several operands are allowed */
	bool is_on_network;	     /* tests this machine, so refused for a recorded host */
	bool reads_elsewhere; /* allowed for a recorded host: it reads bundles or a local program */
	int (*run)(const struct chk_request *req); /* prints result or error. Return: chk_status */
};

/**
 * struct chk_request - the parsed command line
 * @object: first operand, or the argument of --connect
 * @operands: all operands, NULL-terminated
 * @bind: address for serve to listen on, NULL for all
 * @iface: of --pnetid; for doctor and live test the interface to check
 * @key: file with the key for --anonymous, NULL for a random key
 * @html: doctor: write a page to this file, "-" for standard output, NULL for none
 * @timeout_ms, @seconds: maximum wait for one step
 * @width: of the terminal; 0 for the layout in pipes
 */
struct chk_request {
	const struct chk_command *command;
	const char *object, *bind, *iface, *netns, *key, *html;
	char **operands;
	uint16_t port;
	int family;
	int timeout_ms;
	double seconds;
	bool is_json, is_debug, is_once, is_tcp_too, is_live, is_static, is_brief;
	bool is_server, is_anonymous, is_verbose, is_monitor;
	size_t width;
};

/** chk_tool - name for messages outside of a command */
extern const struct cli_tool chk_tool;

/** chk_command() - by word; for an option or NULL smc_chk itself. Return: NULL after a message */
const struct chk_command *chk_command(const char *word);

/** chk_asked - target of chk_parse() and the rows of options */
extern struct chk_request chk_asked;

/**
 * chk_parse() - parse the command line of chk_asked.command; argv[0] is the command's name
 *
 * Return: -1 to go on; or the exit status: after a message, --help or --version.
 */
int chk_parse(int argc, char **argv);

/** chk_debug() - print a "[DEBUG] " line on stderr with --debug */
void chk_debug(const struct chk_request *req, const char *fmt, ...)
	__attribute__((format(printf, 2, 3)));

#define CHK_DATE_SIZE 32

/** chk_date() - current date, "2026-11-27 09:30 UTC", to the minute; empty if out of range */
void chk_date(char text[CHK_DATE_SIZE]);

/**
 * chk_print() - write the text, and free it
 * @width: the request's: no line is longer, except for commands after "-> " or "More: "
 * @indent: of continuation lines after a label; labels begin with a blank
 *
 * Return: CHK_OK, or CHK_ERROR after a message.
 */
int chk_print(struct out_text *text, size_t width, size_t indent);

/** chk_print_json() - write a document, and drop its reference */
int chk_print_json(json_t *json);

/** chk_json_optional() - a string; NULL for none, so that the member is left out */
json_t *chk_json_optional(const char *str);

/* ---- the commands: chk_command.run ---- */

int chk_bundle(const struct chk_request *req);
int chk_connect(const struct chk_request *req); /* also -C */
int chk_doctor(const struct chk_request *req);
int chk_explain(const struct chk_request *req);
int chk_from(const struct chk_request *req);   /* returns the exit status of the tool */
int chk_live(const struct chk_request *req);   /* -l */
int chk_page(const struct chk_request *req);   /* --html */
int chk_pnetid(const struct chk_request *req); /* -i */
int chk_program(const struct chk_request *req);
int chk_server(const struct chk_request *req); /* also -S */
int chk_static(const struct chk_request *req); /* -s */

/** live_worse_status() - the worse of two, which is the first in: error, untested, TCP, SMC */
int live_worse_status(int one, int other);
