// SPDX-License-Identifier: MIT
/*
 * The handshakes of a capture, or on an interface: packets from libpcap or a file of pcapng,
 * decoded and shown; or as they are into a file.
 */
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>
#include <pcap/pcap.h>

#include "smc_dump/blocks.h"
#include "smc_dump/flow.h"
#include "smc_dump/guard.h"
#include "smc_dump/request.h"
#include "smc_dump/sieve.h"

/* How long packets may wait in the kernel, in milliseconds. */
#define WAIT_MS 100
#define VLAN_FILTER SIEVE_DEFAULT " or (vlan and (" SIEVE_DEFAULT "))"
/* A file's lines are written together. */
#define WRITE_AT 65536
/* What a sink returns when enough was shown. */
#define ENOUGH 1

/**
 * struct capture - an open source
 * @pcap: an interface, or a file of pcap; @header: of its last packet
 * @file: that is read, until libpcap has taken it; @blocks: it is pcapng
 * @to: where packets go as they are, before anything was written; @written: the same from then on,
 *	@dumper: of those of @pcap
 * @sieve: of a file: the kernel filters what comes from an interface
 * @n_taken: packets that were looked at; @n_left_out: that could not be, @left_out: the link layer
 *	of the first one
 */
struct capture {
	const struct request *request;
	pcap_t *pcap;
	const struct pcap_pkthdr *header;
	FILE *file, *written;
	struct blocks *blocks;
	struct output to;
	pcap_dumper_t *dumper;
	struct sieve sieve;
	uint64_t n_taken, n_left_out, n_shown;
	int left_out;
	struct flow_table *flows;
	struct out_text text;
	struct smc_err *err;
};

static int cannot_write(const struct capture *capture)
{
	return smc_err_set(capture->err, errno, "cannot write packets");
}

/* ---- opening ---- */

static int cannot_listen(struct smc_err *err, const char *interface, pcap_t *pcap, int status)
{
	const char *why = pcap_geterr(pcap);

	switch (status) {
	case PCAP_ERROR_PERM_DENIED:
		return smc_err_say(err, EPERM,
				   "cannot listen on %s: capturing packets needs root, "
				   "or the capability CAP_NET_RAW",
				   interface);
	case PCAP_ERROR_NO_SUCH_DEVICE:
		return smc_err_say(err, ENODEV, "cannot listen on %s: no such interface",
				   interface);
	case PCAP_ERROR_IFACE_NOT_UP:
		return smc_err_say(err, ENETDOWN, "cannot listen on %s: the interface is down",
				   interface);
	default:
		return smc_err_say(err, EIO, "cannot listen on %s: %s", interface,
				   *why ? why : pcap_statustostr(status));
	}
}

static int open_live(struct capture *capture)
{
	const char *interface = capture->request->interface;
	char why[PCAP_ERRBUF_SIZE];
	int status;

	capture->pcap = pcap_create(interface, why);
	if (!capture->pcap)
		return smc_err_say(capture->err, EIO, "cannot listen on %s: %s", interface, why);
	status = pcap_set_snaplen(capture->pcap, capture->request->snaplen);
	if (!status)
		status = pcap_set_timeout(capture->pcap, WAIT_MS);
	if (!status)
		status = pcap_set_tstamp_precision(capture->pcap, PCAP_TSTAMP_PRECISION_NANO);
	/* Where the kernel has no nanoseconds, microseconds are multiplied, see time_of(). */
	if (!status || status == PCAP_ERROR_TSTAMP_PRECISION_NOTSUP)
		status = pcap_activate(capture->pcap);
	return status < 0 ? cannot_listen(capture->err, interface, capture->pcap, status) : 0;
}

/* Nothing of a file is read before rights are given up. */
static int open_file(struct capture *capture)
{
	const char *path = capture->request->read;

	capture->file = strcmp(path, "-") ? fopen(path, "re") : fdopen(dup(STDIN_FILENO), "r");
	return capture->file ? 0 : smc_err_set(capture->err, errno, "cannot read %s", path);
}

static int open_all(struct capture *capture)
{
	const char *write = capture->request->write;
	int ret = capture->request->read ? open_file(capture) : open_live(capture);

	if (ret || !write)
		return ret;
	return output_open(&capture->to, write, capture->file ? fileno(capture->file) : -1,
			   capture->err);
}

