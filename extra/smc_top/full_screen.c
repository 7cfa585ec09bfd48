// SPDX-License-Identifier: MIT
/* Full-screen mode, and its keys. */
#include "smc_top/top.h"

#include "base/array.h"
#include "base/clock.h"
#include "cli/screen.h"
#include "sockets/lookup.h"
#include "smc_top/terminal.h"

/* Missing processes are searched again, for at most this fraction of the time. */
#define SCAN_PART 50
#define SCAN_SECONDS 2.0
/* Samples closer than this are too inaccurate. */
#define LEAST_SECONDS 0.1
/* Line of totals, the only one on a screen of one line. */
#define HEAD_LINES 1
/* Smaller terminals do not show the line of keys. */
#define TALL 6

/**
 * struct screen - state of the screen
 * @first: row at the top
 * @rows, @columns: size of the terminal; @n_drawn: lines drawn so far
 * @lines: lines taken by one row of the table, and its header
 * @is_spoilt: the content is unknown: redraw everything
 * @lookup: holders of sockets, as of @scanned; @scan_seconds: duration of that scan
 * @sampled: time of the last sample
 */
struct screen {
	const struct top_opts *opts;
	struct rates *rates;
	struct terminal terminal;
	struct top_table table;
	struct out_view view;
	struct out_text text, line;
	struct sockets_lookup lookup;
	enum top_key sort;
	size_t first, rows, columns, n_drawn, lines;
	bool has_help, has_color, is_spoilt;
	double scanned, scan_seconds, sampled, interval;
	struct smc_err *err;
};

static const char *const help[] = {
	"r  u  n  p        sort by rate, unread, unsent, process; s  the next of these",
	"up down  k j      a row up or down",
	"PgUp PgDn  b f    a screen up or down",
	"Home End  g G     to the first row, to the last",
	"space             measure now",
	"h ?               this help, and back",
	"q                 the end",
	"",
	"IN/s, OUT/s       bytes per second; > at least, since a cursor may have wrapped",
	"UNREAD            data in the receive buffer that the program has not read",
	"UNSENT            data in the send buffer that was not sent",
	"BOTTLENECK        what the connection waits for: we read, peer writes, ...",
};

static double seconds_now(void)
{
	return (double)clock_ns(CLOCK_MONOTONIC) / 1e9;
}

/* ---- holders ---- */

static int scan(struct screen *screen)
{
	double start = seconds_now();
	int ret;

	sockets_lookup_free(&screen->lookup);
	ret = sockets_load_processes(&screen->lookup, screen->err);
	screen->scanned = seconds_now();
	screen->scan_seconds = screen->scanned - start;
	top_join(screen->rates, &screen->lookup.procs);
	return ret;
}

/* Lines below the totals, without the line of keys. */
static size_t lines_left(const struct screen *screen)
{
	return screen->rows - HEAD_LINES - (screen->rows >= TALL);
}

/* Number of rows that fit below the header. */
static size_t room(const struct screen *screen)
{
	return lines_left(screen) / screen->lines ? lines_left(screen) / screen->lines - 1 : 0;
}

static size_t visible(const struct screen *screen)
{
	size_t rest = screen->table.count - screen->first;

	return rest < room(screen) ? rest : room(screen);
}

static bool is_missing(const struct screen *screen)
{
	for (size_t i = 0; i < visible(screen); i++) {
		const struct sockets_row *row = &screen->table.rows[screen->first + i]->base;

		if (row->sock.inode && (!row->n_holders || !proc_fd_holds(row->holders)))
			return true;
	}
	return false;
}

/* Other users' processes are never found: limit the search to a share of the time. */
static int arrange(struct screen *screen)
{
	double age = seconds_now() - screen->scanned;
	size_t last;
	int ret;

	screen->rows = cli_rows();
	screen->columns = cli_columns();
	top_sort(&screen->table, screen->sort);
	last = screen->table.count > room(screen) ? screen->table.count - room(screen) : 0;
	screen->first = screen->first < last ? screen->first : last;
	if (!is_missing(screen) || age < SCAN_SECONDS || age < SCAN_PART * screen->scan_seconds)
		return 0;
	ret = scan(screen);
	top_sort(&screen->table, screen->sort);
	return ret;
}

static int sample(struct screen *screen)
{
	int ret = rates_take(screen->rates, screen->opts, screen->err);

	screen->sampled = seconds_now();
	if (ret)
		return ret;
	top_join(screen->rates, &screen->lookup.procs);
	top_fill(&screen->table, screen->rates, screen->opts);
	return 0;
}

static int take(struct screen *screen)
{
	return sample(screen) ?: arrange(screen);
}

/* ---- drawing ---- */

/* Draw a line; with an attribute it is padded to the full width. */
static void draw_line(struct screen *screen, const char *data, size_t len, const char *attribute)
{
	struct out_text *text = &screen->text;

	/* No newline after the last line: it would scroll the first one out. */
	out_str(text, screen->n_drawn++ ? "\r\n\033[K" : "\033[H\033[K");
	if (!screen->has_color)
		attribute = "";
	out_str(text, attribute);
	out_mem(text, data, len);
	if (!*attribute)
		return;
	out_blanks(text, screen->columns - len);
	out_str(text, "\033[m");
}

