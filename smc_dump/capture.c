// SPDX-License-Identifier: MIT
/* Packets from an interface or a file, by libpcap; and into a file. */
#include "smc_dump/capture.h"

#include <errno.h>
#include <string.h>
#include <unistd.h>

/* How long packets may wait in the kernel, in milliseconds. */
#define WAIT_MS 100
/* TCP, and RoCE v2; with a VLAN where the link layer knows them. */
#define PLAIN_FILTER "tcp or udp port 4791"
#define DEFAULT_FILTER PLAIN_FILTER " or (vlan and (" PLAIN_FILTER "))"

/* ---- opening ---- */

static int cannot_listen(struct smc_err *err, const char *interface, pcap_t *pcap, int status)
{
	const char *why = pcap_geterr(pcap);

	switch (status) {
	case PCAP_ERROR_PERM_DENIED:
		return smc_err_say(err, EPERM, "cannot listen on %s: capturing packets needs root, "
				   "or the capability CAP_NET_RAW", interface);
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

static int read_header(struct capture *capture, struct smc_err *err)
{
	char why[PCAP_ERRBUF_SIZE];

	capture->pcap = pcap_fopen_offline_with_tstamp_precision(capture->file,
								 PCAP_TSTAMP_PRECISION_NANO, why);
	if (!capture->pcap)
		return smc_err_say(err, EINVAL, "not a capture: %s", why);
	capture->file = NULL;
	return 0;
}

/* By then no file can be opened in which names are looked up. */
static int wrong_filter(const char *why, struct smc_err *err)
{
	bool is_name = !strncmp(why, "unknown host", 12) || !strncmp(why, "unknown port", 12) ||
		       !strncmp(why, "unknown network", 15) ||
		       !strncmp(why, "unknown protocol", 16);

	return smc_err_say(err, EINVAL, "wrong filter: %s%s", why,
			   is_name ? ": names are not looked up, give the number" : "");
}

static bool is_word(const char *at, size_t len, const char *word)
{
	return strlen(word) == len && !memcmp(at, word, len);
}

/*
 * libpcap 1.10 takes what is in memory for the number of an IP protocol that it cannot look up, and
 * says nothing. It knows the names of those below by itself.
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

static int set_filter(struct capture *capture, const char *filter, struct smc_err *err)
{
	struct bpf_program program;
	int status;

	if (filter && names_protocol(filter))
		return wrong_filter("unknown protocol", err);
	if (filter)
		status = pcap_compile(capture->pcap, &program, filter, 1, PCAP_NETMASK_UNKNOWN);
	else if (pcap_compile(capture->pcap, &program, DEFAULT_FILTER, 1, PCAP_NETMASK_UNKNOWN))
		status = pcap_compile(capture->pcap, &program, PLAIN_FILTER, 1,
				      PCAP_NETMASK_UNKNOWN);
	else
		status = 0;
	if (status)
		return wrong_filter(pcap_geterr(capture->pcap), err);
	status = pcap_setfilter(capture->pcap, &program);
	pcap_freecode(&program);
	return status ? smc_err_say(err, EIO, "cannot set the filter: %s",
				    pcap_geterr(capture->pcap)) : 0;
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
	capture->output = pcap_dump_fopen(capture->pcap, file);
	if (capture->output)
		return pcap_dump_flush(capture->output) ?
		       smc_err_set(err, errno, "cannot write packets") : 0;
	fclose(file);
	return smc_err_say(err, EIO, "cannot write packets: %s", pcap_geterr(capture->pcap));
}

int capture_start(struct capture *capture, const char *filter, struct smc_err *err)
{
	int ret = capture->file ? read_header(capture, err) : 0;

	if (!ret && !packet_knows_link(pcap_datalink(capture->pcap)))
		ret = smc_err_say(err, EPROTONOSUPPORT, "packets of link layer %d are not "
				  "understood", pcap_datalink(capture->pcap));
	if (!ret)
		ret = set_filter(capture, filter, err);
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

static int write_packet(struct capture *capture, const struct pcap_pkthdr *header,
			const uint8_t *data, struct smc_err *err)
{
	pcap_dump((u_char *)capture->output, header, data);
	/* One that waits for a connection wants to see it. */
	if (capture->is_live)
		pcap_dump_flush(capture->output);
	return ferror(pcap_dump_file(capture->output)) ?
	       smc_err_set(err, errno, "cannot write packets") : 0;
}

int capture_run(struct capture *capture, capture_sink *sink, void *arg, uint64_t count,
		struct smc_err *err)
{
	int link = pcap_datalink(capture->pcap), status, ret = 0;
	struct pcap_pkthdr *header;
	const u_char *data;
	struct packet packet;

	while (!ret && (status = pcap_next_ex(capture->pcap, &header, &data)) >= 0) {
		/* Nothing came for a while. */
		if (!status)
			continue;
		if (!sink) {
			ret = write_packet(capture, header, data, err);
			if (!ret && count && !--count)
				break;
			continue;
		}
		packet_decode(&packet, link, data, header->caplen, header->len);
		ret = sink(arg, &packet, time_of(capture, header));
	}
	if (!ret && status == PCAP_ERROR)
		return smc_err_say(err, EIO, "cannot read packets: %s", pcap_geterr(capture->pcap));
	return ret;
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
	output_close(&capture->to);
	if (capture->pcap)
		pcap_close(capture->pcap);
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
