// SPDX-License-Identifier: MIT
/* A matrix as a table, JSON, or for graphviz. */
#include "smc_chk/matrix/show.h"

#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "out/table.h"
#include "smc_chk/matrix/todos.h"

/* What is ready goes out before more is made: thousands of hosts have millions of pairs. */
#define CHUNK 65536

static int flush(struct out_text *text, size_t least, struct smc_err *err)
{
	return text->len < least ? 0 : out_print(text, err);
}

/* ---- table ---- */

/** struct row - one line; @arrow: to the server, or both ways */
struct row {
	const char *one, *arrow, *other;
	char mode[MATRIX_MODE_SIZE], over[2 * NETDEV_NAME_SIZE + 16];
	const char *why;
};

static const struct out_col columns[] = {
	{ "client", "Host", "client", 8, OUT_ESCAPED(row, one) },
	{ "arrow", "", "arrow", 3, OUT_PTR(row, arrow) },
	{ "server", "Host", "server", 8, OUT_ESCAPED(row, other) },
	{ "mode", "Mode", "mode", 10, OUT_STR(row, mode) },
	{ "over", "Over", "over", 11, OUT_STR(row, over) },
	{ "why", "Why not more", "why", 12, OUT_PTR(row, why) },
	{ 0 },
};

/** struct table - @todos: of each host */
struct table {
	const struct matrix *matrix;
	struct out_view view;
	struct out_text text, why;
	struct todos todos;
	size_t *tcp;
};

static void put_row(struct table *table, size_t from, size_t to, const struct prediction *result,
		    const char *arrow)
{
	struct row row = { matrix_host(table->matrix, from)->name, arrow,
			   matrix_host(table->matrix, to)->name, .why = "" };

	matrix_mode(row.mode, result);
	if (result->client)
		snprintf(row.over, sizeof(row.over), "%s%s%s%s", result->client->name,
			 strcmp(result->client->name, result->server->name) ? " - " : "",
			 strcmp(result->client->name, result->server->name) ? result->server->name :
									      "",
			 result->is_routed ? ", routed" : "");
	row.why = matrix_why(&table->why, result, row.one, row.other);
	out_row(&table->text, &table->view, &row);
	*table->tcp += result->mode == PREDICT_TCP;
}

static int on_pair(void *arg, size_t a, size_t b, const struct prediction *forth,
		   const struct prediction *back, struct smc_err *err)
{
	struct table *table = arg;
	bool is_same = predict_same(forth, back);

	todos_note(&table->todos, a, b, forth);
	todos_note(&table->todos, b, a, back);
	put_row(table, a, b, forth, is_same ? "<->" : "->");
	if (!is_same)
		put_row(table, b, a, back, "->");
	return flush(&table->text, CHUNK, err);
}

static void start_table(struct table *table, const struct matrix *matrix)
{
	size_t widest = 0;

	out_view_add(&table->view, columns, "client,arrow,server,mode,over,why");
	for (size_t i = 0; i < matrix->count; i++) {
		size_t len = strlen(matrix_host(matrix, i)->name);

		widest = len > widest ? len : widest;
	}
	out_view_widen(&table->view, "client", (uint8_t)widest);
	out_view_widen(&table->view, "server", (uint8_t)widest);
	out_header(&table->text, &table->view);
}

int show_text(const struct matrix *matrix, size_t *tcp, struct smc_err *err)
{
	struct table table = { .matrix = matrix, .tcp = tcp };
	int ret;

	todos_begin(&table.todos, matrix);
	start_table(&table, matrix);
	ret = matrix_each_pair(matrix, on_pair, &table, err);
	if (!ret) {
		todos_put(&table.text, &table.todos);
		ret = out_print(&table.text, err);
	}
	todos_end(&table.todos);
	out_free(&table.text);
	out_free(&table.why);
	return ret;
}

/* ---- JSON ---- */

/** struct document - @text: what is not printed yet; a million objects would take gigabytes */
struct document {
	const struct matrix *matrix;
	struct out_text text;
	bool is_begun;
	size_t *tcp;
};

static json_t *json_gap(const struct document *doc, size_t from, size_t to,
			const struct prediction *result, const struct predict_gap *gap)
{
	bool is_about = gap->mode != result->mode && gap->mode != PREDICT_TCP;
	const char *name = matrix_host(doc->matrix, gap->side == PREDICT_CLIENT ? from : to)->name;
	struct out_text text = { 0 };
	json_t *json;
	json_t *hosts = *gap->command ? json_array() : NULL;

	predict_gap_text(&text, gap, name);
	json = json_pack("{s:s*, s:s%}", "mode", is_about ? predict_mode_name(gap->mode) : NULL,
			 "text", text.data ? text.data : "", text.len);
	out_free(&text);
	if (!hosts)
		return json;
	if (gap->side != PREDICT_SERVER)
		json_array_append_new(hosts, json_string(matrix_host(doc->matrix, from)->name));
	if (gap->side != PREDICT_CLIENT)
		json_array_append_new(hosts, json_string(matrix_host(doc->matrix, to)->name));
	json_object_set_new(json, "remedy", json_string(gap->command));
	json_object_set_new(json, "hosts", hosts);
	return json;
}

