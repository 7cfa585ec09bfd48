// SPDX-License-Identifier: MIT
/* advise: would SMC pay for what this host does over TCP? */
#include <stdio.h>
#include <unistd.h>

#include "netlink/diag.h"
#include "smc_chk/advise/advice.h"
#include "smc_chk/doctor/facts.h"
#include "smc_chk/smc_chk.h"

/* Return: chk_status. */
static int print(const struct judged *judged, const struct tally *tally,
		 const struct watched *watched, bool is_json)
{
	struct out_text text = { 0 };
	int status = judged->sum.suited_bytes ? CHK_OK : CHK_TCP;

	if (is_json)
		return chk_print_json(advice_json(judged, tally, watched)) ? CHK_ERROR : status;
	advice_text(&text, judged, tally, watched);
	return chk_print(&text) ? CHK_ERROR : status;
}

static int advise(struct doctor_facts *facts, const struct chk_request *req, struct smc_err *err)
{
	struct smc_xfrm_table policies = { 0 };
	struct tally tally = { .own = &facts->choices.facts.addrs, .policies = &policies };
	const struct way_facts ways = { &facts->choices, facts->has_smc };
	struct watched watched = { 0 };
	struct judged judged;
	int ret;

	tally_start(&tally);
	/* Without the right to see policies, and without IPsec, there are none. */
	smc_xfrm_dump(smc_xfrm_add, &policies);
	if (isatty(STDERR_FILENO))
		fprintf(stderr, "Watching TCP for %u s; Ctrl-C ends it.\n", req->watch_seconds);
	ret = watch(&tally, &watched, req, err);
	if (!ret) {
		advise_judge(&judged, &tally, &ways);
		ret = print(&judged, &tally, &watched, req->is_json);
		judged_free(&judged);
	}
	tally_free(&tally);
	smc_xfrm_free(&policies);
	return ret;
}

int chk_advise(const struct chk_request *req)
{
	return facts_use(req, advise);
}
