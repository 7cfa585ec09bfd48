// SPDX-License-Identifier: MIT
/*
 * SMC handshakes of a file or interface, decoded here or saved as is. libpcap reads packets, except
 * those of pcapng files.
 */
#include <pcap/pcap.h>

#include "base/array.h"
#include "base/words.h"
#include "smc_dump/flow.h"
#include "smc_dump/request.h"

/* How long packets may wait in the kernel, in milliseconds. */
#define WAIT_MS 100
#define DEFAULT_FILTER "tcp"
#define VLAN_FILTER DEFAULT_FILTER " or (vlan and (" DEFAULT_FILTER "))"
/* Output to a file is flushed in blocks of this size. */
#define WRITE_AT 65536
/* A sink returns this when enough was shown. */
#define ENOUGH 1

/** struct layer - a link layer of a pcapng file; @program: filter, or no instructions */
struct layer {
	int link;
	struct bpf_program program;
};

/**
 * struct capture - an open source
 * @pcapng: instead of @pcap; its file is the capture file, owned by libpcap once that has opened it
 * @layers: supported link layers of its interfaces
 * @odd_link: an unsupported link layer, or -1; @n_odd: packets of unsupported link layers
 * @to: where raw packets are saved, before the first write; @written: the same afterwards
 */
struct capture {
	const struct request *request;
	pcap_t *pcap;
	FILE *written;
	struct pcapng pcapng;
	struct layer *layers;
	size_t n_layers;
	int odd_link;
	uint64_t n_odd;
	struct output to;
	pcap_dumper_t *dumper;
	uint64_t n_shown;
	struct flow_table *flows;
	struct out_text text;
	struct smc_err *err;
};

static int cannot_write(const struct capture *capture)
{
	return smc_err_set(capture->err, errno, "cannot write packets");
}

/* ---- opening ---- */

static int cannot_listen(const struct capture *capture, const char *why)
{
	return smc_err_say(capture->err, EIO, "cannot listen on %s: %s",
			   capture->request->interface, why);
}

static int open_live(struct capture *capture)
{
	char why[PCAP_ERRBUF_SIZE];
	int status;

	capture->pcap = pcap_create(capture->request->interface, why);
	if (!capture->pcap)
		return cannot_listen(capture, why);
	status = pcap_set_snaplen(capture->pcap, capture->request->snaplen);
	if (!status)
		status = pcap_set_timeout(capture->pcap, WAIT_MS);
	if (!status)
		status = pcap_set_tstamp_precision(capture->pcap, PCAP_TSTAMP_PRECISION_NANO);
	/* If the kernel has no nanoseconds, see time_of(). */
	if (!status || status == PCAP_ERROR_TSTAMP_PRECISION_NOTSUP)
		status = pcap_activate(capture->pcap);
	if (status >= 0)
		return 0;
	switch (status) {
	case PCAP_ERROR_PERM_DENIED:
		return cannot_listen(capture, "capturing packets needs root, or the capability "
					      "CAP_NET_RAW");
	case PCAP_ERROR_NO_SUCH_DEVICE: return cannot_listen(capture, "no such interface");
	case PCAP_ERROR_IFACE_NOT_UP: return cannot_listen(capture, "the interface is down");
	default:
		return cannot_listen(capture, *pcap_geterr(capture->pcap) ?
						      pcap_geterr(capture->pcap) :
						      pcap_statustostr(status));
	}
}

/* Rights are given up before anything of a file is read. */
static int open_all(struct capture *capture)
{
	const char *path = capture->request->read, *write = capture->request->write;
	int ret = 0;

	if (!path)
		ret = open_live(capture);
	else
		capture->pcapng.file =
			strcmp(path, "-") ? fopen(path, "re") : fdopen(dup(STDIN_FILENO), "r");
	if (path && !capture->pcapng.file)
		return smc_err_set(capture->err, errno, "cannot read %s", path);
	if (ret || !write)
		return ret;
	return output_open(&capture->to, write, path ? fileno(capture->pcapng.file) : -1,
			   capture->err);
}

