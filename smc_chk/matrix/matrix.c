// SPDX-License-Identifier: MIT
/* A fleet on paper: what a connection between each two of several hosts would be. */
#include "smc_chk/matrix/matrix.h"

#include <errno.h>
#include <stdlib.h>

#include "base/memory.h"
#include "smc_chk/matrix/show.h"

static int show(const struct matrix *matrix, const struct chk_request *req, struct smc_err *err)
{
	size_t tcp = 0;
	int ret;

	if (req->is_dot)
		ret = show_dot(matrix, &tcp, err);
	else if (req->is_json)
		ret = show_json(matrix, &tcp, err);
	else if (matrix->count >= SHOW_MANY)
		ret = show_summary(matrix, &tcp, err);
	else
		ret = show_text(matrix, &tcp, err);
	return ret ? ret : tcp ? CHK_TCP : CHK_OK;
}

static int run(const struct gathered *all, const struct chk_request *req, struct smc_err *err)
{
	struct matrix matrix = { all, xcalloc(all->count, sizeof(*matrix.good)), 0 };
	int ret = 0;

	for (size_t i = 0; i < all->count; i++) {
		if (all->errors[i].code)
			cli_error(&chk_tool, "%s", all->errors[i].text);
		else
			matrix.good[matrix.count++] = i;
	}
	if (matrix.count < 2)
		ret = smc_err_say(err, ENODATA, "no two hosts are left");
	if (!ret)
		ret = show(&matrix, req, err);
	if (ret >= 0 && matrix.count < all->count)
		ret = CHK_ERROR;
	free(matrix.good);
	return ret;
}

/* Return: 0, or the status after a message. */
static int check_names(const struct chk_request *req)
{
	char *const *name = req->operands;

	if (!name[1])
		return cli_usage_error(req->command->tool, "two hosts or bundles are needed");
	while (*name && **name && **name != '-')
		name++;
	return *name ? cli_usage_error(req->command->tool, "'%s' is neither a host nor a bundle",
				       *name) :
		       0;
}

int chk_matrix(const struct chk_request *req)
{
	struct smc_err err = { 0 };
	struct gathered all;
	int ret = check_names(req);

	if (ret)
		return ret;
	ret = gather(&all, req->operands, &err);
	if (!ret)
		ret = run(&all, req, &err);
	gather_free(&all);
	return ret < 0 ? cli_error(&chk_tool, "%s", err.text) : ret;
}
