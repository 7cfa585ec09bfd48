/* SPDX-License-Identifier: MIT */
/* End the connections of other programs. */
#pragma once

#include "sockets/columns.h"

/** struct kill_list - connections to end; zero-initialize */
struct kill_list {
	struct sockets_row *rows;
	size_t count;
};

/** kill_add() - add a connection; its holders must stay valid */
void kill_add(struct kill_list *list, const struct sockets_row *row);

/**
 * kill_all() - end them as shutdown(2) in their programs would, or only count them; append a line
 *
 * Unsent data takes two seconds. Return: 0, or -errno of the first that cannot be ended, with @err.
 */
int kill_all(const struct kill_list *list, struct out_text *text, bool is_dry, struct smc_err *err);
