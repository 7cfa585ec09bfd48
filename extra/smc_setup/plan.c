// SPDX-License-Identifier: MIT
/* The plan: how each pair of hosts would connect, and what to do for more SMC. */
#include "smc_setup/setup.h"

#include "base/memory.h"
#include "cli/screen.h"
#include "out/list.h"

#define MODE_SIZE 32

/** struct row - a connection; @arrow: to the server, or in both directions */
struct row {
	const char *one, *arrow, *other;
	char mode[MODE_SIZE], over[2 * NETDEV_NAME_SIZE + 16];
	char *why;
};

/** struct todo - a command; @is_on: for each host, true if it is to be typed there */
struct todo {
	char command[PREDICT_COMMAND_SIZE];
	bool *is_on;
};

/** struct plan - connections of @n_hosts readable @hosts; @rows: text; @connections: JSON */
struct plan {
	const struct predict_host **hosts;
	size_t n_hosts;
	struct row *rows;
	size_t n_rows;
	json_t *connections;
	struct todo *todos;
	size_t n_todos;
	bool has_tcp;
};

/* ---- what to type, so that connections become more ---- */

static void add_todo(struct plan *plan, size_t host, const char *command)
{
	struct todo *todo = NULL;

	for (size_t i = 0; !todo && i < plan->n_todos; i++)
		if (!strcmp(plan->todos[i].command, command))
			todo = &plan->todos[i];
	if (!todo) {
		todo = smc_array_add(&plan->todos, &plan->n_todos);
		strcpy(todo->command, command);
		todo->is_on = xcalloc(plan->n_hosts, sizeof(*todo->is_on));
	}
	todo->is_on[host] = true;
}

static void add_todos(struct plan *plan, size_t from, size_t to, const struct prediction *result)
{
	for_each(gap, result->gaps, result->n_gaps) {
		if (*gap->command && gap->side != PREDICT_SERVER)
			add_todo(plan, from, gap->command);
		if (*gap->command && gap->side != PREDICT_CLIENT)
			add_todo(plan, to, gap->command);
	}
}

/* On a terminal the command is on one line, for copying. */
static void append_todo(struct out_text *text, const struct plan *plan, const struct todo *todo,
			size_t width)
{
	struct out_text hosts AUTO(out_free) = { 0 };

	out_str(&hosts, "on");
	for (size_t i = 0; i < plan->n_hosts; i++)
		if (todo->is_on[i])
			out_printf(&hosts, "%s %s", hosts.len > 2 ? "," : "", plan->hosts[i]->name);
	out_char(&hosts, '\0');
	out_printf(text, "%s%s\n  ", width ? "-> " : "", todo->command);
	out_wrap(text, width, 2, 4, hosts.data);
	out_char(text, '\n');
}

/* ---- text ---- */

/* Gaps of a connection as one line. */
static char *why_not_more(const struct prediction *result, const char *client, const char *server)
{
	struct out_text why = { 0 };

	for_each(gap, result->gaps, result->n_gaps) {
		out_str(&why, gap == result->gaps ? "" : "; ");
		if (gap->mode != result->mode && gap->mode != PREDICT_TCP)
			out_printf(&why, "no %s: ", predict_mode_name(gap->mode));
		predict_gap_text(&why, gap, gap->side == PREDICT_CLIENT ? client : server);
	}
	out_char(&why, '\0');
	return why.data;
}

static void add_row(struct plan *plan, size_t from, size_t to, const struct prediction *result,
		    bool is_both)
{
	const char *client = result->client ? result->client->name : "";
	const char *server = result->client ? result->server->name : "";
	bool is_v2 = result->mode == PREDICT_SMCR_V2 || result->mode == PREDICT_SMCD_V2;
	const char *routed = result->is_routed ? ", routed" : "";
	struct row *row = smc_array_add(&plan->rows, &plan->n_rows);

	row->one = plan->hosts[from]->name;
	row->arrow = is_both ? "<->" : "->";
	row->other = plan->hosts[to]->name;
	/* "SMC-R v2.1, 2 links" */
	snprintf(row->mode, sizeof(row->mode), "%s%s%s", predict_mode_name(result->mode),
		 is_v2 && result->release ? ".1" : "", result->links > 1 ? ", 2 links" : "");
	if (strcmp(client, server))
		snprintf(row->over, sizeof(row->over), "%s - %s%s", client, server, routed);
	else
		snprintf(row->over, sizeof(row->over), "%s%s", client, routed);
	row->why = why_not_more(result, row->one, row->other);
}

static enum out_style style_mode(const void *mode)
{
	return strcmp(mode, "TCP") ? OUT_GOOD : OUT_WARNING;
}

static const struct out_col columns[] = {
	{ "client", "Host", "client", 8, OUT_ESCAPED(row, one) },
	{ "arrow", "", "arrow", 3, OUT_PTR(row, arrow) },
	{ "server", "Host", "server", 8, OUT_ESCAPED(row, other) },
	{ "mode", "Mode", "mode", 10, OUT_STR(row, mode), .style = style_mode },
	{ "over", "Over", "over", 11, OUT_STR(row, over) },
	{ "why", "Why not more", "why", 12, OUT_PTR(row, why), .is_wrapped = true },
	{ 0 },
};

