// SPDX-License-Identifier: MIT
/* Packets from an interface or a file, by libpcap; and into a file. */
#include "smc_dump/capture.h"

#include <errno.h>
#include <string.h>
#include <unistd.h>

/* How long packets may wait in the kernel, in milliseconds. */
#define WAIT_MS 100
#define VLAN_FILTER SIEVE_DEFAULT " or (vlan and (" SIEVE_DEFAULT "))"

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

int capture_open_live(struct capture *capture, const char *interface, int snaplen,
		      struct smc_err *err)
{
	char why[PCAP_ERRBUF_SIZE];
	int status;

	capture->pcap = pcap_create(interface, why);
	if (!capture->pcap)
		return smc_err_say(err, EIO, "cannot listen on %s: %s", interface, why);
	capture->is_live = true;
	status = pcap_set_snaplen(capture->pcap, snaplen);
	if (!status)
		status = pcap_set_timeout(capture->pcap, WAIT_MS);
	if (!status)
		status = pcap_set_tstamp_precision(capture->pcap, PCAP_TSTAMP_PRECISION_NANO);
	/* Where the kernel has no nanoseconds, microseconds are multiplied, see time_of(). */
	if (!status || status == PCAP_ERROR_TSTAMP_PRECISION_NOTSUP)
		status = pcap_activate(capture->pcap);
	return status < 0 ? cannot_listen(err, interface, capture->pcap, status) : 0;
}

int capture_open_file(struct capture *capture, const char *path, struct smc_err *err)
{
	capture->file = strcmp(path, "-") ? fopen(path, "re") : fdopen(dup(STDIN_FILENO), "r");
	return capture->file ? 0 : smc_err_set(err, errno, "cannot read %s", path);
}

