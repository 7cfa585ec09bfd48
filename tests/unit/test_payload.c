// SPDX-License-Identifier: MIT
/*
 * smc_dump: from eBPF records to conversations, pcapng, text. See also
 * tests/kernel/smc_dump_data.t.
 */
#include "said.h"

#include <jansson.h>
#include <dlfcn.h>
#include <pcap/pcap.h>

#include "smc_dump/packet.h"
#include "smc_dump/payload/conversation.h"

#define NOW INT64_C(1700000000123456789)
#define SECOND INT64_C(1000000000)
#define CLIENT 40000
#define SERVER 6379

static __u64 unwanted[SMCDATA_VERDICTS];

/* Reported pieces, a word each, and as packets. */
static struct {
	char words[1024];
	struct out_text packets;
	int ret;
} seen;
static struct filter filter;
static struct conversations *all;

static int on_payload(void *arg, const struct payload *payload)
{
	size_t len = strlen(seen.words);
	char lost[24] = "";

	if (payload->lost)
		snprintf(lost, sizeof(lost), "+%u", (unsigned int)payload->lost);
	if (payload->is_end)
		snprintf(seen.words + len, sizeof(seen.words) - len, "%u. ",
			 (unsigned int)payload->conversation->number);
	else
		snprintf(seen.words + len, sizeof(seen.words) - len, "%u%s%s%u%s%s ",
			 (unsigned int)payload->conversation->number, payload->is_first ? "!" : "",
			 payload->is_sent ? ">" : "<", payload->full, lost,
			 payload->is_other_process ? "p" : "");
	pcapng_payload(&seen.packets, payload);
	return seen.ret;
}

FIXTURE(end)
{
	conversations_free(all);
	out_free(&seen.packets);
	memset(&seen, 0, sizeof(seen));
	memset(unwanted, 0, sizeof(unwanted));
	return 0;
}

/* Start with another filter. */
static void begin(const char *words)
{
	char *copy = words ? strdup(words) : NULL;
	struct wish wish = { .filter = &filter };
	struct smc_err err;

	end(NULL);
	memset(&filter, 0, sizeof(filter));
	if (copy)
		assert_int_equal(filter_parse(&filter, 1, &copy, &err), 0);
	free(copy);
	all = conversations_new(&wish, unwanted, on_payload, NULL);
}

FIXTURE(start)
{
	all = NULL;
	begin(NULL);
	return 0;
}

/* 10.0.0.1:40000 is the client of 10.0.0.2:6379; on the server's end the addresses are swapped. */
static struct smcdata_record record_of(uint64_t id, bool is_server, uint32_t kind, uint32_t len)
{
	struct smcdata_record record = {
		.kind = kind,
		.full = len,
		.len = len,
		.is_other_process = 1,
		.conn = { .id = id,
			  .mode = SMCDATA_SMCD,
			  .pid = is_server ? 7 : 5,
			  .side = is_server ? SMCDATA_SERVER : SMCDATA_CLIENT },
	};
	struct bpf_ends *ends = &record.conn.ends;

	ends->family = AF_INET;
	ends->local_port = is_server ? SERVER : CLIENT;
	ends->peer_port = is_server ? CLIENT : SERVER;
	memcpy(ends->local, is_server ? "\12\0\0\2" : "\12\0\0\1", 4);
	memcpy(ends->peer, is_server ? "\12\0\0\1" : "\12\0\0\2", 4);
	strcpy(record.comm, is_server ? "server" : "client");
	return record;
}

static const uint8_t bytes[65536] = "hello, \033[31mworld\r\nand \\ more";

static void tell_at(const struct smcdata_record *record, int64_t at)
{
	assert_int_equal(conversations_record(all, record, bytes, at), 0);
}

static void tell(uint64_t id, bool is_server, uint32_t kind, uint32_t len)
{
	struct smcdata_record record = record_of(id, is_server, kind, len);

	tell_at(&record, NOW);
}

