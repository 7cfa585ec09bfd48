// SPDX-License-Identifier: MIT
/* Text for terminals after the table, or instead of it. */
#include "smcss/smcss.h"

#include "cli/screen.h"
#include "sockets/show.h"

void screen_begin(struct screen *screen, const struct smcss_opts *opts)
{
	screen_free(screen);
	screen->sum = summary_new(smcss_has_listening(opts));
}

void screen_add(struct screen *screen, const struct sockets_row *row)
{
	const struct smc_diag_fallback *fallback = &row->sock.fallback;

	screen->rows++;
	summary_add(screen->sum, row);
	if (!sockets_has_reason(&row->sock))
		return;
	sockets_codes_add(&screen->reasons, fallback->reason);
	if (fallback->peer_diagnosis)
		sockets_codes_add(&screen->reasons, fallback->peer_diagnosis);
}

static void say_nothing(const struct screen *screen, const struct smcss_opts *opts)
{
	struct out_text note AUTO(out_free) = { .len = 0 };

	out_str(&note, "smcss: no SMC socket");
	if (screen->skipped)
		out_str(&note, " like that");
	if (screen->listening)
		out_printf(&note, "; %zu listen%s, see 'smcss -a'", screen->listening,
			   screen->listening == 1 ? "s" : "");
	else if (!screen->skipped)
		out_str(&note, "; 'smc_chk' checks this host");
	out_char(&note, '\0');
	if (!opts->no_header)
		cli_say(note.data);
}

void screen_end(struct screen *screen, struct out_text *text, const struct smcss_opts *opts)
{
	if (!screen->rows) {
		say_nothing(screen, opts);
		return;
	}
	for (size_t i = 0; opts->is_explained && i < screen->reasons.count; i++) {
		if (!i)
			out_char(text, '\n');
		sockets_explain_code(text, opts->width, screen->reasons.codes[i]);
	}
	if (opts->no_header)
		return;
	out_char(text, '\n');
	summary_line(screen->sum, text, opts->width, !opts->is_explained);
}

void screen_free(struct screen *screen)
{
	free(screen->reasons.codes);
	summary_free(screen->sum);
	*screen = (struct screen){ .rows = 0 };
}
