// SPDX-License-Identifier: MIT
/* From one PNET table to another, all of it or nothing. */
#include "settings/pnet_plan.h"

#include <string.h>

#include "settings/pnet_add.h"

bool pnet_has_entry(const struct smc_pnet_table *table, const struct smc_pnet *entry)
{
	const struct smc_pnet *holder = smc_pnet_holder(table, entry);

	return holder && smc_pnet_same(holder, entry);
}

static bool has_name(const struct smc_pnet_table *table, const char *name)
{
	for (size_t i = 0; i < table->count; i++)
		if (!strcmp(table->entries[i].name, name))
			return true;
	return false;
}

void pnet_plan_make(struct pnet_plan *plan, const struct smc_pnet_table *from,
		    const struct smc_pnet_table *to)
{
	*plan = (struct pnet_plan){ 0 };
	for (size_t i = 0; i < from->count; i++)
		if (!pnet_has_entry(to, &from->entries[i]) &&
		    !has_name(&plan->deletes, from->entries[i].name))
			smc_pnet_append(&plan->deletes, &from->entries[i]);
	for (size_t i = 0; i < to->count; i++)
		if (!pnet_has_entry(from, &to->entries[i]) ||
		    has_name(&plan->deletes, to->entries[i].name))
			smc_pnet_append(&plan->adds, &to->entries[i]);
}

void pnet_plan_free(struct pnet_plan *plan)
{
	smc_pnet_free(&plan->deletes);
	smc_pnet_free(&plan->adds);
}

static int carry_out(struct pnet_tool *tool, const struct pnet_plan *plan)
{
	int ret = 0;

	/* Deletions first: an added entry may name a device of a deleted PNET ID. */
	for (size_t i = 0; !ret && i < plan->deletes.count; i++)
		ret = pnet_delete(tool, plan->deletes.entries[i].name);
	for (size_t i = 0; !ret && i < plan->adds.count; i++)
		ret = pnet_add(tool, &plan->adds.entries[i]);
	return ret;
}

static int change(struct pnet_tool *tool, const struct smc_pnet_table *from,
		  const struct smc_pnet_table *to)
{
	struct pnet_plan plan;
	int ret;

	pnet_plan_make(&plan, from, to);
	ret = carry_out(tool, &plan);
	pnet_plan_free(&plan);
	return ret;
}

/* Undo what was done before the failure. */
static int restore(struct pnet_tool *tool, const struct smc_pnet_table *before)
{
	struct smc_err *why = tool->err, inner = { 0 };
	struct pnet_tool quiet = { tool->nl, tool->root, &inner };
	struct smc_pnet_table now;
	char text[sizeof(inner.text)];
	int ret;

	ret = pnet_fetch(quiet.nl, &now, &inner);
	if (!ret)
		ret = change(&quiet, &now, before);
	smc_pnet_free(&now);
	strcpy(text, why->text);
	return smc_err_say(why, why->code, "%.180s; the table is %s%.150s", text,
			   ret ? "not as it was: " : "as it was", ret ? inner.text : "");
}

int pnet_change(struct pnet_tool *tool, const struct smc_pnet_table *from,
		const struct smc_pnet_table *to)
{
	int ret = change(tool, from, to);

	return ret ? restore(tool, from) : 0;
}
