// SPDX-License-Identifier: MIT
/* Events of smclife.bpf.c in the layout of the ring buffer, in sequence, as text and JSON. */
#include "fuzz.h"

#include "smc_events/event.h"

static void show(const struct event *event)
{
	struct out_text text = { 0 };
	json_t *json = event_json(event, true);

	event_text(&text, event);
	event_remedies(&text, event);
	for (size_t i = 0; i < text.len; i++)
		MUST(text.data[i] == '\n' || (text.data[i] >= ' ' && text.data[i] <= '~'));
	MUST(json);
	json_decref(json);
	out_free(&text);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct smclife_event told;
	struct event event;

	for (; size >= sizeof(told); data += sizeof(told), size -= sizeof(told)) {
		memcpy(&told, data, sizeof(told));
		/* Keep times within centuries. */
		told.at &= INT64_MAX >> 1;
		if (told.kind <= SMCLIFE_UNLISTEN) {
			told.socket.begun &= INT64_MAX >> 1;
			told.socket.born &= INT64_MAX >> 1;
		} else {
			/* bpf_probe_read_kernel_str() ends the name. */
			told.link.device[sizeof(told.link.device) - 1] = '\0';
		}
		if (follow_event(&event, &told, 1700000000000000000) ||
		    event.kind == EVENT_UNLISTEN)
			continue;
		MUST(memchr(event.link.device, '\0', sizeof(event.link.device)));
		show(&event);
	}
	return 0;
}
