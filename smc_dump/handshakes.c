// SPDX-License-Identifier: MIT
/* The handshakes of a capture, or on an interface. */
#include "smc_dump/handshakes.h"

#include <errno.h>
#include <inttypes.h>
#include <string.h>

#include "smc_dump/capture.h"
#include "smc_dump/flow.h"
#include "smc_dump/guard.h"

/* What a sink returns when enough was shown. */
#define ENOUGH 1

/** struct run - while packets come; @is_live: somebody may be waiting for each */
struct run {
	const struct request *request;
	struct flow_table *flows;
	struct out_text text;
	struct smc_err *err;
	uint64_t shown;
	bool is_live;
};

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

	return flow_packet(run->flows, packet, time);
}

static int open_all(struct capture *capture, const struct request *request, struct smc_err *err)
{
	int ret = request->read ?
			  capture_open_file(capture, request->read, err) :
			  capture_open_live(capture, request->interface, request->snaplen, err);

	if (!ret && request->write)
		ret = capture_open_output(capture, request->write, err);
	return ret;
}

/* Why there may be less to see than somebody who reads a file expects. */
static void note(const struct capture *capture, const struct run *run)
{
	const struct request *request = run->request;
	uint64_t syns = flow_syns(run->flows);

	if (!request->read || request->show.is_json)
		return;
	if (capture_is_payload(capture))
		cli_note(&dump_tool, "this is a capture of payload: open it with wireshark or "
				     "tcpdump -r");
	else if (!run->shown && syns)
		cli_note(&dump_tool,
			 "no SMC handshake; SYNs that do not offer SMC: %" PRIu64
			 " ('--all' shows them)",
			 syns);
	else if (!run->shown)
		cli_note(&dump_tool, "no SMC handshake, and no SYN");
}

static int decode(struct capture *capture, const struct request *request, struct smc_err *err)
{
	struct run run = { .request = request, .err = err };
	int ret;

	run.is_live = request->interface || !strcmp(request->read, "-");
	run.flows = flow_new(on_event, &run, request->show.is_all);
	ret = capture_run(capture, on_packet, &run, 0, err);
	if (!ret)
		ret = flow_end(run.flows);
	if (ret == ENOUGH)
		ret = 0;
	/* What was before the damage is shown. */
	if (run.text.len && (!ret || err->code == EIO))
		ret = out_print(&run.text, ret ? NULL : err) ? -err->code : ret;
	if (!ret)
		note(capture, &run);
	flow_free(run.flows);
	out_free(&run.text);
	return ret;
}

static int run_capture(struct capture *capture, const struct request *request, struct smc_err *err)
{
	int ret = open_all(capture, request, err);
	struct smc_err why;
	uint64_t left_out;
	uint32_t lost;

	if (!ret)
		ret = guard_give_up_rights(err);
	if (!ret)
		ret = capture_start(capture, request->filter, err);
	if (ret)
		return ret;
	if (request->interface) {
		guard_catch_signals(capture);
		cli_note(&dump_tool, "listening on %s, until Ctrl-C", request->interface);
	}
	ret = request->write ? capture_run(capture, NULL, NULL, request->count, err) :
			       decode(capture, request, err);
	guard_release();
	left_out = ret ? 0 : capture_left_out(capture, &why);
	if (left_out)
		cli_note(&dump_tool, "%s: %" PRIu64 " are left out", why.text, left_out);
	lost = capture_lost(capture);
	if (lost)
		cli_note(&dump_tool, "%u packets came too fast and are lost", lost);
	return ret;
}

int handshakes_run(const struct request *request, struct smc_err *err)
{
	struct capture capture = { .to.fd = -1 };
	struct smc_err late = { 0 };
	int ret = run_capture(&capture, request, err);

	if (capture_close(&capture, &late) && !ret)
		ret = smc_err_say(err, late.code, "%s", late.text);
	return ret;
}

/* ---- interfaces ---- */

static void append_interface(void *arg, const char *name, const char *about)
{
	struct out_text *text = arg;

	out_escaped(text, name, strlen(name));
	if (*about)
		out_str(text, "  ");
	out_escaped(text, about, strlen(about));
	out_char(text, '\n');
}

int handshakes_list(struct smc_err *err)
{
	struct out_text text = { 0 };
	int ret = capture_list(append_interface, &text, err);

	if (!ret)
		ret = out_print(&text, err);
	out_free(&text);
	return ret;
}
