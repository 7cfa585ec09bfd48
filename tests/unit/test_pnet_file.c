// SPDX-License-Identifier: MIT
/* smc_pnet: files of entries, and the way from one table to another. */
#include "test.h"

#include <errno.h>
#include <stdio.h>

#include "smc_pnet/smc_pnet.h"

static int parse(struct smc_pnet_table *table, const char *text, size_t len, struct smc_err *err)
{
	return pnet_read(table, text, len, "pnet.conf", err);
}

static void good(void **state)
{
	static const char text[] = "# a comment\n\n"
				   "net1 eth0 n/a 255\n"
				   "NET1\tn/a  mlx5_0 2 # more\r\n"
				   "  NET2 eth1 0000:00:00.0\n"
				   "NET1 eth0 n/a\n" /* the same again */
				   "NET3 n/a siw0 0";
	struct smc_pnet_table table;
	struct out_text out = { 0 };
	struct smc_err err;

	(void)state;
	assert_int_equal(parse(&table, text, strlen(text), &err), 0);
	for (size_t i = 0; i < table.count; i++) {
		pnet_append_entry(&out, &table.entries[i]);
		out_char(&out, '\n');
	}
	out_char(&out, '\0');
	assert_string_equal(out.data, "NET1 eth0 n/a 255\nNET1 n/a mlx5_0 2\nNET2 eth1 n/a 255\n"
				      "NET2 n/a 0000:00:00.0 1\nNET3 n/a siw0 1\n");
	out_free(&out);
	smc_pnet_free(&table);
}

static void bad(void **state)
{
	static const struct {
		const char *text, *error;
	} cases[] = {
		{ "A", "pnet.conf:1: not an entry: give" },
		{ "A eth0", "pnet.conf:1: not an entry: give" },
		{ "A eth0 n/a 255 more", "pnet.conf:1: not an entry: give" },
		{ "\nA-B eth0 n/a", "pnet.conf:2: 'A-B' is not a PNET ID" },
		{ "A n/a n/a 255", "pnet.conf:1: the entry names no device" },
		{ "A eth0123456789abcd n/a", "pnet.conf:1: 'eth0123456789abcd' is not the name" },
		{ "A n/a rxe0 3", "pnet.conf:1: '3' is not an RDMA port" },
		{ "A n/a rxe0 255", "pnet.conf:1: '255' is not an RDMA port" },
		{ "A eth0 n/a\nB eth0 n/a", "pnet.conf:2: 'eth0' already has another entry" },
		{ "A n/a rxe0 1\nA n/a rxe0 2", "pnet.conf:2: 'rxe0' already has another entry" },
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		struct smc_pnet_table table;
		struct smc_err err;

		assert_int_equal(parse(&table, cases[i].text, strlen(cases[i].text), &err),
				 -EINVAL);
		assert_int_equal(table.count, 0);
		if (strncmp(err.text, cases[i].error, strlen(cases[i].error)))
			fail_msg("%s instead of %s", err.text, cases[i].error);
	}
}

static void not_text(void **state)
{
	struct smc_pnet_table table;
	struct smc_err err;

	(void)state;
	assert_int_equal(parse(&table, "A eth0\0 n/a\n", 12, &err), -EINVAL);
	assert_string_equal(err.text, "pnet.conf:1: this is not text");
}

static void from_text(struct smc_pnet_table *table, const char *text)
{
	struct smc_err err;

	*table = (struct smc_pnet_table){ 0 };
	if (*text)
		assert_int_equal(parse(table, text, strlen(text), &err), 0);
}

/* Names to delete, and entries to add, as one text. */
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
		pnet_append_entry(&out, &plan.adds.entries[i]);
		out_str(&out, "\n");
	}
	out_char(&out, '\0');
	assert_string_equal(out.data, want);
	out_free(&out);
	pnet_plan_free(&plan);
	smc_pnet_free(&a);
	smc_pnet_free(&b);
}

static void plans(void **state)
{
	(void)state;
	check_plan("", "", "");
	check_plan("", "A eth0 rxe0 1", "A eth0 n/a 255\nA n/a rxe0 1\n");
	check_plan("A eth0 rxe0 1", "", "-A\n");
	check_plan("A eth0 rxe0 1", "A n/a rxe0 1\nA eth0 n/a", "");
	/* One entry goes: its PNET ID goes, and what stays of it comes again. */
	check_plan("A eth0 rxe0 1\nB eth1 n/a", "A eth0 n/a\nB eth1 n/a", "-A\nA eth0 n/a 255\n");
	/* A device changes its PNET ID, and a port its number. */
	check_plan("A eth0 n/a\nB n/a rxe0 1", "B eth0 n/a\nB n/a rxe0 2",
		   "-A\n-B\nB eth0 n/a 255\nB n/a rxe0 2\n");
}

/* The kernel takes any name: what --export writes is the same entry again for --import. */
static void round_trip(void **state)
{
	static const char *const names[] = { "a#b",	  "#",	"d'q", "\303\251",
					     "back\\x41", "\\", "a\\x" };

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(names); i++) {
		struct smc_pnet net = { .has = SMC_PNET_HAS_NET, .name = "A" };
		struct smc_pnet ib = { .has = SMC_PNET_HAS_IB | SMC_PNET_HAS_PORT,
				       .name = "A",
				       .port = 2 };
		struct smc_pnet_table table;
		struct out_text text = { 0 };
		struct smc_err err;

		strcpy(net.eth, names[i]);
		strcpy(ib.ib, names[i]);
		pnet_append_line(&text, &net);
		pnet_append_line(&text, &ib);
		assert_int_equal(parse(&table, text.data, text.len, &err), 0);
		assert_int_equal(table.count, 2);
		assert_true(smc_pnet_same(&table.entries[0], &net));
		assert_true(smc_pnet_same(&table.entries[1], &ib));
		smc_pnet_free(&table);
		out_free(&text);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(good),	 cmocka_unit_test(bad),	       cmocka_unit_test(not_text),
		cmocka_unit_test(plans), cmocka_unit_test(round_trip),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
