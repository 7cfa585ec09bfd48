// SPDX-License-Identifier: MIT
/*
 * The command line of smc_chk, and how all commands print. Without a command it takes the options
 * of smc-tools 1.8.5.
 */
#include "smc_chk/smc_chk.h"

#include <getopt.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>

#include "cli/printable.h"

#define WATCH_MAX (7 * 86400)
#define WATCH_DEFAULT 60

static const struct cli_opt options[] = {
	{ 'C', "connect", "HOST", "as 'smc_chk connect HOST'",
	  .excludes = "--server --pnetid --live-test --static-analysis" },
	{ 'S', "server", NULL, "as 'smc_chk serve'",
	  .excludes = "--pnetid --live-test --static-analysis" },
	{ 'p', "port", "PORT", "port for -C and -S (default 37373)",
	  .needs = "--connect --server" },
	{ '6', "ipv6", NULL, "use IPv6 for -C, -S and -l",
	  .needs = "--connect --server --live-test" },
	{ 'i', "pnetid", "IFACE", "print its PNET ID; -l and -s: test only this one" },
	{ 'l', "live-test", NULL, "test SMC with this host itself on each interface" },
	{ 's', "static-analysis", NULL, "print what SMC could use on each interface" },
	{ 'j', "json", NULL, "write one JSON document" },
	{ 'N', "netns", "NETNS", "network namespace: a name, process id or path" },
	{ 'd', "debug", NULL, "print each step on standard error" },
	{ 'v', "version", NULL, "print the version" },
	{ 'h', "help", NULL, "print this help; COMMAND --help: its options" },
	{ 0 },
};

static uint64_t given;

/* Its help has 24 lines, as many as a terminal. */
const struct cli_tool chk_tool = {
	.name = "smc_chk",
	.usage = "doctor               check this host (the default)\n"
		 "connect HOST         test the connection to a server\n"
		 "serve                run the server for such tests\n"
		 "tune HOST            measure which buffers are best\n"
		 "explain CODE         explain why a connection is TCP\n"
		 "program FILE         name the way of smc_run to a program\n"
		 "advise               find TCP connections that SMC improves\n"
		 "matrix HOST|FILE...  predict connections between hosts\n"
		 "bundle FILE          write what support needs to know\n"
		 "from FILE [COMMAND]  run COMMAND as if on the host of a bundle",
	.opts = options,
	.error_status = CHK_ERROR,
	.stop_at_first = true,
	.given = &given,
};

/* A day is more than any connection takes. */
static int set_timeout(struct chk_request *req, const char *text)
{
	char *end;
	double seconds = strtod(text, &end);

	if (*end || !(seconds >= 0.001 && seconds <= 86400))
		return cli_usage_error(req->command->tool,
				       "'%s' is not a number of seconds from 0.001 to 86400", text);
	req->timeout_ms = (int)(seconds * 1000);
	return 0;
}

/* A week is more than anybody waits for. */
static int set_watch(struct chk_request *req, const char *text)
{
	char *end = NULL;
	unsigned long seconds = *text >= '0' && *text <= '9' ? strtoul(text, &end, 10) : 0;
	unsigned long unit = !seconds ? 1 : *end == 'h' ? 3600 : *end == 'm' ? 60 : 1;

	if (seconds && *end && strchr("smh", *end))
		end++;
	if (!seconds || *end || seconds > WATCH_MAX / unit)
		return cli_usage_error(req->command->tool, "'%s' is not a time from 1s to 168h",
				       text);
	req->watch_seconds = (unsigned int)(seconds * unit);
	return 0;
}

static int set_shape(struct chk_request *req, const char *text)
{
	char *end = NULL;
	long bytes = !strncmp(text, "rpc:", 4) ? strtol(text + 4, &end, 10) : 0;

	if (end && !*end && bytes >= 1 && bytes <= CHK_RPC_BYTES) {
		req->shape = CHK_SHAPE_RPC;
		req->rpc_bytes = (int)bytes;
	} else if (!strcmp(text, "connections")) {
		req->shape = CHK_SHAPE_CONNECTIONS;
	} else if (!strcmp(text, "bulk")) {
		req->shape = CHK_SHAPE_BULK;
	} else {
		return cli_usage_error(req->command->tool,
				       "'%s' is not bulk, connections or rpc: with 1 to %d bytes",
				       text, CHK_RPC_BYTES);
	}
	return 0;
}

