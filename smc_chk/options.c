// SPDX-License-Identifier: MIT
/* The options of smc_chk, and what of them goes together. */
#include "smc_chk/smc_chk.h"

#include <getopt.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>

#include "cli/printable.h"

enum {
	OPT_BIND = CHK_OPT_DOCTOR + 1,
	OPT_ONCE,
	OPT_TCP_TOO,
	OPT_FROM,
	OPT_PROBLEMS,
	OPT_ADVISE = CHK_OPT_ADVISE,
	OPT_FOR,
	OPT_PROBE,
	OPT_TUNE,
	OPT_SHAPE,
	OPT_MATRIX = CHK_OPT_MATRIX,
	OPT_DOT,
	OPT_ANONYMOUS,
	OPT_KEY,
};

#define WATCH_MAX (7 * 86400)
#define WATCH_DEFAULT 60

static const struct cli_opt options[] = {
	{ CHK_OPT_DOCTOR, "doctor", NULL, "check this host (the default)" },
	{ 'i', "pnetid", "IFACE",
	  "print the PNET ID of an interface; with --doctor, -l and -s\n"
	  "check this interface only" },
	{ OPT_PROBLEMS, "problems", NULL, "of the checks show problems and warnings only" },
	{ 'C', "connect", "HOST", "test the connection to a server, ours or any other" },
	{ 'S', "server", NULL, "run the server for such tests" },
	{ 'p', "port", "PORT", "port of the server (default 37373; -S takes the next free one)" },
	{ '4', "ipv4", NULL, "use IPv4" },
	{ '6', "ipv6", NULL, "use IPv6" },
	{ OPT_BIND, "bind", "ADDR", "address that -S listens on (default: all)" },
	{ OPT_ONCE, "once", NULL, "end -S after one client" },
	{ 't', "timeout", "SECONDS", "longest wait for one step of -C (default 10)" },
	{ OPT_TCP_TOO, "tcp-too", NULL, "measure plain TCP beside SMC, and print the ratios" },
	{ OPT_ADVISE, "advise", NULL, "watch plain TCP, and say for what SMC would pay" },
	{ OPT_FOR, "for", "TIME",
	  "how long: seconds, or with m or h (default 1m); Ctrl-C ends\n"
	  "it earlier" },
	{ OPT_PROBE, "probe", NULL,
	  "and ask each peer that would profit, by a connection that\n"
	  "sends nothing, whether it speaks SMC" },
	{ OPT_TUNE, "tune", NULL, "measure which buffers are best between here and -S" },
	{ OPT_SHAPE, "shape", "SHAPE",
	  "of the load of --tune: bulk (the default), rpc:BYTES or\n"
	  "connections" },
	{ 'e', "explain", "CODE",
	  "explain a reason: 0x03010000, PEERNOSMC, or both sides of it\n"
	  "as smcss shows them, 0x05000000/0x03030000" },
	{ 'x', "program", "FILE", "say which way of smc_run reaches a program" },
	{ 'b', "bundle", "FILE", "write what support needs to know into FILE (.tar.gz)" },
	{ OPT_ANONYMOUS, "anonymous", NULL, "with other names and addresses in it, for strangers" },
	{ OPT_KEY, "key", "FILE", "which decides them: the same ones in each bundle with it" },
	{ OPT_FROM, "from", "FILE",
	  "check the host that a bundle was made on, or run the tool\n"
	  "that follows as if there: --from FILE smcr linkgroup" },
	{ OPT_MATRIX, "matrix", NULL,
	  "predict what connections would be between each two of the\n"
	  "hosts that follow: bundles, or names to ask by ssh" },
	{ OPT_DOT, "dot", NULL, "draw it for graphviz: --matrix --dot HOST... | dot -Tsvg" },
	{ 'l', "live-test", NULL, "test SMC between this host and itself over each interface" },
	{ 's', "static-analysis", NULL, "print what SMC could use on each interface" },
	{ 'j', "json", NULL, "write one JSON document" },
	{ 'N', "netns", "NETNS", "work in a network namespace: a name, a process id or a path" },
	{ 'd', "debug", NULL, "say on standard error what is done" },
	{ 'v', "version", NULL, "print the version" },
	{ 'h', "help", NULL, "print this help" },
	{ 0 },
};

const struct cli_tool chk_tool = {
	.name = "smc_chk",
	.usage = "[--doctor] [-i IFACE] [--problems] [-j]\n"
		 "-C HOST [-p PORT] [-4 | -6] [-t SECONDS] [--tcp-too] [-j]\n"
		 "-C HOST --tune [--shape SHAPE] [-p PORT] [-4 | -6] [-t SECONDS] [-j]\n"
		 "-S [-p PORT] [-4 | -6] [--bind ADDR] [--once] [-j]\n"
		 "--advise [--for TIME] [--probe] [-j]\n"
		 "-i IFACE | -e CODE[/CODE] | -x FILE [-j]\n"
		 "-l | -s [-i IFACE] [-j]\n"
		 "-b FILE.tar.gz [--anonymous [--key FILE]]\n"
		 "--matrix [-j | --dot] HOST|FILE.tar.gz...\n"
		 "--from FILE.tar.gz [--doctor | -i IFACE | -s | TOOL [ARGUMENT]...]",
	.summary = "Says whether SMC works on this host and to another one, why not, and what to "
		   "do\nabout it.",
	.opts = options,
	.more = "Exit status: 0 SMC works, 1 error or problem, 2 the peer was reached but over "
		"TCP,\n3 cannot be tested here; --advise: 0 something would profit from SMC, 2 "
		"nothing would;\n--matrix: 0 all would use SMC, 2 some would be TCP.\n",
	.error_status = CHK_ERROR,
	.stop_at_first = true,
};

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

