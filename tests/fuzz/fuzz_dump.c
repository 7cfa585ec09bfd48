// SPDX-License-Identifier: MIT
/*
 * Packets of any link layer, tracked as connections, and printed as text and JSON. The input: a
 * byte for the link layer, then packets, each preceded by a two-byte length; its upper four bits
 * are the number of bytes on the wire that were not captured.
 */
#include "fuzz.h"

#include "smc_dump/print_event.h"

struct shown {
	struct out_text text;
	size_t events;
};

static int on_event(void *arg, const struct flow_event *event)
{
	static const struct show plain = { .is_hex = true };
	static const struct show json = { .is_json = true, .is_hex = true };
	struct shown *shown = arg;

	out_reset(&shown->text);
	show_event(&shown->text, &plain, event);
	for (size_t i = 0; i < shown->text.len; i++)
		MUST(shown->text.data[i] == '\n' || shown->text.data[i] == '\t' ||
		     (shown->text.data[i] >= ' ' && shown->text.data[i] <= '~'));
	out_reset(&shown->text);
	show_event(&shown->text, &json, event);
	MUST(shown->text.len && memchr(shown->text.data, '\n', shown->text.len) ==
					shown->text.data + shown->text.len - 1);
	shown->events++;
	return 0;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static const int links[] = { 0, 1, 12, 101, 108, 113, 228, 229, 276, 147, 242 };
	struct shown shown = { 0 };
	struct flow_table *flows = flow_new(on_event, &shown, true);
	struct packet_time time = { 1700000000, 999999000 };
	int link = size ? links[data[0] % (sizeof(links) / sizeof(links[0]))] : 1;

	MUST(flows);
	for (size_t at = 1; at + 2 <= size;) {
		size_t len = (size_t)(data[at] & 15) << 8 | data[at + 1], more = data[at] >> 4;
		struct packet packet;
		uint8_t *copy;

		at += 2;
		if (len > size - at)
			len = size - at;
		copy = malloc(len ? len : 1);
		MUST(copy);
		memcpy(copy, data + at, len);
		packet_decode(&packet, link, copy, len, len + more * 100);
		MUST(packet.len <= packet.full || packet.kind == PACKET_OTHER);
		packet.time = time;
		MUST(!flow_packet(flows, &packet));
		free(copy);
		at += len;
		time.seconds++;
	}
	MUST(!flow_end(flows));
	flow_free(flows);
	out_free(&shown.text);
	return 0;
}