/* Return: the next line of a text; NULL at its end. */
static const char *next_line(const struct out_text *text, size_t *at, size_t *len)
{
	const char *line = text->data + *at;

	if (*at == text->len)
		return NULL;
	*len = (size_t)((const char *)memchr(line, '\n', text->len - *at) - line);
	*at += *len + 1;
	return line;
}

/* The header is highlighted as a whole. */
static void draw_table(struct screen *screen)
{
	size_t at = 0, len, left = lines_left(screen);
	const char *line;

	out_reset(&screen->line);
	screen->lines = top_rows(&screen->line, &screen->table, &screen->view, screen->first,
				 visible(screen), screen->columns, true);
	for (size_t i = 0; i < left && (line = next_line(&screen->line, &at, &len)); i++)
		draw_line(screen, line, len, i < screen->lines ? "\033[7m" : "");
}

static void draw_help(struct screen *screen)
{
	for (size_t i = 0; i < lines_left(screen) && i < ARRAY_SIZE(help); i++) {
		size_t len = strlen(help[i]);

		draw_line(screen, help[i], len < screen->columns ? len : screen->columns, "");
	}
}

static void draw_keys(struct screen *screen)
{
	static const char keys[] = "q quit  h help  r u n p sort by rate, unread, unsent, process";
	size_t len = sizeof(keys) - 1;

	if (screen->rows < TALL)
		return;
	while (screen->n_drawn + 1 < screen->rows)
		draw_line(screen, "", 0, "");
	draw_line(screen, keys, top_fit(keys, len, screen->columns), "\033[2m");
}

static int draw(struct screen *screen)
{
	struct out_text *line = &screen->line;

	if (screen->is_spoilt)
		out_str(&screen->text, "\033[H\033[J");
	screen->is_spoilt = false;
	screen->n_drawn = 0;
	out_reset(line);
	top_head(line, &screen->table, screen->rates->seconds, screen->sort, screen->columns);
	draw_line(screen, line->data, line->len, "");
	if (screen->has_help)
		draw_help(screen);
	else
		draw_table(screen);
	draw_keys(screen);
	if (screen->n_drawn < screen->rows)
		out_str(&screen->text, "\r\n\033[J");
	return out_print(&screen->text, screen->err);
}

/* ---- keys ---- */

static void scroll(struct screen *screen, int key)
{
	size_t page = room(screen) > 1 ? room(screen) - 1 : 1;

	switch (key) {
	case 'k':
	case KEY_UP: screen->first -= screen->first > 0; break;
	case 'j':
	case KEY_DOWN: screen->first++; break;
	case 'b':
	case KEY_PAGE_UP: screen->first -= screen->first < page ? screen->first : page; break;
	case 'f':
	case KEY_PAGE_DOWN: screen->first += page; break;
	case 'g':
	case KEY_HOME: screen->first = 0; break;
	case 'G':
	case KEY_END: screen->first = screen->table.count; break;
	default: break;
	}
}

/* Return: 0, -errno with @err; 1 at the end. */
static int on_key(struct screen *screen, int key)
{
	bool had_help = screen->has_help;

	switch (key) {
	case 'q':
	case 'Q':
	case KEY_STOP: return 1;
	case 'h':
	case '?': screen->has_help = !had_help; return 0;
	case KEY_ESCAPE: screen->has_help = false; return 0;
	case KEY_REDRAW: screen->is_spoilt = true; break;
	case 'r': screen->sort = TOP_BY_RATE; break;
	case 'u': screen->sort = TOP_BY_UNREAD; break;
	case 'n': screen->sort = TOP_BY_UNSENT; break;
	case 'p': screen->sort = TOP_BY_PROCESS; break;
	case 's': screen->sort = (screen->sort + 1) % TOP_KEYS; break;
	case ' ':
		if (seconds_now() - screen->sampled >= LEAST_SECONDS)
			return take(screen);
		return 0;
	default: scroll(screen, key); break;
	}
	return arrange(screen);
}

static int serve(struct screen *screen)
{
	int ret = arrange(screen), key;

	while (!ret) {
		double left = screen->sampled + screen->interval - seconds_now();

		ret = draw(screen);
		if (ret)
			break;
		key = terminal_wait(&screen->terminal, left > 0 ? left : 0);
		ret = key == KEY_NONE ? take(screen) : on_key(screen, key);
	}
	return ret > 0 ? 0 : ret;
}

int top_run(const struct top_opts *opts, struct rates *rates, int *signal, struct smc_err *err)
{
	struct screen screen = {
		.opts = opts,
		.rates = rates,
		.sort = opts->sort,
		.err = err,
		.interval = opts->watch_seconds > 0 ? opts->watch_seconds : TOP_SECONDS,
		.has_color = cli_has_color(),
		.lines = 1,
	};
	int ret = top_view(&screen.view, opts, err);

	/* Errors of the first sample are reported without a screen. */
	if (!ret)
		ret = sample(&screen);
	if (!ret)
		ret = scan(&screen);
	if (ret)
		goto out;
	ret = terminal_open(&screen.terminal);
	if (ret) {
		smc_err_set(err, -ret, "cannot use the terminal");
		goto out;
	}
	ret = serve(&screen);
	*signal = screen.terminal.signal;
	terminal_close(&screen.terminal);
out:
	sockets_lookup_free(&screen.lookup);
	free(screen.table.rows);
	out_free(&screen.text);
	out_free(&screen.line);
	return ret;
}
