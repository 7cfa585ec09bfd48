// SPDX-License-Identifier: MIT
/* The page of a matrix: how many connections would use SMC, which, why not more, what to do. */

#include "base/words.h"
#include "smc_chk/html/html.h"
#include "smc_chk/matrix/show.h"

/* "TCP", "SMC-R v2.1", "SMC-D v2" */
static const char *kind_of(const char *mode)
{
	return *mode == 'T' ? "tcp" : mode[4] == 'D' ? "d" : "r";
}

/* ---- the page ---- */

static void put_head(struct show *show)
{
	size_t hosts = show->all->n_good, connections = hosts * (hosts - 1);
	size_t tcp = show->counts[PREDICT_TCP], smc = connections - tcp;
	char verdict[96], about[64];

	snprintf(about, sizeof(about), "Connections between %zu hosts, as predicted", hosts);
	if (!smc)
		snprintf(verdict, sizeof(verdict), "None of %zu connections would use SMC",
			 connections);
	else if (tcp)
		snprintf(verdict, sizeof(verdict), "%zu of %zu connections would use SMC", smc,
			 connections);
	else
		snprintf(verdict, sizeof(verdict), "All %zu connections would use SMC",
			 connections);
	html_begin(&show->text, !smc ? HTML_BAD : tcp ? HTML_WARN : HTML_OK, about, verdict);
}

static void put_todo(struct show *show, const struct todo *todo)
{
	struct out_text *page = &show->text;
	size_t hosts = 0;

	html_put(page, "<li><pre>", todo->command, "</pre><p>on <b>");
	for (size_t i = 0; i < show->all->n_good; i++) {
		if (!todo->counts[i])
			continue;
		html_put(page, hosts++ ? ", " : "", show->all->good[i]->name, "");
	}
	out_printf(page, "</b>, for %s%zu connection%s%s</p></li>\n", hosts > 1 ? "up to " : "",
		   todo->most, plural_s(todo->most), hosts > 1 ? " each" : "");
}

static void put_grid_cell(struct show *show, size_t from, size_t to)
{
	const char *mode = show->grid[from * show->all->n_good + to], *version = strchr(mode, ' ');

	if (from == to) {
		out_str(&show->text, "<td class=\"self\">&#8211;</td>");
		return;
	}
	out_printf(&show->text, "<td class=\"%s\">", kind_of(mode));
	out_mem(&show->text, mode, version ? (size_t)(version - mode) : strlen(mode));
	if (version)
		out_printf(&show->text, "<br/>%s", version + 1);
	out_str(&show->text, "</td>");
}

static void put_grid(struct show *show)
{
	const size_t hosts = show->all->n_good;

	if (!show->grid) {
		out_printf(&show->text, "<p>No table of more than %d hosts.</p>\n", SHOW_GRID_MAX);
		return;
	}
	out_str(&show->text, "<div class=\"scroll\" tabindex=\"0\" role=\"region\" "
			     "aria-label=\"Matrix of hosts\">\n<table class=\"grid\">\n"
			     "<thead><tr><th scope=\"col\">from, to</th>");
	for_each(host, show->all->good, hosts)
		html_put(&show->text, "<th scope=\"col\">", (*host)->name, "</th>");
	out_str(&show->text, "</tr></thead>\n<tbody>\n");
	for (size_t from = 0; from < hosts; from++) {
		html_put(&show->text, "<tr><th scope=\"row\">", show->all->good[from]->name,
			 "</th>");
		for (size_t to = 0; to < hosts; to++)
			put_grid_cell(show, from, to);
		out_str(&show->text, "</tr>\n");
	}
	out_str(&show->text, "</tbody>\n</table>\n</div>\n");
}

/* "a <-> b" */
static void put_way(struct html_table *table, const struct row *row)
{
	html_cell(table, NULL);
	html_put(table->page, "", row->one, *row->arrow == '<' ? " &#8596; " : " &#8594; ");
	html_text(table->page, row->other);
	html_cell_end(table);
}

