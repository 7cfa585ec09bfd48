// SPDX-License-Identifier: MIT
/* smc_pnet: PNET IDs of devices in recorded trees, warnings and suggestions. */
#include "pnet_text.h"
#include "shell.h"
#include "trees.h"

#include "smc_pnet/smc_pnet.h"

/** struct tree - the devices of a tree, a table, and the rows of both */
struct tree {
	struct smc_pnet_table table;
	struct pnet_world world;
	struct pnet_rows rows;
	struct out_text out;
};

static void begin(struct tree *f, const char *tree, const char *entries)
{
	struct smc_err err;

	*f = (struct tree){ 0 };
	assert_int_equal(pnet_world_load(&f->world, tree_path(tree), &err), 0);
	from_text(&f->table, entries);
	pnet_rows_make(&f->rows, &f->table, &f->world);
}

static void end(struct tree *f)
{
	out_free(&f->out);
	pnet_rows_free(&f->rows);
	pnet_world_free(&f->world);
	smc_pnet_free(&f->table);
}

static void check_out(struct tree *f, const char *want)
{
	out_char(&f->out, '\0');
	assert_like(f->out.data, want);
	end(f);
}

static void append_source(struct out_text *out, const struct pnet_row *row)
{
	static const char *const sources[] = { "", " T", " H", " B" };

	out_printf(out, "%s %s", *row->pnetid ? row->pnetid : "-", row->name);
	if (row->port)
		out_printf(out, "/%u", row->port);
	out_printf(out, "%s\n", sources[row->source]);
}

static void check_rows(const char *tree, const char *entries, const char *want)
{
	struct tree f;

	begin(&f, tree, entries);
	for (size_t i = 0; i < f.rows.count; i++)
		append_source(&f.out, &f.rows.rows[i]);
	check_out(&f, want);
}

TEST(rows_s390)
{
	check_rows("s390", "NET9 lo n/a\nNET1 bond0 n/a\nX n/a loopback-ism 1\n",
		   "ABCDEFGHIJKLSTU9 bond0 B\nABCDEFGHIJKLSTU9 eno2 H\n"
		   "ABCDEFGHIJKLSTU9 mlx5_0/1 H\n"
		   "NET1 encbdf0 H\nNET1 encbdf0.5 B\nNET1 eno1 H\nNET1 mlx4_0/1 H\n"
		   "NET1 0000:00:00.0 H\nNET2 eno1d1 H\nNET2 mlx4_0/2 H\nNET9 lo T\n"
		   "X loopback-ism T\n");
}

TEST(rows_x86)
{
	check_rows("x86", "A ens1f0 n/a\nA n/a 0000:3b:00.0 1\nB n/a rxelo 1\nC n/a siw0 2\n",
		   "A ens1f0 T\nA ens1f0.7 B\nA mlx5_0/1 T\nB rxelo/1 T\nC siw0/2 T\n"
		   "- ens1f1\n- eth0\n- eth1\n- eth2\n- lo\n- erdma_0/1\n- ibp94s0/1\n- mlx5_1/1\n"
		   "- siw0/1\n");
}

static void check_warnings(const char *tree, const char *entries, const char *want)
{
	struct tree f;

	begin(&f, tree, entries);
	for (size_t i = 0; i < f.rows.count; i++)
		pnet_row_warn(&f.out, &f.rows.rows[i]);
	check_out(&f, want);
}

TEST(warnings)
{
	check_warnings("x86", "A ens1f0 mlx5_0\n", "");
	check_warnings("x86", "A ens1f0 n/a\nA ens1f0.7 n/a\n", "");
	check_warnings("x86", "A ens1f0.7 n/a\n",
		       "SMC *'ens1f0', * of 'ens1f0.7', *: smc_pnet -a A -I ens1f0");
	check_warnings(
		"s390", "A bond0 n/a\n",
		"SMC uses PNET ID ABCDEFGHIJKLSTU9 of 'eno2' below 'bond0', not the entry's A");
	check_warnings("x86", "A eth9 n/a\n", "no net device 'eth9': *");
	check_warnings("x86", "A n/a mlx5_0 2\n", "no port 2 of 'mlx5_0': *");
	check_warnings("x86", "A n/a siw0 1\n", "'siw0' *(RNIC): SMC does not *");
	check_warnings("x86", "A n/a loopback-ism 1\n", "");
}

/* Read the devices of the tree again, with one renamed. */
static void rename_net(struct tree *f, const char *from, const char *to)
{
	for (size_t i = 0; i < f->world.nets.count; i++) {
		struct netdev *net = &f->world.nets.devs[i];

		if (!strcmp(net->name, from))
			strcpy(net->name, to);
		if (!strcmp(net->base, from))
			strcpy(net->base, to);
	}
	pnet_rows_free(&f->rows);
	pnet_rows_make(&f->rows, &f->table, &f->world);
}

/* Names of interfaces are untrusted, and the command is pasted into a shell. */
TEST(warning_word)
{
	for (size_t i = 0; i < ARRAY_SIZE(hostile_names); i++) {
		const char *command;
		struct tree f;

		begin(&f, "x86", "A ens1f0.7 n/a\n");
		rename_net(&f, "ens1f0", hostile_names[i]);
		assert_true(pnet_row_warn(&f.out, pnet_row_of_net(&f.rows, "ens1f0.7")));
		out_char(&f.out, '\0');
		command = strstr(f.out.data, "only there: ");
		assert_non_null(command);
		check_typed(command + strlen("only there: "), "smc_pnet -a A -I @",
			    hostile_names[i]);
		end(&f);
	}
}

