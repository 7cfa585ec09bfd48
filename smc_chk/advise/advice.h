/* SPDX-License-Identifier: MIT */
/* The table of advise, as text and JSON. */
#pragma once

#include "out/table.h"
#include "smc_chk/advise/verdict.h"
#include "smc_chk/advise/watch.h"

/** advice_text() - append the table, the sum and how it was found out */
void advice_text(struct out_text *text, const struct judged *judged, const struct tally *tally,
		 const struct watched *watched);

/** advice_json() - the same. Return: new reference */
json_t *advice_json(const struct judged *judged, const struct tally *tally,
		    const struct watched *watched);
