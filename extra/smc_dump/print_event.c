// SPDX-License-Identifier: MIT
#include "smc_dump/print_event.h"

#include <arpa/inet.h>
#include <time.h>

#include "out/list.h"
#include "smc/reason.h"

#define LABEL_WIDTH 11
#define INDENT (4 + LABEL_WIDTH + 1)
#define PLACE_WIDTH 26
#define COMMAND_WIDTH 43
/* Bytes of a hex dump. */
#define PER_LINE 16

static const char *const side_names[] = { "client", "server" };

/* ---- lines ---- */

/* "10.0.0.1". Return: @text */
static const char *line_host(char text[LINE_ADDR_SIZE], const struct smc_addr *addr)
{
	return inet_ntop(addr->family, addr->ip, text, LINE_ADDR_SIZE) ? text : "?";
}

const char *line_addr(char text[LINE_ADDR_SIZE], const struct smc_addr *addr)
{
	char host[LINE_ADDR_SIZE];

	snprintf(text, LINE_ADDR_SIZE, addr->family == AF_INET6 ? "[%.46s]:%u" : "%.46s:%u",
		 line_host(host, addr), addr->port);
	return text;
}

void line_head(struct out_text *text, struct packet_time time, const struct smc_addr *from,
	       const struct smc_addr *to)
{
	char from_text[LINE_ADDR_SIZE], to_text[LINE_ADDR_SIZE];
	time_t seconds = (time_t)time.seconds;
	struct tm tm = { 0 };

	localtime_r(&seconds, &tm);
	if (packet_has_time(time))
		out_printf(text, "%02d:%02d:%02d.%06" PRIu32, tm.tm_hour, tm.tm_min, tm.tm_sec,
			   time.nanoseconds / 1000);
	else
		out_str(text, "--:--:--.------");
	out_printf(text, " %s > %s", line_addr(from_text, from), line_addr(to_text, to));
}

/* Same format as tcpdump -x and -X. */
void line_hex(struct out_text *text, const uint8_t *data, size_t len, bool has_text)
{
	for (size_t i = 0; i < len; i += PER_LINE) {
		size_t count = len - i < PER_LINE ? len - i : PER_LINE;

		out_printf(text, "\t0x%04zx:  ", i);
		for (size_t k = 0; k < count; k++) {
			if (k && k % 2 == 0)
				out_char(text, ' ');
			out_hex(text, data[i + k], 2);
		}
		if (has_text) /* in the same column on each line */
			out_fill(text, ' ', (PER_LINE - count) * 2 + (PER_LINE - count) / 2 + 2);
		for (size_t k = i; has_text && k < i + count; k++)
			out_char(text, data[k] >= ' ' && data[k] <= '~' ? (char)data[k] : '.');
		out_char(text, '\n');
	}
}

json_t *line_json_hex(const uint8_t *data, size_t len)
{
	struct out_text hex AUTO(out_free) = { 0 };

	for (size_t i = 0; i < len; i++)
		out_hex(&hex, data[i], 2);
	return json_stringn(len ? hex.data : "", hex.len);
}

/* ---- what both forms need ---- */

/* Append a reason with its name, if it has one. */
static const struct smc_reason *append_code(struct out_text *text, uint32_t code)
{
	const struct smc_reason *reason = smc_reason_find(code);

	out_printf(text, ", 0x%08" PRIx32 "%s%s", code, reason ? " " : "",
		   reason ? reason->symbol : "");
	return reason;
}

/* Microseconds from the first packet to the last message. Return: false: invalid times. */
static bool duration(const struct flow_conn *conn, const struct judgement *found, int64_t *us)
{
	const bool has_syn = conn->has_syn[FLOW_CLIENT];
	const struct packet_time *from = has_syn ? &conn->begin : &conn->proposed;
	const struct packet_time *to = &conn->answered;
	int64_t ns = (int64_t)to->nanoseconds - (int64_t)from->nanoseconds;

	return found->mode > JUDGE_TCP && conn->proposed.seconds &&
	       !__builtin_sub_overflow(to->seconds, from->seconds, us) &&
	       !__builtin_mul_overflow(*us, (int64_t)1000000, us) &&
	       !__builtin_add_overflow(*us, ns / 1000, us);
}

/* ---- text ---- */

/* Append a line per member, then the bytes. */
static void append_details(struct out_text *text, const struct show *show,
			   const struct flow_event *event)
{
	struct out_text cell AUTO(out_free) = { 0 };

	for (const struct out_col *col = clc_columns; !show->is_quiet && col->name; col++) {
		out_reset(&cell);
		out_cell(&cell, col, event->message);
		if (!cell.len)
			continue;
		out_printf(text, "    %-*s ", LABEL_WIDTH, col->head);
		out_mem(text, cell.data, cell.len);
		out_char(text, '\n');
	}
	if (show->is_hex)
		line_hex(text, event->data, event->len, false);
}

