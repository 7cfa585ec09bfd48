// SPDX-License-Identifier: MIT
/* A fleet on paper: what a connection between each two of several hosts would be. */
#include <errno.h>

#include "smc_chk/matrix/show.h"

static int run(const struct gathered *all, const struct chk_request *req, struct smc_err *err)
{
	int ret;

	for (size_t i = 0; i < all->count; i++)
		if (all->errors[i].code)
			cli_error(&chk_tool, "%s", all->errors[i].text);
	if (all->n_good < 2)
		return smc_err_say(err, ENODATA, "no two hosts are left");
	ret = show_matrix(all, req, err);
	return ret >= 0 && all->n_good < all->count ? CHK_ERROR : ret;
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
