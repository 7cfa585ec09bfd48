// SPDX-License-Identifier: MIT
/* pcapng, draft-ietf-opsawg-pcapng: blocks of 32-bit words in the byte order that the first has. */
#include "smc_dump/payload/conversation.h"

#include <net/ethernet.h>
#include <netinet/ip.h>
#include <netinet/ip6.h>
#include <netinet/tcp.h>

#include "base/words.h"

/* Byte-order magic of a section. */
#define ORDER 0x1a2b3c4d

enum { SECTION = 0x0a0d0d0a, INTERFACE = 1, STATISTICS = 5, PACKET = 6 };
enum {
	END = 0,
	COMMENT = 1,
	INTERFACE_NAME = 2,
	INTERFACE_DESCRIPTION = 3,
	INTERFACE_RESOLUTION = 9,
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
	MSS = 65495,
	WINDOW = 65535,
	WINDOW_SCALE = 14,
	/* Payload of a packet: an IP packet has a 16-bit length. */
	SEGMENT = 61440,
	/* Bytes per acknowledgment, so that the window never seems full. */
	ACK_SHIFT = 29,
};

/* MSS, NOP, window scale: the size of the window. */
static const uint8_t syn_options[] = { 2, 4, MSS >> 8, MSS & 0xff, 1, 3, 3, WINDOW_SCALE };

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

static void option(struct out_text *text, uint16_t code, const void *value, size_t len)
{
	const uint16_t head[] = { code, (uint16_t)len };

	out_mem(text, head, sizeof(head));
	out_mem(text, value, len);
	pad(text, len);
}

/* The length is repeated at the end. */
static void end(struct out_text *text, size_t at)
{
	uint32_t len;

	option(text, END, NULL, 0);
	len = (uint32_t)(text->len - at + sizeof(len));
	word(text, len);
	memcpy(text->data + at + sizeof(len), &len, sizeof(len));
}

static void option_text(struct out_text *text, uint16_t code, const char *value)
{
	option(text, code, value, strlen(value));
}

static void option_number(struct out_text *text, uint16_t code, uint64_t value)
{
	option(text, code, &value, sizeof(value));
}

/* Nanoseconds, upper half first. */
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
	word(text, ORDER);
	out_mem(text, format, sizeof(format));
	out_mem(text, "\xff\xff\xff\xff\xff\xff\xff\xff", 8); /* unknown length */
	option_text(text, SECTION_APPLICATION, name);
	end(text, at);
	at = begin(text, INTERFACE);
	out_mem(text, link, sizeof(link));
	word(text, 0); /* no limit for packets */
	option_text(text, INTERFACE_NAME, "smc");
	option_text(text, INTERFACE_DESCRIPTION,
		    "payload of SMC connections; headers of Ethernet, IP and TCP are made up");
	option(text, INTERFACE_RESOLUTION, &resolution, sizeof(resolution));
	end(text, at);
}

void pcapng_tail(struct out_text *text, int64_t at, uint64_t shown, uint64_t lost)
{
	size_t block = begin(text, STATISTICS);

	word(text, 0);
	timestamp(text, at);
	option_number(text, STATISTICS_RECEIVED, shown + lost);
	option_number(text, STATISTICS_DROPPED, lost);
	end(text, block);
}

/* ---- headers ---- */

/**
 * struct segment - a TCP packet
 * @is_sent: by the local end
 * @passed: bytes before it, of both directions, as in struct conversation
 * @after: SYN and FIN that count in the sequence number, of the sender and the receiver
 * @full: bytes of payload; @data, @len: the first of them; @comment: NULL for none
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
	const struct out_text *comment;
};

/* Sum of RFC 1071; only the last of several parts may have an odd length. */
static uint64_t sum(uint64_t sofar, const void *data, size_t len)
{
	const uint8_t *bytes = data;
	uint16_t word;

	for (; len > 1; bytes += sizeof(word), len -= sizeof(word)) {
		memcpy(&word, bytes, sizeof(word));
		sofar += word;
	}
	word = 0;
	if (len)
		memcpy(&word, bytes, len);
	return sofar + word;
}

static uint16_t checksum(uint64_t sofar)
{
	while (sofar >> 16)
		sofar = (sofar & 0xffff) + (sofar >> 16);
	return (uint16_t)~sofar;
}

static bool is_ipv6(const struct segment *segment)
{
	return segment->conversation->local.family == AF_INET6;
}

static const struct smc_addr *end_of(const struct segment *segment, bool is_local)
{
	return is_local ? &segment->conversation->local : &segment->conversation->peer;
}

static uint32_t tcp_header_len(const struct segment *segment)
{
	return sizeof(struct tcphdr) + (segment->flags & TH_SYN ? sizeof(syn_options) : 0);
}