/* Both ends are on this host. */
TEST(one_end)
{
	tell(1, false, SMCDATA_SENT, 4);
	tell(2, true, SMCDATA_RECEIVED, 4);
	assert_int_equal(unwanted[2], 2);
	assert_int_equal(unwanted[1], 0);
	tell(2, true, SMCDATA_SENT, 7);
	tell(1, false, SMCDATA_RECEIVED, 7);
	tell(1, false, SMCDATA_CLOSE, 0);
	/* The other end is still recognized, even if it is first seen after the close. */
	tell(2, true, SMCDATA_RECEIVED, 1);
	tell(2, true, SMCDATA_CLOSE, 0);
	tell(3, true, SMCDATA_RECEIVED, 1);
	assert_string_equal(seen.words, "1!>4 1<7 1. ");
	/* The same addresses again. */
	tell(4, false, SMCDATA_SENT, 2);
	tell(5, true, SMCDATA_RECEIVED, 2);
	assert_string_equal(seen.words, "1!>4 1<7 1. 2!>2 ");
	assert_int_equal(conversations_count(all), 2);
}

TEST(forgets_ended)
{
	struct smcdata_record record = record_of(1, false, SMCDATA_SENT, 4);

	tell_at(&record, NOW);
	record.kind = SMCDATA_CLOSE;
	tell_at(&record, NOW);
	record = record_of(2, true, SMCDATA_SENT, 4);
	tell_at(&record, NOW + 59 * SECOND);
	assert_int_equal(unwanted[2], 2);
	record.conn.id = 3;
	tell_at(&record, NOW + 61 * SECOND);
	assert_string_equal(seen.words, "1!>4 1. 2!>4 ");
}

/* More than are remembered: items are reused, and the open one is still known. */
TEST(many)
{
	struct smcdata_record record = record_of(1, false, SMCDATA_SENT, 1);

	tell_at(&record, NOW);
	for (uint64_t id = 2; id < 20000; id++) {
		record = record_of(id, false, SMCDATA_SENT, 1);
		memcpy(record.conn.ends.local, &id, 4);
		seen.words[0] = '\0';
		tell_at(&record, NOW);
		record.kind = SMCDATA_CLOSE;
		tell_at(&record, NOW);
		out_reset(&seen.packets);
	}
	tell(1, false, SMCDATA_RECEIVED, 3);
	assert_string_equal(seen.words, "19999!>1 19999. 1<3 ");
}

TEST(wanted)
{
	static const struct {
		const char *filter;
		bool passes;
	} cases[] = {
		{ "dport = :6379", true },
		{ "sport = :6379", true },
		{ "dport = :40000", true },
		{ "dport = :80", false },
		{ "mode smcd", true },
		{ "mode smcr", false },
		{ "dst 10.0.0.2", true },
		{ "src 10.0.0.2", true },
		{ "src 10.0.0.3", false },
		{ "sport = :6379 src 10.0.0.2", true },
		{ "sport = :6379 src 10.0.0.1", false },
		{ "not uid 65534", true },
		{ "uid 65534", false },
	};

	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		begin(cases[i].filter);
		tell(1, false, SMCDATA_SENT, 4);
		tell(1, false, SMCDATA_SENT, 4);
		assert_string_equal(seen.words, cases[i].passes ? "1!>4 1>4 " : "");
		assert_int_equal(unwanted[1], !cases[i].passes);
	}
}

/* The end that belongs to the process is reported, even if it is the second. */
TEST(processes)
{
	const struct wish by_name = { .filter = &filter, .comm = "server" };
	const struct wish by_pid = { .filter = &filter, .pid = 7 };
	const struct wish longer = { .filter = &filter, .comm = "server2" };
	const struct wish *const wishes[] = { &by_name, &by_pid, &longer };

	for (size_t i = 0; i < ARRAY_SIZE(wishes); i++) {
		end(NULL);
		all = conversations_new(wishes[i], unwanted, on_payload, NULL);
		tell(1, false, SMCDATA_SENT, 4);
		tell(2, true, SMCDATA_RECEIVED, 4);
		tell(1, false, SMCDATA_SENT, 4);
		assert_string_equal(seen.words, wishes[i] == &longer ? "" : "1!<4 ");
	}
}

TEST(losses)
{
	struct smcdata_record record = record_of(1, false, SMCDATA_SENT, 4);

	record.conn.sent = 100;
	tell_at(&record, NOW);
	record.is_other_process = 0;
	record.conn.sent = 104;
	tell_at(&record, NOW);
	record.conn.sent = 110;
	record.conn.pid = 6;
	tell_at(&record, NOW);
	record.kind = SMCDATA_RECEIVED;
	tell_at(&record, NOW);
	/* The sink ends the processing. */
	seen.ret = 1;
	assert_int_equal(conversations_record(all, &record, bytes, NOW), 1);
	assert_string_equal(seen.words, "1!>4+100 1>4 1>4+2p 1<4 1<4 ");
}

