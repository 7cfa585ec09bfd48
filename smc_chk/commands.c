// SPDX-License-Identifier: MIT
/* The commands of smc_chk: options, operands, functions. */

#include "cli/screen.h"
#include "smc_chk/smc_chk.h"

/* Options of several commands. */
/* clang-format off */
#define IPV4 { '4', "ipv4", NULL, "use IPv4", .excludes = "--ipv6" }
#define IPV6 { '6', "ipv6", NULL, "use IPv6" }
#define TIMEOUT                                                                                    \
	{ 't', "timeout", "SECONDS", "wait at most this long for each step (default 10)",          \
	  .seconds = &chk_asked.seconds }
#define JSON { 'j', "json", NULL, "write one JSON document", &chk_asked.is_json }
#define NETNS { 'N', "netns", "NETNS", "look into a network namespace: name, PID or path", \
		.text = &chk_asked.netns }
#define DEBUG { 'd', "debug", NULL, "print each step on standard error", &chk_asked.is_debug }
/* clang-format on */

static const struct cli_opt doctor_options[] = {
	{ 'i', "pnetid", "IFACE", "check this interface only", .text = &chk_asked.iface },
	{ CHK_OPT_PROBLEMS, "problems", NULL, "show problems and warnings only",
	  &chk_asked.is_brief },
	{ 'v', "verbose", NULL, "on a terminal, also list checks that are ok",
	  &chk_asked.is_verbose, .excludes = "--problems --json" },
	{ CHK_OPT_MONITOR, "monitor", NULL, "print one line, like a Nagios plugin",
	  &chk_asked.is_monitor, .excludes = "--problems --verbose --json --html" },
	JSON,
	{ CHK_OPT_HTML, "html", "FILE", "write a page for a browser into FILE",
	  .text = &chk_asked.html, .excludes = "--json" },
	NETNS,
	CLI_COLOR_OPTION,
	{ 0 },
};

static const struct cli_opt connect_options[] = {
	{ 'p', "port", "PORT", "connect to this port (default 37373)" },
	IPV4,
	IPV6,
	TIMEOUT,
	{ CHK_OPT_TCP_TOO, "tcp-too", NULL, "also measure plain TCP, and print the ratios",
	  &chk_asked.is_tcp_too },
	JSON,
	NETNS,
	CLI_COLOR_OPTION,
	DEBUG,
	{ 0 },
};

static const struct cli_opt serve_options[] = {
	{ 'p', "port", "PORT", "try this port first (default 37373)" },
	IPV4,
	IPV6,
	{ CHK_OPT_BIND, "bind", "ADDR", "listen on this address (default: all)",
	  .text = &chk_asked.bind },
	{ CHK_OPT_ONCE, "once", NULL, "end after one client", &chk_asked.is_once },
	JSON,
	NETNS,
	DEBUG,
	{ 0 },
};

static const struct cli_opt json_options[] = { JSON, { 0 } };

static const struct cli_opt bundle_options[] = {
	{ CHK_OPT_ANONYMOUS, "anonymous", NULL, "replace names and addresses",
	  &chk_asked.is_anonymous },
	{ CHK_OPT_KEY, "key", "FILE", "use the same replacements in all bundles with this key",
	  .text = &chk_asked.key, .needs = "--anonymous" },
	NETNS,
	{ 0 },
};

/* Name, usage, summary, options, trailing text. */
#define TOOL(...)                                                                                  \
	&(const struct cli_tool)                                                                   \
	{                                                                                          \
		__VA_ARGS__, .error_status = CHK_ERROR                                             \
	}

/* -l, with the static analysis if -s is given. */
static int run_live(const struct chk_request *req)
{
	int status;

	if (req->is_static && req->is_json)
		return cli_usage_error(&chk_tool, "--json can be used with only one of -l and -s");
	status = chk_live(req);
	return req->is_static ? live_worse_status(status, chk_static(req)) : status;
}

