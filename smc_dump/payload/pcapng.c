// SPDX-License-Identifier: MIT
/*
 * pcapng as draft-ietf-opsawg-pcapng describes it: blocks of 32-bit words in the byte order of this
 * host, which the first one tells.
 */
#include "smc_dump/payload/pcapng.h"

#include <inttypes.h>
#include <stddef.h>
#include <stdio.h>

#include "smc_dump/big.h"
#include "smc_dump/blocks.h"

enum {
	SECTION_APPLICATION = 4,
	PACKET_FLAGS = 2,
	PACKET_INBOUND = 1,
	PACKET_OUTBOUND = 2,
	STATISTICS_RECEIVED = 4,
	STATISTICS_DROPPED = 5,
	ETHERNET = 1,	  /* LINKTYPE_ETHERNET */
	SECONDS_TO_9 = 9, /* nanoseconds */
};

enum {
	FIN = 1,
	SYN = 2,
	PUSH = 8,
	ACK = 16,
	ETHERNET_HEADER = 14,
	IPV4_HEADER = 20,
	IPV6_HEADER = 40,
	TCP_HEADER = 20,
	/* MSS, NOP, window scale: so much may be on its way. */
	TCP_OPTIONS = 8,
	MSS = 65495,
	WINDOW = 65535,
	WINDOW_SCALE = 14,
	/* What an IP packet has room for, as the length of most is told. */
	SEGMENT = 61440,
	/* Somebody acknowledges so many bytes that nobody answers, or the window would be full. */
	ACK_SHIFT = 29,
};

/* ---- blocks ---- */

static void word(struct out_text *text, uint32_t value)
{
	out_mem(text, &value, sizeof(value));
}

static void pad(struct out_text *text, size_t len)
{
	out_mem(text, "\0\0\0", -len & 3);
}

static size_t begin(struct out_text *text, uint32_t type)
{
	size_t at = text->len;

	word(text, type);
	word(text, 0);
	return at;
}

/* The length stands at both ends. */
static void end(struct out_text *text, size_t at)
{
	uint32_t len = (uint32_t)(text->len - at + sizeof(len));

	word(text, len);
	memcpy(text->data + at + sizeof(len), &len, sizeof(len));
}

static void option(struct out_text *text, uint16_t code, const void *value, size_t len)
{
	const uint16_t head[] = { code, (uint16_t)len };

	out_mem(text, head, sizeof(head));
	out_mem(text, value, len);
	pad(text, len);
}

static void option_text(struct out_text *text, uint16_t code, const char *value)
{
	option(text, code, value, strlen(value));
}

static void option_number(struct out_text *text, uint16_t code, uint64_t value)
{
	option(text, code, &value, sizeof(value));
}

/* Nanoseconds, the upper half first. */
static void timestamp(struct out_text *text, int64_t at)
{
	word(text, (uint32_t)((uint64_t)at >> 32));
	word(text, (uint32_t)at);
}

void pcapng_head(struct out_text *text, const char *version)
{
	const uint16_t format[] = { 1, 0 };
	const uint16_t link[] = { ETHERNET, 0 };
	const uint8_t resolution = SECONDS_TO_9;
	char name[64];
	size_t at = begin(text, BLOCKS_SECTION);

	snprintf(name, sizeof(name), "smc_dump %s", version);
	word(text, BLOCKS_ORDER);
	out_mem(text, format, sizeof(format));
	out_mem(text, "\xff\xff\xff\xff\xff\xff\xff\xff", 8); /* how long it is, nobody knows */
	option_text(text, SECTION_APPLICATION, name);
	option(text, BLOCKS_END, NULL, 0);
	end(text, at);
	at = begin(text, BLOCKS_INTERFACE);
	out_mem(text, link, sizeof(link));
	word(text, 0); /* packets of any length */
	option_text(text, BLOCKS_INTERFACE_NAME, "smc");
	option_text(text, BLOCKS_INTERFACE_DESCRIPTION, BLOCKS_PAYLOAD);
	option(text, BLOCKS_INTERFACE_RESOLUTION, &resolution, sizeof(resolution));
	option(text, BLOCKS_END, NULL, 0);
	end(text, at);
}

void pcapng_tail(struct out_text *text, int64_t at, uint64_t told, uint64_t lost)
{
	size_t block = begin(text, BLOCKS_STATISTICS);

	word(text, 0);
	timestamp(text, at);
	option_number(text, STATISTICS_RECEIVED, told + lost);
	option_number(text, STATISTICS_DROPPED, lost);
	option(text, BLOCKS_END, NULL, 0);
	end(text, block);
}

