// SPDX-License-Identifier: MIT
#include "smc_chk/html/svg.h"

#include "smc_chk/html/page.h"

#define LETTER 8
#define SMALL_10 58 /* tenths, of a usual letter of the second line */
#define MARGIN 8

void svg_put(struct out_text *page, int height, const char *title, const char *words,
	     struct out_text *drawn)
{
	out_printf(page, "<svg class=\"picture\" role=\"img\" viewBox=\"0 -1 %d %d\">\n<title>",
		   SVG_WIDTH, height);
	html_text(page, title);
	out_str(page, "</title>\n<desc>");
	html_text(page, words);
	out_str(page, "</desc>\n");
	out_mem(page, drawn->data, drawn->len);
	out_str(page, "</svg>\n");
	out_free(drawn);
}

static void put_cut(struct out_text *drawn, const char *text, size_t most)
{
	size_t len = strlen(text);

	html_printf(drawn, "%.*s", (int)(len > most ? most - 1 : len), text);
	out_str(drawn, len > most ? "&#8230;" : "");
}

void svg_box(struct out_text *drawn, const struct svg_box *box)
{
	out_str(drawn, "<g>");
	if (box->hint) {
		out_str(drawn, "<title>");
		html_text(drawn, box->hint);
		out_str(drawn, "</title>");
	}
	out_printf(drawn,
		   "<rect class=\"%s\" x=\"%d\" y=\"%d\" width=\"%d\" height=\"%d\" rx=\"6\"/>",
		   box->kind, box->x, box->y, box->width, SVG_BOX_HEIGHT);
	out_printf(drawn, "<text x=\"%d\" y=\"%d\">", box->x + MARGIN, box->y + 18);
	put_cut(drawn, box->name, (size_t)(box->width - 2 * MARGIN) / LETTER);
	out_printf(drawn, "</text><text class=\"sub\" x=\"%d\" y=\"%d\">", box->x + MARGIN,
		   box->y + 33);
	put_cut(drawn, box->sub, (size_t)(box->width - 2 * MARGIN) * 10 / SMALL_10);
	out_str(drawn, "</text></g>\n");
}

void svg_line(struct out_text *drawn, int x1, int y1, int x2, int y2)
{
	out_printf(drawn, "<path d=\"M%d %dL%d %d\"/>\n", x1, y1, x2, y2);
}
