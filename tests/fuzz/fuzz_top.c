// SPDX-License-Identifier: MIT
/* A sock_diag answer as a row of smc_top. */
#include "fuzz.h"

#include <jansson.h>

#include "smc_top/top.h"

/* In the first second, and after a second without traffic. */
static void measure(struct top_row *row)
{
	const struct smc_unseen unseen = { UINT64_MAX, UINT64_MAX };
	struct smc_sample first, second;

	smc_sample_sock(&first, &row->base.sock, 1000000000);
	smc_sample_sock(&second, &row->base.sock, 2000000000);
	smc_rate(&row->rate, &first, &second, first.at, &unseen);
	MUST(!row->rate.in.bytes && !row->rate.out.bytes);
	smc_rate(&row->rate, NULL, &second, first.at, &unseen);
	MUST(row->rate.unread.bytes <= row->rate.unread.size);
	MUST(row->rate.unsent.bytes <= row->rate.unsent.size);
}

static void print_json(const struct top_row *row)
{
	json_t *json = out_json(top_columns, NULL, row);
	char *text = json ? json_dumps(json, JSON_COMPACT) : NULL;

	MUST(text);
	json_decref(json);
	free(text);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct nlmsghdr *nlh;
	struct top_row row;

	if (size > 65535)
		return 0;
	nlh = fuzz_message(data, size);
	memset(&row, 0xa5, sizeof(row));
	if (!smc_sock_decode(&row.base.sock, nlh)) {
		row.base.holders = NULL;
		row.base.n_holders = 0;
		row.base.netns = NULL;
		measure(&row);
		print_json(&row);
	}
	free(nlh);
	return 0;
}
