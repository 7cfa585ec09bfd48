// SPDX-License-Identifier: MIT
/*
 * smc_dump: the payload of SMC connections, and the handshakes of SMC on a network, or in a capture
 * of one, explained.
 */
#include <errno.h>
#include <inttypes.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>
#include <getopt.h>

#include "cli/cli.h"
#include "smc_dump/capture.h"
#include "smc_dump/flow.h"
#include "smc_dump/payload/run.h"
#include "smc_dump/show.h"
#include "sys/confine.h"
#include "sys/signals.h"

/* What a sink returns when enough was shown. */
#define ENOUGH 1

static const struct cli_opt options[] = {
	{ 'w', "write", "FILE", "write packets there instead of showing them; - is standard\n"
	  "output" },
	{ 'A', "ascii", NULL, "payload: show it as text" },
	{ 'p', "process", "NAME|PID", "payload: only of this process" },
	{ 'r', "read", "FILE", "handshakes of a capture; - is standard input" },
	{ 'i', "interface", "NETDEV", "handshakes on an interface; any is all of them" },
	{ 'c', "count", "NUMBER", "end after so many messages; with -i -w or -r -w, packets" },
	{ 's', "snaplen", "BYTES", "capture so much of each packet, or of each piece of payload;\n"
	  "0 is all, the default" },
	{ 'a', "all", NULL, "handshakes: also connections that do not offer SMC, and every message of\n"
	  "SMC-R through RoCE v2" },
	{ 'q', "quiet", NULL, "one line a message" },
	{ 'x', "hex", NULL, "add the bytes in hexadecimal; with -A, and the text beside them" },
	{ 'n', "numeric", NULL, "do not look up names: it never does" },
	{ 'j', "json", NULL, "write one line of JSON an event" },
	{ 'D', "list-interfaces", NULL, "list the interfaces" },
	{ 'v', "version", NULL, "print the version" },
	{ 'h', "help", NULL, "print this help" },
	{ 0 },
};

static const struct cli_tool tool = {
	.name = "smc_dump",
	.usage = "[-A] [-x] [-j] [-w FILE] [-s BYTES] [-p PROCESS] [-c NUMBER] [FILTER]\n"
		 "-r FILE [-aqxnj] [-c NUMBER] [FILTER]\n"
		 "-i NETDEV [-s BYTES] [-aqxnj] [-c NUMBER] [FILTER]\n"
		 "-r FILE | -i NETDEV [-s BYTES] -w FILE [-c NUMBER] [FILTER]\n"
		 "-D",
	.summary =
		"Shows what programs send and receive over SMC: without -r and -i, the payload of this\n"
		"host's connections. FILTER is that of smcss(8) then: 'dport = :6379'.\n"
		"With -r or -i, the handshakes of SMC in a capture or on a network: what each side\n"
		"offered, what was chosen, and why not more. FILTER is that of tcpdump then, see\n"
		"pcap-filter(7), but for names of hosts and services, which are not looked up.",
	.opts = options,
	.error_status = 1,
};

/**
 * struct request - what is asked for
 * @filter: of packets; to be freed, NULL for none
 * @sockets: of payload, which is what is asked for with neither @read nor @interface
 * @process: name or number, NULL for all
 */
