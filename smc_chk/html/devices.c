// SPDX-License-Identifier: MIT
/* The devices of a host's page: net devices, what serves them, and what has which PNET ID. */

#include "base/array.h"
#include "base/words.h"
#include "net/pairing.h"
#include "smc/abi.h"
#include "smc_chk/html/html.h"

/* Maximum of pictures, which readers can still compare, and of rows in the table. */
#define CARDS_MAX 48
#define ROWS_MAX 2000

/* Sizes in units of the picture; a letter of a name takes 8 of them. */
#define WIDTH 360
#define BOX_WIDTH 158
#define BOX_HEIGHT 42
#define LETTER 8
#define SMALL_10 58 /* tenths, of a usual letter of the second line */
#define MARGIN 8
#define LEFT 4
#define RIGHT (WIDTH - BOX_WIDTH - 4)
#define MIDDLE (WIDTH / 2)
#define GAP 12
#define PITCH (BOX_HEIGHT + GAP)
#define INDENT 12
#define MAX_LEVELS 4

/* Hosts with containers have hundreds of net devices that nothing serves: show this many. */
#define PLAIN_MAX 6

/**
 * struct card - one PNET ID, and the devices of the host
 * @pnetid: "" for the devices without a PNET ID
 * @groups: link groups; the picture marks those that it shows
 * @has_loopback: SMC-D within this host is possible, even if no list has its device
 */
struct card {
	const struct pnet_rows *rows;
	struct pnet_groups *groups;
	const char *pnetid;
	bool has_loopback;
};

/* ---- boxes, and lines that join them ---- */

/**
 * struct svg_box - a device
 * @kind: "r", "d", "down", "gone", or "" for none
 * @name: printable, cut where the box is too small for it; @hint shows all of it
 * @sub: a second, smaller line of our own words
 */
struct svg_box {
	int x, y, width;
	const char *kind, *name, *sub, *hint;
};

static void put_cut(struct out_text *drawn, const char *text, size_t most)
{
	size_t len = strlen(text);

	html_printf(drawn, "%.*s", (int)(len > most ? most - 1 : len), text);
	out_str(drawn, len > most ? "&#8230;" : "");
}

static void svg_box(struct out_text *drawn, const struct svg_box *box)
{
	out_str(drawn, "<g>");
	if (box->hint)
		html_put(drawn, "<title>", box->hint, "</title>");
	out_printf(drawn,
		   "<rect class=\"%s\" x=\"%d\" y=\"%d\" width=\"%d\" height=\"%d\" rx=\"6\"/>",
		   box->kind, box->x, box->y, box->width, BOX_HEIGHT);
	out_printf(drawn, "<text x=\"%d\" y=\"%d\">", box->x + MARGIN, box->y + 18);
	put_cut(drawn, box->name, (size_t)(box->width - 2 * MARGIN) / LETTER);
	out_printf(drawn, "</text><text class=\"sub\" x=\"%d\" y=\"%d\">", box->x + MARGIN,
		   box->y + 33);
	put_cut(drawn, box->sub, (size_t)(box->width - 2 * MARGIN) * 10 / SMALL_10);
	out_str(drawn, "</text></g>\n");
}

static void svg_line(struct out_text *drawn, int x1, int y1, int x2, int y2)
{
	out_printf(drawn, "<path d=\"M%d %dL%d %d\"/>\n", x1, y1, x2, y2);
}

/* ---- devices ---- */

/**
 * struct drawing - a picture while it grows
 * @left, @right: y coordinate of the next box on each side
 * @last: middle of the lowest device that was joined to the line
 */
struct drawing {
	const struct card *card;
	struct out_text drawn, words;
	int left, right, last;
	size_t plain, hidden;
};

/*
 * Draw a line from a device to the vertical line in the middle, which stands for the PNET ID.
 * Devices without a PNET ID are joined directly.
 */
static void join(struct drawing *d, int x, int y)
{
	if (!*d->card->pnetid)
		return;
	svg_line(&d->drawn, x, y + BOX_HEIGHT / 2, MIDDLE, y + BOX_HEIGHT / 2);
	if (d->last < y + BOX_HEIGHT / 2)
		d->last = y + BOX_HEIGHT / 2;
}