/* ---- starting ---- */

static bool is_word(const char *at, size_t len, const char *word)
{
	return strlen(word) == len && !memcmp(at, word, len);
}

/*
 * libpcap 1.10 takes uninitialized memory for the number of an IP protocol that it cannot look up,
 * and reports no error. It knows the names below without a lookup.
 */
static bool names_protocol(const char *at)
{
	static const char between[] = " \t\n()";
	bool is_proto = false, is_below = false;

	for (size_t len; *(at += strspn(at, between)); at += len) {
		len = strcspn(at, between);
		if (is_proto && !is_below && (*at < '0' || *at > '9'))
			return true;
		is_proto = is_word(at, len, "proto") || is_word(at, len, "protochain");
		if (!is_proto)
			is_below = is_word(at, len, "ether") || is_word(at, len, "link");
	}
	return false;
}

/* Without rights, name look-ups fail, as files can no longer be opened: report this reason. */
static int wrong_filter(const char *why, struct smc_err *err)
{
	bool is_name = !strncmp(why, "unknown host", 12) || !strncmp(why, "unknown port", 12) ||
		       !strncmp(why, "unknown network", 15) ||
		       !strncmp(why, "unknown protocol", 16);

	return smc_err_say(err, EINVAL, "wrong filter: %s%s", why,
			   is_name ? ": names are not looked up, give the number" : "");
}

static int compile(const struct capture *capture, pcap_t *pcap, struct bpf_program *program)
{
	const char *filter = capture->request->filter;

	if (filter && names_protocol(filter))
		return wrong_filter("unknown protocol", capture->err);
	/* Some link layers have no VLAN. */
	if (filter ? pcap_compile(pcap, program, filter, 1, PCAP_NETMASK_UNKNOWN) :
		     pcap_compile(pcap, program, VLAN_FILTER, 1, PCAP_NETMASK_UNKNOWN) &&
			     pcap_compile(pcap, program, DEFAULT_FILTER, 1, PCAP_NETMASK_UNKNOWN))
		return wrong_filter(pcap_geterr(pcap), capture->err);
	return 0;
}

/* Without a filter, all packets of a file are examined. */
static int set_filter(const struct capture *capture)
{
	struct bpf_program program;
	int ret;

	if (!capture->request->filter && capture->request->read)
		return 0;
	ret = compile(capture, capture->pcap, &program);
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
	FILE *file = ret ? NULL : fdopen(capture->to.fd, "w");

	if (!file)
		return ret ? ret : cannot_write(capture);
	capture->to.fd = -1;
	if (capture->pcap)
		capture->dumper = pcap_dump_fopen(capture->pcap, file);
	/* libpcap may have closed the file if it fails. */
	if (capture->pcap && !capture->dumper)
		return smc_err_say(capture->err, EIO, "cannot write packets: %s",
				   pcap_geterr(capture->pcap));
	capture->written = file;
	return fflush(file) ? cannot_write(capture) : 0;
}

static int unknown_link(int link, struct smc_err *err)
{
	const char *name = pcap_datalink_val_to_name(link);

	return smc_err_say(err, EPROTONOSUPPORT, "packets of link layer %d%s%s%s are not supported",
			   link, name ? " (" : "", name ? name : "", name ? ")" : "");
}

static int start(struct capture *capture)
{
	bool is_pcapng = capture->request->read && pcapng_is(capture->pcapng.file);
	char why[PCAP_ERRBUF_SIZE];
	int ret = 0;

	if (capture->request->read && !is_pcapng) {
		capture->pcap = pcap_fopen_offline_with_tstamp_precision(
			capture->pcapng.file, PCAP_TSTAMP_PRECISION_NANO, why);
		if (!capture->pcap)
			return smc_err_say(capture->err, EINVAL, "not a capture: %s", why);
		capture->pcapng.file = NULL;
	}
	if (capture->pcap && !packet_knows_link(pcap_datalink(capture->pcap)))
		return unknown_link(pcap_datalink(capture->pcap), capture->err);
	if (capture->pcap)
		ret = set_filter(capture);
	return ret || !capture->request->write ? ret : start_output(capture);
}

