// SPDX-License-Identifier: MIT
/*
 * From records of smcdata.bpf.c to conversations, text, JSON and pcapng. The input: records, each
 * with its bytes. The resulting file is always valid, and has all bytes in order.
 */
#include "fuzz.h"

#include <pcap/pcap.h>

#include "smc_dump/packet.h"
#include "smc_dump/payload/conversation.h"

static __u64 unwanted[SMCDATA_VERDICTS];

/**
 * struct told - output so far
 * @file: pcapng; @bytes: contents of all pieces
 */
struct told {
	struct out_text file, bytes;
	uint64_t count;
};

static void show(const struct payload *payload, struct show print)
{
	struct out_text text = { 0 };

	print_payload(&text, &print, payload);
	MUST(text.len && text.data[text.len - 1] == '\n');
	for (size_t i = 0; i < text.len; i++)
		MUST(text.data[i] == '\n' || text.data[i] == '\t' ||
		     (text.data[i] >= ' ' && text.data[i] <= '~') || print.is_json);
	MUST(!print.is_json || memchr(text.data, '\n', text.len) == text.data + text.len - 1);
	out_free(&text);
}

static int on_payload(void *arg, const struct payload *payload)
{
	struct told *told = arg;

	MUST(payload->len <= payload->full);
	show(payload, (struct show){ .is_text = true });
	show(payload, (struct show){ .is_text = true, .is_hex = true });
	show(payload, (struct show){ .is_json = true, .is_text = true });
	pcapng_payload(&told->file, payload);
	if (!payload->is_end)
		out_mem(&told->bytes, payload->data, payload->len);
	told->count++;
	return 0;
}

static void read_back(struct told *told)
{
	FILE *file = fmemopen(told->file.data, told->file.len, "r");
	char why[PCAP_ERRBUF_SIZE];
	pcap_t *pcap = pcap_fopen_offline(file, why);
	struct pcap_pkthdr *header;
	struct packet packet;
	const u_char *data;
	size_t at = 0;
	int status;

	MUST(pcap);
	while ((status = pcap_next_ex(pcap, &header, &data)) == 1) {
		packet_decode(&packet, pcap_datalink(pcap), data, header->caplen, header->len);
		MUST(packet.kind == PACKET_TCP && packet.len <= told->bytes.len - at);
		MUST(!packet.len || !memcmp(packet.data, told->bytes.data + at, packet.len));
		at += packet.len;
	}
	MUST(status == PCAP_ERROR_BREAK && at == told->bytes.len);
	pcap_close(pcap);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static const struct filter all_of_them;
	const struct wish wish = { .filter = &all_of_them };
	struct told told = { .count = 0 };
	struct conversations *all;
	struct smcdata_record record;

	memset(unwanted, 0, sizeof(unwanted));
	all = conversations_new(&wish, unwanted, on_payload, &told);
	MUST(all);
	pcapng_head(&told.file, "1");
	while (size >= sizeof(record)) {
		memcpy(&record, data, sizeof(record));
		data += sizeof(record);
		size -= sizeof(record);
		record.len %= SMCDATA_BYTES + 1;
		record.len = record.len < size ? record.len : (uint32_t)size;
		/* Larger values only take longer. */
		record.full = record.len + record.full % 200000;
		MUST(!conversations_record(all, &record, data,
					   (int64_t)(record.at & INT64_MAX) >> 1));
		data += record.len;
		size -= record.len;
	}
	pcapng_tail(&told.file, 0, told.count, 0);
	read_back(&told);
	conversations_free(all);
	out_free(&told.file);
	out_free(&told.bytes);
	return 0;
}