static void append_ethernet(struct out_text *text, const struct segment *segment)
{
	/* Locally administered MAC addresses: the local end is 1. */
	static const uint8_t macs[2][ETH_ALEN] = { { 2, 0, 0, 0, 0, 2 }, { 2, 0, 0, 0, 0, 1 } };
	const uint16_t type = htons(is_ipv6(segment) ? ETHERTYPE_IPV6 : ETHERTYPE_IP);

	out_mem(text, macs[!segment->is_sent], ETH_ALEN);
	out_mem(text, macs[segment->is_sent], ETH_ALEN);
	out_mem(text, &type, sizeof(type));
}

/* @len: bytes after the header. */
static void append_ipv4(struct out_text *text, const struct segment *segment, uint32_t len)
{
	struct iphdr ip = {
		.version = 4,
		.ihl = sizeof(ip) / 4,
		.tot_len = htons((uint16_t)(sizeof(ip) + len)),
		.frag_off = htons(IP_DF),
		.ttl = 64,
		.protocol = IPPROTO_TCP,
	};

	memcpy(&ip.saddr, end_of(segment, segment->is_sent)->ip, sizeof(ip.saddr));
	memcpy(&ip.daddr, end_of(segment, !segment->is_sent)->ip, sizeof(ip.daddr));
	ip.check = checksum(sum(0, &ip, sizeof(ip)));
	out_mem(text, &ip, sizeof(ip));
}

static void append_ipv6(struct out_text *text, const struct segment *segment, uint32_t len)
{
	struct ip6_hdr ip = {
		.ip6_flow = htonl(6U << 28),
		.ip6_plen = htons((uint16_t)len),
		.ip6_nxt = IPPROTO_TCP,
		.ip6_hlim = 64,
	};

	memcpy(&ip.ip6_src, end_of(segment, segment->is_sent)->ip, sizeof(ip.ip6_src));
	memcpy(&ip.ip6_dst, end_of(segment, !segment->is_sent)->ip, sizeof(ip.ip6_dst));
	out_mem(text, &ip, sizeof(ip));
}

/* Each conversation has its own initial numbers: reused ports make a new connection. */
static uint32_t sequence(const struct segment *segment, bool is_sent)
{
	uint32_t first = (uint32_t)segment->conversation->number * 0x01000193U +
			 (is_sent ? 0x10000000 : 0x60000000);

	return htonl(first + (uint32_t)segment->passed[is_sent] + segment->after[is_sent]);
}

/* The checksum is right if the payload is complete; readers skip it for truncated packets. */
static void append_tcp(struct out_text *text, const struct segment *segment)
{
	const struct smc_addr *from = end_of(segment, segment->is_sent);
	const struct smc_addr *dest = end_of(segment, !segment->is_sent);
	const size_t ip = is_ipv6(segment) ? 16 : 4, len = tcp_header_len(segment);
	const uint16_t last[] = { htons(IPPROTO_TCP), htons((uint16_t)(len + segment->full)) };
	struct tcphdr tcp = {
		.th_sport = htons(from->port),
		.th_dport = htons(dest->port),
		.th_seq = sequence(segment, segment->is_sent),
		.th_ack = segment->flags & TH_ACK ? sequence(segment, !segment->is_sent) : 0,
		.th_off = len / 4 & 15,
		.th_flags = segment->flags,
		.th_win = htons(WINDOW),
	};
	/* Sum of the pseudo header. */
	uint64_t total = sum(sum(sum(0, from->ip, ip), dest->ip, ip), last, sizeof(last));

	total = sum(sum(total, &tcp, sizeof(tcp)), syn_options, len - sizeof(tcp));
	if (segment->len == segment->full)
		tcp.th_sum = checksum(sum(total, segment->data, segment->len));
	out_mem(text, &tcp, sizeof(tcp));
	out_mem(text, syn_options, len - sizeof(tcp));
}

/* The comment is used once. */
static void append(struct out_text *text, struct segment *segment)
{
	const uint32_t direction = segment->is_sent ? PACKET_OUTBOUND : PACKET_INBOUND;
	const uint32_t headers = sizeof(struct ether_header) + tcp_header_len(segment) +
				 (is_ipv6(segment) ? sizeof(struct ip6_hdr) : sizeof(struct iphdr));
	const size_t block = begin(text, PACKET);

	word(text, 0); /* the interface */
	timestamp(text, segment->at);
	word(text, headers + segment->len);
	word(text, headers + segment->full);
	append_ethernet(text, segment);
	(is_ipv6(segment) ? append_ipv6 : append_ipv4)(text, segment,
						       tcp_header_len(segment) + segment->full);
	append_tcp(text, segment);
	out_mem(text, segment->data, segment->len);
	pad(text, headers + segment->len);
	if (segment->comment && segment->comment->len)
		option(text, COMMENT, segment->comment->data, segment->comment->len);
	segment->comment = NULL;
	option(text, PACKET_FLAGS, &direction, sizeof(direction));
	end(text, block);
}