/* ---- packets ---- */

static struct packet_time time_of(const struct capture *capture, const struct pcap_pkthdr *header)
{
	bool is_nano = pcap_get_tstamp_precision(capture->pcap) == PCAP_TSTAMP_PRECISION_NANO;
	uint32_t part = (uint32_t)header->ts.tv_usec;

	/* The times in a file may be invalid. */
	part %= is_nano ? 1000000000 : 1000000;
	return (struct packet_time){ header->ts.tv_sec, is_nano ? part : part * 1000 };
}

/* Return: 0, -errno, ENOUGH. */
static int on_written(struct capture *capture, bool is_packet)
{
	if (ferror(capture->written))
		return cannot_write(capture);
	return is_packet && ++capture->n_shown == capture->request->count ? ENOUGH : 0;
}

static int decode_packet(struct capture *capture, int link, const uint8_t *data, size_t len,
			 size_t full, struct packet_time time)
{
	struct packet packet;

	packet_decode(&packet, link, data, len, full);
	packet.time = time;
	return flow_packet(capture->flows, &packet);
}

/* Return: 0, -errno, ENOUGH. */
static int on_event(void *arg, const struct flow_event *event)
{
	struct capture *capture = arg;
	const struct request *request = capture->request;
	/* A pipe may carry a live capture. */
	bool is_awaited = request->interface || !strcmp(request->read, "-");
	int ret = 0;

	show_event(&capture->text, &request->show, event);
	if (is_awaited || capture->text.len > WRITE_AT)
		ret = out_print(&capture->text, capture->err);
	return ret || ++capture->n_shown != request->count ? ret : ENOUGH;
}

/* ---- pcapng ---- */

static const struct layer *find_layer(const struct capture *capture, int link)
{
	for_each(layer, capture->layers, capture->n_layers)
		if (layer->link == link)
			return layer;
	return NULL;
}

/* An interface begins. */
static int add_layer(struct capture *capture, int link)
{
	struct layer *layer;
	pcap_t *pcap;
	int ret;

	if (!packet_knows_link(link)) {
		capture->odd_link = link;
		return 0;
	}
	if (find_layer(capture, link))
		return 0;
	layer = smc_array_add(&capture->layers, &capture->n_layers);
	layer->link = link;
	if (!capture->request->filter)
		return 0;
	/* A link layer has the same number in libpcap and in files, except raw IP. */
	pcap = pcap_open_dead(link == 101 ? DLT_RAW : link, CAPTURE_SNAPLEN);
	if (!pcap)
		return smc_err_say(capture->err, ENOMEM, "cannot set the filter");
	ret = compile(capture, pcap, &layer->program);
	pcap_close(pcap);
	return ret;
}

static bool is_wanted(struct capture *capture)
{
	const struct pcapng *block = &capture->pcapng;
	const struct layer *layer = find_layer(capture, block->link);
	const struct pcap_pkthdr header = { .caplen = (bpf_u_int32)block->len,
					    .len = (bpf_u_int32)block->full };

	capture->n_odd += !layer;
	return layer && (!layer->program.bf_insns ||
			 pcap_offline_filter(&layer->program, &header, block->data));
}

/* Return: 0, -errno, ENOUGH. */
static int use_block(struct capture *capture, bool is_packet)
{
	const struct pcapng *block = &capture->pcapng;
	int ret = 0;

	if (!is_packet && block->link >= 0)
		ret = add_layer(capture, block->link);
	if (ret || (is_packet && !is_wanted(capture)))
		return ret;
	if (capture->written) {
		fwrite(block->bytes, 1, block->size, capture->written);
		return on_written(capture, is_packet);
	}
	return is_packet ? decode_packet(capture, block->link, block->data, block->len, block->full,
					 block->time) :
			   0;
}