static int set_command(struct chk_request *req, int val)
{
	if (req->command && req->command != val)
		return cli_exclude(&chk_tool, req->command, val);
	req->command = val;
	return 0;
}

static int set_port(struct chk_request *req, const char *text)
{
	char *end;
	long port = strtol(text, &end, 10);

	if (*end || port < 1 || port > UINT16_MAX)
		return cli_usage_error(&chk_tool, "'%s' is not a port from 1 to 65535", text);
	req->port = (uint16_t)port;
	return 0;
}

static int set_family(struct chk_request *req, int family)
{
	if (req->family && req->family != family)
		return cli_exclude(&chk_tool, '4', '6');
	req->family = family;
	return 0;
}

/* A day is more than any connection takes. */
static int set_timeout(struct chk_request *req, const char *text)
{
	char *end;
	double seconds = strtod(text, &end);

	if (*end || !(seconds >= 0.001 && seconds <= 86400))
		return cli_usage_error(&chk_tool,
				       "'%s' is not a number of seconds from 0.001 to "
				       "86400",
				       text);
	req->timeout_ms = (int)(seconds * 1000);
	return 0;
}

/* A week is more than anybody waits for. */
static int set_watch(struct chk_request *req, const char *text)
{
	unsigned long unit = 1, seconds;
	char *end;

	seconds = *text >= '0' && *text <= '9' ? strtoul(text, &end, 10) : 0;
	if (seconds && *end && strchr("smh", *end)) {
		unit = *end == 'h' ? 3600 : *end == 'm' ? 60 : 1;
		end++;
	}
	if (!seconds || *end || seconds > WATCH_MAX / unit)
		return cli_usage_error(&chk_tool, "'%s' is not a time from 1s to 168h", text);
	req->watch_seconds = (unsigned int)(seconds * unit);
	return 0;
}

static int set_shape(struct chk_request *req, const char *text)
{
	char *end = NULL;
	long bytes = !strncmp(text, "rpc:", 4) ? strtol(text + 4, &end, 10) : 0;

	req->has_shape = true;
	if (end && !*end && bytes >= 1 && bytes <= CHK_RPC_BYTES) {
		req->shape = CHK_SHAPE_RPC;
		req->rpc_bytes = (int)bytes;
	} else if (!strcmp(text, "connections")) {
		req->shape = CHK_SHAPE_CONNECTIONS;
	} else if (!strcmp(text, "bulk")) {
		req->shape = CHK_SHAPE_BULK;
	} else {
		return cli_usage_error(&chk_tool,
				       "'%s' is not bulk, connections or rpc: with 1 to "
				       "%d bytes",
				       text, CHK_RPC_BYTES);
	}
	return 0;
}

/* An option that says what to do, with its argument. */
static int take_command(struct chk_request *req, int val)
{
	switch (val) {
	case 'C': req->host = optarg; break;
	case 'l': req->is_live = true; return 0;
	case 's': req->is_static = true; return 0;
	case 'i': req->iface = optarg; return 0;
	case OPT_FROM: req->from = optarg; return 0;
	case 'e':
	case 'x':
	case 'b': req->text = optarg; break;
	default: break;
	}
	return set_command(req, val);
}

/* Return: -1 to go on, or the exit status. */
static int set_option(struct chk_request *req, int val)
{
	int ret = 0;

	switch (val) {
	case 'p': ret = set_port(req, optarg); break;
	case '4': ret = set_family(req, AF_INET); break;
	case '6': ret = set_family(req, AF_INET6); break;
	case 't': ret = set_timeout(req, optarg); break;
	case OPT_PROBE: req->is_probing = true; break;
	case OPT_FOR: ret = set_watch(req, optarg); break;
	case OPT_BIND: req->bind = optarg; break;
	case OPT_ONCE: req->is_once = true; break;
	case OPT_TCP_TOO: req->is_tcp_too = true; break;
	case OPT_TUNE: req->is_tune = true; break;
	case OPT_SHAPE: ret = set_shape(req, optarg); break;
	case OPT_ANONYMOUS: req->is_anonymous = true; break;
	case OPT_KEY: req->key = optarg; break;
	case OPT_DOT: req->is_dot = true; break;
	case OPT_PROBLEMS: req->is_brief = true; break;
	case 'N': req->netns = optarg; break;
	case 'j': req->is_json = true; break;
	case 'd': req->is_debug = true; break;
	case 'v': return cli_version(&chk_tool);
	case 'h': return cli_help(&chk_tool);
	case '?': return CHK_ERROR;
	default: ret = take_command(req, val); break;
	}
	return ret ? CHK_ERROR : -1;
}