static void append_message(struct out_text *text, const struct show *show,
			   const struct flow_event *event)
{
	const struct smc_clc *clc = event->message;
	char paths[JUDGE_PATHS_SIZE];

	out_printf(text, "%s, version %u", smc_clc_type_name(clc->type), clc->version);
	if (clc->type == SMC_CLC_PROPOSAL)
		out_printf(text, ", offers %s", judge_paths(paths, clc));
	else if (clc->type != SMC_CLC_DECLINE)
		out_printf(text, ", %s%s", clc->is_smcd ? "SMC-D" : "SMC-R",
			   clc->is_first ? ", first contact" : "");
	else if (clc->has & SMC_CLC_HAS_REASON)
		append_code(text, clc->reason);
	if (clc->is_cut)
		out_str(text, ", cut");
	if (clc->damage)
		out_str(text, ", damaged");
	out_char(text, '\n');
	append_details(text, show, event);
}

/* Append the remedies. Commands name the client, the server or both, as seen from the client. */
static void append_remedies(struct out_text *text, const struct show *show,
			    const struct flow_conn *conn, const struct judgement *found)
{
	const char *label = "type";

	for (const struct smc_remedy *at = smc_remedies(found->reason); at;
	     at = smc_remedy_next(at), label = "") {
		char host[LINE_ADDR_SIZE], place[LINE_ADDR_SIZE + 16] = "on both sides";
		enum smc_at where = smc_remedy_at(at, found->side == FLOW_SERVER);

		if (where != SMC_AT_BOTH)
			snprintf(place, sizeof(place), "on %s (%s)",
				 line_host(host, &conn->ends[where]), side_names[where]);
		if (show->width)
			out_printf(text, "    %-*s %s: %s\n%*s-> %s\n", LABEL_WIDTH, label, place,
				   at->purpose, INDENT, "", at->command);
		else
			out_printf(text, "    %-*s %-*s %-*s # %s\n", LABEL_WIDTH, label,
				   PLACE_WIDTH, place, COMMAND_WIDTH, at->command, at->purpose);
	}
}

static void append_reason(struct out_text *text, const struct show *show,
			  const struct flow_conn *conn, const struct judgement *found)
{
	const struct smc_reason *reason = append_code(text, found->reason);

	out_printf(text, ", found by the %s\n", side_names[found->side]);
	if (show->is_quiet || !reason)
		return;
	out_printf(text, "    %-*s %s\n    %-*s %s\n", LABEL_WIDTH, "meaning", reason->meaning,
		   LABEL_WIDTH, "first", reason->check);
	append_remedies(text, show, conn, found);
}

static void append_outcome(struct out_text *text, const struct show *show,
			   const struct flow_event *event)
{
	const struct flow_conn *conn = event->conn;
	struct judgement found;
	int64_t us;

	judge(&found, conn, event->packet);
	out_printf(text, "=> %s", judge_mode_name(found.mode));
	if (found.mode > JUDGE_TCP)
		out_printf(text, " version %u", found.version);
	if (found.mode > JUDGE_TCP && found.version > 1 && found.has_release)
		out_printf(text, ".%u", found.release);
	if (duration(conn, &found, &us))
		out_printf(text, ", handshake %.3f ms", (double)us / 1000);
	if (found.has_reason)
		append_reason(text, show, conn, &found);
	else
		out_char(text, '\n');
	for (size_t i = 0; !show->is_quiet && i < found.n_notes; i++) {
		out_printf(text, "    %-*s ", LABEL_WIDTH, i ? "" : "why");
		out_escaped(text, found.notes[i], sizeof(found.notes[i]));
		out_char(text, '\n');
	}
}

static void append_text(struct out_text *text, const struct show *show,
			const struct flow_event *event)
{
	line_head(text, event->time, &event->conn->ends[event->side],
		  &event->conn->ends[!event->side]);
	if (event->packet && event->packet->has_vlan)
		out_printf(text, " vlan %u", event->packet->vlan);
	out_str(text, "  ");
	if (event->kind == FLOW_SYN)
		out_printf(text, "SYN%s, %s SMC\n", event->side == FLOW_SERVER ? "-ACK" : "",
			   event->conn->offers[event->side] ? "offers" : "does not offer");
	else if (event->kind == FLOW_MESSAGE)
		append_message(text, show, event);
	else
		append_outcome(text, show, event);
}

/* ---- JSON ---- */

static const char *event_name(const struct flow_event *event)
{
	switch (event->kind) {
	case FLOW_SYN: return event->side == FLOW_SERVER ? "syn_ack" : "syn";
	case FLOW_MESSAGE: return smc_clc_type_name(event->message->type);
	default: return "outcome";
	}
}