static const char *kind_of(const struct pnet_row *row)
{
	const char *state = pnet_row_state(row);

	if (row->type == PNET_ISM)
		return "d";
	if (state && !strcmp(state, "absent"))
		return "gone";
	if (state && (!strcmp(state, "down") || !strcmp(state, "DOWN")))
		return "down";
	return row->type == PNET_IB ? "r" : "";
}

static void put_row(struct drawing *d, const struct pnet_row *row, int x, int y, int width)
{
	const char *state = pnet_row_state(row), *bus = row->net ? row->net->bus : "";
	struct out_text sub AUTO(out_free) = { 0 }, name AUTO(out_free) = { 0 };

	out_escaped(&name, row->name, strlen(row->name));
	out_char(&name, '\0');
	out_printf(&d->words, "%s, ", name.data);
	if (row->type == PNET_IB)
		out_printf(&sub, "port %u, ", row->port);
	if (row->type == PNET_ISM)
		state = "ISM";
	out_escaped(&sub, strcmp(state, "unknown") && *state ? state : "state unknown", 16);
	if (*bus)
		out_str(&sub, ", ");
	out_escaped(&sub, bus, NETDEV_BUS_SIZE);
	out_char(&sub, '\0');
	svg_box(&d->drawn,
		&(struct svg_box){ x, y, width, kind_of(row), name.data, sub.data, name.data });
}

/* ---- right: what serves net devices, and the link groups on it ---- */

/* @top: y coordinate of the lower edge of its device */
static void put_group(struct drawing *d, struct pnet_group *group, int top)
{
	const int x = RIGHT + INDENT, y = d->right, middle = y + BOX_HEIGHT / 2;
	char name[32], sub[64] = "";

	snprintf(name, sizeof(name), "SMC-%c %08x", group->ib[0] ? 'R' : 'D', group->id);
	if (group->ib[0])
		snprintf(sub, sizeof(sub), "link %u, ", group->link);
	snprintf(sub + strlen(sub), sizeof(sub) - strlen(sub), "%u connection%s", group->conns,
		 plural_s(group->conns));
	out_printf(&d->words, "link group %s: %s, ", name, sub);
	svg_line(&d->drawn, RIGHT + INDENT / 2, top, RIGHT + INDENT / 2, middle);
	svg_line(&d->drawn, RIGHT + INDENT / 2, middle, x, middle);
	svg_box(&d->drawn, &(struct svg_box){ x, y, BOX_WIDTH - INDENT, group->ib[0] ? "r" : "d",
					      name, sub, name });
	group->is_shown = true;
	d->right += PITCH;
}

static void put_server(struct drawing *d, const struct pnet_row *row)
{
	struct pnet_groups *groups = d->card->groups;
	int top = d->right + BOX_HEIGHT;

	join(d, RIGHT, d->right);
	put_row(d, row, RIGHT, d->right, BOX_WIDTH);
	d->right += PITCH;
	for (size_t i = 0; i < groups->count; i++)
		if (pnet_group_uses(&groups->groups[i], row))
			put_group(d, &groups->groups[i], top);
}

static bool is_lost(const struct pnet_group *group, bool is_loopback)
{
	return !group->is_shown && (group->chid == SMC_ABI_CHID_LOOPBACK) == is_loopback;
}

/* Draw a device that no list has, for example loopback, and its link groups. */
static void put_unlisted(struct drawing *d, bool is_there, bool is_loopback, const char *name,
			 const char *sub)
{
	struct pnet_groups *groups = d->card->groups;
	int top = d->right + BOX_HEIGHT;

	for (size_t i = 0; i < groups->count; i++)
		is_there |= is_lost(&groups->groups[i], is_loopback);
	if (!is_there)
		return;
	out_printf(&d->words, "%s, ", name);
	svg_box(&d->drawn, &(struct svg_box){ RIGHT, d->right, BOX_WIDTH,
					      is_loopback ? "d" : "gone", name, sub, sub });
	d->right += PITCH;
	for (size_t i = 0; i < groups->count; i++)
		if (is_lost(&groups->groups[i], is_loopback))
			put_group(d, &groups->groups[i], top);
}