/* ---- pcapng ---- */

/** struct packet - content of a file, in words */
struct file {
	char words[2048];
	uint32_t next[2];
	size_t packets;
};

static uint32_t word(const uint8_t *at)
{
	uint32_t value;

	memcpy(&value, at, sizeof(value));
	return value;
}

static uint16_t half(const uint8_t *at)
{
	uint16_t value;

	memcpy(&value, at, sizeof(value));
	return value;
}

static uint16_t sum_of(uint32_t sum, const uint8_t *data, size_t len)
{
	for (size_t i = 0; i < len; i++)
		sum += i & 1 ? data[i] : (uint32_t)data[i] << 8;
	while (sum >> 16)
		sum = (sum & 0xffff) + (sum >> 16);
	return (uint16_t)sum;
}

static void check_options(struct file *file, const uint8_t *at, const uint8_t *to)
{
	size_t len = strlen(file->words);

	for (; half(at); at += 4 + (size_t)(half(at + 2) + 3) / 4 * 4)
		if (half(at) == 1)
			len += (size_t)snprintf(file->words + len, sizeof(file->words) - len,
						"(%.*s)", half(at + 2), at + 4);
	assert_ptr_equal(at + 4, to);
}

/* Check lengths, checksums and numbers of a packet. */
static void check_packet(struct file *file, const uint8_t *block, const uint8_t *to)
{
	const uint8_t *frame = block + 28, *ip = frame + 14;
	uint32_t captured = word(block + 20), full = word(block + 24);
	const bool is_ipv6 = big16(frame + 12) == 0x86dd, is_sent = frame[11] == 1;
	const size_t ip_len = is_ipv6 ? 40 : 20;
	const uint8_t *tcp = ip + ip_len;
	const size_t tcp_len = (size_t)(tcp[12] >> 4) * 4, data = full - 14 - ip_len - tcp_len;
	size_t len = strlen(file->words);
	uint32_t seq = big32(tcp + 4);

	assert_int_equal(big16(ip + (is_ipv6 ? 4 : 2)) + 14 + (is_ipv6 ? 40 : 0), full);
	if (!is_ipv6)
		assert_int_equal(sum_of(0, ip, 20), 0xffff);
	if (captured == full)
		assert_int_equal(sum_of((uint32_t)(6 + full - 14 - ip_len), ip + (is_ipv6 ? 8 : 12),
					(is_ipv6 ? 32 : 8) + full - 14 - ip_len),
				 0xffff);
	if (!(tcp[13] & 2)) {
		/* Lost bytes leave a gap. */
		snprintf(file->words + len, sizeof(file->words) - len, "%s",
			 seq == file->next[is_sent] ? "" : "gap ");
		assert_int_equal(big32(tcp + 8), file->next[!is_sent]);
	}
	file->next[is_sent] = seq + (uint32_t)data + !!(tcp[13] & 3);
	len = strlen(file->words);
	snprintf(file->words + len, sizeof(file->words) - len, "%s%s%s%s%zu/%zu",
		 is_sent ? ">" : "<", tcp[13] & 2 ? "S" : "", tcp[13] & 1 ? "F" : "",
		 tcp[13] & 16 ? "." : "", captured - 14 - ip_len - tcp_len, data);
	check_options(file, frame + (captured + 3) / 4 * 4, to);
	strcat(file->words, " ");
}

static void check_file(struct file *file, const struct out_text *text)
{
	const uint8_t *at = (const uint8_t *)text->data, *last = at + text->len;

	*file = (struct file){ .packets = 0 };
	while (at < last) {
		uint32_t len = word(at + 4);

		assert_true(len % 4 == 0 && len >= 12 && len <= (size_t)(last - at));
		assert_int_equal(word(at + len - 4), len);
		if (word(at) == 6)
			check_packet(file, at, at + len - 4);
		file->packets++;
		at += len;
	}
}

