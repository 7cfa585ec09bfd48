// SPDX-License-Identifier: MIT
/* explain: reason codes, of one side or both, in words and with commands to type. */
#include <strings.h>

#include "smc/reason.h"
#include "smc_chk/smc_chk.h"
#include "sockets/show.h"

#define TEXT_SIZE 1024
/* Columns of the text. */
#define LABEL_WIDTH 10
#define PLACE_WIDTH 15
#define COMMAND_WIDTH 43
#define INDENT (2 + LABEL_WIDTH)

/** struct question - @codes: one's own, the peer's */
struct question {
	uint32_t codes[2];
	int count;
};

/* Return: 0, or the status after a message. */
static int read_code(const char *word, uint32_t *code)
{
	char *end;
	long number = strtol(word, &end, 10);

	if (number < 0 && number > -4096 && !*end)
		return cli_error(&chk_tool,
				 "%s is an error, not a reason: the connection failed "
				 "instead of falling back: %s",
				 word, strerror((int)-number));
	switch (smc_reason_parse(word, code)) {
	case 0: return 0;
	case -ERANGE:
		return cli_error(&chk_tool, "'%s' is not a reason: it has more than 32 bits", word);
	default:
		return cli_error(&chk_tool, "'%s' is neither the number nor the name of a reason",
				 word);
	}
}

/* Accept a leading "TCP", as smcss prints it. */
static int parse(struct question *question, const char *text)
{
	const char *start = strncasecmp(text, "TCP ", 4) ? text : text + 4;
	char words[2][64];
	int status = 0, end = 0;

	question->count = sscanf(start, " %63[^/ \t\n]%n / %63s%n", words[0], &end, words[1], &end);
	if (question->count < 1 || start[end + (int)strspn(start + end, " \t\n")])
		return cli_error(&chk_tool, "'%s' is not a reason, nor two separated by '/'", text);
	for (int i = 0; !status && i < question->count; i++)
		status = read_code(words[i], &question->codes[i]);
	return status;
}

/* Places from the reader's point of view; for the peer's reason they are swapped. */
static const char *const place_names[] = { "here", "on the peer", "on both sides" };

static const char *const raised_texts[] = {
	[SMC_RAISED_CLIENT] = "the client",
	[SMC_RAISED_SERVER] = "the server",
	[SMC_RAISED_BOTH] = "client or server",
	[SMC_RAISED_NONE] = "other systems; Linux knows it, but never uses it",
};

static void append_line(struct out_text *text, const char *label, const char *value)
{
	out_printf(text, "  %-*s%s\n", LABEL_WIDTH, label, value);
}

/* A line, or on a terminal the text after the arrow, can be pasted unchanged. */
static void append_remedies(struct out_text *text, size_t width, uint32_t code, bool is_peer)
{
	const struct smc_remedy *first = smc_remedies(code);

	for (const struct smc_remedy *at = first; at; at = smc_remedy_next(at)) {
		const char *label = at == first ? "type" : "";
		const char *place = place_names[smc_remedy_at(at, is_peer)];

		if (width)
			out_printf(text, "  %-*s%s: %s\n%*s-> %s\n", LABEL_WIDTH, label, place,
				   at->purpose, INDENT, "", at->command);
		else
			out_printf(text, "  %-*s%-*s%-*s # %s\n", LABEL_WIDTH, label, PLACE_WIDTH,
				   place, COMMAND_WIDTH, at->command, at->purpose);
	}
}

static void append_reason(struct out_text *text, const struct smc_reason *reason, bool is_peer)
{
	out_printf(text, "0x%08" PRIx32 " %s%s (%" PRIu32, reason->code, reason->symbol,
		   is_peer ? ", the peer's reason" : "", reason->code);
	if (strcmp(reason->symbol, reason->stats_name))
		out_printf(text, ", in statistics %s", reason->stats_name);
	out_str(text, ")\n");
	append_line(text, "meaning", reason->meaning);
	append_line(text, "found by", raised_texts[reason->raised]);
	out_printf(text, "  %-*sLinux %s\n", LABEL_WIDTH, "since",
		   reason->since ? reason->since : "5.10 or older");
	append_line(text, "first", reason->check);
}

static int print_text(const struct question *question, size_t width)
{
	struct out_text text = { 0 };

	for (int i = 0; i < question->count; i++) {
		const struct smc_reason *reason = smc_reason_find(question->codes[i]);

		if (!reason)
			continue;
		out_str(&text, text.len ? "\n" : "");
		append_reason(&text, reason, i);
		/* The peer's reason is more specific. */
		if (i || question->count == 1 || !smc_reason_find(question->codes[1]))
			append_remedies(&text, width, reason->code, i);
	}
	return chk_print(&text, width, INDENT);
}

static json_t *json_reason(uint32_t code, bool is_peer)
{
	const struct smc_reason *reason = smc_reason_find(code);
	const char *family = smc_reason_family(code);

	if (!reason)
		return json_pack("{s:I, s:o, s:s*}", "code", (json_int_t)code, "hex",
				 out_json_hex(code, 8), "family", family);
	return json_pack("{s:I, s:o, s:s, s:s, s:s, s:s, s:s, s:[s*, s*], s:s*, s:o}", "code",
			 (json_int_t)code, "hex", out_json_hex(code, 8), "family", family, "symbol",
			 reason->symbol, "stats_name", reason->stats_name, "meaning",
			 reason->meaning, "check", reason->check, "found_by",
			 reason->raised & SMC_RAISED_CLIENT ? "client" : NULL,
			 reason->raised & SMC_RAISED_SERVER ? "server" : NULL, "since",
			 reason->since, "remedies", sockets_json_remedies(code, is_peer));
}

/* Return: CHK_OK, or CHK_ERROR after a message. */
static int refuse_unknown(uint32_t code)
{
	const char *family = smc_reason_family(code);
	char text[64] = "";

	if (smc_reason_find(code))
		return CHK_OK;
	if (family)
		snprintf(text, sizeof(text), " (%s)", family);
	return cli_error(&chk_tool,
			 "0x%08x%s is not a reason of Linux 6.1 to 7.2; other "
			 "systems have more, see smc-reasons(7)",
			 code, text);
}

int chk_explain(const struct chk_request *req)
{
	struct question question = { 0 };
	char text[TEXT_SIZE];
	size_t len = 0;
	int status;

	/* The shell may have split "TCP 0x05000000/0x03030000". */
	for (char *const *word = req->operands; *word && len < TEXT_SIZE; word++)
		len += (size_t)snprintf(text + len, TEXT_SIZE - len, "%s%s", len ? " " : "", *word);
	if (len >= TEXT_SIZE)
		return cli_error(&chk_tool, "that is too long to be a reason");
	status = parse(&question, text);
	if (status)
		return status;
	if (req->is_json)
		status = chk_print_json(json_pack(
			"{s:s, s:o, s:o*}", "schema", "smc-tools/explain/1", "reason",
			json_reason(question.codes[0], false), "peer_reason",
			question.count == 2 ? json_reason(question.codes[1], true) : NULL));
	else
		status = print_text(&question, req->width);
	for (int i = 0; !status && i < question.count; i++)
		status = refuse_unknown(question.codes[i]);
	return status;
}