/* ---- left: net devices ---- */

static bool has_id(const struct drawing *d, const struct pnet_row *row)
{
	return !strcmp(row->pnetid, d->card->pnetid);
}

/* Is the net device based on another one that this picture shows? */
static bool is_upper(const struct drawing *d, const struct pnet_row *row)
{
	const struct pnet_row *lower = row->net && *row->net->lower ?
					       pnet_row_of_net(d->card->rows, row->net->lower) :
					       NULL;

	return lower && has_id(d, lower);
}

static void put_net(struct drawing *d, const struct pnet_row *net, int level)
{
	const struct pnet_rows *rows = d->card->rows;
	int x = LEFT + level * INDENT, y = d->left;

	if (level)
		svg_line(&d->drawn, x + INDENT / 2, y - GAP, x + INDENT / 2, y);
	else
		join(d, LEFT + BOX_WIDTH, y);
	put_row(d, net, x, y, BOX_WIDTH - level * INDENT);
	d->left += PITCH;
	for (size_t i = 0; i < rows->count && level < MAX_LEVELS; i++)
		if (rows->rows[i].net && net->net && &rows->rows[i] != net &&
		    has_id(d, &rows->rows[i]) && !strcmp(rows->rows[i].net->lower, net->name))
			put_net(d, &rows->rows[i], level + 1);
}

/* Draw a net device without a PNET ID, and its RDMA ports beside it, if it has any. */
static void put_pair(struct drawing *d, const struct pnet_row *net)
{
	const struct pnet_rows *rows = d->card->rows;
	int y = d->left > d->right ? d->left : d->right;
	bool is_pair = false;

	for (size_t i = 0; i < rows->count; i++) {
		if (!pnet_row_serves(&rows->rows[i], net))
			continue;
		if (!is_pair)
			d->left = d->right = y;
		is_pair = true;
		svg_line(&d->drawn, LEFT + BOX_WIDTH, y + BOX_HEIGHT / 2, RIGHT,
			 d->right + BOX_HEIGHT / 2);
		put_server(d, &rows->rows[i]);
	}
	if (is_pair)
		put_net(d, net, 0);
}

static void put_nets(struct drawing *d, bool is_pairs)
{
	const struct pnet_rows *rows = d->card->rows;

	for_each(row, rows->rows, rows->count) {
		bool has_server = false;

		if (row->type != PNET_NET || !has_id(d, row) || is_upper(d, row))
			continue;
		for (size_t k = 0; k < rows->count && !*d->card->pnetid; k++)
			has_server |= pnet_row_serves(&rows->rows[k], row);
		if (is_pairs)
			put_pair(d, row);
		else if (has_server)
			continue;
		else if (*d->card->pnetid || d->plain++ < PLAIN_MAX)
			put_net(d, row, 0);
		else
			d->hidden++;
	}
}

/* ---- both ---- */

/* Say that one side of the picture has no device. */
static void put_missing(struct drawing *d, int x, int *y, const char *name)
{
	if (*y || !*d->card->pnetid)
		return;
	svg_box(&d->drawn,
		&(struct svg_box){ x, 0, BOX_WIDTH, "gone", name, "has this PNET ID", NULL });
	out_printf(&d->words, "%s, ", name);
	join(d, x == LEFT ? LEFT + BOX_WIDTH : RIGHT, 0);
	*y += PITCH;
}

/*
 * Append the picture. On the left are net devices; one that is based on another stands below it. On
 * the right are the RDMA and ISM devices, each with its link groups below. The picture of the
 * devices without a PNET ID also shows the devices that are not in @rows but have link groups.
 */