/* Read with libpcap, as other programs do; not with the libpcap of tests/musl. */
static void read_back(const struct out_text *text, size_t count)
{
	FILE *file = fmemopen(text->data, text->len, "r");
	char why[PCAP_ERRBUF_SIZE];
	pcap_t *pcap =
		pcap_fopen_offline_with_tstamp_precision(file, PCAP_TSTAMP_PRECISION_NANO, why);
	struct pcap_pkthdr *header;
	const u_char *data;

	if (dlsym(RTLD_DEFAULT, "pcap_does_nothing")) {
		fclose(file);
		return;
	}
	assert_non_null(pcap);
	assert_int_equal(pcap_datalink(pcap), DLT_EN10MB);
	for (size_t i = 0; i < count; i++) {
		assert_int_equal(pcap_next_ex(pcap, &header, &data), 1);
		assert_int_equal(header->ts.tv_sec, NOW / 1000000000);
		assert_int_equal(header->ts.tv_usec, NOW % 1000000000);
	}
	assert_int_equal(pcap_next_ex(pcap, &header, &data), PCAP_ERROR_BREAK);
	pcap_close(pcap);
}

TEST(packets)
{
	struct smcdata_record record = record_of(1, false, SMCDATA_SENT, 5);
	struct file file;

	pcapng_head(&seen.packets, "1");
	memcpy(&record.conn.lgr, "\1\2\3\4", 4);
	record.conn.mode = SMCDATA_SMCR;
	tell_at(&record, NOW);
	record.conn.sent = 5;
	record.full = 100001;
	record.len = 65535;
	tell_at(&record, NOW);
	record = record_of(1, false, SMCDATA_RECEIVED, 3);
	record.conn.received = 1;
	record.full = 9;
	record.is_unread = 1;
	tell_at(&record, NOW);
	record.kind = SMCDATA_CLOSE;
	record.is_unread = 0;
	record.conn.sent = 5 + 100001 + 7;
	record.conn.received = 10;
	tell_at(&record, NOW);
	pcapng_tail(&seen.packets, NOW, 3, 1);
	check_file(&file, &seen.packets);
	assert_string_equal(strchr(file.words, ')'),
			    ") <S.0/0 >.0/0 >.5/5 >.61440/61440 >.4095/38561 gap <.3/9(lost "
			    "before this: 1 byte; only 3 bytes could be read) gap >F.0/0(lost "
			    "before this: 7 bytes) <F.0/0 >.0/0 ");
	read_back(&seen.packets, 10);
	assert_non_null(strstr(file.words, ">S0/0(SMCR, link group "));
	assert_non_null(strstr(file.words, ", client[5])"));
}

/* The server sends first; unacknowledged data would fill the window. */
TEST(acknowledged)
{
	struct smcdata_record record = record_of(1, true, SMCDATA_SENT, 5);
	struct file file;

	record.conn.ends.family = AF_INET6;
	tell_at(&record, NOW);
	/* As if many bytes had been sent. */
	record.conn.sent = 0x1ffffff0;
	record.full = record.len = 0x20;
	tell_at(&record, NOW);
	check_file(&file, &seen.packets);
	assert_string_equal(file.words,
			    "<S0/0(SMCD, server[7]) >S.0/0 <.0/0 >.5/5 gap >.32/32(lost "
			    "before this: 536870891 bytes) <.0/0 ");
}

/* ---- text ---- */