static void put_rows(struct show *show)
{
	const bool is_many = show->is_many;
	static const char *const few[] = { "Hosts", "Mode", "Over", "Why not more", NULL };
	static const char *const many[] = { "Number", "Mode", "Such as", "Why not more", NULL };
	struct html_table table;
	char number[24];

	html_section(&show->text, is_many ? "Kinds of connections" : "Each connection");
	html_table_begin(&table, &show->text, "Arrows lead from client to server",
			 is_many ? many : few);
	for_each(row, show->rows, show->count) {
		snprintf(number, sizeof(number), "%" PRIu64, row->count);
		if (is_many)
			html_cell_text(&table, NULL, number);
		else
			put_way(&table, row);
		html_cell_text(&table, kind_of(row->mode), row->mode);
		if (is_many)
			put_way(&table, row);
		else
			html_cell_text(&table, NULL, row->over);
		html_cell_text(&table, "why", row->why);
	}
	html_table_end(&table);
	html_section_end(&show->text);
}

static void put_hosts(struct show *show)
{
	static const char *const heads[] = { "Asked for", "Host", "Kernel", "Not read", NULL };
	const struct gathered *all = show->all;
	struct html_table table;

	html_section(&show->text, "Hosts");
	html_table_begin(&table, &show->text, "What was compared", heads);
	for (size_t i = 0; i < all->count; i++) {
		const struct predict_host *host = &all->hosts[i];
		bool is_good = !all->errors[i].code;

		html_cell_name(&table, all->names[i], strlen(all->names[i]));
		html_cell_text(&table, NULL, is_good ? host->name : "");
		html_cell_text(&table, NULL, is_good ? host->kernel : "");
		html_cell_name(&table, all->errors[i].text, sizeof(all->errors[i].text));
	}
	html_table_end(&table);
	html_section_end(&show->text);
}

static void put_facts(struct show *show)
{
	char date[CHK_DATE_SIZE], lost[24] = "";
	size_t errors = show->all->count - show->all->n_good;

	chk_date(date);
	if (errors)
		snprintf(lost, sizeof(lost), "%zu", errors);
	html_facts(&show->text,
		   (const struct html_fact[]){
			   { "Date", date },
			   { "Not predicted", "packet filters, routes, IPsec, lack of memory" },
			   { "Hosts that could not be read", lost },
			   { 0 } });
}

/* Append the remedy that helps most connections, and the host to type it on. */
static void put_first(struct show *show)
{
	char where[2 * PREDICT_NAME_SIZE] = "";
	const struct todo *todo = show->todos;
	size_t hosts = 0, at = 0;

	for (size_t i = show->all->n_good; show->n_todos && i--;)
		if (todo->counts[i]) {
			hosts++;
			at = i;
		}
	if (hosts)
		snprintf(where, sizeof(where), hosts == 1 ? " on %s" : " on %s and %zu more",
			 show->all->good[at]->name, hosts - 1);
	html_first(&show->text, hosts ? todo->command : NULL, where);
}

static void end_page(struct show *show)
{
	const size_t *counts = show->counts;
	const struct html_count parts[] = {
		{ "d", "SMC-D", counts[PREDICT_SMCD_V1] + counts[PREDICT_SMCD_V2] },
		{ "r", "SMC-R", counts[PREDICT_SMCR_V1] + counts[PREDICT_SMCR_V2] },
		{ "tcp", "TCP", counts[PREDICT_TCP] },
	};

	put_head(show);
	put_first(show);
	put_facts(show);
	html_section(&show->text, "Matrix");
	html_bar(&show->text, "Connections by what they would use", parts, 3);
	put_grid(show);
	html_section_end(&show->text);
	if (show->n_todos) {
		html_section(&show->text, "What to do");
		out_str(&show->text, "<ul class=\"todo\">\n");
		for_each(todo, show->todos, show->n_todos)
			put_todo(show, todo);
		out_str(&show->text, "</ul>\n");
		html_section_end(&show->text);
	}
	put_rows(show);
	put_hosts(show);
	html_end(&show->text);
}

int html_matrix(const struct chk_request *req)
{
	return show_run(req, end_page);
}