static json_t *json_pair(struct document *doc, size_t from, size_t to,
			 const struct prediction *result)
{
	static const char *const modes[] = { "TCP", "SMCR", "SMCR", "SMCD", "SMCD" };
	static const int versions[] = { 0, 1, 2, 1, 2 };
	json_t *json = json_pack("{s:s, s:s, s:s}", "client", matrix_host(doc->matrix, from)->name,
				 "server", matrix_host(doc->matrix, to)->name, "mode",
				 modes[result->mode]);
	json_t *gaps = json_array();

	if (result->mode != PREDICT_TCP)
		json_object_set_new(json, "version", json_integer(versions[result->mode]));
	if (versions[result->mode] == 2)
		json_object_set_new(json, "release", json_integer(result->release));
	if (result->max_links)
		json_object_set_new(json, "max_links", json_integer(result->max_links));
	if (result->client) {
		json_object_set_new(json, "client_interface", json_string(result->client->name));
		json_object_set_new(json, "server_interface", json_string(result->server->name));
		json_object_set_new(json, "routed", json_boolean(result->is_routed));
	}
	for (size_t i = 0; i < result->n_gaps; i++)
		json_array_append_new(gaps, json_gap(doc, from, to, result, &result->gaps[i]));
	json_object_set_new(json, "why_not_more", gaps);
	*doc->tcp += result->mode == PREDICT_TCP;
	return json;
}

static void put_json_pair(struct document *doc, size_t from, size_t to,
			  const struct prediction *result)
{
	out_str(&doc->text, doc->is_begun ? "," : "");
	doc->is_begun = true;
	out_json_document(&doc->text, json_pair(doc, from, to, result), true);
}

static int on_json_pair(void *arg, size_t a, size_t b, const struct prediction *forth,
			const struct prediction *back, struct smc_err *err)
{
	struct document *doc = arg;

	put_json_pair(doc, a, b, forth);
	put_json_pair(doc, b, a, back);
	return flush(&doc->text, CHUNK, err);
}

static json_t *json_hosts(const struct gathered *all)
{
	json_t *hosts = json_array();

	for (size_t i = 0; i < all->count; i++) {
		const struct predict_host *host = &all->hosts[i];
		json_t *json = json_object();

		json_object_set_new(json, "source", out_json_str(all->names[i]));
		if (all->errors[i].code)
			json_object_set_new(json, "error", out_json_str(all->errors[i].text));
		else
			json_object_set_new(json, "name", json_string(host->name));
		if (*host->kernel)
			json_object_set_new(json, "kernel", json_string(host->kernel));
		json_array_append_new(hosts, json);
	}
	return hosts;
}

/* One document, with a line for each connection. */
int show_json(const struct matrix *matrix, size_t *tcp, struct smc_err *err)
{
	struct document doc = { .matrix = matrix, .tcp = tcp };
	int ret;

	out_str(&doc.text, "{\"schema\":\"smc-tools/matrix/1\",\"hosts\":");
	out_json_document(&doc.text, json_hosts(matrix->all), true);
	out_str(&doc.text, ",\"connections\":[\n");
	ret = matrix_each_pair(matrix, on_json_pair, &doc, err);
	out_str(&doc.text, "]}\n");
	ret = ret ? ret : out_print(&doc.text, err);
	out_free(&doc.text);
	return ret;
}

/* ---- graphviz ---- */

struct drawing {
	const struct matrix *matrix;
	struct out_text text;
	size_t *tcp;
};

/* A string of the DOT language, in which a backslash begins an escape. */
static void put_quoted(struct out_text *text, const char *word)
{
	out_char(text, '"');
	for (; *word; word++) {
		if (*word == '"' || *word == '\\')
			out_char(text, '\\');
		out_char(text, *word);
	}
	out_char(text, '"');
}

static void put_edge(struct drawing *drawing, size_t from, size_t to,
		     const struct prediction *result, bool is_both)
{
	static const char *const styles[] = { "gray, style=dashed", "blue", "blue", "darkgreen",
					      "darkgreen" };
	char mode[MATRIX_MODE_SIZE];

	matrix_mode(mode, result);
	out_char(&drawing->text, '\t');
	put_quoted(&drawing->text, matrix_host(drawing->matrix, from)->name);
	out_str(&drawing->text, " -> ");
	put_quoted(&drawing->text, matrix_host(drawing->matrix, to)->name);
	out_printf(&drawing->text, " [label=\"%s\", color=%s%s];\n", mode, styles[result->mode],
		   is_both ? ", dir=both" : "");
	*drawing->tcp += result->mode == PREDICT_TCP;
}

static int on_edge(void *arg, size_t a, size_t b, const struct prediction *forth,
		   const struct prediction *back, struct smc_err *err)
{
	struct drawing *drawing = arg;
	bool is_same = forth->mode == back->mode && forth->release == back->release;

	put_edge(drawing, a, b, forth, is_same);
	if (!is_same)
		put_edge(drawing, b, a, back, false);
	return flush(&drawing->text, CHUNK, err);
}

int show_dot(const struct matrix *matrix, size_t *tcp, struct smc_err *err)
{
	struct drawing drawing = { .matrix = matrix, .tcp = tcp };
	int ret;

	out_str(&drawing.text, "digraph smc {\n");
	for (size_t i = 0; i < matrix->count; i++) {
		out_char(&drawing.text, '\t');
		put_quoted(&drawing.text, matrix_host(matrix, i)->name);
		out_str(&drawing.text, ";\n");
	}
	ret = matrix_each_pair(matrix, on_edge, &drawing, err);
	out_str(&drawing.text, "}\n");
	ret = ret ? ret : out_print(&drawing.text, err);
	out_free(&drawing.text);
	return ret;
}