static int needs(int option, const char *others)
{
	return cli_usage_error(&chk_tool, "option '--%s' can only be used with %s",
			       cli_long_name(&chk_tool, option), others);
}

/* A tool after --from has options of its own. */
static int check_from(const struct chk_request *req)
{
	const struct {
		bool is_given;
		int val;
	} own[] = {
		{ req->is_brief, OPT_PROBLEMS },
		{ req->is_json, 'j' },
		{ req->is_debug, 'd' },
	};

	if ((req->command || req->is_live) && req->command != CHK_OPT_DOCTOR)
		return cli_exclude(&chk_tool, OPT_FROM, req->is_live ? 'l' : req->command);
	if (req->netns)
		return cli_exclude(&chk_tool, OPT_FROM, 'N');
	for (size_t i = 0; *req->operands && i < sizeof(own) / sizeof(own[0]); i++)
		if (own[i].is_given)
			return cli_usage_error(&chk_tool, "option '--%s' must follow '%s'",
					       cli_long_name(&chk_tool, own[i].val),
					       *req->operands);
	return 0;
}

static int check_bundle(const struct chk_request *req)
{
	if (req->is_anonymous && req->command != 'b')
		return needs(OPT_ANONYMOUS, "--bundle");
	return req->key && !req->is_anonymous ? needs(OPT_KEY, "--anonymous") : 0;
}

static int check_matrix(const struct chk_request *req)
{
	bool is_matrix = req->command == OPT_MATRIX;

	if (req->is_dot && !is_matrix)
		return needs(OPT_DOT, "--matrix");
	if (req->is_dot && req->is_json)
		return cli_exclude(&chk_tool, OPT_DOT, 'j');
	if (is_matrix && req->netns)
		return cli_exclude(&chk_tool, OPT_MATRIX, 'N');
	if (!is_matrix)
		return 0;
	if (!req->operands[0] || !req->operands[1])
		return cli_usage_error(&chk_tool, "option '--matrix' needs two hosts or bundles");
	for (char **name = req->operands; *name; name++)
		if (**name == '-' || !**name)
			return cli_usage_error(&chk_tool, "'%s' is neither a host nor a bundle",
					       *name);
	return 0;
}

/* Options that would have no effect are refused. */
static int check_together(const struct chk_request *req)
{
	int command = req->command;
	bool is_net = command == 'C' || command == 'S';
	bool is_doctor = command == CHK_OPT_DOCTOR ||
			 (!command && !req->is_live && !req->is_static && !req->iface);

	if ((req->is_live || req->is_static) && command)
		return cli_exclude(&chk_tool, command, req->is_live ? 'l' : 's');
	if (req->iface && command && command != CHK_OPT_DOCTOR)
		return cli_exclude(&chk_tool, command, 'i');
	if (req->from && check_from(req))
		return CHK_ERROR;
	if (req->netns && (command == 'e' || command == 'x'))
		return cli_exclude(&chk_tool, command, 'N');
	if (req->port && !is_net)
		return needs('p', "--connect or --server");
	if (req->family && !is_net && !req->is_live)
		return needs(req->family == AF_INET ? '4' : '6',
			     "--connect, --server or --live-test");
	if ((req->bind || req->is_once) && command != 'S')
		return needs(req->bind ? OPT_BIND : OPT_ONCE, "--server");
	if (req->is_tcp_too && command != 'C')
		return needs(OPT_TCP_TOO, "--connect");
	if ((req->watch_seconds || req->is_probing) && command != OPT_ADVISE)
		return needs(req->watch_seconds ? OPT_FOR : OPT_PROBE, "--advise");
	if (req->is_tune && command != 'C')
		return needs(OPT_TUNE, "--connect");
	if (req->is_tune && req->is_tcp_too)
		return cli_exclude(&chk_tool, OPT_TUNE, OPT_TCP_TOO);
	if (req->has_shape && !req->is_tune)
		return needs(OPT_SHAPE, "--tune");
	if (req->is_brief && !is_doctor)
		return needs(OPT_PROBLEMS, "--doctor");
	if (req->timeout_ms && command != 'C' && !req->is_live)
		return needs('t', "--connect and --live-test");
	return check_bundle(req) ? CHK_ERROR : check_matrix(req);
}

int chk_parse(struct chk_request *req, int argc, char **argv)
{
	int val, ret;

	while ((val = cli_getopt(&chk_tool, argc, argv)) != -1) {
		ret = set_option(req, val);
		if (ret >= 0)
			return ret;
	}
	req->operands = argv + optind;
	if (*req->operands && req->command != 'e' && req->command != OPT_MATRIX &&
	    (!req->from || req->command || req->iface || req->is_static))
		return cli_usage_error(&chk_tool, "unexpected argument '%s'", *req->operands);
	ret = check_together(req);
	if (!req->timeout_ms)
		req->timeout_ms = 10000;
	if (!req->watch_seconds)
		req->watch_seconds = WATCH_DEFAULT;
	return ret ? ret : -1;
}