/* ---- headers ---- */

/**
 * struct segment - a TCP packet
 * @is_sent: by the local end
 * @passed: bytes before it, of both directions as struct conversation has them
 * @after: what the sequence number counts besides: SYN, FIN, of the sender and the other one
 * @full: bytes of payload; @data, @len: the first of them
 */
struct segment {
	const struct conversation *conversation;
	bool is_sent;
	uint64_t passed[2];
	uint32_t after[2];
	uint8_t flags;
	uint32_t full, len;
	const uint8_t *data;
	int64_t at;
	const char *comment;
};

/*
 * Sum as RFC 1071 has it, of words of 64 bits in this host's byte order, which comes to the same;
 * only the last of several parts may have an odd length.
 */
static uint64_t sum(uint64_t sofar, const void *data, size_t len)
{
	const uint8_t *bytes = data;
	uint64_t word;

	for (; len >= sizeof(word); bytes += sizeof(word), len -= sizeof(word)) {
		memcpy(&word, bytes, sizeof(word));
		sofar += word;
		sofar += sofar < word;
	}
	if (!len)
		return sofar;
	word = 0;
	memcpy(&word, bytes, len);
	sofar += word;
	return sofar + (sofar < word);
}

static void put_checksum(uint8_t *to, uint64_t sofar)
{
	uint16_t sum16;

	while (sofar >> 16)
		sofar = (sofar & 0xffff) + (sofar >> 16);
	sum16 = (uint16_t)~sofar;
	memcpy(to, &sum16, sizeof(sum16));
}

static size_t tcp_header_len(const struct segment *segment)
{
	return TCP_HEADER + (segment->flags & SYN ? TCP_OPTIONS : 0);
}

static bool is_ipv6(const struct segment *segment)
{
	return segment->conversation->local.family == AF_INET6;
}

static size_t put_ethernet(uint8_t *to, const struct segment *segment, uint16_t protocol)
{
	/* Administered locally: the local end is 1. */
	const uint8_t macs[2][6] = { { 2, 0, 0, 0, 0, 2 }, { 2, 0, 0, 0, 0, 1 } };

	memcpy(to, macs[!segment->is_sent], 6);
	memcpy(to + 6, macs[segment->is_sent], 6);
	big_put16(to + 12, protocol);
	return ETHERNET_HEADER;
}

static size_t put_ipv4(uint8_t *to, const struct smc_addr *from, const struct smc_addr *dest,
		       uint32_t len)
{
	memset(to, 0, IPV4_HEADER);
	to[0] = 0x45;
	big_put16(to + 2, (uint16_t)(IPV4_HEADER + len));
	to[6] = 0x40; /* not to be fragmented */
	to[8] = 64;
	to[9] = IPPROTO_TCP;
	memcpy(to + 12, from->ip, 4);
	memcpy(to + 16, dest->ip, 4);
	put_checksum(to + 10, sum(0, to, IPV4_HEADER));
	return IPV4_HEADER;
}

static size_t put_ipv6(uint8_t *to, const struct smc_addr *from, const struct smc_addr *dest,
		       uint32_t len)
{
	memset(to, 0, IPV6_HEADER);
	to[0] = 0x60;
	big_put16(to + 4, (uint16_t)len);
	to[6] = IPPROTO_TCP;
	to[7] = 64;
	memcpy(to + 8, from->ip, 16);
	memcpy(to + 24, dest->ip, 16);
	return IPV6_HEADER;
}

/* Each conversation has numbers of its own: that of one with the same ports is another one. */
static uint32_t sequence(const struct segment *segment, bool is_sent)
{
	uint32_t first = (uint32_t)segment->conversation->number * 0x01000193U +
			 (is_sent ? 0x10000000 : 0x60000000);

	return first + (uint32_t)segment->passed[is_sent] + segment->after[is_sent];
}

