// SPDX-License-Identifier: MIT
/* The command line of smc_chk, and all output. Options without a command are from 1.8.5. */
#include "smc_chk/smc_chk.h"

#include <getopt.h>
#include <netdb.h>
#include <stdarg.h>
#include <time.h>
#include <arpa/inet.h>
#include <sys/socket.h>

#include "cli/printable.h"
#include "cli/screen.h"
#include "out/list.h"

struct chk_request chk_asked = { .port = CHK_PORT, .seconds = 10 };

static const struct cli_opt options[] = {
	{ 'C', "connect", "HOST", "same as 'smc_chk connect HOST'", .text = &chk_asked.object,
	  .excludes = "--server --pnetid --live-test --static-analysis" },
	{ 'S', "server", NULL, "same as 'smc_chk serve'", &chk_asked.is_server,
	  .excludes = "--pnetid --live-test --static-analysis" },
	{ 'p', "port", "PORT", "use this port for -C and -S (default 37373)",
	  .needs = "--connect --server" },
	{ '6', "ipv6", NULL, "use IPv6 for -C, -S and -l",
	  .needs = "--connect --server --live-test" },
	{ 'i', "pnetid", "IFACE", "print its PNET ID; with -l, -s: use only this one",
	  .text = &chk_asked.iface },
	{ 'l', "live-test", NULL, "test SMC with this host itself on each interface",
	  &chk_asked.is_live },
	{ 's', "static-analysis", NULL, "print what SMC could use, as in: smc_chk -s -i lo",
	  &chk_asked.is_static },
	{ 'j', "json", NULL, "write one JSON document", &chk_asked.is_json },
	{ CHK_OPT_HTML, "html", "FILE", .text = &chk_asked.html,
	  .excludes = "--json --connect --server --pnetid --live-test --static-analysis "
		      "--debug" },
	{ CLI_OPT_COLOR, "color", "WHEN" },
	{ 'N', "netns", "NETNS", "look into a network namespace: name, PID or path",
	  .text = &chk_asked.netns },
	{ 'd', "debug", NULL, "print each step on standard error", &chk_asked.is_debug },
	{ 'v', "version", NULL, "print the version" },
	{ 'h', "help", NULL, "print this help; COMMAND --help: its options" },
	{ 0 },
};

/* The help fits a terminal of 24 lines. */
const struct cli_tool chk_tool = {
	.name = "smc_chk",
	.usage = "doctor [--html FILE] check this host (the default)\n"
		 "connect HOST         test the connection to a server\n"
		 "serve                run the server for such tests\n"
		 "explain CODE         explain why a connection is TCP\n"
		 "program FILE         show how smc_run can reach a program\n"
		 "bundle FILE          collect what support needs\n"
		 "from FILE [COMMAND]  run COMMAND as if on the host of a bundle",
	.examples = "  smc_chk\n  smc_chk connect 10.0.0.1\n",
	.opts = options,
	.exits = "0 done, 1 problem or error, 2 TCP, 3 no SMC here",
	.error_status = CHK_ERROR,
	.stop_at_first = true,
};

/* A number, or a name of /etc/services. */
static int take_port(const char *text)
{
	const struct servent *service = getservbyname(text, "tcp");
	uint64_t port = service ? ntohs((uint16_t)service->s_port) : 0;
	int ret =
		service ? 0 : cli_number(chk_asked.command->tool, 'p', text, 1, UINT16_MAX, &port);

	chk_asked.port = (uint16_t)port;
	return ret;
}

/* HOST, HOST:PORT, [ADDR6], [ADDR6]:PORT; an IPv6 address without brackets has no port */
static int split_host(void)
{
	static char host[NI_MAXHOST];
	char *end;

	snprintf(host, sizeof(host), "%s", chk_asked.object);
	if (*host == '[' && (end = strchr(host, ']')) && (!end[1] || end[1] == ':')) {
		*end++ = '\0';
		chk_asked.object = host + 1;
	} else if ((end = strchr(host, ':')) && !strchr(end + 1, ':')) {
		chk_asked.object = host;
	} else {
		return 0;
	}
	if (!*end)
		return 0;
	*end = '\0';
	return take_port(end + 1);
}

static int take_option(int val)
{
	switch (val) {
	case 'p': return take_port(optarg);
	case '4': chk_asked.family = AF_INET; return 0;
	default: chk_asked.family = AF_INET6; return 0;
	}
}

int chk_parse(int argc, char **argv)
{
	const struct chk_command *command = chk_asked.command;
	int ret = cli_parse(command->tool, argc, argv, take_option);
	char **operands = argv + optind;

	if (ret >= 0)
		return ret;
	chk_asked.timeout_ms = (int)(chk_asked.seconds * 1000);
	chk_asked.operands = operands;
	if (command->operand) {
		if (!*operands)
			return cli_usage_error(command->tool, "no %s given", command->operand);
		chk_asked.object = *operands++;
	}
	ret = command->is_list ? 0 : cli_no_operand(command->tool, *operands);
	if (!ret && chk_asked.object && (command->is_on_network || !command->operand))
		ret = split_host();
	return ret ? ret : -1;
}

void chk_debug(const struct chk_request *req, const char *fmt, ...)
{
	char line[1024] = "[DEBUG] ", shown[4 * sizeof(line)];
	const size_t lead = strlen(line);
	va_list ap;

	if (!req->is_debug)
		return;
	va_start(ap, fmt);
	vsnprintf(line + lead, sizeof(line) - lead, fmt, ap);
	va_end(ap);
	cli_printable(shown, sizeof(shown), line);
	cli_say(shown);
}

void chk_date(char text[CHK_DATE_SIZE])
{
	time_t now = time(NULL);
	struct tm tm;

	if (!gmtime_r(&now, &tm) || !strftime(text, CHK_DATE_SIZE, "%F %H:%M UTC", &tm))
		*text = '\0';
}

int chk_print(struct out_text *text, size_t width, size_t indent)
{
	struct smc_err err = { 0 };

	out_wrap_from(text, 0, width, indent);
	return out_finish(text, &err) ? cli_error(&chk_tool, "%s", err.text) : CHK_OK;
}

int chk_print_json(json_t *json)
{
	struct smc_err err = { 0 };

	return out_print_json(json, &err) ? cli_error(&chk_tool, "%s", err.text) : CHK_OK;
}

json_t *chk_json_optional(const char *str)
{
	return str && *str ? out_json_str(str) : NULL;
}
