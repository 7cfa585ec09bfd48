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

/* Options that say what to do; the doctor's is what is done without any. */
#define OTHERS "--connect --server --advise --explain --program --bundle --matrix"

static const struct cli_opt options[] = {
	{ CHK_OPT_DOCTOR, "doctor", NULL, "check this host (the default)", .excludes = OTHERS },
	{ 'i', "pnetid", "IFACE",
	  "print the PNET ID of an interface; with --doctor, -l and -s\n"
	  "check this interface only",
	  .excludes = OTHERS },
	{ OPT_PROBLEMS, "problems", NULL, "of the checks show problems and warnings only",
	  .needs = "--doctor" },
	{ 'C', "connect", "HOST", "test the connection to a server, ours or any other",
	  .excludes = "--server --advise --explain --program --bundle --matrix" },
	{ 'S', "server", NULL, "run the server for such tests",
	  .excludes = "--advise --explain --program --bundle --matrix" },
	{ 'p', "port", "PORT", "port of the server (default 37373; -S takes the next free one)",
	  .needs = "--connect --server" },
	{ '4', "ipv4", NULL, "use IPv4", .needs = "--connect --server --live-test",
	  .excludes = "--ipv6" },
	{ '6', "ipv6", NULL, "use IPv6", .needs = "--connect --server --live-test" },
	{ OPT_BIND, "bind", "ADDR", "address that -S listens on (default: all)",
	  .needs = "--server" },
	{ OPT_ONCE, "once", NULL, "end -S after one client", .needs = "--server" },
	{ 't', "timeout", "SECONDS", "longest wait for one step of -C (default 10)",
	  .needs = "--connect --live-test" },
	{ OPT_TCP_TOO, "tcp-too", NULL, "measure plain TCP beside SMC, and print the ratios",
	  .needs = "--connect" },
	{ OPT_ADVISE, "advise", NULL, "watch plain TCP, and say for what SMC would pay",
	  .excludes = "--explain --program --bundle --matrix" },
	{ OPT_FOR, "for", "TIME",
	  "how long: seconds, or with m or h (default 1m); Ctrl-C ends\n"
	  "it earlier",
	  .needs = "--advise" },
	{ OPT_PROBE, "probe", NULL,
	  "and ask each peer that would profit, by a connection that\n"
	  "sends nothing, whether it speaks SMC",
	  .needs = "--advise" },
	{ OPT_TUNE, "tune", NULL, "measure which buffers are best between here and -S",
	  .needs = "--connect", .excludes = "--tcp-too" },
	{ OPT_SHAPE, "shape", "SHAPE",
	  "of the load of --tune: bulk (the default), rpc:BYTES or\n"
	  "connections",
	  .needs = "--tune" },
	{ 'e', "explain", "CODE",
	  "explain a reason: 0x03010000, PEERNOSMC, or both sides of it\n"
	  "as smcss shows them, 0x05000000/0x03030000",
	  .excludes = "--program --bundle --matrix" },
	{ 'x', "program", "FILE", "say which way of smc_run reaches a program",
	  .excludes = "--bundle --matrix" },
	{ 'b', "bundle", "FILE", "write what support needs to know into FILE (.tar.gz)",
	  .excludes = "--matrix" },
	{ OPT_ANONYMOUS, "anonymous", NULL, "with other names and addresses in it, for strangers",
	  .needs = "--bundle" },
	{ OPT_KEY, "key", "FILE", "which decides them: the same ones in each bundle with it",
	  .needs = "--anonymous" },
	{ OPT_FROM, "from", "FILE",
	  "check the host that a bundle was made on, or run the tool\n"
	  "that follows as if there: --from FILE smcr linkgroup",
	  .excludes = OTHERS " --live-test --netns" },
	{ OPT_MATRIX, "matrix", NULL,
	  "predict what connections would be between each two of the\n"
	  "hosts that follow: bundles, or names to ask by ssh" },
	{ OPT_DOT, "dot", NULL, "draw it for graphviz: --matrix --dot HOST... | dot -Tsvg",
	  .needs = "--matrix", .excludes = "--json" },
	{ 'l', "live-test", NULL, "test SMC between this host and itself over each interface",
	  .excludes = OTHERS " --doctor" },
	{ 's', "static-analysis", NULL, "print what SMC could use on each interface",
	  .excludes = OTHERS " --doctor" },
	{ 'j', "json", NULL, "write one JSON document" },
	{ 'N', "netns", "NETNS", "work in a network namespace: a name, a process id or a path",
	  .excludes = "--explain --program --matrix" },
	{ 'd', "debug", NULL, "say on standard error what is done" },
	{ 'v', "version", NULL, "print the version" },
	{ 'h', "help", NULL, "print this help" },
	{ 0 },
};

static uint64_t given;

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
	.given = &given,
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

static int set_port(struct chk_request *req, const char *text)
{
	char *end;
	long port = strtol(text, &end, 10);

	if (*end || port < 1 || port > UINT16_MAX)
		return cli_usage_error(&chk_tool, "'%s' is not a port from 1 to 65535", text);
	req->port = (uint16_t)port;
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
static void take_command(struct chk_request *req, int val)
{
	switch (val) {
	case 'C': req->host = optarg; break;
	case 'l': req->is_live = true; return;
	case 's': req->is_static = true; return;
	case 'i': req->iface = optarg; return;
	case OPT_FROM: req->from = optarg; return;
	case 'e':
	case 'x':
	case 'b': req->text = optarg; break;
	default: break;
	}
	req->command = val;
}

/* Return: -1 to go on, or the exit status. */
static int set_option(struct chk_request *req, int val)
{
	int ret = 0;

	switch (val) {
	case 'p': ret = set_port(req, optarg); break;
	case '4': req->family = AF_INET; break;
	case '6': req->family = AF_INET6; break;
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
	default: take_command(req, val); break;
	}
	return ret ? CHK_ERROR : -1;
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

	for (size_t i = 0; *req->operands && i < sizeof(own) / sizeof(own[0]); i++)
		if (own[i].is_given)
			return cli_usage_error(&chk_tool, "option '--%s' must follow '%s'",
					       cli_long_name(&chk_tool, own[i].val),
					       *req->operands);
	return 0;
}

static int check_matrix(const struct chk_request *req)
{
	if (!req->operands[0] || !req->operands[1])
		return cli_usage_error(&chk_tool, "option '--matrix' needs two hosts or bundles");
	for (char **name = req->operands; *name; name++)
		if (**name == '-' || !**name)
			return cli_usage_error(&chk_tool, "'%s' is neither a host nor a bundle",
					       *name);
	return 0;
}

/* No option names another command. */
static bool is_doctor(const struct chk_request *req)
{
	return req->command == CHK_OPT_DOCTOR ||
	       (!req->command && !req->is_live && !req->is_static && !req->iface);
}

static int check_together(const struct chk_request *req)
{
	int ret = cli_check(&chk_tool, is_doctor(req) ? "--doctor" : NULL);

	if (!ret && req->from)
		ret = check_from(req);
	if (!ret && req->command == OPT_MATRIX)
		ret = check_matrix(req);
	return ret;
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
	ret = check_together(req);
	if (ret)
		return ret;
	if (*req->operands && req->command != 'e' && req->command != OPT_MATRIX &&
	    (!req->from || req->command || req->iface || req->is_static))
		return cli_usage_error(&chk_tool, "unexpected argument '%s'", *req->operands);
	if (!req->timeout_ms)
		req->timeout_ms = 10000;
	if (!req->watch_seconds)
		req->watch_seconds = WATCH_DEFAULT;
	return -1;
}
