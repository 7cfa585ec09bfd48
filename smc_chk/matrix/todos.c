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

/** struct todo - of one host */
struct todo {
	struct line *lines;
	size_t count, size;
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

/* The numbers of connections become those of the host with the most. */
static void take_most(struct todo *todo, const struct todo *same)
{
	for (size_t i = 0; i < todo->count; i++) {
		const struct line *line = find_line(same, todo->lines[i].command);

		if (line->connections > todo->lines[i].connections)
			todo->lines[i].connections = line->connections;
	}
}

/* Names of the hosts from @first on that have the same to do: they are done. Return: how many. */
static size_t put_names(struct out_text *text, struct todos *todos, size_t first)
{
	struct todo *todo = &todos->all[first];
	size_t hosts = 0, column = 2;

	out_str(text, "on");
	for (size_t i = first; i < todos->hosts->n_good; i++) {
		const char *name = todos->hosts->good[i]->name;

		if (!is_same(todo, &todos->all[i]))
			continue;
		take_most(todo, &todos->all[i]);
		if (i != first)
			todos->all[i].count = 0;
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
	size_t hosts;

	qsort(todo->lines, todo->count, sizeof(*todo->lines), compare);
	hosts = put_names(text, todos, i);
	for (size_t k = 0; k < todo->count; k++)
		out_printf(text, "  %-50s  # %s%zu connection%s%s\n", todo->lines[k].command,
			   hosts > 1 ? "up to " : "", todo->lines[k].connections,
			   todo->lines[k].connections == 1 ? "" : "s", hosts > 1 ? " each" : "");
}

void todos_put(struct out_text *text, struct todos *todos)
{
	bool is_any = false;

	for (size_t i = 0; i < todos->hosts->n_good; i++) {
		if (!todos->all[i].count)
			continue;
		if (!is_any)
			out_str(text, "\nFor more:\n");
		is_any = true;
		put_todo(text, todos, i);
	}
}
