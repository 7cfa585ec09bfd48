// SPDX-License-Identifier: MIT
/* A matrix of many hosts: how many connections are of which kind. */
#include "smc_chk/matrix/show.h"

#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/memory.h"
#include "out/table.h"
#include "smc_chk/matrix/todos.h"

/** struct kind - connections that are the same to a reader; @one, @other: an example */
struct kind {
	uint64_t count;
	char mode[MATRIX_MODE_SIZE];
	const char *one, *other;
	char *why;
};

static const struct out_col columns[] = {
	{ "count", "Connections", "count", 11, OUT_RIGHT, OUT_DEC(kind, count, 0) },
	{ "mode", "Mode", "mode", 10, OUT_STR(kind, mode) },
	{ "client", "Such as", "client", 8, OUT_PTR(kind, one) },
	{ "server", "to", "server", 8, OUT_PTR(kind, other) },
	{ "why", "Why not more", "why", 12, OUT_PTR(kind, why) },
	{ 0 },
};

struct summary {
	const struct matrix *matrix;
	struct kind *kinds;
	size_t count, size;
	struct todos todos;
	struct out_text why;
	size_t *tcp;
};

static struct kind *find(struct summary *sum, const char *mode, const char *why)
{
	struct kind *kind;

	for (size_t i = 0; i < sum->count; i++)
		if (!strcmp(sum->kinds[i].mode, mode) && !strcmp(sum->kinds[i].why, why))
			return &sum->kinds[i];
	kind = smc_array_add(&sum->kinds, &sum->count, &sum->size, sizeof(*kind));
	memcpy(kind->mode, mode, sizeof(kind->mode));
	kind->why = xstrdup(why);
	return kind;
}

static void add(struct summary *sum, size_t from, size_t to, const struct prediction *result)
{
	static const char someone[] = "one of them";
	char mode[MATRIX_MODE_SIZE] = "";
	struct kind *kind;

	matrix_mode(mode, result);
	kind = find(sum, mode, matrix_why(&sum->why, result, someone, someone));
	if (!kind->count++) {
		kind->one = matrix_host(sum->matrix, from)->name;
		kind->other = matrix_host(sum->matrix, to)->name;
	}
	*sum->tcp += result->mode == PREDICT_TCP;
	todos_note(&sum->todos, from, to, result);
}

static int on_pair(void *arg, size_t a, size_t b, const struct prediction *forth,
		   const struct prediction *back, struct smc_err *err)
{
	struct summary *sum = arg;

	(void)err;
	add(sum, a, b, forth);
	add(sum, b, a, back);
	return 0;
}

/* The most frequent one first. */
static int compare(const void *a, const void *b)
{
	const struct kind *one = a, *other = b;

	return one->count != other->count ? (one->count < other->count ? 1 : -1) :
					    strcmp(one->why, other->why);
}

static int print(struct summary *sum, struct smc_err *err)
{
	struct out_view view = { 0 };
	struct out_text text = { 0 };
	int ret;

	if (sum->count)
		qsort(sum->kinds, sum->count, sizeof(*sum->kinds), compare);
	out_view_add(&view, columns, "count,mode,client,server,why");
	out_header(&text, &view);
	for (size_t i = 0; i < sum->count; i++)
		out_row(&text, &view, &sum->kinds[i]);
	todos_put(&text, &sum->todos);
	out_printf(&text, "\n%zu hosts; each pair of them: -j, --dot\n", sum->matrix->count);
	ret = out_print(&text, err);
	out_free(&text);
	return ret;
}

int show_summary(const struct matrix *matrix, size_t *tcp, struct smc_err *err)
{
	struct summary sum = { .matrix = matrix, .tcp = tcp };
	int ret;

	todos_begin(&sum.todos, matrix);
	ret = matrix_each_pair(matrix, on_pair, &sum, err);
	if (!ret)
		ret = print(&sum, err);
	for (size_t i = 0; i < sum.count; i++)
		free(sum.kinds[i].why);
	free(sum.kinds);
	todos_end(&sum.todos);
	out_free(&sum.why);
	return ret;
}