/* Its checksum is only right with all of the payload: without, readers do not look at it. */
static void put_tcp(uint8_t *to, const struct segment *segment, const struct smc_addr *from,
		    const struct smc_addr *dest)
{
	const size_t ip = is_ipv6(segment) ? 16 : 4, len = tcp_header_len(segment);
	static const uint8_t options[TCP_OPTIONS] = {
		2, 4, MSS >> 8, MSS & 0xff, 1, 3, 3, WINDOW_SCALE,
	};
	uint8_t last[4] = { 0, IPPROTO_TCP }; /* of the pseudo header */
	uint64_t total;

	memset(to, 0, len);
	big_put16(to, from->port);
	big_put16(to + 2, dest->port);
	big_put32(to + 4, sequence(segment, segment->is_sent));
	if (segment->flags & ACK)
		big_put32(to + 8, sequence(segment, !segment->is_sent));
	to[12] = (uint8_t)(len / 4 << 4);
	to[13] = segment->flags;
	big_put16(to + 14, WINDOW);
	if (segment->flags & SYN)
		memcpy(to + TCP_HEADER, options, sizeof(options));
	if (segment->len != segment->full)
		return;
	big_put16(last + 2, (uint16_t)(len + segment->full));
	total = sum(sum(sum(0, from->ip, ip), dest->ip, ip), last, sizeof(last));
	put_checksum(to + 16, sum(sum(total, to, len), segment->data, segment->len));
}

static size_t headers_len(const struct segment *segment)
{
	return ETHERNET_HEADER + (is_ipv6(segment) ? IPV6_HEADER : IPV4_HEADER) +
	       tcp_header_len(segment);
}

static void put_headers(uint8_t *to, const struct segment *segment)
{
	const struct conversation *conversation = segment->conversation;
	const struct smc_addr *from = segment->is_sent ? &conversation->local : &conversation->peer;
	const struct smc_addr *dest = segment->is_sent ? &conversation->peer : &conversation->local;
	uint32_t tcp = (uint32_t)tcp_header_len(segment) + segment->full;

	to += put_ethernet(to, segment, is_ipv6(segment) ? 0x86dd : 0x0800);
	to += (is_ipv6(segment) ? put_ipv6 : put_ipv4)(to, from, dest, tcp);
	put_tcp(to, segment, from, dest);
}

struct first {
	uint32_t type, len, interface, time_high, time, captured, full;
};

struct last {
	uint16_t code, code_len;
	uint32_t direction, end, len;
};

static size_t padded(size_t len)
{
	return (len + 3) & ~(size_t)3;
}

/* Return: where what follows stands. */
static uint8_t *put_padded(uint8_t *to, size_t offset, const void *data, size_t len)
{
	const size_t end = offset + len;

	if (len)
		memcpy(to + offset, data, len);
	for (size_t i = end; i < padded(end); i++)
		to[i] = 0;
	return to + padded(end);
}

/* What comes last may not be aligned for the compiler: it is copied. */
static void put_last(uint8_t *to, const struct segment *segment, size_t len)
{
	const struct last last = {
		PACKET_FLAGS,
		sizeof(last.direction),
		segment->is_sent ? PACKET_OUTBOUND : PACKET_INBOUND,
		BLOCKS_END,
		(uint32_t)len,
	};

	memcpy(to, &last, sizeof(last));
}

/* There are millions of packets: each is put together where it stands. */
static void append(struct out_text *text, const struct segment *segment)
{
	const size_t headers = headers_len(segment), len = headers + segment->len;
	const size_t comment = strlen(segment->comment);
	const uint16_t option[] = { BLOCKS_COMMENT, (uint16_t)comment };
	const size_t block = sizeof(struct first) + padded(len) + sizeof(struct last) +
			     (comment ? sizeof(option) + padded(comment) : 0);
	const struct first first = {
		BLOCKS_PACKET,
		(uint32_t)block,
		.time = (uint32_t)segment->at,
		.time_high = (uint32_t)((uint64_t)segment->at >> 32),
		.captured = (uint32_t)len,
		.full = (uint32_t)headers + segment->full,
	};
	uint8_t *to = (uint8_t *)out_reserve(text, block);

	if (!to)
		return;
	text->len += block;
	put_last(to + block - sizeof(struct last), segment, block);
	memcpy(to, &first, sizeof(first));
	to += sizeof(first);
	put_headers(to, segment);
	to = put_padded(to, headers, segment->data, segment->len);
	if (!comment)
		return;
	memcpy(to, option, sizeof(option));
	put_padded(to, sizeof(option), segment->comment, comment);
}

/* ---- packets ---- */

static struct segment segment_of(const struct payload *payload, bool is_sent, uint8_t flags)
{
	const struct conversation *conversation = payload->conversation;

