// SPDX-License-Identifier: MIT
/* What to type on which host, so that connections become more. */
#include "smc_chk/matrix/todos.h"

#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/memory.h"

/* Of a terminal, for the names of hosts. */
#define WIDTH 100

/** struct line - a command for a host, and for how many connections */
struct line {
	char command[PREDICT_COMMAND_SIZE];
	size_t connections;
};

/** struct todo - of one host; @is_put: it has been printed */
struct todo {
	struct line *lines;
	size_t count, size;
	bool is_put;
};

void todos_begin(struct todos *todos, const struct gathered *hosts)
{
	*todos = (struct todos){ hosts, xcalloc(hosts->n_good, sizeof(*todos->all)) };
}

void todos_end(struct todos *todos)
{
	for (size_t i = 0; i < todos->hosts->n_good; i++)
		free(todos->all[i].lines);
	free(todos->all);
}

static struct line *find_line(const struct todo *todo, const char *command)
{
	for (size_t i = 0; i < todo->count; i++)
		if (!strcmp(todo->lines[i].command, command))
			return &todo->lines[i];
	return NULL;
}

static void add_line(struct todo *todo, const char *command)
{
	struct line *line = find_line(todo, command);

	if (!line)
		line = smc_array_add(&todo->lines, &todo->count, &todo->size, sizeof(*line));
	memcpy(line->command, command, sizeof(line->command));
	line->connections++;
}

void todos_note(struct todos *todos, size_t from, size_t to, const struct prediction *result)
{
	for (size_t i = 0; i < result->n_gaps; i++) {
		const struct predict_gap *gap = &result->gaps[i];

		if (!*gap->command)
			continue;
		if (gap->side != PREDICT_SERVER)
			add_line(&todos->all[from], gap->command);
		if (gap->side != PREDICT_CLIENT)
			add_line(&todos->all[to], gap->command);
	}
}

/* ---- printing ---- */

static bool is_same(const struct todo *one, const struct todo *other)
{
	for (size_t i = 0; i < one->count; i++)
		if (!find_line(other, one->lines[i].command))
			return false;
	return one->count == other->count;
}

/* Names of the hosts from @first on that have the same to do. Return: how many. */
static size_t put_names(struct out_text *text, struct todos *todos, size_t first)
{
	size_t hosts = 0, column = 2;

	out_str(text, "on");
	for (size_t i = first; i < todos->hosts->n_good; i++) {
		const char *name = todos->hosts->good[i]->name;

		if (todos->all[i].is_put || !is_same(&todos->all[first], &todos->all[i]))
			continue;
		todos->all[i].is_put = true;
		if (hosts++)
			out_char(text, ',');
		column += strlen(name) + 2;
		out_str(text, column > WIDTH ? "\n   " : " ");
		if (column > WIDTH)
			column = strlen(name) + 3;
		out_str(text, name);
	}
	out_char(text, '\n');
	return hosts;
}

/* Of all hosts with the same to do as @todo, that with the most. */
static size_t most(const struct todos *todos, const struct todo *todo, const char *command)
{
	size_t found = 0;

	for (size_t i = 0; i < todos->hosts->n_good; i++) {
		const struct line *line = find_line(&todos->all[i], command);

		if (line && line->connections > found && is_same(todo, &todos->all[i]))
			found = line->connections;
	}
	return found;
}

/* What is for most of them first. */
static int compare(const void *a, const void *b)
{
	const struct line *one = a, *other = b;

	return one->connections != other->connections ?
		       (one->connections < other->connections ? 1 : -1) :
		       strcmp(one->command, other->command);
}

static void put_todo(struct out_text *text, struct todos *todos, size_t i)
{
	struct todo *todo = &todos->all[i];
	size_t hosts = put_names(text, todos, i);

	qsort(todo->lines, todo->count, sizeof(*todo->lines), compare);
	for (size_t k = 0; k < todo->count; k++) {
		const char *command = todo->lines[k].command;
		size_t count = most(todos, todo, command);

		out_printf(text, "  %-50s  # %s%zu connection%s%s\n", command,
			   hosts > 1 ? "up to " : "", count, count == 1 ? "" : "s",
			   hosts > 1 ? " each" : "");
	}
}

void todos_put(struct out_text *text, struct todos *todos)
{
	bool is_any = false;

	for (size_t i = 0; i < todos->hosts->n_good; i++) {
		if (!todos->all[i].count || todos->all[i].is_put)
			continue;
		if (!is_any)
			out_str(text, "\nFor more:\n");
		is_any = true;
		put_todo(text, todos, i);
	}
}
