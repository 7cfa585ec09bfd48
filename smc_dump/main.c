// SPDX-License-Identifier: MIT
/* smc_dump: the handshakes of SMC on a network, or in a capture of one, explained. */
#include <errno.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>
#include <getopt.h>

#include "cli/cli.h"
#include "smc_dump/capture.h"
#include "smc_dump/flow.h"
#include "smc_dump/show.h"
#include "sys/confine.h"
#include "sys/signals.h"

/* What a sink returns when enough was shown. */
#define ENOUGH 1

static const struct cli_opt options[] = {
	{ 'r', "read", "FILE", "read packets from a capture; - is standard input" },
	{ 'i', "interface", "NETDEV", "listen on an interface; any is all of them" },
	{ 'w', "write", "FILE", "write packets there instead of decoding them; - is standard\n"
	  "output" },
	{ 'c', "count", "NUMBER", "end after so many messages; with -w, packets" },
	{ 's', "snaplen", "BYTES", "with -i: capture so much of each packet; 0 is all, the\n"
	  "default" },
	{ 'a', "all", NULL, "also connections that do not offer SMC, and every message of\n"
	  "SMC-R through RoCE v2" },
	{ 'q', "quiet", NULL, "one line a message" },
	{ 'x', "hex", NULL, "add the bytes of messages" },
	{ 'n', "numeric", NULL, "do not look up names: it never does" },
	{ 'j', "json", NULL, "write one line of JSON an event" },
	{ 'D', "list-interfaces", NULL, "list the interfaces" },
	{ 'v', "version", NULL, "print the version" },
	{ 'h', "help", NULL, "print this help" },
	{ 0 },
};

static const struct cli_tool tool = {
	.name = "smc_dump",
	.usage = "-r FILE [-aqxnj] [-c NUMBER] [FILTER]\n"
		 "-i NETDEV [-s BYTES] [-aqxnj] [-c NUMBER] [FILTER]\n"
		 "-r FILE | -i NETDEV [-s BYTES] -w FILE [-c NUMBER] [FILTER]\n"
		 "-D",
	.summary =
		"Shows the handshakes of SMC on a network or in a capture: what each side offered, what\n"
		"was chosen, and why not more. FILTER is that of tcpdump, see pcap-filter(7), but for\n"
		"names of hosts and services, which are not looked up.",
	.opts = options,
	.error_status = 1,
};

/** struct request - what is asked for; @filter: to be freed, NULL for none */
struct request {
	const char *read, *interface, *write;
	char *filter;
	uint64_t count;
	int snaplen;
	bool is_list;
	struct show show;
};

/** struct run - while packets come; @is_live: somebody may be waiting for each */
struct run {
	const struct request *request;
	struct flow_table *flows;
	struct out_text text;
	struct smc_err *err;
	uint64_t shown;
	bool is_live;
};

/* ---- options ---- */

/* Return: 0, or the status after a message. */
static int set_number(uint64_t *number, uint64_t least, uint64_t most, int letter)
{
	char *end;

	errno = 0;
	*number = strtoull(optarg, &end, 10);
	if (*optarg >= '0' && *optarg <= '9' && !*end && !errno && *number >= least &&
	    *number <= most)
		return 0;
	return cli_usage_error(&tool, "'%s' is not a number for '--%s'", optarg,
			       cli_long_name(&tool, letter));
}

/* Return: -1 to go on, or the exit status. */
static int set_option(struct request *request, int letter)
{
	uint64_t number;

	switch (letter) {
	case 'r': request->read = optarg; break;
	case 'i': request->interface = optarg; break;
	case 'w': request->write = optarg; break;
	case 'c':
		return set_number(&request->count, 1, INT64_MAX, letter) ? tool.error_status : -1;
	case 's':
		if (set_number(&number, 0, CAPTURE_SNAPLEN, letter))
			return tool.error_status;
		request->snaplen = number ? (int)number : CAPTURE_SNAPLEN;
		break;
	case 'a': request->show.is_all = true; break;
	case 'q': request->show.is_quiet = true; break;
	case 'x': request->show.is_hex = true; break;
	case 'n': break;
	case 'j': request->show.is_json = true; break;
	case 'D': request->is_list = true; break;
	case 'v': return cli_version(&tool);
	case 'h': return cli_help(&tool);
	default: return tool.error_status;
	}
	return -1;
}

/* The words after the options, as tcpdump takes them. Return: false without memory. */
static bool join_filter(struct request *request, char *const *words)
{
	size_t size = 1;

	for (char *const *word = words; *word; word++)
		size += strlen(*word) + 1;
	if (size == 1)
		return true;
	request->filter = calloc(1, size);
	for (; request->filter && *words; words++) {
		strcat(request->filter, *words);
		if (words[1])
			strcat(request->filter, " ");
	}
	return request->filter;
}

/* Who writes packets sees no messages, and a file has what was captured. */
static const char *const exclusive[] = { "ris", "jq", "waqxj", NULL };

/* @seen: the letters of all options. Return: -1 to go on, or the exit status. */
static int check(const struct request *request, const char *seen)
{
	if (request->is_list)
		return seen[strspn(seen, "D")] || request->filter ?
		       cli_usage_error(&tool, "'--list-interfaces' stands alone") : -1;
	if (cli_excludes(&tool, seen, exclusive))
		return tool.error_status;
	if (!request->read && !request->interface)
		return cli_usage_error(&tool, "which packets? Name a file (-r) or an interface "
				       "(-i)");
	return -1;
}

