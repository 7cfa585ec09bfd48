// SPDX-License-Identifier: MIT
/* A sock_diag answer: decode it, then print it in every format. */
#include "fuzz.h"

#include <jansson.h>

#include "smcss/smcss.h"
#include "sockets/show.h"

/* Names from peers and devices must not control a terminal. */
static void check_text(const struct out_text *text)
{
	for (size_t i = 0; i < text->len; i++)
		MUST(text->data[i] == '\n' || (text->data[i] >= ' ' && text->data[i] < 0x7f));
}

static void print_text(const struct sockets_row *row)
{
	static const struct smcss_opts opts = {
		.is_debug = true, .only_smcr = true, .only_smcd = true, .has_processes = true
	};
	struct out_text text = { 0 };
	struct out_view view;

	MUST(!smcss_view(&view, &opts, NULL));
	MUST(!out_view_add(&view, smcss_columns, "reason,family,cookie"));
	out_row(&text, &view, row);
	sockets_explain(&text, &row->sock);
	check_text(&text);
	out_free(&text);
}

static void print_json(const struct out_col *columns, const struct sockets_row *row)
{
	json_t *json = out_json(columns, NULL, row), *back;
	char *text = json ? json_dumps(json, JSON_COMPACT) : NULL;

	MUST(text);
	back = json_loads(text, JSON_REJECT_DUPLICATES, NULL);
	MUST(json_equal(json, back));
	json_decref(back);
	json_decref(json);
	free(text);
}

static void count(struct sockets_row *row)
{
	struct netns netns = { .inode = 4026531840, .name = "a\"\\\n" };
	const struct netns_list spaces = { .entries = &netns, .count = 1 };
	struct summary *summary = summary_new(true);
	struct out_text text = { 0 };
	json_t *json;

	MUST(summary);
	row->netns = &netns;
	summary_add(summary, row);
	row->netns = NULL;
	summary_print(summary, NULL, &text, 0);
	summary_print(summary, &spaces, &text, 0);
	check_text(&text);
	out_reset(&text);
	summary_metrics(summary, &spaces, &text);
	check_text(&text);
	out_free(&text);
	json = summary_json(summary, &spaces);
	MUST(json);
	json_decref(json);
	summary_free(summary);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct nlmsghdr *nlh;
	struct sockets_row row;

	if (size > 65535)
		return 0;
	nlh = fuzz_message(data, size);
	memset(&row, 0xa5, sizeof(row));
	if (!smc_sock_decode(&row.sock, nlh)) {
		const struct proc_fd holder = { .pid = 1, .comm = "fifteen \x1b bytes" };

		row.holders = &holder;
		row.n_holders = 1;
		row.netns = NULL;
		MUST(size >= sizeof(struct smc_abi_diag_msg));
		MUST(smc_sock_mode(&row.sock) <= SMC_MODE_TCP);
		MUST(!smc_sock_needs_lookup(&row.sock) || row.sock.local.family == AF_UNSPEC);
		print_text(&row);
		print_json(smcss_columns, &row);
		count(&row);
	} else {
		MUST(size < sizeof(struct smc_abi_diag_msg));
	}
	free(nlh);
	return 0;
}