/* Return: -1 to go on, or the exit status. */
static int set_option(struct chk_request *req, int val)
{
	uint64_t port;
	int ret = 0;

	switch (val) {
	case 'C': req->object = optarg; break;
	case 'S': req->is_server = true; break;
	case 'l': req->is_live = true; break;
	case 's': req->is_static = true; break;
	case 'i': req->iface = optarg; break;
	case 'p':
		ret = cli_number(req->command->tool, 'p', optarg, 1, UINT16_MAX, &port);
		req->port = (uint16_t)port;
		break;
	case '4': req->family = AF_INET; break;
	case '6': req->family = AF_INET6; break;
	case 't': ret = set_timeout(req, optarg); break;
	case CHK_OPT_FOR: ret = set_watch(req, optarg); break;
	case CHK_OPT_BIND: req->bind = optarg; break;
	case CHK_OPT_ONCE: req->is_once = true; break;
	case CHK_OPT_TCP_TOO: req->is_tcp_too = true; break;
	case CHK_OPT_SHAPE: ret = set_shape(req, optarg); break;
	case CHK_OPT_ANONYMOUS: req->is_anonymous = true; break;
	case CHK_OPT_KEY: req->key = optarg; break;
	case CHK_OPT_PROBLEMS: req->is_brief = true; break;
	case 'N': req->netns = optarg; break;
	case 'j': req->is_json = true; break;
	case 'd': req->is_debug = true; break;
	case 'v': return cli_version(&chk_tool);
	case 'h': return cli_help(req->command->tool);
	default: return CHK_ERROR;
	}
	return ret ? CHK_ERROR : -1;
}

/* Return: 0, or the status after a message. */
static int take_operands(struct chk_request *req, char **operands)
{
	const struct chk_command *command = req->command;

	req->operands = operands;
	if (!command->operand)
		return cli_no_operand(command->tool, *operands);
	if (!*operands)
		return cli_usage_error(command->tool, "no %s given", command->operand);
	req->object = *operands;
	return command->is_list ? 0 : cli_no_operand(command->tool, operands[1]);
}

int chk_parse(struct chk_request *req, int argc, char **argv)
{
	const struct cli_tool *tool = req->command->tool;
	int val, ret;

	req->port = CHK_PORT;
	req->timeout_ms = 10000;
	req->watch_seconds = WATCH_DEFAULT;
	while ((val = cli_getopt(tool, argc, argv)) != -1) {
		ret = set_option(req, val);
		if (ret >= 0)
			return ret;
	}
	ret = cli_check(tool, NULL);
	if (!ret)
		ret = take_operands(req, argv + optind);
	return ret ? ret : -1;
}

/* ---- printing ---- */

void chk_debug(const struct chk_request *req, const char *fmt, ...)
{
	char line[1024], shown[4 * sizeof(line)];
	va_list ap;

	if (!req->is_debug)
		return;
	va_start(ap, fmt);
	vsnprintf(line, sizeof(line), fmt, ap);
	va_end(ap);
	cli_printable(shown, sizeof(shown), line);
	fprintf(stderr, "[DEBUG] %s\n", shown);
}

int chk_print(struct out_text *text)
{
	struct smc_err err = { 0 };
	int ret = out_print(text, &err);

	out_free(text);
	return ret ? cli_error(&chk_tool, "%s", err.text) : CHK_OK;
}

int chk_print_json(json_t *json)
{
	struct out_text text = { 0 };

	out_json_document(&text, json, false);
	return chk_print(&text);
}

json_t *chk_json_optional(const char *str)
{
	return str && *str ? out_json_str(str) : NULL;
}