/* ---- starting ---- */

static int unknown_link(int link, struct smc_err *err)
{
	const char *name = pcap_datalink_val_to_name(link);

	return smc_err_say(err, EPROTONOSUPPORT,
			   "packets of link layer %d%s%s%s are not "
			   "understood",
			   link, name ? " (" : "", name ? name : "", name ? ")" : "");
}

static int compressed(const uint8_t *head, struct smc_err *err)
{
	static const struct {
		uint8_t head[4];
		size_t len;
		const char *program;
	} known[] = {
		{ { 0x1f, 0x8b }, 2, "gzip" },
		{ { 0x28, 0xb5, 0x2f, 0xfd }, 4, "zstd" },
		{ { 0x04, 0x22, 0x4d, 0x18 }, 4, "lz4" },
		{ { 0xfd, '7', 'z', 'X' }, 4, "xz" },
		{ { 'B', 'Z', 'h' }, 3, "bzip2" },
	};

	for (size_t i = 0; i < sizeof(known) / sizeof(known[0]); i++)
		if (!memcmp(head, known[i].head, known[i].len))
			return smc_err_say(err, EINVAL,
					   "the capture is compressed: unpack it, "
					   "with %s -dc FILE | smc_dump -r -",
					   known[i].program);
	return 0;
}

static int check_link(const struct capture *capture)
{
	int link = pcap_datalink(capture->pcap);

	return packet_knows_link(link) ? 0 : unknown_link(link, capture->err);
}

static int open_pcap(struct capture *capture)
{
	char why[PCAP_ERRBUF_SIZE];

	capture->pcap = pcap_fopen_offline_with_tstamp_precision(capture->file,
								 PCAP_TSTAMP_PRECISION_NANO, why);
	if (!capture->pcap)
		return smc_err_say(capture->err, EINVAL, "not a capture: %s", why);
	capture->file = NULL;
	return check_link(capture);
}

static int start_file(struct capture *capture)
{
	static const uint8_t section[4] = { 0x0a, 0x0d, 0x0d, 0x0a };
	uint8_t head[4] = { 0 };
	size_t len = fread(head, 1, sizeof(head), capture->file);
	int ret = compressed(head, capture->err);

	if (ret)
		return ret;
	/* All of these are in the stream's buffer: it takes them back. */
	for (size_t i = len; i--;)
		ungetc(head[i], capture->file);
	capture->sieve.filter = capture->request->filter;
	if (!memcmp(head, section, sizeof(head))) {
		capture->blocks = blocks_open(capture->file, capture->err);
		return capture->blocks ? sieve_check(&capture->sieve, capture->err) :
					 -capture->err->code;
	}
	ret = open_pcap(capture);
	return ret ? ret :
		     sieve_check_for(&capture->sieve, pcap_datalink(capture->pcap), capture->err);
}

/* The filter is in the kernel: a capture on an interface has one link layer. */
static int start_live(struct capture *capture)
{
	const char *filter = capture->request->filter;
	struct bpf_program program;
	struct smc_err ignored;
	int ret = check_link(capture);

	if (ret)
		return ret;
	ret = sieve_compile(filter ? filter : VLAN_FILTER, capture->pcap, &program,
			    filter ? capture->err : &ignored);
	if (ret && !filter)
		ret = sieve_compile(SIEVE_DEFAULT, capture->pcap, &program, capture->err);
	if (ret)
		return ret;
	if (pcap_setfilter(capture->pcap, &program))
		ret = smc_err_say(capture->err, EIO, "cannot set the filter: %s",
				  pcap_geterr(capture->pcap));
	pcap_freecode(&program);
	return ret;
}

static int start_output(struct capture *capture)
{
	int ret = output_empty(&capture->to, capture->err);
	FILE *file;

	if (ret)
		return ret;
	file = fdopen(capture->to.fd, "w");
	if (!file)
		return smc_err_set(capture->err, ENOMEM, "cannot write packets");
	capture->to.fd = -1;
	if (capture->blocks)
		blocks_copy(capture->blocks, file);
	else
		capture->dumper = pcap_dump_fopen(capture->pcap, file);
	/* libpcap may have closed it. */
	if (!capture->blocks && !capture->dumper)
		return smc_err_say(capture->err, EIO, "cannot write packets: %s",
				   pcap_geterr(capture->pcap));
	capture->written = file;
	return fflush(file) ? cannot_write(capture) : 0;
}

