/* SPDX-License-Identifier: MIT */
/* What to type on which host, so that connections become more. */
#pragma once

#include "smc_chk/matrix/gather.h"

struct todo;

/** struct todos - @all: of each of the good @hosts */
struct todos {
	const struct gathered *hosts;
	struct todo *all;
};

/** todos_begin() - no commands yet; to be ended by todos_end() */
void todos_begin(struct todos *todos, const struct gathered *hosts);

/** todos_note() - add the commands of a connection's gaps */
void todos_note(struct todos *todos, size_t from, size_t to, const struct prediction *result);

/** todos_put() - append them, once for hosts with the same ones; nothing if there are none */
void todos_put(struct out_text *text, struct todos *todos);

void todos_end(struct todos *todos);