/* ---- packets ---- */

static struct segment segment_of(const struct payload *payload, bool is_sent, uint8_t flags)
{
	const struct conversation *conversation = payload->conversation;

	return (struct segment){ .conversation = conversation,
				 .is_sent = is_sent,
				 .flags = flags,
				 .passed = { conversation->passed[0], conversation->passed[1] },
				 .after = { 1, 1 },
				 .at = payload->at };
}

static void append_process(struct out_text *text, const struct payload *payload)
{
	out_escaped(text, payload->conversation->comm, sizeof(payload->conversation->comm));
	out_printf(text, "[%d]", (int)payload->conversation->pid);
}

static void append_first_comment(struct out_text *text, const struct payload *payload)
{
	const struct conversation *conversation = payload->conversation;

	out_str(text, conversation_mode(conversation));
	if (conversation->lgr)
		out_printf(text, ", link group %08" PRIx32, conversation->lgr);
	if (conversation->pid) {
		out_str(text, ", ");
		append_process(text, payload);
	}
	if (conversation->is_old)
		out_str(text, ", older than this capture");
}

/* A handshake before the first byte: the client connects, the server answers. */
static void append_handshake(struct out_text *text, const struct payload *payload)
{
	const bool client = !payload->conversation->is_server;
	struct segment segment = segment_of(payload, client, TH_SYN);
	struct out_text comment AUTO(out_free) = { 0 };

	segment.passed[0] = segment.passed[1] = 0;
	segment.after[0] = segment.after[1] = 0;
	append_first_comment(&comment, payload);
	segment.comment = &comment;
	append(text, &segment);
	segment.is_sent = !client;
	segment.flags = TH_SYN | TH_ACK;
	segment.after[client] = 1;
	append(text, &segment);
	segment.is_sent = client;
	segment.flags = TH_ACK;
	segment.after[!client] = 1;
	append(text, &segment);
}

static void append_comment(struct out_text *text, const struct payload *payload)
{
	if (payload->lost)
		out_printf(text, "lost before this: %" PRIu64 " byte%s", payload->lost,
			   plural_s(payload->lost));
	if (payload->is_unread)
		out_printf(text, "%sonly %" PRIu32 " byte%s could be read", text->len ? "; " : "",
			   payload->len, plural_s(payload->len));
	if (payload->is_other_process && payload->conversation->pid) {
		out_str(text, text->len ? "; " : "");
		append_process(text, payload);
	}
}

static void append_end(struct out_text *text, const struct payload *payload)
{
	struct segment segment = segment_of(payload, true, TH_FIN | TH_ACK);
	struct out_text comment AUTO(out_free) = { 0 };

	if (payload->lost)
		append_comment(&comment, payload);
	segment.comment = &comment;
	append(text, &segment);
	segment.is_sent = false;
	segment.after[true] = 2;
	append(text, &segment);
	segment.is_sent = true;
	segment.flags = TH_ACK;
	segment.after[false] = 2;
	append(text, &segment);
}

static void append_bytes(struct out_text *text, const struct payload *payload)
{
	struct segment segment = segment_of(payload, payload->is_sent, TH_PUSH | TH_ACK);
	uint32_t full = payload->full, len = payload->len;
	struct out_text comment AUTO(out_free) = { 0 };

	append_comment(&comment, payload);
	segment.comment = &comment;
	for (segment.data = payload->data; full; segment.data += segment.len) {
		segment.full = full < SEGMENT ? full : SEGMENT;
		segment.len = len < segment.full ? len : segment.full;
		append(text, &segment);
		segment.passed[payload->is_sent] += segment.full;
		full -= segment.full;
		len -= segment.len;
	}
}

void pcapng_payload(struct out_text *text, const struct payload *payload)
{
	const uint64_t before = payload->conversation->passed[payload->is_sent];
	struct segment segment;

	if (payload->is_end) {
		append_end(text, payload);
		return;
	}
	if (payload->is_first)
		append_handshake(text, payload);
	append_bytes(text, payload);
	/* Acknowledge data when only one side sends. */
	if (!((before ^ (before + payload->full)) >> ACK_SHIFT))
		return;
	segment = segment_of(payload, !payload->is_sent, TH_ACK);
	segment.passed[payload->is_sent] += payload->full;
	append(text, &segment);
}