TEST(shown)
{
	struct conversation conversation = {
		.pid = 5,
		.comm = "a\033b",
		.number = 3,
		.mode = SMC_MODE_SMCD,
		.local = { AF_INET, { 10, 0, 0, 1 }, CLIENT },
		.peer = { AF_INET, { 10, 0, 0, 2 }, SERVER },
	};
	struct payload payload = {
		.conversation = &conversation,
		.is_sent = true,
		.at = NOW,
		.full = 40,
		.len = 29,
		.data = bytes,
		.lost = 9,
	};
	struct out_text text = { 0 };
	struct show print = { .is_text = true };

	print_payload(&text, &print, &payload);
	assert_string_equal(strchr(said(&text), ' '),
			    " 10.0.0.1:40000 > 10.0.0.2:6379  SMCD  a\\x1bb[5]  40 B, cut to 29 B, "
			    "after 9 B were lost\n\thello, .[31mworld\n\tand \\ more\n");
	print.width = 50;
	print_payload(&text, &print, &payload);
	assert_string_equal(strchr(said(&text), '\n'),
			    "\n    SMCD  a\\x1bb[5]\n    40 B, cut to 29 B, after 9 B were "
			    "lost\n\thello, .[31mworld\n\tand \\ more\n");
	print.width = 0;
	payload.is_sent = false;
	payload.len = 18;
	print.is_hex = true;
	print_payload(&text, &print, &payload);
	out_char(&text, '\0');
	assert_string_equal(
		strchr(text.data, '\n'),
		"\n\t0x0000:  6865 6c6c 6f2c 201b 5b33 316d 776f 726c  hello, .[31mworl\n"
		"\t0x0010:  640d                                     d.\n");
	assert_non_null(strstr(text.data, "10.0.0.2:6379 > 10.0.0.1:40000"));
	out_reset(&text);
	payload.is_end = true;
	conversation.pid = 0;
	print_payload(&text, &(struct show){ 0 }, &payload);
	assert_string_equal(strchr(said(&text), ' '),
			    " 10.0.0.1:40000 > 10.0.0.2:6379  SMCD  closed, after 9 B were "
			    "lost\n");
}

TEST(json)
{
	const struct conversation conversation = {
		.pid = 5,
		.comm = "name",
		.number = 3,
		.is_old = true,
		.local = { AF_INET, { 10, 0, 0, 1 }, CLIENT },
		.peer = { AF_INET, { 10, 0, 0, 2 }, SERVER },
	};
	const struct payload payload = {
		.conversation = &conversation,
		.is_sent = true,
		.at = NOW,
		.full = 40,
		.len = 8,
		.data = bytes,
	};
	struct out_text text = { 0 };
	json_t *got, *want;

	print_payload(&text, &(struct show){ .is_json = true, .is_hex = true, .is_text = true },
		      &payload);
	got = json_loadb(text.data, text.len, 0, NULL);
	want = json_pack("{s:s, s:s, s:I, s:i, s:s, s:s, s:i, s:s, s:b, s:{s:i, s:s}, s:i, s:i, "
			 "s:b, s:i, s:s, s:s}",
			 "schema", "smc-tools/dump/1", "event", "data", "seconds",
			 (json_int_t)(NOW / SECOND), "nanoseconds", 123456789, "from",
			 "10.0.0.1:40000", "to", "10.0.0.2:6379", "connection", 3, "mode", "SMC",
			 "is_old", 1, "process", "pid", 5, "name", "name", "length", 40, "captured",
			 8, "is_unread", 0, "lost_before", 0, "text", "hello, \033", "bytes",
			 "68656c6c6f2c201b");
	assert_true(want && json_equal(got, want));
	json_decref(got);
	json_decref(want);
	out_free(&text);
}

/* NUL does not end it; invalid UTF-8 is printed as bytes. */
TEST(json_bytes)
{
	static const char *const cases[][2] = {
		{ "a", "\"text\":\"a\\u0000b\"" },
		{ "\xff", "\"bytes\":\"ff0062\"" },
	};
	const struct conversation conversation = { .number = 1 };
	struct payload payload = { .conversation = &conversation, .full = 3, .len = 3 };
	uint8_t data[3] = { 0, 0, 'b' };

	payload.data = data;
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		struct out_text text = { 0 };

		data[0] = (uint8_t)cases[i][0][0];
		print_payload(&text, &(struct show){ .is_json = true, .is_text = true }, &payload);
		out_char(&text, '\0');
		assert_non_null(strstr(text.data, cases[i][1]));
		assert_true(!strstr(text.data, "\"text\"") == !!strstr(text.data, "\"bytes\""));
		out_free(&text);
	}
}

/* The verdict was overwritten by another one. */
TEST(verdict_is_gone)
{
	struct smcdata_record record = record_of(1, false, SMCDATA_SENT, 4);

	begin("mode smcr");
	tell_at(&record, NOW);
	assert_int_equal(unwanted[1], 1);
	unwanted[1] = 1 + SMCDATA_VERDICTS;
	record.conn.mode = SMCDATA_SMCR;
	record.is_other_process = 0;
	tell_at(&record, NOW);
	assert_int_equal(unwanted[1], 1);
	assert_string_equal(seen.words, "");
}

static struct fixture fixture = { .setup = start, .teardown = end };