static int parse(struct request *request, int argc, char **argv)
{
	char seen[sizeof(options) / sizeof(options[0])] = "";
	int letter, status;

	while ((letter = cli_getopt(&tool, argc, argv)) != -1) {
		status = set_option(request, letter);
		if (status >= 0)
			return status;
		if (!strchr(seen, letter))
			seen[strlen(seen)] = (char)letter;
	}
	if (!join_filter(request, argv + optind))
		return cli_error(&tool, "out of memory");
	return check(request, seen);
}

/* ---- running ---- */

static struct capture *volatile stopping;

static void on_signal(int number)
{
	struct capture *capture = stopping;

	(void)number;
	if (capture)
		capture_stop(capture);
}

/*
 * Ctrl-C is how a live capture ends, and that is no failure; nor is it one of what is being
 * written. The second one ends it whatever it waits for.
 */
static void catch_signals(struct capture *capture)
{
	static const int numbers[] = { SIGINT, SIGTERM };
	const struct sigaction action = {
		.sa_handler = on_signal, .sa_flags = SA_RESTART | (int)SA_RESETHAND,
	};
	sigset_t heeded;

	stopping = capture;
	signals_heeded(&heeded, numbers, sizeof(numbers) / sizeof(numbers[0]));
	for (size_t i = 0; i < sizeof(numbers) / sizeof(numbers[0]); i++)
		if (sigismember(&heeded, numbers[i]))
			sigaction(numbers[i], &action, NULL);
}

static int on_event(void *arg, const struct flow_event *event)
{
	struct run *run = arg;
	const struct request *request = run->request;
	int ret;

	if (!show_event(&run->text, &request->show, event))
		return 0;
	run->shown++;
	/* A file's lines are written together. Behind a pipe there may be a live capture. */
	ret = run->is_live || run->text.len > 65536 ? out_print(&run->text, run->err) : 0;
	if (ret)
		return ret;
	return request->count && run->shown == request->count ? ENOUGH : 0;
}

static int on_packet(void *arg, const struct packet *packet, struct packet_time time)
{
	struct run *run = arg;
	int ret = flow_packet(run->flows, packet, time);

	return ret == -ENOMEM ? smc_err_set(run->err, ENOMEM, "cannot follow connections") : ret;
}

/*
 * From here on bytes of strangers are read. What is needed is open; the time zone too, which
 * localtime() would read from a file.
 */
static int give_up_rights(struct smc_err *err)
{
	const struct confine nothing = { .n_paths = 0 };
	unsigned int done;
	int ret;

	tzset();
	ret = confine(&nothing, &done, err);
	if (!ret && !(done & CONFINE_NOT_ROOT))
		cli_note(&tool, "could not give up root");
	return ret;
}

static int open_all(struct capture *capture, const struct request *request, struct smc_err *err)
{
	int ret = request->read ? capture_open_file(capture, request->read, err) :
				  capture_open_live(capture, request->interface, request->snaplen,
						    err);

	if (!ret && request->write)
		ret = capture_open_output(capture, request->write, err);
	return ret;
}

static int decode(struct capture *capture, const struct request *request, struct smc_err *err)
{
	struct run run = { .request = request, .err = err };
	int ret;

	run.is_live = request->interface || !strcmp(request->read, "-");
	run.flows = flow_new(on_event, &run, request->show.is_all);
	if (!run.flows)
		return smc_err_set(err, ENOMEM, "cannot follow connections");
	ret = capture_run(capture, on_packet, &run, 0, err);
	if (!ret)
		ret = flow_end(run.flows);
	if (ret == ENOUGH)
		ret = 0;
	/* What was before the damage is shown. */
	if (run.text.len && (!ret || err->code == EIO))
		ret = out_print(&run.text, ret ? NULL : err) ? -err->code : ret;
	flow_free(run.flows);
	out_free(&run.text);
	return ret;
}

static int run(struct capture *capture, const struct request *request, struct smc_err *err)
{
	int ret = open_all(capture, request, err);
	uint32_t lost;

	if (!ret)
		ret = give_up_rights(err);
	if (!ret)
		ret = capture_start(capture, request->filter, err);
	if (ret)
		return ret;
	if (request->interface) {
		catch_signals(capture);
		cli_note(&tool, "listening on %s, until Ctrl-C", request->interface);
	}
	ret = request->write ? capture_run(capture, NULL, NULL, request->count, err) :
			       decode(capture, request, err);
	/* From here on there is less and less to be stopped. */
	stopping = NULL;
	lost = capture_lost(capture);
	if (lost)
		cli_note(&tool, "%u packets came too fast and are lost", lost);
	return ret;
}

/* ---- all ---- */

static void append_interface(void *arg, const char *name, const char *about)
{
	struct out_text *text = arg;

	out_escaped(text, name, strlen(name));
	if (*about)
		out_str(text, "  ");
	out_escaped(text, about, strlen(about));
	out_char(text, '\n');
}

static int list(struct smc_err *err)
{
	struct out_text text = { 0 };
	int ret = capture_list(append_interface, &text, err);

	if (!ret)
		ret = out_print(&text, err);
	out_free(&text);
	return ret;
}

int main(int argc, char **argv)
{
	struct request request = { .snaplen = CAPTURE_SNAPLEN };
	struct capture capture = { .output_fd = -1 };
	struct smc_err err = { 0 }, late = { 0 };
	int status, ret;

	cli_start();
	status = parse(&request, argc, argv);
	if (status < 0) {
		ret = request.is_list ? list(&err) : run(&capture, &request, &err);
		if (capture_close(&capture, &late) && !ret)
			ret = smc_err_say(&err, late.code, "%s", late.text);
		status = ret ? cli_error(&tool, "%s", err.text) : cli_close_stdout(&tool);
	}
	free(request.filter);
	return status;
}
