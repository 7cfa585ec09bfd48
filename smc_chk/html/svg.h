/* SPDX-License-Identifier: MIT */
/* Boxes and what joins them, as a picture in a page. */
#pragma once

#include "out/text.h"

/* Sizes in units of the picture; a letter of a name takes 8 of them. */
#define SVG_WIDTH 360
#define SVG_BOX_WIDTH 158
#define SVG_BOX_HEIGHT 42

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

/** svg_put() - append a picture of this height with the content @drawn, which is freed */
void svg_put(struct out_text *page, int height, const char *title, const char *words,
	     struct out_text *drawn);

/** svg_box() - draw a box of SVG_BOX_HEIGHT */
void svg_box(struct out_text *drawn, const struct svg_box *box);

/** svg_line() - draw a line */
void svg_line(struct out_text *drawn, int x1, int y1, int x2, int y2);