static int start(struct capture *capture)
{
	int ret = capture->request->read ? start_file(capture) : start_live(capture);

	return ret || !capture->request->write ? ret : start_output(capture);
}

/* ---- packets ---- */

static struct packet_time time_of(const struct capture *capture, const struct pcap_pkthdr *header)
{
	bool is_nano = pcap_get_tstamp_precision(capture->pcap) == PCAP_TSTAMP_PRECISION_NANO;
	uint32_t part = (uint32_t)header->ts.tv_usec;

	/* Nobody promises that a file's times are times. */
	part %= is_nano ? 1000000000 : 1000000;
	return (struct packet_time){ header->ts.tv_sec, is_nano ? part : part * 1000 };
}

/* Return: 1; 0 when there is no more; -errno. */
static int next_packet(struct capture *capture, struct captured *packet)
{
	struct pcap_pkthdr *header;
	int status;

	if (capture->blocks)
		return blocks_next(capture->blocks, packet, capture->err);
	/* 0: nothing came for a while. */
	do
		status = pcap_next_ex(capture->pcap, &header, &packet->data);
	while (!status);
	if (status == PCAP_ERROR)
		return smc_err_say(capture->err, EIO, "cannot read packets: %s",
				   pcap_geterr(capture->pcap));
	if (status < 0)
		return 0;
	capture->header = header;
	packet->link = pcap_datalink(capture->pcap);
	packet->len = header->caplen;
	packet->full = header->len;
	packet->time = time_of(capture, header);
	return 1;
}

/* Return: whether it is wanted; -errno. */
static int is_wanted(struct capture *capture, const struct captured *packet)
{
	int verdict = SIEVE_USELESS;

	if (capture->request->interface)
		return true;
	if (packet_knows_link(packet->link))
		verdict = sieve_packet(&capture->sieve, packet->link, packet->data, packet->len,
				       packet->full);
	if (verdict != SIEVE_USELESS)
		capture->n_taken++;
	else if (!capture->n_left_out++)
		capture->left_out = packet->link;
	return verdict == SIEVE_PASS;
}

/* Return: 0, -errno; ENOUGH. */
static int write_packet(struct capture *capture, const struct captured *packet)
{
	if (capture->blocks)
		blocks_copy_block(capture->blocks);
	else
		pcap_dump((u_char *)capture->dumper, capture->header, packet->data);
	/* One that waits for a connection wants to see it. */
	if (capture->request->interface)
		fflush(capture->written);
	if (ferror(capture->written))
		return cannot_write(capture);
	return ++capture->n_shown == capture->request->count ? ENOUGH : 0;
}

/* Return: 0, -errno; ENOUGH. */
static int on_event(void *arg, const struct flow_event *event)
{
	struct capture *capture = arg;
	const struct request *request = capture->request;
	/* Behind a pipe there may be a live capture. */
	bool is_awaited = request->interface || !strcmp(request->read, "-");
	int ret = 0;

	if (!show_event(&capture->text, &request->show, event))
		return 0;
	if (is_awaited || capture->text.len > WRITE_AT)
		ret = out_print(&capture->text, capture->err);
	return ret || ++capture->n_shown != request->count ? ret : ENOUGH;
}

static int decode_packet(struct capture *capture, const struct captured *captured)
{
	struct packet packet;

	packet_decode(&packet, captured->link, captured->data, captured->len, captured->full);
	packet.time = captured->time;
	return flow_packet(capture->flows, &packet);
}

static int why_left_out(struct capture *capture, struct smc_err *why)
{
	return packet_knows_link(capture->left_out) ?
		       sieve_check_for(&capture->sieve, capture->left_out, why) :
		       unknown_link(capture->left_out, why);
}

/* Until the file's end, a signal, or enough. Return: 0, -errno; ENOUGH. */
static int read_packets(struct capture *capture)
{
	struct captured captured;
	int ret;

	while ((ret = next_packet(capture, &captured)) > 0) {
		ret = is_wanted(capture, &captured);
		if (ret > 0)
			ret = capture->written ? write_packet(capture, &captured) :
						 decode_packet(capture, &captured);
		if (ret)
			return ret;
	}
	return !ret && !capture->n_taken && capture->n_left_out ?
		       why_left_out(capture, capture->err) :
		       ret;
}

