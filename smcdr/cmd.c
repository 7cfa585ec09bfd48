// SPDX-License-Identifier: MIT
/* Functions shared by all commands of smcd and smcr. */
#include "smcdr/cmd.h"

#include "base/array.h"
#include "cli/screen.h"
#include "out/list.h"

#define LABEL_WIDTH 9

int cmd_changes(struct cmd *cmd)
{
	if (cmd->is_json || cmd->is_metrics)
		return cmd_usage(cmd,
				 "--json and --metrics are only for commands that show something");
	return 0;
}

bool cmd_is(const char *word, const char *keyword)
{
	return *word && !strncmp(word, keyword, strlen(word));
}

bool cmd_is_show(const struct cmd *cmd)
{
	return !cmd->argc || (cmd->argc == 1 && cmd_is(cmd->argv[0], "show"));
}

int cmd_open(struct cmd *cmd)
{
	return cmd->nl ? 0 : smc_genl_open(&cmd->nl, SMC_GENL_FAMILY_NAME, cmd->err);
}

int cmd_dump(struct cmd *cmd, uint8_t request, smc_genl_fn fn, void *arg, const char *what)
{
	return cmd_open(cmd) ?: smc_genl_read(cmd->nl, request, fn, arg, what, cmd->err);
}

int cmd_document(struct cmd *cmd, const char *name, json_t *members)
{
	json_decref(cmd->json);
	cmd->json = json_pack("{s:o}", "schema",
			      json_sprintf("smc-tools/%s-%s/1", cmd->variant->tool->name, name));
	out_json_merge(cmd->json, members);
	return 0;
}

int cmd_filter_word(struct cmd *cmd, const char *object, int *i, struct cmd_filter *filter)
{
	const char *word = cmd->argv[*i];
	bool is_netdev = cmd_is(word, "netdev");

	if (cmd->variant->is_smcd || (!is_netdev && !cmd_is(word, "ibdev")))
		return 0;
	if (++*i == cmd->argc)
		return cmd_usage(cmd, "%s: '%s' needs a name", object, word);
	*(is_netdev ? &filter->netdev : &filter->ibdev) = cmd->argv[*i];
	return 1;
}

void *cmd_list_add(struct cmd_list *list)
{
	return smc_array_grow(&list->items, &list->count, list->item_size);
}

static void say_none(const struct cmd *cmd, const char *key)
{
	char sentence[100];

	snprintf(sentence, sizeof(sentence), "%s: no %s of %s; 'smc_chk' checks this host",
		 cmd->variant->tool->name, !strcmp(key, "linkgroups") ? "link groups" : key,
		 cmd->variant->title);
	cli_none(sentence);
}

int cmd_table(struct cmd *cmd, const struct cmd_list *list, const struct out_col *table,
	      const char *names, const char *name, const char *key)
{
	struct out_view view = { .count = 0 };
	struct out_list rows;

	if (cmd->is_json)
		return cmd_document(
			cmd, name,
			json_pack("{s:o}", key,
				  out_json_list(table, list->items, list->count, list->item_size)));
	out_view_add(&view, table, names);
	out_fit(&view, list->items, list->count, list->item_size);
	out_list_begin(&rows, &view, &cmd->text, cmd->width, list->count);
	for (size_t i = 0; i < list->count; i++)
		out_list_row(&rows, cmd_list_at(list, i));
	out_list_end(&rows);
	if (!list->count)
		say_none(cmd, key);
	return 0;
}

void cmd_block(struct cmd *cmd, const void *object, const struct out_col *table, const char *names)
{
	struct out_text *text = &cmd->text;
	struct out_view view = { .count = 0 };

	out_view_add(&view, table, names);
	for (size_t i = 0; i < view.count; i++) {
		size_t start;

		out_printf(text, "%-*s: ", LABEL_WIDTH, view.cols[i]->head);
		start = text->len;
		out_cell(text, view.cols[i], object);
		/* A missing PNET ID is blank, as in tables. */
		if (text->len == start && !view.cols[i]->is_optional)
			out_str(text, "n/a");
		out_str(text, "\n");
	}
}

int stats_load(struct cmd *cmd, struct smc_stats *stats)
{
	int ret = cmd_dump(cmd, SMC_NETLINK_GET_STATS, smc_stats_decode, stats, "the statistics");

	return ret ? ret :
		     cmd_dump(cmd, SMC_NETLINK_GET_FBACK_STATS, smc_fback_decode, stats,
			      "the fallback statistics");
}
