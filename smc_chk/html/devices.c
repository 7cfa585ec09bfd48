// SPDX-License-Identifier: MIT
/* The devices of a host's page: net devices, what serves them, and what has which PNET ID. */

#include "smc/abi.h"
#include "smc_chk/html/card.h"
#include "smc_chk/html/html.h"
#include "smc_chk/html/page.h"

/* Maximum of pictures, which readers can still compare, and of rows in the table. */
#define CARDS_MAX 48
#define ROWS_MAX 2000

static void put_text(struct html_table *table, const char *text, size_t len)
{
	html_cell(table, NULL);
	html_name(table->page, text ? text : "", len);
	html_cell_end(table);
}

static void put_row(struct html_table *table, const struct pnet_row *row)
{
	static const char *const types[] = { "net device", "RDMA device", "ISM device" };
	static const char *const sources[] = { "", "the table", "the hardware", "its base device" };
	const char *base = row->ib_port ? row->ib_port->netdev : row->net ? row->net->base : "";

	html_cell(table, "mono");
	html_name(table->page, row->name, strlen(row->name));
	if (row->port)
		out_printf(table->page, " port %u", row->port);
	html_cell_end(table);
	put_text(table, types[row->type], 32);
	put_text(table, pnet_row_state(row), 32);
	put_text(table, row->pnetid, SMC_PNET_NAME_SIZE);
	put_text(table, sources[row->source], 32);
	put_text(table, strcmp(base, row->name) ? base : "", NETDEV_NAME_SIZE);
}

static void put_table(struct out_text *page, const struct pnet_rows *rows)
{
	static const char *const heads[] = { "Device",	"Type", "State", "PNET ID",
					     "ID from", "Base", NULL };
	size_t shown = rows->count < ROWS_MAX ? rows->count : ROWS_MAX;
	struct html_table table;

	out_printf(page, "<details>\n<summary>All devices (%zu) in a table</summary>\n",
		   rows->count);
	html_table_begin(&table, page, "Each device, or port of one", heads);
	for (size_t i = 0; i < shown; i++)
		put_row(&table, &rows->rows[i]);
	html_table_end(&table);
	html_more(page, rows->count - shown, "smc_pnet -l");
	out_str(page, "</details>\n");
}

static void put_card(struct out_text *page, const struct card *card)
{
	out_str(page, "<figure>\n<figcaption>");
	out_str(page, *card->pnetid ? "PNET ID " : "Without a PNET ID");
	html_name(page, card->pnetid, SMC_PNET_NAME_SIZE);
	out_str(page, "</figcaption>\n");
	html_card(page, card);
	out_str(page, "</figure>\n");
}

/* Up to 6.17 loopback is in no list. */
static bool is_loopback_listed(const struct pnet_rows *rows)
{
	for (size_t i = 0; i < rows->count; i++)
		if (rows->rows[i].ism && rows->rows[i].ism->chid == SMC_ABI_CHID_LOOPBACK)
			return true;
	return false;
}

/*
 * Draw a picture for each PNET ID, then that of the devices without one, which also has all link
 * groups not shown before.
 */
static void put_cards(struct out_text *page, struct card *card)
{
	const struct pnet_rows *rows = card->rows;
	bool has_more = card->has_loopback;
	size_t cards = 0;

	out_str(page, "<div class=\"cards\">\n");
	for (size_t i = 0; i < rows->count; i++) {
		card->pnetid = rows->rows[i].pnetid;
		has_more |= !*card->pnetid;
		if (*card->pnetid && (!i || strcmp(rows->rows[i - 1].pnetid, card->pnetid)) &&
		    cards++ < CARDS_MAX)
			put_card(page, card);
	}
	for (size_t i = 0; i < card->groups->count; i++)
		has_more |= !card->groups->groups[i].is_shown;
	card->pnetid = "";
	if (has_more)
		put_card(page, card);
	out_str(page, "</div>\n");
	html_more(page, cards > CARDS_MAX ? cards - CARDS_MAX : 0, "smc_pnet -l --tree");
}

int html_devices(struct out_text *page, const struct doctor_facts *facts, struct smc_err *err)
{
	const struct choice_facts *deciding = &facts->choices.facts;
	struct pnet_groups groups = { 0 };
	struct card card = {
		.rows = &deciding->rows,
		.groups = &groups,
		.has_loopback = deciding->has_loopback && !is_loopback_listed(&deciding->rows),
	};
	int ret = facts->has_genl ? pnet_groups_load(&groups, err) : 0;

	/* -ENODATA: the record does not have them. */
	if (ret && ret != -ENODATA)
		return ret;
	html_section(page, "Devices");
	out_str(page, "<p>For a net device, SMC uses the RDMA or ISM device with the same PNET ID; "
		      "without one, the RDMA port that belongs to it.</p>\n");
	put_cards(page, &card);
	put_table(page, &deciding->rows);
	html_section_end(page);
	pnet_groups_free(&groups);
	return 0;
}