/* ---- all ---- */

/* Why there may be less to see than somebody who reads a file expects. */
static void note(const struct capture *capture)
{
	uint64_t syns = flow_syns(capture->flows);

	if (!capture->request->read || capture->request->show.is_json)
		return;
	if (capture->blocks && blocks_is_payload(capture->blocks))
		cli_note(&dump_tool, "this is a capture of payload: open it with wireshark or "
				     "tcpdump -r");
	else if (!capture->n_shown && syns)
		cli_note(&dump_tool,
			 "no SMC handshake; SYNs that do not offer SMC: %" PRIu64
			 " ('--all' shows them)",
			 syns);
	else if (!capture->n_shown)
		cli_note(&dump_tool, "no SMC handshake, and no SYN");
}

static int decode(struct capture *capture)
{
	int ret;

	capture->flows = flow_new(on_event, capture, capture->request->show.is_all);
	ret = read_packets(capture);
	if (!ret)
		ret = flow_end(capture->flows);
	if (ret == ENOUGH)
		ret = 0;
	/* What was before the damage is shown. */
	if (capture->text.len && (!ret || capture->err->code == EIO))
		ret = out_print(&capture->text, ret ? NULL : capture->err) ? -capture->err->code :
									     ret;
	if (!ret)
		note(capture);
	return ret;
}

static void note_losses(struct capture *capture, bool is_done)
{
	struct pcap_stat stat;
	struct smc_err why;

	if (is_done && capture->n_left_out) {
		why_left_out(capture, &why);
		cli_note(&dump_tool, "%s: %" PRIu64 " are left out", why.text, capture->n_left_out);
	}
	if (capture->request->interface && !pcap_stats(capture->pcap, &stat) && stat.ps_drop)
		cli_note(&dump_tool, "%u packets came too fast and are lost", stat.ps_drop);
}

static int run(struct capture *capture)
{
	int ret = open_all(capture);

	if (!ret)
		ret = guard_give_up_rights(capture->err);
	if (!ret)
		ret = start(capture);
	if (ret)
		return ret;
	if (capture->request->interface) {
		guard_catch_signals(capture->pcap);
		cli_note(&dump_tool, "listening on %s, until Ctrl-C", capture->request->interface);
	}
	ret = capture->written ? read_packets(capture) : decode(capture);
	guard_release();
	if (ret == ENOUGH)
		ret = 0;
	note_losses(capture, !ret);
	return ret;
}

/* Return: @ret; -errno if there was no error before. */
static int close_output(struct capture *capture, int ret)
{
	if (capture->written && fflush(capture->written) && !ret)
		ret = cannot_write(capture);
	if (capture->dumper)
		pcap_dump_close(capture->dumper);
	else if (capture->written && fclose(capture->written) && !ret)
		ret = cannot_write(capture);
	output_close(&capture->to);
	return ret;
}

int capture_run(const struct request *request, struct smc_err *err)
{
	struct capture capture = { .request = request, .to.fd = -1, .err = err };
	int ret = close_output(&capture, run(&capture));

	if (capture.pcap)
		pcap_close(capture.pcap);
	if (capture.file)
		fclose(capture.file);
	blocks_free(capture.blocks);
	sieve_free(&capture.sieve);
	flow_free(capture.flows);
	out_free(&capture.text);
	return ret;
}

int capture_list(struct smc_err *err)
{
	char why[PCAP_ERRBUF_SIZE];
	struct out_text text = { 0 };
	pcap_if_t *all;
	int ret;

	if (pcap_findalldevs(&all, why))
		return smc_err_say(err, EIO, "cannot list interfaces: %s", why);
	for (pcap_if_t *at = all; at; at = at->next) {
		out_escaped(&text, at->name, strlen(at->name));
		if (at->description && *at->description) {
			out_str(&text, "  ");
			out_escaped(&text, at->description, strlen(at->description));
		}
		out_char(&text, '\n');
	}
	pcap_freealldevs(all);
	ret = out_print(&text, err);
	out_free(&text);
	return ret;
}
