// SPDX-License-Identifier: MIT
/* smc_dump: show payload of SMC connections; decode SMC handshakes of an interface or a file. */
#include <getopt.h>

#include "cli/screen.h"
#include "process/signals.h"
#include "smc_dump/request.h"

static struct request asked = { .snaplen = CAPTURE_SNAPLEN };

static const struct cli_opt options[] = {
	{ 'w', "write", "FILE",
	  "write packets to FILE instead of showing them; - is\n"
	  "standard output",
	  .text = &asked.write, .excludes = "--all --quiet --hex --json --ascii" },
	{ 'A', "ascii", NULL, "show payload as text", &asked.show.is_text },
	{ 'p', "process", "NAME|PID", "show payload of this process only", .text = &asked.process },
	{ 'r', "read", "FILE", "read handshakes of a capture; - is standard input",
	  .text = &asked.read, .excludes = "--interface --snaplen --ascii --process" },
	{ 'i', "interface", "NETDEV", "watch handshakes on an interface; any is all of them",
	  .text = &asked.interface, .excludes = "--ascii --process" },
	{ 'c', "count", "NUMBER",
	  "end after this many messages, not counting 'closed';\n"
	  "with -i -w or -r -w, this many packets" },
	{ 's', "snaplen", "BYTES",
	  "capture this much of each packet or piece of payload;\n"
	  "0 is all, the default" },
	{ 'a', "all", NULL,
	  "show payload of all connections; with -r, -i also\n"
	  "those that do not offer SMC",
	  &asked.show.is_all },
	{ 'q', "quiet", NULL, "print one line per message", &asked.show.is_quiet,
	  .needs = "--read --interface" },
	{ 'x', "hex", NULL, "add bytes in hexadecimal; with -A, beside the text",
	  &asked.show.is_hex },
	{ 'j', "json", NULL, "write one line of JSON per event", &asked.show.is_json,
	  .excludes = "--quiet" },
	{ 0 },
};

const struct cli_tool dump_tool = {
	.name = "smc_dump",
	.usage = "[-Axj] [-w FILE] [-s BYTES] [-p PROCESS] [-c NUMBER] [FILTER]\n"
		 "-r FILE [-aqxj] [-c NUMBER] [FILTER]\n"
		 "-i NETDEV [-s BYTES] [-aqxj] [-c NUMBER] [FILTER]\n"
		 "-r FILE | -i NETDEV [-s BYTES] -w FILE [-c NUMBER] [FILTER]",
	.summary = "Show what programs send and receive over SMC: the payload of this host's\n"
		   "connections. FILTER is then one of smc-filter(7). With -r or -i it shows the\n"
		   "handshakes of SMC in a capture or on a network: what each side offered, what\n"
		   "was chosen, and why nothing better. FILTER is then one of pcap-filter(7),\n"
		   "with numbers instead of names.",
	.examples = "  smc_dump -A dport = :6379\n  smc_dump -i eth0 -w handshakes.pcap\n",
	.opts = options,
	.error_status = 1,
};

static int take_number(int letter)
{
	uint64_t number;

	if (letter == 'c')
		return cli_number(&dump_tool, letter, optarg, 1, INT64_MAX, &asked.count);
	if (cli_number(&dump_tool, letter, optarg, 0, CAPTURE_SNAPLEN, &number))
		return -1;
	asked.snaplen = number ? (int)number : CAPTURE_SNAPLEN;
	return 0;
}

static bool is_payload(void)
{
	return !asked.read && !asked.interface;
}

/* Return: -1 to go on, or the exit status. */
static int parse(int argc, char **argv)
{
	const struct filter *sockets = &asked.sockets;
	int status = cli_parse(&dump_tool, argc, argv, take_number);
	struct out_text text = { 0 };
	struct smc_err err;

	if (status >= 0)
		return status;
	/* Join the words to a filter, as tcpdump does. */
	for (char **word = argv + optind; !is_payload() && *word; word++) {
		out_str(&text, *word);
		out_char(&text, word[1] ? ' ' : '\0');
	}
	asked.filter = text.data;
	if (!is_payload())
		return -1;
	if (filter_parse(&asked.sockets, argc - optind, argv + optind, &err))
		return cli_usage_error(&dump_tool, "%s", err.text);
	if (optind == argc && !asked.show.is_all && !asked.process && !asked.write &&
	    isatty(STDOUT_FILENO))
		return cli_usage_error(&dump_tool, "which connections? Give a filter such as "
						   "'dport = 6379', or --all");
	if (sockets->has_state || sockets->has_netns)
		return cli_usage_error(&dump_tool, "payload has no %s to filter by",
				       sockets->has_state ? "states" : "namespaces");
	return -1;
}

int main(int argc, char **argv)
{
	struct smc_err err = { 0 };
	sigset_t ends;
	int status, ret;

	cli_start();
	signals_interruptible(&ends);
	status = parse(argc, argv);
	if (status < 0) {
		asked.show.width = cli_columns();
		ret = (is_payload() ? payload_run : capture_run)(&asked, &err);
		status = ret ? cli_error(&dump_tool, "%s", err.text) : cli_close_stdout(&dump_tool);
	}
	free(asked.filter);
	return status;
}