/* The common part of all lines. */
static json_t *json_head(const struct flow_event *event)
{
	char from[LINE_ADDR_SIZE], to[LINE_ADDR_SIZE];
	json_t *json = json_pack("{s:s, s:s}", "schema", LINE_SCHEMA, "event", event_name(event));

	if (packet_has_time(event->time))
		out_json_merge(json,
			       json_pack("{s:I, s:I}", "seconds", (json_int_t)event->time.seconds,
					 "nanoseconds", (json_int_t)event->time.nanoseconds));
	line_addr(from, &event->conn->ends[event->side]);
	line_addr(to, &event->conn->ends[!event->side]);
	out_json_merge(json, json_pack("{s:s, s:s}", "from", from, "to", to));
	if (event->packet && event->packet->has_vlan)
		json_object_set_new(json, "vlan", json_integer(event->packet->vlan));
	json_object_set_new(json, "connection", out_json_number(event->conn->number));
	return json;
}

static void add_message(json_t *json, const struct show *show, const struct flow_event *event)
{
	const struct smc_clc *clc = event->message;

	out_json_merge(json, json_pack("{s:s, s:i, s:i}", "side", side_names[event->side],
				       "version", clc->version, "type_v1", clc->path));
	if (clc->type == SMC_CLC_PROPOSAL)
		json_object_set_new(json, "type_v2", json_integer(clc->path_v2));
	else
		json_object_set_new(json,
				    clc->type == SMC_CLC_DECLINE ? "out_of_sync" : "first_contact",
				    json_boolean(clc->is_first));
	out_json_merge(json, out_json(clc_columns, NULL, clc));
	if (show->is_hex)
		json_object_set_new(json, "bytes", line_json_hex(event->data, event->len));
}

static json_t *json_remedies(const struct flow_conn *conn, const struct judgement *found)
{
	const struct smc_remedy *at = smc_remedies(found->reason);
	json_t *array = json_array();
	char host[LINE_ADDR_SIZE];

	for (; at; at = smc_remedy_next(at)) {
		enum smc_at where = smc_remedy_at(at, found->side == FLOW_SERVER);
		const char *name =
			where == SMC_AT_BOTH ? NULL : line_host(host, &conn->ends[where]);

		json_array_append_new(array,
				      json_pack("{s:s, s:s*, s:s, s:s}", "where",
						name ? side_names[where] : "both", "host", name,
						"command", at->command, "purpose", at->purpose));
	}
	return array;
}

static json_t *json_found_reason(const struct flow_conn *conn, const struct judgement *found)
{
	const struct smc_reason *reason = smc_reason_find(found->reason);
	json_t *code = out_json_hex(found->reason, 8);

	if (!reason)
		return json_pack("{s:o, s:s}", "code", code, "found_by", side_names[found->side]);
	return json_pack("{s:o, s:s, s:s, s:s, s:s, s:o}", "code", code, "symbol", reason->symbol,
			 "found_by", side_names[found->side], "meaning", reason->meaning, "check",
			 reason->check, "remedies", json_remedies(conn, found));
}

static void add_outcome(json_t *json, const struct flow_event *event)
{
	const struct flow_conn *conn = event->conn;
	json_t *notes = json_array();
	struct judgement found;
	int64_t us;

	judge(&found, conn, event->packet);
	for (size_t i = 0; i < found.n_notes; i++)
		json_array_append_new(notes, out_json_str(found.notes[i]));
	out_json_merge(
		json,
		json_pack("{s:s, s:o*, s:o*, s:o*, s:o*, s:o}", "mode", judge_mode_name(found.mode),
			  "version", found.mode > JUDGE_TCP ? json_integer(found.version) : NULL,
			  "release", found.has_release ? json_integer(found.release) : NULL,
			  "handshake_us", duration(conn, &found, &us) ? json_integer(us) : NULL,
			  "reason", found.has_reason ? json_found_reason(conn, &found) : NULL,
			  "notes", notes));
}

static void append_json(struct out_text *text, const struct show *show,
			const struct flow_event *event)
{
	json_t *json = json_head(event);

	if (event->kind == FLOW_SYN)
		json_object_set_new(json, "offers_smc",
				    json_boolean(event->conn->offers[event->side]));
	else if (event->kind == FLOW_MESSAGE)
		add_message(json, show, event);
	else
		add_outcome(json, event);
	out_json_document(text, json, true);
}

void show_event(struct out_text *text, const struct show *show, const struct flow_event *event)
{
	const size_t start = text->len;

	if (show->is_json) {
		append_json(text, show, event);
	} else {
		append_text(text, show, event);
		out_wrap_from(text, start, show->width, INDENT);
	}
}
