// SPDX-License-Identifier: MIT
/*
 * smc_dump: the payload of SMC connections, and the handshakes of SMC on a network, or in a capture
 * of one, explained.
 */
#include <stdlib.h>
#include <getopt.h>

#include "process/signals.h"
#include "smc_dump/request.h"

static const struct cli_opt options[] = {
	{ 'w', "write", "FILE",
	  "write packets there instead of showing them; - is standard\n"
	  "output",
	  .excludes = "--all --quiet --hex --json --ascii" },
	{ 'A', "ascii", NULL, "payload: show it as text" },
	{ 'p', "process", "NAME|PID", "payload: only of this process" },
	{ 'r', "read", "FILE", "handshakes of a capture; - is standard input",
	  .excludes = "--interface --snaplen --ascii --process" },
	{ 'i', "interface", "NETDEV", "handshakes on an interface; any is all of them",
	  .excludes = "--ascii --process" },
	{ 'c', "count", "NUMBER",
	  "end after so many messages, ends of payload not counted;\n"
	  "with -i -w or -r -w, packets" },
	{ 's', "snaplen", "BYTES",
	  "capture so much of each packet, or of each piece of payload;\n"
	  "0 is all, the default" },
	{ 'a', "all", NULL,
	  "handshakes: also connections that do not offer SMC, and every\n"
	  "message of SMC-R through RoCE v2",
	  .needs = "--read --interface" },
	{ 'q', "quiet", NULL, "one line a message", .needs = "--read --interface" },
	{ 'x', "hex", NULL, "add the bytes in hexadecimal; with -A, and the text beside them" },
	{ 'j', "json", NULL, "write one line of JSON an event", .excludes = "--quiet" },
	{ 'v', "version", NULL, "print the version" },
	{ 'h', "help", NULL, "print this help" },
	{ 0 },
};

static uint64_t given;

const struct cli_tool dump_tool = {
	.name = "smc_dump",
	.usage = "[-A] [-x] [-j] [-w FILE] [-s BYTES] [-p PROCESS] [-c NUMBER] [FILTER]\n"
		 "-r FILE [-aqxj] [-c NUMBER] [FILTER]\n"
		 "-i NETDEV [-s BYTES] [-aqxj] [-c NUMBER] [FILTER]\n"
		 "-r FILE | -i NETDEV [-s BYTES] -w FILE [-c NUMBER] [FILTER]",
	.summary =
		"Shows what programs send and receive over SMC: without -r and -i, the payload of this\n"
		"host's connections. FILTER is one of smc-filter(7) then: 'dport = :6379'.\n"
		"With -r or -i, the handshakes of SMC in a capture or on a network: what each side\n"
		"offered, what was chosen, and why not more. FILTER is that of tcpdump then, see\n"
		"pcap-filter(7), but for names of hosts and services, which are not looked up.",
	.opts = options,
	.error_status = 1,
	.given = &given,
};

/* ---- options ---- */

/* Return: -1 to go on, or the exit status. */
static int set_option(struct request *request, int letter)
{
	uint64_t number;

	switch (letter) {
	case 'r': request->read = optarg; break;
	case 'i': request->interface = optarg; break;
	case 'w': request->write = optarg; break;
	case 'c':
		return cli_number(&dump_tool, letter, optarg, 1, INT64_MAX, &request->count) ?
			       dump_tool.error_status :
			       -1;
	case 's':
		if (cli_number(&dump_tool, letter, optarg, 0, CAPTURE_SNAPLEN, &number))
			return dump_tool.error_status;
		request->snaplen = number ? (int)number : CAPTURE_SNAPLEN;
		break;
	case 'a': request->show.is_all = true; break;
	case 'q': request->show.is_quiet = true; break;
	case 'x': request->show.is_hex = true; break;
	case 'A': request->show.is_text = true; break;
	case 'p': request->process = optarg; break;
	case 'j': request->show.is_json = true; break;
	case 'v': return cli_version(&dump_tool);
	case 'h': return cli_help(&dump_tool);
	default: return dump_tool.error_status;
	}
	return -1;
}

/* The words after the options, as tcpdump takes them. */
static void join_filter(struct request *request, char *const *words)
{
	struct out_text text = { 0 };

	for (; *words; words++) {
		out_str(&text, *words);
		out_char(&text, words[1] ? ' ' : '\0');
	}
	request->filter = text.data;
}

static bool is_payload(const struct request *request)
{
	return !request->read && !request->interface;
}

/* Of the words after the options. Return: -1 to go on, or the exit status. */
static int parse_filter(struct request *request, int argc, char **argv)
{
	const struct filter *sockets = &request->sockets;
	struct smc_err err;

	if (!is_payload(request)) {
		join_filter(request, argv + optind);
		return -1;
	}
	if (filter_parse(&request->sockets, argc - optind, argv + optind, &err))
		return cli_usage_error(&dump_tool, "%s", err.text);
	if (sockets->has_state || sockets->has_netns)
		return cli_usage_error(&dump_tool, "payload has no %s to filter by",
				       sockets->has_state ? "states" : "namespaces");
	return -1;
}

static int parse(struct request *request, int argc, char **argv)
{
	int letter, status;

	while ((letter = cli_getopt(&dump_tool, argc, argv)) != -1) {
		status = set_option(request, letter);
		if (status >= 0)
			return status;
	}
	if (cli_check(&dump_tool, NULL))
		return dump_tool.error_status;
	return parse_filter(request, argc, argv);
}

int main(int argc, char **argv)
{
	struct request request = { .snaplen = CAPTURE_SNAPLEN };
	struct smc_err err = { 0 };
	sigset_t ends;
	int status, ret;

	cli_start();
	signals_interruptible(&ends);
	status = parse(&request, argc, argv);
	if (status < 0) {
		ret = (is_payload(&request) ? payload_run : capture_run)(&request, &err);
		status = ret ? cli_error(&dump_tool, "%s", err.text) : cli_close_stdout(&dump_tool);
	}
	free(request.filter);
	return status;
}