struct request {
	const char *read, *interface, *write, *process;
	char *filter;
	struct filter sockets;
	uint64_t count;
	int snaplen;
	bool is_list, is_text;
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
	case 'A': request->is_text = true; break;
	case 'p': request->process = optarg; break;
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

static bool is_payload(const struct request *request)
{
	return !request->read && !request->interface && !request->is_list;
}

/* Who writes packets sees no messages, and a file has what was captured. */
static const char *const exclusive[] = { "risAp", "iAp", "jq", "qAp", "waqxjA", NULL };

/* @seen: the letters of all options. Return: -1 to go on, or the exit status. */
static int check(const struct request *request, const char *seen)
{
	if (request->is_list)
		return seen[strspn(seen, "D")] || request->filter ?
		       cli_usage_error(&tool, "'--list-interfaces' stands alone") : -1;
	if (cli_excludes(&tool, seen, exclusive))
		return tool.error_status;
	if (is_payload(request) && (request->show.is_all || request->show.is_quiet))
		return cli_usage_error(&tool, "'--%s' is for handshakes: name a file (-r) or an "
				       "interface (-i)", request->show.is_all ? "all" : "quiet");
	return -1;
}

/* Of the words after the options. Return: -1 to go on, or the exit status. */
static int parse_filter(struct request *request, int argc, char **argv)
{
	struct smc_err err;

	if (!is_payload(request))
		return join_filter(request, argv + optind) ? -1 :
		       cli_error(&tool, "out of memory");
	if (filter_parse(&request->sockets, argc - optind, argv + optind, &err))
		return cli_usage_error(&tool, "%s", err.text);
	return request->sockets.has_state ?
	       cli_usage_error(&tool, "payload has no states to filter by") : -1;
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
	status = parse_filter(request, argc, argv);
	return status < 0 ? check(request, seen) : status;
}

/* ---- running ---- */

static struct capture *volatile stopping;
static volatile sig_atomic_t is_stopped;

static void on_signal(int number)
{
	struct capture *capture = stopping;

	(void)number;
	is_stopped = true;
	if (capture)
		capture_stop(capture);
}

/*
 * Ctrl-C is how a live capture ends, and that is no failure; nor is it one of what is being
 * written. The second one ends it whatever it waits for. @capture: NULL for payload.
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

static int run_capture(struct capture *capture, const struct request *request,
		       struct smc_err *err)
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

static int run_handshakes(const struct request *request, struct smc_err *err)
{
	struct capture capture = { .to.fd = -1 };
	struct smc_err late = { 0 };
	int ret = run_capture(&capture, request, err);

	if (capture_close(&capture, &late) && !ret)
		ret = smc_err_say(err, late.code, "%s", late.text);
	return ret;
}

/* ---- payload ---- */

/* A number is that of a process: who wants a name of digits only has them all. */
static struct wish wish_of(const struct request *request)
{
	struct wish wish = { .filter = &request->sockets, .comm = request->process };
	char *end = NULL;
	unsigned long pid = wish.comm ? strtoul(wish.comm, &end, 10) : 0;

	if (pid && !*end && pid <= INT32_MAX) {
		wish.comm = NULL;
		wish.pid = (pid_t)pid;
	}
	return wish;
}

static void say_result(const struct payload_result *result)
{
	cli_note(&tool, "%" PRIu64 " messages of %" PRIu64 " connections", result->told,
		 result->conversations);
	if (result->lost)
		cli_note(&tool, "%" PRIu64 " messages, with %" PRIu64 " bytes, came too fast and are "
			 "lost", result->lost, result->lost_bytes);
	if (result->unread)
		cli_note(&tool, "%" PRIu64 " bytes could not be read: their length is shown",
			 result->unread);
}

static int run_payload(const struct request *request, struct smc_err *err)
{
	struct output output = { .fd = -1 };
	const struct payload_request wanted = {
		.wish = wish_of(request), .output = &output, .count = request->count,
		.print = { request->show.is_json, request->show.is_hex, request->is_text },
		.snaplen = (uint32_t)request->snaplen, .stopped = &is_stopped,
	};
	struct payload_capture *capture = NULL;
	struct payload_result result;
	int ret = payload_open(&capture, &wanted, err);

	if (!ret && request->write)
		ret = output_open(&output, request->write, -1, err);
	if (!ret)
		ret = give_up_rights(err);
	if (!ret) {
		catch_signals(NULL);
		cli_note(&tool, "capturing SMC payload, until Ctrl-C");
		ret = payload_run(capture, &result, err);
	}
	if (!ret)
		say_result(&result);
	output_close(&output);
	payload_close(capture);
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

static int run(const struct request *request, struct smc_err *err)
{
	if (request->is_list)
		return list(err);
	return is_payload(request) ? run_payload(request, err) : run_handshakes(request, err);
}

int main(int argc, char **argv)
{
	struct request request = { .snaplen = CAPTURE_SNAPLEN };
	struct smc_err err = { 0 };
	int status;

	cli_start();
	status = parse(&request, argc, argv);
	if (status < 0)
		status = run(&request, &err) ? cli_error(&tool, "%s", err.text) :
					       cli_close_stdout(&tool);
	free(request.filter);
	return status;
}