static void draw_card(struct out_text *page, const struct card *card)
{
	struct drawing d = { .card = card };
	char rest[48];

	if (!*card->pnetid)
		put_nets(&d, true);
	put_nets(&d, false);
	put_missing(&d, LEFT, &d.left, "no net device");
	for_each(row, card->rows->rows, card->rows->count)
		if (row->type != PNET_NET && has_id(&d, row) &&
		    (*card->pnetid || pnet_row_is_root(card->rows, row)))
			put_server(&d, row);
	put_missing(&d, RIGHT, &d.right, "no other device");
	if (!*card->pnetid) {
		put_unlisted(&d, card->has_loopback, true, "loopback", "SMC-D on this host");
		put_unlisted(&d, false, false, "unknown device", "in no list of devices");
	}
	if (d.hidden) {
		snprintf(rest, sizeof(rest), "%zu more", d.hidden);
		svg_box(&d.drawn, &(struct svg_box){ LEFT, d.left, BOX_WIDTH, "", rest,
						     "net devices", NULL });
		d.left += PITCH;
	}
	if (d.last)
		svg_line(&d.drawn, MIDDLE, BOX_HEIGHT / 2, MIDDLE, d.last);
	out_str(&d.words, "nothing else.");
	out_char(&d.words, '\0');
	out_printf(page, "<svg class=\"picture\" role=\"img\" viewBox=\"0 -1 %d %d\">\n", WIDTH,
		   (d.left > d.right ? d.left : d.right) - GAP + 2);
	html_put(page, "<title>",
		 *card->pnetid ? "Devices with this PNET ID" : "Devices without a PNET ID",
		 "</title>\n");
	html_put(page, "<desc>", d.words.data, "</desc>\n");
	out_mem(page, d.drawn.data, d.drawn.len);
	out_str(page, "</svg>\n");
	out_free(&d.drawn);
	out_free(&d.words);
}

/* ---- all devices ---- */

static void put_device(struct html_table *table, const struct pnet_row *row)
{
	static const char *const types[] = { "net device", "RDMA device", "ISM device" };
	static const char *const sources[] = { "", "the table", "the hardware", "its base device" };
	const char *base = row->ib_port ? row->ib_port->netdev : row->net ? row->net->base : "";
	const char *state = pnet_row_state(row);

	html_cell(table, "mono");
	html_name(table->page, row->name, strlen(row->name));
	if (row->port)
		out_printf(table->page, " port %u", row->port);
	html_cell_end(table);
	html_cell_text(table, NULL, types[row->type]);
	html_cell_name(table, state ? state : "", 32);
	html_cell_name(table, row->pnetid, SMC_PNET_NAME_SIZE);
	html_cell_text(table, NULL, sources[row->source]);
	html_cell_name(table, strcmp(base, row->name) ? base : "", NETDEV_NAME_SIZE);
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
		put_device(&table, &rows->rows[i]);
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
	draw_card(page, card);
	out_str(page, "</figure>\n");
}

/* Up to 6.17 loopback is in no list. */
static bool is_loopback_listed(const struct pnet_rows *rows)
{
	for_each(row, rows->rows, rows->count)
		if (row->ism && row->ism->chid == SMC_ABI_CHID_LOOPBACK)
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
	for_each(group, card->groups->groups, card->groups->count)
		has_more |= !group->is_shown;
	card->pnetid = "";
	if (has_more)
		put_card(page, card);
	out_str(page, "</div>\n");
	html_more(page, cards > CARDS_MAX ? cards - CARDS_MAX : 0, "smc_pnet -l --tree");
}

int html_devices(struct out_text *page, const struct doctor_facts *facts, struct smc_err *err)
{
	const struct choices *choices = &facts->choices;
	struct pnet_groups groups AUTO(pnet_groups_free) = { 0 };
	struct card card = {
		.rows = &choices->rows,
		.groups = &groups,
		.has_loopback = choices->has_loopback && !is_loopback_listed(&choices->rows),
	};
	int ret = facts->has_genl ? pnet_groups_load(&groups, err) : 0;

	/* -ENODATA: the record does not have them. */
	if (ret && ret != -ENODATA)
		return ret;
	html_section(page, "Devices");
	out_str(page, "<p>For a net device, SMC uses the RDMA or ISM device with the same PNET ID; "
		      "without one, the RDMA port that belongs to it.</p>\n");
	put_cards(page, &card);
	put_table(page, &choices->rows);
	html_section_end(page);
	return 0;
}
