// SPDX-License-Identifier: MIT
/* Predict the connection between each pair of hosts. */

#include "base/array.h"
#include "base/memory.h"
#include "base/words.h"
#include "smc_chk/matrix/show.h"

/* Output is written in blocks of this size: thousands of hosts have millions of pairs. */
#define CHUNK 65536

/* Width for lists of hosts in a pipe. */
#define WIDTH 100

static const char *name_of(const struct show *show, size_t i)
{
	return show->all->good[i]->name;
}

/* "SMC-R v2.1" */
static void put_mode(char mode[SHOW_MODE_SIZE], const struct prediction *result)
{
	bool is_v2 = result->mode == PREDICT_SMCR_V2 || result->mode == PREDICT_SMCD_V2;

	snprintf(mode, SHOW_MODE_SIZE, "%s%s", predict_mode_name(result->mode),
		 is_v2 && result->release ? ".1" : "");
}

/* Gaps of a connection as one line. @client, @server: their names, or words for them */
static char *put_why(struct out_text *why, const struct prediction *result, const char *client,
		     const char *server)
{
	out_reset(why);
	for (size_t i = 0; i < result->n_gaps; i++) {
		const struct predict_gap *gap = &result->gaps[i];

		out_str(why, i ? "; " : "");
		if (gap->mode != result->mode && gap->mode != PREDICT_TCP)
			out_printf(why, "no %s: ", predict_mode_name(gap->mode));
		predict_gap_text(why, gap, gap->side == PREDICT_CLIENT ? client : server);
	}
	out_char(why, '\0');
	return why->data;
}

/* ---- what to type, so that connections become more ---- */

static void count_todo(struct show *show, size_t host, const char *command)
{
	struct todo *todo = NULL;

	for (size_t i = 0; !todo && i < show->n_todos; i++)
		if (!strcmp(show->todos[i].command, command))
			todo = &show->todos[i];
	if (!todo) {
		todo = smc_array_add(&show->todos, &show->n_todos);
		strcpy(todo->command, command);
		todo->counts = xcalloc(show->all->n_good, sizeof(*todo->counts));
	}
	if (++todo->counts[host] > todo->most)
		todo->most = todo->counts[host];
}

/* Count a connection, and the commands that would improve it. */
static void count(struct show *show, size_t from, size_t to, const struct prediction *result)
{
	show->counts[result->mode]++;
	if (show->grid)
		put_mode(show->grid[from * show->all->n_good + to], result);
	for_each(gap, result->gaps, result->n_gaps) {
		if (*gap->command && gap->side != PREDICT_SERVER)
			count_todo(show, from, gap->command);
		if (*gap->command && gap->side != PREDICT_CLIENT)
			count_todo(show, to, gap->command);
	}
}

/*
 * Append the hosts that need a command, and for how many connections. @width: for line breaks
 * between names; 0: none
 */
static void append_hosts(struct out_text *text, const struct show *show, const struct todo *todo,
			 size_t width)
{
	size_t hosts = 0, column = 0;

	out_str(text, "on");
	for (size_t i = 0; i < show->all->n_good; i++) {
		if (!todo->counts[i])
			continue;
		column += strlen(name_of(show, i)) + 2;
		out_printf(text, "%s%s%s", hosts++ ? "," : "",
			   width && column > width ? "\n    " : " ", name_of(show, i));
		column = column > width ? 0 : column;
	}
	out_printf(text, ": %s%zu connection%s%s", hosts > 1 ? "up to " : "", todo->most,
		   plural_s(todo->most), hosts > 1 ? " each" : "");
}

/* On a terminal the command is on one line, for copying. */
static void put_todo(struct show *show, const struct todo *todo)
{
	struct out_text hosts AUTO(out_free) = { 0 };

	append_hosts(&hosts, show, todo, show->req->width ? 0 : WIDTH);
	out_char(&hosts, '\0');
	out_printf(&show->text, "%s%s\n  ", show->req->width ? "-> " : "", todo->command);
	out_wrap(&show->text, show->req->width, 2, 4, hosts.data);
	out_char(&show->text, '\n');
}

/* Most connections first. */
static int compare_todos(const void *a, const void *b)
{
	const struct todo *one = a, *other = b;

	return one->most != other->most ? (one->most < other->most ? 1 : -1) :
					  strcmp(one->command, other->command);
}

/* ---- rows ---- */

