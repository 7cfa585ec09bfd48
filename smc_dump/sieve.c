// SPDX-License-Identifier: MIT
/* libpcap's filters, one for each kind of link layer in a capture. */
#include "smc_dump/sieve.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "smc_dump/packet.h"

/* Larger than any packet: a filter returns how many bytes it wants. */
#define SNAPLEN 262144

/**
 * struct sieve_program - for packets of @link
 * @is_of_ip: it is for the IP packets in them; @is_useless: there is none
 */
struct sieve_program {
	int link;
	bool is_of_ip, is_useless;
	struct bpf_program program;
};

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

int sieve_compile(const char *filter, pcap_t *pcap, struct bpf_program *program,
		  struct smc_err *err)
{
	if (names_protocol(filter))
		return wrong_filter("unknown protocol", err);
	return pcap_compile(pcap, program, filter, 1, PCAP_NETMASK_UNKNOWN) ?
		       wrong_filter(pcap_geterr(pcap), err) :
		       0;
}

static int compile_as(const struct sieve *sieve, struct sieve_program *program, bool is_of_ip,
		      struct smc_err *err)
{
	pcap_t *pcap = pcap_open_dead(is_of_ip ? DLT_RAW : program->link, SNAPLEN);
	int ret;

	if (!pcap)
		return smc_err_set(err, ENOMEM, "cannot filter packets");
	program->is_of_ip = is_of_ip;
	ret = sieve_compile(sieve->filter ? sieve->filter : SIEVE_DEFAULT, pcap, &program->program,
			    err);
	pcap_close(pcap);
	return ret;
}

/*
 * Only of Ethernet's headers libpcap filters all that are found here: it looks for one form of PPP,
 * one system's number of IPv6 in NULL and LOOP, no VLAN in SLL, and not at all in NFLOG and IPOIB.
 */
static int compile(struct sieve *sieve, struct sieve_program *program, struct smc_err *err)
{
	bool is_of_ip = program->link != DLT_EN10MB || !sieve->filter;
	struct smc_err ignored;
	int ret = compile_as(sieve, program, is_of_ip, &ignored);

	/* Such as "inbound", which is in the header. */
	return ret == -EINVAL ? compile_as(sieve, program, false, err) : ret;
}

int sieve_check_for(struct sieve *sieve, int link, struct smc_err *err)
{
	struct sieve_program program = { .link = link };
	int ret = compile(sieve, &program, err);

	if (!ret)
		pcap_freecode(&program.program);
	return ret;
}

int sieve_check(struct sieve *sieve, struct smc_err *err)
{
	struct smc_err ignored;
	int ret = sieve_check_for(sieve, DLT_EN10MB, err);

	/* The reason that is kept is that for Ethernet. */
	for (size_t i = 0; ret == -EINVAL && packet_link(i) >= 0; i++)
		ret = sieve_check_for(sieve, packet_link(i), &ignored);
	return ret;
}

static struct sieve_program *find(struct sieve *sieve, int link)
{
	struct sieve_program *program;
	struct smc_err ignored;

	for (size_t i = 0; i < sieve->count; i++)
		if (sieve->programs[i].link == link)
			return &sieve->programs[i];
	program = smc_array_add(&sieve->programs, &sieve->count, &sieve->size, sizeof(*program));
	program->link = link;
	program->is_useless = compile(sieve, program, &ignored);
	return program;
}

int sieve_packet(struct sieve *sieve, int link, const uint8_t *data, size_t len, size_t full)
{
	struct sieve_program *program = find(sieve, link);
	struct pcap_pkthdr header;
	size_t at = 0;

	if (program->is_useless)
		return SIEVE_USELESS;
	if (program->is_of_ip && !packet_find_ip(link, data, len, &at))
		return SIEVE_DROP;
	header = (struct pcap_pkthdr){
		.caplen = (bpf_u_int32)(len - at),
		.len = (bpf_u_int32)(full > len ? full - at : len - at),
	};
	return pcap_offline_filter(&program->program, &header, data + at) ? SIEVE_PASS : SIEVE_DROP;
}

void sieve_free(struct sieve *sieve)
{
	for (size_t i = 0; i < sieve->count; i++)
		pcap_freecode(&sieve->programs[i].program);
	free(sieve->programs);
}