TEST(warning_without)
{
	struct tree f;

	begin(&f, "x86", "A ens1f0.7 n/a\n");
	rename_net(&f, "ens1f0", "a\n");
	assert_true(pnet_row_warn(&f.out, pnet_row_of_net(&f.rows, "ens1f0.7")));
	check_out(&f, "SMC *'a\\x0a', * of 'ens1f0.7', *only there");
}

static void check_suggestions(const char *tree, const char *entries, const char *want)
{
	struct smc_pnet_table suggested;
	struct tree f;

	begin(&f, tree, entries);
	pnet_suggest_make(&suggested, &f.table, &f.world);
	for (size_t i = 0; i < suggested.count; i++) {
		append_entry(&f.out, &suggested.entries[i]);
		out_char(&f.out, '\n');
	}
	smc_pnet_free(&suggested);
	check_out(&f, want);
}

TEST(suggestions)
{
	check_suggestions("s390", "", "");
	check_suggestions("x86", "",
			  "ETH1 eth1 erdma_0 1\nENS1F0 ens1f0 mlx5_0 1\n"
			  "ENS1F1 ens1f1 mlx5_1 1\nLO lo rxelo 1\n");
	/* A PNET ID of one side is copied; none is suggested for two; one in use is avoided. */
	check_suggestions("x86",
			  "A ens1f0 n/a\nB n/a mlx5_1 1\nC lo n/a\nD n/a rxelo 1\nETH1 eth0 n/a\n",
			  "B ens1f1 n/a 255\nETH12 eth1 erdma_0 1\nA n/a mlx5_0 1\n");
	/* The table takes one entry per device, and port 2 has it. */
	check_suggestions("x86", "A n/a erdma_0 2\nB n/a mlx5_0 2\nB n/a mlx5_1 2\nC lo rxelo 1\n",
			  "");
}

static void check_tree(const char *tree, const char *entries, const char *want)
{
	const uint32_t has = SMC_LGR_HAS_CHID;
	struct pnet_group some[] = {
		{ { .id = 0x100, .conns = 1 }, { .id = 1, .ib_dev = "mlx4_0", .ib_port = 2 } },
		{ { .id = 0x101, .conns = 2 }, { .id = 1, .ib_dev = "mlx4_0", .ib_port = 2 } },
		/* a removed device */
		{ { .id = 0x200, .conns = 2 }, { .id = 2, .ib_dev = "mlx4_1", .ib_port = 1 } },
		{ { .id = 0x300, .has = has, .chid = 0x7c0 }, { 0 } },
		{ { .id = 0x400, .has = has, .chid = 0xffff, .conns = 3 }, { 0 } },
	};
	struct pnet_groups groups = { some, ARRAY_SIZE(some) };
	struct tree f;

	begin(&f, tree, entries);
	pnet_tree(&f.out, &f.rows, &groups, 0);
	check_out(&f, want);
}

/* Other programs may set letters of Latin-1, which must not reach a terminal. */
TEST(foreign_letters)
{
	struct smc_pnet entry = { SMC_PNET_HAS_NET, "N\xc4", "e\x1b", "", 0 };
	struct out_text out = { 0 };
	json_t *json = out_json(pnet_columns, NULL, &entry);

	append_entry(&out, &entry);
	out_char(&out, '\0');
	assert_string_equal(out.data, "N\\xc4 e\\x1b n/a 255");
	assert_string_equal(json_string_value(json_object_get(json, "pnetid")), "N\\xc4");
	json_decref(json);
	out_free(&out);
}

/* The last child of a parent is drawn differently, and so are its descendants. */
TEST(trees)
{
	check_tree("s390", "",
		   "ABCDEFGHIJKLSTU9\n"
		   "`- net eno2 (up, pci, 0002:00:00.0, hardware)\n"
		   "   |- net bond0 (up, base)\n"
		   "   `- ib mlx5_0 port 1 (ACTIVE, pci, 0002:00:00.0, hardware)\n"
		   "NET1\n"
		   "|- net encbdf0 (up, ccw, 0.0.bdf0, hardware)\n"
		   "|  |- net encbdf0.5 (up, base)\n"
		   "|  |- ib mlx4_0 port 1 (ACTIVE, pci, 0001:00:00.0, hardware)\n"
		   "|  `- ism 0000:00:00.0 (pci, 0000:00:00.0, hardware)\n"
		   "|     `- SMC-D link group 00000300 (0 connections)\n"
		   "`- net eno1 (up, pci, 0001:00:00.0, hardware)\n"
		   "   |- ib mlx4_0 port 1 (ACTIVE, pci, 0001:00:00.0, hardware)\n"
		   "   `- ism 0000:00:00.0 (pci, 0000:00:00.0, hardware)\n"
		   "      `- SMC-D link group 00000300 (0 connections)\n"
		   "NET2\n"
		   "`- net eno1d1 (up, pci, 0001:00:00.0, hardware)\n"
		   "   `- ib mlx4_0 port 2 (DOWN, pci, 0001:00:00.0, hardware)\n"
		   "      |- SMC-R link group 00000100 link 1 (1 connection)\n"
		   "      `- SMC-R link group 00000101 link 1 (2 connections)\n"
		   "n/a\n"
		   "|- net lo (unknown)\n"
		   "|- SMC-R link group 00000200 link 2 (2 connections)\n"
		   "`- SMC-D link group 00000400 (3 connections)\n");
}
