// SPDX-License-Identifier: MIT
/*
 * pcapng as draft-ietf-opsawg-pcapng describes it: blocks of 32-bit words in the byte order of this
 * host, which the first one tells.
 */
#include "smc_dump/payload/pcapng.h"

#include <inttypes.h>
#include <stddef.h>
#include <stdio.h>

#include "base/big.h"

enum {
	SECTION = 0x0a0d0d0a, INTERFACE = 1, STATISTICS = 5, PACKET = 6,
	OPT_END = 0, OPT_COMMENT = 1,
	SECTION_APPLICATION = 4,
	INTERFACE_NAME = 2, INTERFACE_DESCRIPTION = 3, INTERFACE_RESOLUTION = 9,
	PACKET_FLAGS = 2, PACKET_INBOUND = 1, PACKET_OUTBOUND = 2,
	STATISTICS_RECEIVED = 4, STATISTICS_DROPPED = 5,
	ETHERNET = 1, /* LINKTYPE_ETHERNET */
	SECONDS_TO_9 = 9, /* nanoseconds */
};

enum {
	FIN = 1, SYN = 2, PUSH = 8, ACK = 16,
	ETHERNET_HEADER = 14, IPV4_HEADER = 20, IPV6_HEADER = 40, TCP_HEADER = 20,
	/* MSS, NOP, window scale: so much may be on its way. */
	TCP_OPTIONS = 8, MSS = 65495, WINDOW = 65535, WINDOW_SCALE = 14,
	HEADERS = ETHERNET_HEADER + IPV6_HEADER + TCP_HEADER + TCP_OPTIONS,
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
	if (!text->is_failed)
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
	size_t at = begin(text, SECTION);

	snprintf(name, sizeof(name), "smc_dump %s", version);
	word(text, 0x1a2b3c4d); /* byte order */
	out_mem(text, format, sizeof(format));
	out_mem(text, "\xff\xff\xff\xff\xff\xff\xff\xff", 8); /* how long it is, nobody knows */
	option_text(text, SECTION_APPLICATION, name);
	option(text, OPT_END, NULL, 0);
	end(text, at);
	at = begin(text, INTERFACE);
	out_mem(text, link, sizeof(link));
	word(text, 0); /* packets of any length */
	option_text(text, INTERFACE_NAME, "smc");
	option_text(text, INTERFACE_DESCRIPTION, "payload of SMC connections; headers of Ethernet, "
		    "IP and TCP are made up");
	option(text, INTERFACE_RESOLUTION, &resolution, sizeof(resolution));
	option(text, OPT_END, NULL, 0);
	end(text, at);
}