/* Without a command word, an option may select the command. */
static int run_letters(const struct chk_request *req)
{
	if (req->object)
		return chk_connect(req);
	if (req->is_server)
		return chk_server(req);
	if (req->is_live)
		return run_live(req);
	if (req->is_static)
		return chk_static(req);
	return req->iface ? chk_pnetid(req) : chk_doctor(req);
}

static const char *const words[] = { "doctor",	"connect", "serve", "explain",
				     "program", "bundle",  "from",  NULL };

/* In the order of words[]. */
static const struct chk_command commands[] = {
	{ TOOL("smc_chk doctor", "[OPTIONS]",
	       "Check kernel, devices, PNET IDs, EIDs and limits of this host.", doctor_options,
	       NULL, "  smc_chk doctor\n  smc_chk doctor -i eth0 -v\n",
	       "0 no problem, 1 a problem or an error, 3 no SMC here"),
	  .run = chk_doctor },
	{ TOOL("smc_chk connect", "[OPTIONS] HOST[:PORT]",
	       "Test the connection to a server, 'smc_chk serve' or any other.", connect_options,
	       NULL, "  smc_chk connect 10.0.0.1\n  smc_chk connect 10.0.0.1:443 --tcp-too\n",
	       "0 SMC, 1 error, 2 TCP, 3 this kernel has no SMC"),
	  "host", .is_on_network = true, .run = chk_connect },
	{ TOOL("smc_chk serve", "[OPTIONS]", "Run the server for 'smc_chk connect'.", serve_options,
	       NULL, "  smc_chk serve\n  smc_chk serve --bind 10.0.0.1\n",
	       "0 ended by a signal or --once, 1 error, 3 this kernel has no SMC"),
	  .is_on_network = true, .run = chk_server },
	{ TOOL("smc_chk explain", "[-j] CODE[/CODE]",
	       "Explain why a connection fell back to TCP, and print commands that help.",
	       json_options,
	       "CODE is a reason such as 0x03010000 or PEERNOSMC; /CODE adds that of the peer.\n",
	       "  smc_chk explain PEERNOSMC\n  smc_chk explain 0x05000000/0x03030000\n",
	       "0 explained, 1 error"),
	  "reason", .is_list = true, .run = chk_explain },
	{ TOOL("smc_chk program", "[-j] FILE", "Show how smc_run can reach a program.",
	       json_options, NULL, "  smc_chk program nginx\n  smc_chk program --json ./server\n",
	       "0 smc_run can reach it, 1 error, 2 it would use TCP"),
	  "program", .reads_elsewhere = true, .run = chk_program },
	{ TOOL("smc_chk bundle", "[OPTIONS] FILE",
	       "Collect what support needs about this host in FILE (.tar.gz).", bundle_options,
	       NULL, "  smc_chk bundle report.tar.gz\n  smc_chk bundle report.tar.gz --anonymous\n",
	       "0 written, 1 error"),
	  "file", .run = chk_bundle },
	{ TOOL("smc_chk from", "FILE [COMMAND [ARGUMENT]...]",
	       "Run a command of smc_chk, or smcss, smcd, smcr, smc_pnet, smc_rnics, smc_conf,\n"
	       "as if on the host where 'smc_chk bundle' wrote FILE. The default is doctor.",
	       NULL, NULL, "  smc_chk from report.tar.gz\n  smc_chk from report.tar.gz smcss -e\n",
	       "that of the command, 1 if FILE cannot be read", .stop_at_first = true),
	  "bundle", .is_list = true, .reads_elsewhere = true, .run = chk_from },
};

const struct chk_command *chk_command(const char *word)
{
	static const struct chk_command letters = { &chk_tool, .run = run_letters };
	int at;

	if (!word || *word == '-')
		return &letters;
	at = cli_command(&chk_tool, words, word);
	return at < 0 ? NULL : &commands[at];
}