static void add_row(struct show *show, size_t from, size_t to, const struct prediction *result,
		    bool is_both)
{
	static const char someone[] = "one of them";
	const char *client = result->client ? result->client->name : "";
	const char *server = result->client ? result->server->name : "";
	bool is_one = !strcmp(client, server);
	struct row row = { 1, name_of(show, from), is_both ? "<->" : "->", name_of(show, to) };
	const char *why = put_why(&show->why, result, show->is_many ? someone : row.one,
				  show->is_many ? someone : row.other);

	put_mode(row.mode, result);
	for (size_t i = 0; show->is_many && i < show->count; i++)
		if (!strcmp(show->rows[i].mode, row.mode) && !strcmp(show->rows[i].why, why)) {
			show->rows[i].count++;
			return;
		}
	snprintf(row.over, sizeof(row.over), "%s%s%s%s", client, is_one ? "" : " - ",
		 is_one ? "" : server, result->is_routed ? ", routed" : "");
	row.why = xstrdup(why);
	*smc_array_add(&show->rows, &show->count) = row;
}

/* Most frequent first. */
static int compare_rows(const void *a, const void *b)
{
	const struct row *one = a, *other = b;

	return one->count != other->count ? (one->count < other->count ? 1 : -1) :
					    strcmp(one->why, other->why);
}

static enum out_style style_mode(const void *mode)
{
	return strcmp(mode, "TCP") ? OUT_GOOD : OUT_WARNING;
}

static const struct out_col columns[] = {
	{ "count", "Connections", "count", 11, OUT_RIGHT, OUT_DEC(row, count, 0) },
	{ "client", "Host", "client", 8, OUT_ESCAPED(row, one) },
	{ "arrow", "", "arrow", 3, OUT_PTR(row, arrow) },
	{ "server", "Host", "server", 8, OUT_ESCAPED(row, other) },
	{ "mode", "Mode", "mode", 10, OUT_STR(row, mode), .style = style_mode },
	{ "example", "Such as", "example", 8, OUT_ESCAPED(row, one) },
	{ "to", "to", "to", 8, OUT_ESCAPED(row, other) },
	{ "over", "Over", "over", 11, OUT_STR(row, over) },
	{ "why", "Why not more", "why", 12, OUT_PTR(row, why), .is_wrapped = true },
	{ 0 },
};

static void end_text(struct show *show)
{
	struct out_view view = { .count = 0 };
	struct out_list list;

	out_view_add(&view, columns,
		     show->is_many ? "count,mode,example,to,why" :
				     "client,arrow,server,mode,over,why");
	for (size_t i = 0; i < show->all->n_good; i++) {
		out_view_widen(&view, "client", (uint8_t)strlen(name_of(show, i)));
		out_view_widen(&view, "server", (uint8_t)strlen(name_of(show, i)));
	}
	out_list_begin(&list, &view, &show->text, show->req->width, true);
	for_each(row, show->rows, show->count)
		out_list_row(&list, row);
	out_list_end(&list);
	out_str(&show->text, show->n_todos ? "\nFor more:\n" : "");
	for_each(todo, show->todos, show->n_todos)
		put_todo(show, todo);
	if (show->is_many)
		out_printf(&show->text, "\n%zu hosts; each pair of them: -j\n", show->all->n_good);
}

/* ---- JSON ---- */

static json_t *json_gap(const char *from, const char *to, const struct prediction *result,
			const struct predict_gap *gap)
{
	bool is_about = gap->mode != result->mode && gap->mode != PREDICT_TCP;
	struct out_text text AUTO(out_free) = { 0 };
	json_t *json, *hosts = NULL;

	predict_gap_text(&text, gap, gap->side == PREDICT_CLIENT ? from : to);
	if (*gap->command)
		hosts = json_pack("[s*, s*]", gap->side != PREDICT_SERVER ? from : NULL,
				  gap->side != PREDICT_CLIENT ? to : NULL);
	json = json_pack("{s:s*, s:s%, s:s*, s:o*}", "mode",
			 is_about ? predict_mode_name(gap->mode) : NULL, "text",
			 text.data ? text.data : "", text.len, "remedy",
			 *gap->command ? gap->command : NULL, "hosts", hosts);
	return json;
}

static json_t *json_connection(const char *from, const char *to, const struct prediction *result)
{
	static const char *const modes[] = { "TCP", "SMCR", "SMCR", "SMCD", "SMCD" };
	static const int versions[] = { 0, 1, 2, 1, 2 };
	const int version = versions[result->mode];
	json_t *gaps = json_array();

	for (size_t i = 0; i < result->n_gaps; i++)
		json_array_append_new(gaps, json_gap(from, to, result, &result->gaps[i]));
	return json_pack("{s:s, s:s, s:s, s:o*, s:o*, s:o*, s:s*, s:s*, s:o*, s:o}", "client", from,
			 "server", to, "mode", modes[result->mode], "version",
			 version ? json_integer(version) : NULL, "release",
			 version == 2 ? json_integer(result->release) : NULL, "max_links",
			 result->max_links ? json_integer(result->max_links) : NULL,
			 "client_interface", result->client ? result->client->name : NULL,
			 "server_interface", result->client ? result->server->name : NULL, "routed",
			 result->client ? json_boolean(result->is_routed) : NULL, "why_not_more",
			 gaps);
}