	return (struct segment){
		.conversation = conversation,
		.is_sent = is_sent,
		.flags = flags,
		.passed = { conversation->passed[0], conversation->passed[1] },
		.after = { 1, 1 },
		.at = payload->at,
		.comment = "",
	};
}

static void append_process(struct out_text *text, const struct payload *payload)
{
	if (!payload->conversation->pid)
		return;
	out_escaped(text, payload->conversation->comm, sizeof(payload->conversation->comm));
	out_printf(text, "[%d]", (int)payload->conversation->pid);
}

/* Return: a string in @text, which is to be freed. */
static const char *first_comment(struct out_text *text, const struct payload *payload)
{
	const struct conversation *conversation = payload->conversation;

	out_str(text, conversation_mode(conversation));
	if (conversation->lgr)
		out_printf(text, ", link group %08" PRIx32, conversation->lgr);
	if (payload->conversation->pid)
		out_str(text, ", ");
	append_process(text, payload);
	if (conversation->is_old)
		out_str(text, ", older than this capture");
	out_char(text, '\0');
	return text->data;
}

/* What begins with nothing passed: the client calls, the server answers. */
static void append_handshake(struct out_text *text, const struct payload *payload)
{
	const bool client = !payload->conversation->is_server;
	struct segment segment = segment_of(payload, client, SYN);
	struct out_text comment = { 0 };

	segment.passed[0] = segment.passed[1] = 0;
	segment.after[0] = segment.after[1] = 0;
	segment.comment = first_comment(&comment, payload);
	append(text, &segment);
	segment.comment = "";
	segment.is_sent = !client;
	segment.flags = SYN | ACK;
	segment.after[client] = 1;
	append(text, &segment);
	segment.is_sent = client;
	segment.flags = ACK;
	segment.after[!client] = 1;
	append(text, &segment);
	out_free(&comment);
}

static const char *comment_of(struct out_text *text, const struct payload *payload)
{
	if (payload->lost)
		out_printf(text, "%" PRIu64 " bytes before this are lost", payload->lost);
	if (payload->is_unread)
		out_printf(text, "%sonly %" PRIu32 " bytes could be read", text->len ? "; " : "",
			   payload->len);
	if (payload->is_other_process && payload->conversation->pid) {
		out_str(text, text->len ? "; " : "");
		append_process(text, payload);
	}
	out_char(text, '\0');
	return text->data;
}

static void append_end(struct out_text *text, const struct payload *payload)
{
	struct segment segment = segment_of(payload, true, FIN | ACK);
	struct out_text comment = { 0 };

	if (payload->lost)
		segment.comment = comment_of(&comment, payload);
	append(text, &segment);
	segment.comment = "";
	segment.is_sent = false;
	segment.after[true] = 2;
	append(text, &segment);
	segment.is_sent = true;
	segment.flags = ACK;
	segment.after[false] = 2;
	append(text, &segment);
	out_free(&comment);
}

static void append_bytes(struct out_text *text, const struct payload *payload)
{
	struct segment segment = segment_of(payload, payload->is_sent, PUSH | ACK);
	uint32_t full = payload->full, len = payload->len;
	struct out_text comment = { 0 };

	if (payload->lost || payload->is_unread || payload->is_other_process)
		segment.comment = comment_of(&comment, payload);
	for (segment.data = payload->data; full; segment.data += segment.len) {
		segment.full = full < SEGMENT ? full : SEGMENT;
		segment.len = len < segment.full ? len : segment.full;
		append(text, &segment);
		segment.comment = "";
		segment.passed[payload->is_sent] += segment.full;
		full -= segment.full;
		len -= segment.len;
	}
	out_free(&comment);
}

/* The other side acknowledges what only one of them sends. */
static void append_ack(struct out_text *text, const struct payload *payload)
{
	const uint64_t before = payload->conversation->passed[payload->is_sent];
	struct segment segment;

	if (!((before ^ (before + payload->full)) >> ACK_SHIFT))
		return;
	segment = segment_of(payload, !payload->is_sent, ACK);
	segment.passed[payload->is_sent] += payload->full;
	append(text, &segment);
}

void pcapng_payload(struct out_text *text, const struct payload *payload)
{
	if (payload->is_end) {
		append_end(text, payload);
		return;
	}
	if (payload->is_first)
		append_handshake(text, payload);
	append_bytes(text, payload);
	append_ack(text, payload);
}