static int print_text(const struct plan *plan, struct smc_err *err)
{
	struct out_text text AUTO(out_free) = { 0 };
	struct out_view view = { .count = 0 };
	size_t width = cli_columns();
	struct out_list list;

	out_view_add(&view, columns, "client,arrow,server,mode,over,why");
	for (size_t i = 0; i < plan->n_hosts; i++) {
		out_view_widen(&view, "client", (uint8_t)strlen(plan->hosts[i]->name));
		out_view_widen(&view, "server", (uint8_t)strlen(plan->hosts[i]->name));
	}
	out_list_begin(&list, &view, &text, width, true);
	for_each(row, plan->rows, plan->n_rows)
		out_list_row(&list, row);
	out_list_end(&list);
	out_str(&text, plan->n_todos ? "\nFor more SMC:\n" : "");
	for_each(todo, plan->todos, plan->n_todos)
		append_todo(&text, plan, todo, width);
	return out_print(&text, err);
}

/* ---- JSON ---- */

static json_t *json_gap(const char *from, const char *to, const struct prediction *result,
			const struct predict_gap *gap)
{
	bool is_about = gap->mode != result->mode && gap->mode != PREDICT_TCP;
	struct out_text text AUTO(out_free) = { 0 };
	const char *remedy = *gap->command ? gap->command : NULL;
	json_t *hosts = NULL;

	predict_gap_text(&text, gap, gap->side == PREDICT_CLIENT ? from : to);
	if (remedy)
		hosts = json_pack("[s*, s*]", gap->side != PREDICT_SERVER ? from : NULL,
				  gap->side != PREDICT_CLIENT ? to : NULL);
	return json_pack("{s:s*, s:s%, s:s*, s:o*}", "mode",
			 is_about ? predict_mode_name(gap->mode) : NULL, "text",
			 text.data ? text.data : "", text.len, "remedy", remedy, "hosts", hosts);
}

static json_t *json_connection(const char *from, const char *to, const struct prediction *result)
{
	static const char *const modes[] = { "TCP", "SMCR", "SMCR", "SMCD", "SMCD" };
	static const int versions[] = { 0, 1, 2, 1, 2 };
	const int version = versions[result->mode];
	json_t *gaps = json_array(), *json = json_pack("{s:s, s:s, s:s}", "client", from, "server",
						       to, "mode", modes[result->mode]);

	if (version)
		json_object_set_new(json, "version", json_integer(version));
	if (version == 2)
		json_object_set_new(json, "release", json_integer(result->release));
	if (result->max_links)
		json_object_set_new(json, "max_links", json_integer(result->max_links));
	if (result->links)
		json_object_set_new(json, "links", json_integer(result->links));
	if (result->client)
		out_json_merge(json, json_pack("{s:s, s:s, s:b}", "client_interface",
					       result->client->name, "server_interface",
					       result->server->name, "routed", result->is_routed));
	for_each(gap, result->gaps, result->n_gaps)
		json_array_append_new(gaps, json_gap(from, to, result, gap));
	json_object_set_new(json, "why_not_more", gaps);
	return json;
}

static json_t *json_hosts(const struct setup_host *hosts, size_t count)
{
	json_t *array = json_array();

	for_each(host, hosts, count)
		json_array_append_new(
			array,
			json_pack("{s:o*, s:s, s:o*, s:s*}", "source",
				  host->source ? out_json_str(host->source) : NULL, "name",
				  host->facts.name, "error",
				  host->err.code ? out_json_str(host->err.text) : NULL, "kernel",
				  *host->facts.kernel ? host->facts.kernel : NULL));
	return array;
}

/* ---- all of it ---- */

static void add_pair(struct plan *plan, size_t a, size_t b, bool is_json)
{
	struct prediction forth, back;
	bool is_both;

	predict(&forth, plan->hosts[a], plan->hosts[b]);
	predict(&back, plan->hosts[b], plan->hosts[a]);
	add_todos(plan, a, b, &forth);
	add_todos(plan, b, a, &back);
	plan->has_tcp |= forth.mode == PREDICT_TCP || back.mode == PREDICT_TCP;
	if (is_json) {
		const char *one = plan->hosts[a]->name, *other = plan->hosts[b]->name;

		json_array_append_new(plan->connections, json_connection(one, other, &forth));
		json_array_append_new(plan->connections, json_connection(other, one, &back));
		return;
	}
	is_both = predict_same(&forth, &back);
	add_row(plan, a, b, &forth, is_both);
	if (!is_both)
		add_row(plan, b, a, &back, false);
}

static void plan_free(struct plan *plan)
{
	for_each(row, plan->rows, plan->n_rows)
		free(row->why);
	for_each(todo, plan->todos, plan->n_todos)
		free(todo->is_on);
	free(plan->hosts);
	free(plan->rows);
	free(plan->todos);
	json_decref(plan->connections);
}

int plan_print(const struct setup_host *hosts, size_t count, bool is_json, struct smc_err *err)
{
	struct plan plan AUTO(plan_free) = { .hosts = xcalloc(count, sizeof(*plan.hosts)),
					     .connections = is_json ? json_array() : NULL };
	int ret;

	for_each(host, hosts, count)
		if (host->err.code)
			cli_error(&setup_tool, "%s: %s",
				  host->source ? host->source : host->facts.name, host->err.text);
		else
			plan.hosts[plan.n_hosts++] = &host->facts;
	if (plan.n_hosts < 2)
		return smc_err_say(err, ENODATA, "too few hosts remain");
	for (size_t a = 0; a < plan.n_hosts; a++)
		for (size_t b = a + 1; b < plan.n_hosts; b++)
			add_pair(&plan, a, b, is_json);
	if (is_json)
		ret = out_print_json(
			json_pack("{s:s, s:o, s:O}", "schema", "smc-tools/setup-plan/1", "hosts",
				  json_hosts(hosts, count), "connections", plan.connections),
			err);
	else
		ret = print_text(&plan, err);
	if (ret)
		return ret;
	if (plan.n_hosts < count)
		return SETUP_ERROR;
	return plan.has_tcp ? SETUP_TCP : SETUP_OK;
}