static int read_blocks(struct capture *capture)
{
	int kind, ret;

	while ((kind = pcapng_next(&capture->pcapng, capture->err)) > 0) {
		ret = use_block(capture, kind == PCAPNG_PACKET);
		if (ret)
			return ret;
	}
	if (!kind && capture->odd_link >= 0 && !capture->n_layers)
		return unknown_link(capture->odd_link, capture->err);
	if (!kind && capture->n_odd)
		cli_note(&dump_tool,
			 "skipped %" PRIu64 " packet%s of link layers that are not supported",
			 capture->n_odd, plural_s(capture->n_odd));
	return kind;
}

/* Read until end of file, a signal, or enough packets. Return: 0, -errno, ENOUGH. */
static int read_packets(struct capture *capture)
{
	struct pcap_pkthdr *header;
	const u_char *data;
	int status, ret = 0;

	if (!capture->pcap)
		return read_blocks(capture);
	while (!ret && (status = pcap_next_ex(capture->pcap, &header, &data)) >= 0) {
		/* Timeout without packets. */
		if (!status)
			continue;
		if (capture->written) {
			pcap_dump((u_char *)capture->dumper, header, data);
			/* Flush: a user who waits for a connection wants to see it. */
			if (capture->request->interface)
				fflush(capture->written);
			ret = on_written(capture, true);
		} else {
			ret = decode_packet(capture, pcap_datalink(capture->pcap), data,
					    header->caplen, header->len, time_of(capture, header));
		}
	}
	return ret || status != PCAP_ERROR ?
		       ret :
		       smc_err_say(capture->err, EIO, "cannot read packets: %s",
				   pcap_geterr(capture->pcap));
}

/* Note why a capture shows nothing. */
static void note(const struct capture *capture)
{
	uint64_t syns = flow_syns(capture->flows);

	if (capture->n_shown || !capture->request->read || capture->request->show.is_json)
		return;
	if (syns)
		cli_note(&dump_tool,
			 "no SMC handshake; SYNs that do not offer SMC: %" PRIu64
			 " ('--all' shows them)",
			 syns);
	else
		cli_note(&dump_tool, "no SMC handshake, and no SYN");
}

static int decode(struct capture *capture)
{
	int ret;

	capture->flows = flow_new(on_event, capture, capture->request->show.is_all);
	ret = read_packets(capture) ?: flow_end(capture->flows);
	if (ret == ENOUGH)
		ret = 0;
	/* Show the packets before the damage. */
	if (capture->text.len && (!ret || capture->err->code == EIO) &&
	    out_print(&capture->text, ret ? NULL : capture->err))
		ret = -capture->err->code;
	if (!ret)
		note(capture);
	return ret;
}

static int run(struct capture *capture)
{
	struct pcap_stat stat;
	int ret = open_all(capture) ?: guard_give_up_rights(capture->err);

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
	if (capture->request->interface && !pcap_stats(capture->pcap, &stat) && stat.ps_drop)
		cli_note(&dump_tool, "too fast: lost %u packet%s", stat.ps_drop,
			 plural_s(stat.ps_drop));
	return ret == ENOUGH ? 0 : ret;
}

int capture_run(const struct request *request, struct smc_err *err)
{
	struct capture capture = { .request = request, .odd_link = -1, .to.fd = -1, .err = err };
	int ret = run(&capture);

	if (capture.written && fflush(capture.written) && !ret)
		ret = cannot_write(&capture);
	if (capture.dumper)
		pcap_dump_close(capture.dumper);
	if (capture.to.fd >= 0)
		close(capture.to.fd);
	if (capture.pcap)
		pcap_close(capture.pcap);
	if (capture.pcapng.file)
		fclose(capture.pcapng.file);
	pcapng_free(&capture.pcapng);
	for (size_t i = 0; i < capture.n_layers; i++)
		pcap_freecode(&capture.layers[i].program);
	free(capture.layers);
	flow_free(capture.flows);
	out_free(&capture.text);
	return ret;
}
