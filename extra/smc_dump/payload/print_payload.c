// SPDX-License-Identifier: MIT
#include "smc_dump/payload/conversation.h"

#include "out/list.h"

#define SECOND 1000000000

/* The end of a conversation is reported as sent by the local side. */
static const struct smc_addr *end_of(const struct payload *payload, bool is_sender)
{
	const struct conversation *conversation = payload->conversation;
	bool is_local = (payload->is_sent || payload->is_end) == is_sender;

	return is_local ? &conversation->local : &conversation->peer;
}

/*
 * Newlines are kept, other unprintable bytes become dots. Each line begins with a tab, so data
 * cannot imitate the header of another message.
 */
static void append_characters(struct out_text *text, const struct payload *payload)
{
	for (uint32_t i = 0; i < payload->len; i++) {
		char c = (char)payload->data[i];
		bool is_shown = (c >= ' ' && c <= '~') || c == '\n' || c == '\t';

		if (!i || payload->data[i - 1] == '\n')
			out_char(text, '\t');
		if (c != '\r' || i + 1 == payload->len || payload->data[i + 1] != '\n')
			out_char(text, is_shown ? c : '.');
	}
	if (payload->len && payload->data[payload->len - 1] != '\n')
		out_char(text, '\n');
}

static void append_text(struct out_text *text, const struct show *show,
			const struct payload *payload)
{
	const struct packet_time time = { payload->at / SECOND, (uint32_t)(payload->at % SECOND) };

	line_head(text, time, end_of(payload, true), end_of(payload, false));
	out_printf(text, "  %s  ", conversation_mode(payload->conversation));
	if (payload->conversation->pid) {
		out_escaped(text, payload->conversation->comm, sizeof(payload->conversation->comm));
		out_printf(text, "[%d]  ", (int)payload->conversation->pid);
	}
	if (payload->is_end)
		out_str(text, "closed");
	else
		out_printf(text, "%" PRIu32 " B", payload->full);
	if (!payload->is_end && payload->is_unread)
		out_printf(text, ", only %" PRIu32 " B could be read", payload->len);
	else if (!payload->is_end && payload->len < payload->full)
		out_printf(text, ", cut to %" PRIu32 " B", payload->len);
	if (payload->lost)
		out_printf(text, ", after %" PRIu64 " B were lost", payload->lost);
	out_char(text, '\n');
	if (show->is_hex)
		line_hex(text, payload->data, payload->len, show->is_text);
	else if (show->is_text)
		append_characters(text, payload);
}

static void add_bytes(json_t *json, const struct show *show, const struct payload *payload)
{
	/* NULL unless it is valid UTF-8. */
	json_t *text =
		show->is_text ? json_stringn((const char *)payload->data, payload->len) : NULL;

	json_object_set_new(json, "length", json_integer(payload->full));
	json_object_set_new(json, "captured", json_integer(payload->len));
	json_object_set_new(json, "is_unread", json_boolean(payload->is_unread));
	if (text)
		json_object_set_new(json, "text", text);
	if (show->is_hex || (show->is_text && !text))
		json_object_set_new(json, "bytes", line_json_hex(payload->data, payload->len));
}

static void append_json(struct out_text *text, const struct show *show,
			const struct payload *payload)
{
	const struct conversation *conversation = payload->conversation;
	char from[LINE_ADDR_SIZE], to[LINE_ADDR_SIZE];
	json_t *json = json_pack(
		"{s:s, s:s, s:I, s:I, s:s, s:s, s:o, s:s, s:b}", "schema", LINE_SCHEMA, "event",
		payload->is_end ? "closed" : "data", "seconds", (json_int_t)(payload->at / SECOND),
		"nanoseconds", (json_int_t)(payload->at % SECOND), "from",
		line_addr(from, end_of(payload, true)), "to", line_addr(to, end_of(payload, false)),
		"connection", out_json_number(conversation->number), "mode",
		conversation_mode(conversation), "is_old", conversation->is_old);

	if (conversation->lgr)
		json_object_set_new(json, "link_group",
				    json_sprintf("%08" PRIx32, conversation->lgr));
	if (conversation->pid)
		json_object_set_new(json, "process",
				    json_pack("{s:i, s:o}", "pid", (int)conversation->pid, "name",
					      out_json_str(conversation->comm)));
	json_object_set_new(json, "lost_before", out_json_number(payload->lost));
	if (!payload->is_end)
		add_bytes(json, show, payload);
	out_json_document(text, json, true);
}

void print_payload(struct out_text *text, const struct show *show, const struct payload *payload)
{
	const size_t start = text->len;

	if (show->is_json) {
		append_json(text, show, payload);
	} else {
		append_text(text, show, payload);
		out_wrap_from(text, start, show->width, 0);
	}
}