static json_t *json_hosts(const struct gathered *all)
{
	json_t *hosts = json_array();

	for (size_t i = 0; i < all->count; i++) {
		const struct predict_host *host = &all->hosts[i];
		const struct smc_err *err = &all->errors[i];

		json_array_append_new(hosts,
				      json_pack("{s:o, s:o*, s:s*, s:s*}", "source",
						out_json_str(all->names[i]), "error",
						err->code ? out_json_str(err->text) : NULL, "name",
						err->code ? NULL : host->name, "kernel",
						*host->kernel ? host->kernel : NULL));
	}
	return hosts;
}

static void put_json(struct show *show, size_t from, size_t to, const struct prediction *result)
{
	out_str(&show->text, from || to != 1 ? "," : "");
	out_json_document(&show->text,
			  json_connection(name_of(show, from), name_of(show, to), result), true);
}

static void end_json(struct show *show)
{
	out_str(&show->text, "]}\n");
}

/* ---- all of them ---- */

static int show_pairs(struct show *show, struct smc_err *err)
{
	const struct gathered *all = show->all;
	struct prediction forth, back;
	bool is_both;

	for (size_t a = 0; a < all->n_good; a++)
		for (size_t b = a + 1; b < all->n_good; b++) {
			predict(&forth, all->good[a], all->good[b]);
			predict(&back, all->good[b], all->good[a]);
			count(show, a, b, &forth);
			count(show, b, a, &back);
			if (show->req->is_json) {
				put_json(show, a, b, &forth);
				put_json(show, b, a, &back);
				if (show->text.len >= CHUNK && out_print(&show->text, err))
					return -err->code;
				continue;
			}
			is_both = !show->is_many && predict_same(&forth, &back);
			add_row(show, a, b, &forth, is_both);
			if (!is_both)
				add_row(show, b, a, &back, false);
		}
	return 0;
}

static int show_all(struct show *show, void (*end)(struct show *show), struct smc_err *err)
{
	const size_t hosts = show->all->n_good;

	if (show->req->html && hosts <= SHOW_GRID_MAX)
		show->grid = xcalloc(hosts * hosts, sizeof(*show->grid));
	/* One document, written line by line: a million objects would take gigabytes. */
	if (show->req->is_json) {
		out_str(&show->text, "{\"schema\":\"smc-tools/matrix/1\",\"hosts\":");
		out_json_document(&show->text, json_hosts(show->all), true);
		out_str(&show->text, ",\"connections\":[\n");
	}
	if (show_pairs(show, err))
		return -err->code;
	if (show->is_many && show->count)
		qsort(show->rows, show->count, sizeof(*show->rows), compare_rows);
	if (show->n_todos)
		qsort(show->todos, show->n_todos, sizeof(*show->todos), compare_todos);
	end(show);
	if (out_print(&show->text, err))
		return -err->code;
	return show->counts[PREDICT_TCP] ? CHK_TCP : CHK_OK;
}

static void show_free(struct show *show)
{
	for_each(row, show->rows, show->count)
		free(row->why);
	for_each(todo, show->todos, show->n_todos)
		free(todo->counts);
	free(show->rows);
	free(show->todos);
	free(show->grid);
	out_free(&show->text);
	out_free(&show->why);
}

/* Return: chk_status; -errno with @err. */
static int run(const struct gathered *all, const struct chk_request *req,
	       void (*end)(struct show *show), struct smc_err *err)
{
	struct show show AUTO(
		show_free) = { .req = req, .all = all, .is_many = all->n_good >= SHOW_MANY };
	int ret;

	for_each(error, all->errors, all->count)
		if (error->code)
			cli_error(&chk_tool, "%s", error->text);
	if (all->n_good < 2)
		return smc_err_say(err, ENODATA, "no two hosts are left");
	ret = show_all(&show, end, err);
	return ret >= 0 && all->n_good < all->count ? CHK_ERROR : ret;
}

int show_run(const struct chk_request *req, void (*end)(struct show *show))
{
	char *const *name = req->operands;
	struct gathered all AUTO(gather_free) = { .count = 0 };
	struct smc_err err = { 0 };
	int ret;

	if (!name[1])
		return cli_usage_error(req->command->tool, "two hosts or bundles are needed");
	while (*name && **name && **name != '-')
		name++;
	if (*name)
		return cli_usage_error(req->command->tool, "'%s' is neither a host nor a bundle",
				       *name);
	ret = gather(&all, req->operands, &err);
	if (!ret)
		ret = run(&all, req, end, &err);
	return ret < 0 ? cli_error(&chk_tool, "%s", err.text) : ret;
}

int chk_matrix(const struct chk_request *req)
{
	return show_run(req, req->is_json ? end_json : end_text);
}
