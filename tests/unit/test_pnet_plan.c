// SPDX-License-Identifier: MIT
/* Compute the changes from one PNET table to another. */
#include "pnet_text.h"
#include "said.h"

/* Format names to delete, and entries to add, as one text. */
static void check_plan(const char *from, const char *to, const char *want)
{
	struct smc_pnet_table a, b;
	struct out_text out = { 0 };
	struct pnet_plan plan;

	from_text(&a, from);
	from_text(&b, to);
	pnet_plan_make(&plan, &a, &b);
	for (size_t i = 0; i < plan.deletes.count; i++) {
		out_str(&out, "-");
		out_str(&out, plan.deletes.entries[i].name);
		out_str(&out, "\n");
	}
	for (size_t i = 0; i < plan.adds.count; i++) {
		append_entry(&out, &plan.adds.entries[i]);
		out_str(&out, "\n");
	}
	assert_string_equal(said(&out), want);
	pnet_plan_free(&plan);
	smc_pnet_free(&a);
	smc_pnet_free(&b);
}

TEST(plans)
{
	check_plan("", "", "");
	check_plan("", "A eth0 rxe0 1", "A eth0 n/a 255\nA n/a rxe0 1\n");
	check_plan("A eth0 rxe0 1", "", "-A\n");
	check_plan("A eth0 rxe0 1", "A n/a rxe0 1\nA eth0 n/a", "");
	/* Removing one entry deletes its PNET ID, and adds the remaining entries again. */
	check_plan("A eth0 rxe0 1\nB eth1 n/a", "A eth0 n/a\nB eth1 n/a", "-A\nA eth0 n/a 255\n");
	/* A device changes its PNET ID, and a port its number. */
	check_plan("A eth0 n/a\nB n/a rxe0 1", "B eth0 n/a\nB n/a rxe0 2",
		   "-A\n-B\nB eth0 n/a 255\nB n/a rxe0 2\n");
}