void pcapng_tail(struct out_text *text, int64_t at, uint64_t told, uint64_t lost)
{
	size_t block = begin(text, STATISTICS);

	word(text, 0);
	timestamp(text, at);
	option_number(text, STATISTICS_RECEIVED, told + lost);
	option_number(text, STATISTICS_DROPPED, lost);
	option(text, OPT_END, NULL, 0);
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

/* Sum as RFC 1071 has it, of words of 32 bits, which comes to the same; an odd byte is the last. */
static uint64_t sum(uint64_t sofar, const uint8_t *data, size_t len)
{
	for (; len >= 4; data += 4, len -= 4)
		sofar += big32(data);
	for (size_t i = 0; i < len; i++)
		sofar += (uint64_t)data[i] << (i & 1 ? 0 : 8);
	return sofar;
}

static uint16_t checksum(uint64_t sofar)
{
	while (sofar >> 16)
		sofar = (sofar & 0xffff) + (sofar >> 16);
	return (uint16_t)~sofar;
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
	big_put16(to + 10, checksum(sum(0, to, IPV4_HEADER)));
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
static size_t put_tcp(uint8_t *to, const struct segment *segment, const struct smc_addr *from,
		      const struct smc_addr *dest)
{
	const size_t ip = from->family == AF_INET6 ? 16 : 4;
	const bool is_syn = segment->flags & SYN;
	const size_t len = TCP_HEADER + (is_syn ? TCP_OPTIONS : 0);
	static const uint8_t options[TCP_OPTIONS] = {
		2, 4, MSS >> 8, MSS & 0xff, 1, 3, 3, WINDOW_SCALE,
	};
	uint64_t total = IPPROTO_TCP + len + segment->full;

	memset(to, 0, len);
	big_put16(to, from->port);
	big_put16(to + 2, dest->port);
	big_put32(to + 4, sequence(segment, segment->is_sent));
	if (segment->flags & ACK)
		big_put32(to + 8, sequence(segment, !segment->is_sent));
	to[12] = (uint8_t)(len / 4 << 4);
	to[13] = segment->flags;
	big_put16(to + 14, WINDOW);
	if (is_syn)
		memcpy(to + TCP_HEADER, options, sizeof(options));
	if (segment->len != segment->full)
		return len;
	total = sum(sum(total, from->ip, ip), dest->ip, ip);
	total = sum(sum(total, to, len), segment->data, segment->len);
	big_put16(to + 16, checksum(total));
	return len;
}

static size_t put_headers(uint8_t *to, const struct segment *segment)
{
	const struct conversation *conversation = segment->conversation;
	const struct smc_addr *from = segment->is_sent ? &conversation->local : &conversation->peer;
	const struct smc_addr *dest = segment->is_sent ? &conversation->peer : &conversation->local;
	const bool is_ipv6 = from->family == AF_INET6;
	uint32_t tcp = TCP_HEADER + (segment->flags & SYN ? TCP_OPTIONS : 0) + segment->full;
	size_t len = put_ethernet(to, segment, is_ipv6 ? 0x86dd : 0x0800);

	len += (is_ipv6 ? put_ipv6 : put_ipv4)(to + len, from, dest, tcp);
	return len + put_tcp(to + len, segment, from, dest);
}

/* There are millions of packets: what every one begins and ends with is appended at once. */
struct first {
	uint32_t type, len, interface, time_high, time, captured, full;
	uint8_t headers[HEADERS];
};

struct last {
	uint16_t code, len;
	uint32_t direction, end;
};

static void append(struct out_text *text, const struct segment *segment)
{
	const struct last last = {
		PACKET_FLAGS, sizeof(last.direction),
		segment->is_sent ? PACKET_OUTBOUND : PACKET_INBOUND, OPT_END,
	};
	struct first first = {
		.type = PACKET, .time = (uint32_t)segment->at,
		.time_high = (uint32_t)((uint64_t)segment->at >> 32),
	};
	size_t len = put_headers(first.headers, segment), at = text->len;

	first.captured = (uint32_t)len + segment->len;
	first.full = (uint32_t)len + segment->full;
	out_mem(text, &first, offsetof(struct first, headers) + len);
	out_mem(text, segment->data, segment->len);
	pad(text, len + segment->len);
	if (*segment->comment)
		option_text(text, OPT_COMMENT, segment->comment);
	out_mem(text, &last, sizeof(last));
	end(text, at);
}

/* ---- packets ---- */

static struct segment segment_of(const struct payload *payload, bool is_sent, uint8_t flags)
{
	const struct conversation *conversation = payload->conversation;

	return (struct segment){
		.conversation = conversation, .is_sent = is_sent, .flags = flags,
		.passed = { conversation->passed[0], conversation->passed[1] },
		.after = { 1, 1 }, .at = payload->at, .comment = "",
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
	return text->is_failed ? "" : text->data;
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
	text->is_failed |= comment.is_failed;
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
	return text->is_failed ? "" : text->data;
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
	text->is_failed |= comment.is_failed;
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
	text->is_failed |= comment.is_failed;
	out_free(&comment);
}

/* The other side acknowledges what only one of them sends. */
static void append_ack(struct out_text *text, const struct payload *payload)
{
	const uint64_t before = payload->conversation->passed[payload->is_sent];
	struct segment segment = segment_of(payload, !payload->is_sent, ACK);

	segment.passed[payload->is_sent] += payload->full;
	if ((before ^ (before + payload->full)) >> ACK_SHIFT)
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