int capture_open_output(struct capture *capture, const char *path, struct smc_err *err)
{
	return output_open(&capture->to, path, capture->file ? fileno(capture->file) : -1, err);
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

static int open_pcap(struct capture *capture, struct smc_err *err)
{
	char why[PCAP_ERRBUF_SIZE];

	capture->pcap = pcap_fopen_offline_with_tstamp_precision(capture->file,
								 PCAP_TSTAMP_PRECISION_NANO, why);
	if (!capture->pcap)
		return smc_err_say(err, EINVAL, "not a capture: %s", why);
	capture->file = NULL;
	return packet_knows_link(pcap_datalink(capture->pcap)) ?
		       0 :
		       unknown_link(pcap_datalink(capture->pcap), err);
}

static int read_header(struct capture *capture, struct smc_err *err)
{
	static const uint8_t section[4] = { 0x0a, 0x0d, 0x0d, 0x0a };
	uint8_t head[4] = { 0 };
	size_t len = fread(head, 1, sizeof(head), capture->file);
	int ret = compressed(head, err);

	if (ret)
		return ret;
	/* All of these are in the stream's buffer: it takes them back. */
	for (size_t i = len; i--;)
		ungetc(head[i], capture->file);
	if (memcmp(head, section, sizeof(head)))
		return open_pcap(capture, err);
	capture->blocks = blocks_open(capture->file, err);
	return capture->blocks ? 0 : -err->code;
}

/* In the kernel. */
static int set_filter(struct capture *capture, const char *filter, struct smc_err *err)
{
	struct bpf_program program;
	struct smc_err ignored;
	int ret = sieve_compile(filter ? filter : VLAN_FILTER, capture->pcap, &program,
				filter ? err : &ignored);

	if (ret && !filter)
		ret = sieve_compile(SIEVE_DEFAULT, capture->pcap, &program, err);
	if (ret)
		return ret;
	if (pcap_setfilter(capture->pcap, &program))
		ret = smc_err_say(err, EIO, "cannot set the filter: %s",
				  pcap_geterr(capture->pcap));
	pcap_freecode(&program);
	return ret;
}

static int start_output(struct capture *capture, struct smc_err *err)
{
	int fd = output_take(&capture->to, err);
	FILE *file;

	if (fd < 0)
		return fd;
	file = fdopen(fd, "w");
	if (!file) {
		close(fd);
		return smc_err_set(err, ENOMEM, "cannot write packets");
	}
	if (capture->blocks) {
		capture->copy = file;
		blocks_copy(capture->blocks, file);
		return fflush(file) ? smc_err_set(err, errno, "cannot write packets") : 0;
	}
	capture->output = pcap_dump_fopen(capture->pcap, file);
	if (capture->output)
		return pcap_dump_flush(capture->output) ?
			       smc_err_set(err, errno, "cannot write packets") :
			       0;
	fclose(file);
	return smc_err_say(err, EIO, "cannot write packets: %s", pcap_geterr(capture->pcap));
}

/* A capture on an interface has one link layer. */
static int start_live(struct capture *capture, const char *filter, struct smc_err *err)
{
	int link = pcap_datalink(capture->pcap);

	return packet_knows_link(link) ? set_filter(capture, filter, err) : unknown_link(link, err);
}

static int start_file(struct capture *capture, const char *filter, struct smc_err *err)
{
	struct sieve *sieve = &capture->sieve;
	int ret = read_header(capture, err);

	sieve->filter = filter;
	if (ret)
		return ret;
	return capture->blocks ? sieve_check(sieve, err) :
				 sieve_check_for(sieve, pcap_datalink(capture->pcap), err);
}

int capture_start(struct capture *capture, const char *filter, struct smc_err *err)
{
	int ret = capture->is_live ? start_live(capture, filter, err) :
				     start_file(capture, filter, err);

	if (!ret && capture->to.fd >= 0)
		ret = start_output(capture, err);
	return ret;
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
static int next_packet(struct capture *capture, struct captured *packet, struct smc_err *err)
{
	struct pcap_pkthdr *header;
	int status;

	if (capture->blocks)
		return blocks_next(capture->blocks, packet, err);
	/* 0: nothing came for a while. */
	do
		status = pcap_next_ex(capture->pcap, &header, &packet->data);
	while (!status);
	if (status == PCAP_ERROR)
		return smc_err_say(err, EIO, "cannot read packets: %s", pcap_geterr(capture->pcap));
	if (status < 0)
		return 0;
	capture->header = header;
	packet->link = pcap_datalink(capture->pcap);
	packet->len = header->caplen;
	packet->full = header->len;
	packet->time = time_of(capture, header);
	return 1;
}

/* Return: whether it is wanted; -errno with @err. */
static int is_wanted(struct capture *capture, const struct captured *packet, struct smc_err *err)
{
	int verdict = SIEVE_USELESS;

	if (capture->is_live)
		return true;
	if (packet_knows_link(packet->link))
		verdict = sieve_packet(&capture->sieve, packet->link, packet->data, packet->len,
				       packet->full);
	if (verdict < 0)
		return smc_err_set(err, -verdict, "cannot filter packets");
	if (verdict != SIEVE_USELESS)
		capture->n_taken++;
	else if (!capture->n_left_out++)
		capture->left_out = packet->link;
	return verdict == SIEVE_PASS;
}

static int write_packet(struct capture *capture, const struct captured *packet, struct smc_err *err)
{
	FILE *file = capture->copy;

	if (capture->blocks) {
		blocks_copy_packet(capture->blocks);
	} else {
		pcap_dump((u_char *)capture->output, capture->header, packet->data);
		file = pcap_dump_file(capture->output);
	}
	/* One that waits for a connection wants to see it. */
	if (capture->is_live)
		fflush(file);
	return ferror(file) ? smc_err_set(err, errno, "cannot write packets") : 0;
}

static int why_left_out(struct capture *capture, struct smc_err *err)
{
	return packet_knows_link(capture->left_out) ?
		       sieve_check_for(&capture->sieve, capture->left_out, err) :
		       unknown_link(capture->left_out, err);
}

int capture_run(struct capture *capture, capture_sink *sink, void *arg, uint64_t count,
		struct smc_err *err)
{
	struct captured captured;
	struct packet packet;
	int ret;

	while ((ret = next_packet(capture, &captured, err)) > 0) {
		ret = is_wanted(capture, &captured, err);
		if (ret > 0 && sink) {
			packet_decode(&packet, captured.link, captured.data, captured.len,
				      captured.full);
			ret = sink(arg, &packet, captured.time);
		} else if (ret > 0) {
			ret = write_packet(capture, &captured, err);
			if (!ret && count && !--count)
				break;
		}
		if (ret)
			return ret;
	}
	return !ret && !capture->n_taken && capture->n_left_out ? why_left_out(capture, err) : ret;
}

uint64_t capture_left_out(struct capture *capture, struct smc_err *why)
{
	if (capture->n_left_out)
		why_left_out(capture, why);
	return capture->n_left_out;
}

bool capture_is_payload(const struct capture *capture)
{
	return capture->blocks && blocks_is_payload(capture->blocks);
}

void capture_stop(struct capture *capture)
{
	pcap_breakloop(capture->pcap);
}

uint32_t capture_lost(const struct capture *capture)
{
	struct pcap_stat stat;

	return capture->is_live && !pcap_stats(capture->pcap, &stat) ? stat.ps_drop : 0;
}

int capture_close(struct capture *capture, struct smc_err *err)
{
	int ret = 0;

	if (capture->output && pcap_dump_flush(capture->output))
		ret = smc_err_set(err, errno, "cannot write packets");
	if (capture->output)
		pcap_dump_close(capture->output);
	if (capture->copy && fclose(capture->copy))
		ret = smc_err_set(err, errno, "cannot write packets");
	output_close(&capture->to);
	if (capture->pcap)
		pcap_close(capture->pcap);
	blocks_free(capture->blocks);
	sieve_free(&capture->sieve);
	if (capture->file)
		fclose(capture->file);
	return ret;
}

int capture_list(void (*show)(void *arg, const char *name, const char *about), void *arg,
		 struct smc_err *err)
{
	char why[PCAP_ERRBUF_SIZE];
	pcap_if_t *all;

	if (pcap_findalldevs(&all, why))
		return smc_err_say(err, EIO, "cannot list interfaces: %s", why);
	for (pcap_if_t *at = all; at; at = at->next)
		show(arg, at->name, at->description ? at->description : "");
	pcap_freealldevs(all);
	return 0;
}
