// SPDX-License-Identifier: MIT
/* smcss --metrics: sockets in Prometheus' text form. */
#include "summary.h"

#include <string.h>

#include "out/metrics.h"

/* Of one label; the rest is counted together. Peers choose the codes in reasons. */
#define MOST_NETNS 100
#define MOST_REASONS 30
#define OTHER "other"

/**
 * struct family - samples of a group's members
 * @mode: enum smc_mode; SMC_MODE_NONE: sockets that listen, without the label "mode"
 */
struct family {
	const char *name, *label;
	int which, mode;
	size_t most;
};

static const char *const modes[] = {
	[SMC_MODE_NONE] = NULL,
	[SMC_MODE_SMCR] = "smcr",
	[SMC_MODE_SMCD] = "smcd",
	[SMC_MODE_TCP] = "tcp",
};

static size_t number(const struct summary_item *item, int mode)
{
	return mode == SMC_MODE_NONE ? item->listening : item->counts[mode];
}

/* A container may have the name of the rest: nothing is there twice. */
static void by_item(const struct summary *summary, struct out_text *text,
		    const struct family *family)
{
	const struct summary_group *group = &summary->groups[family->which];
	const char *mode = family->which == BY_REASON ? NULL : modes[family->mode];
	size_t rest = 0, shown = 0;

	for (size_t i = 0; i < group->count; i++) {
		const struct summary_item *item = &group->items[i];

		if (shown == family->most || !strcmp(item->name, OTHER)) {
			rest += number(item, family->mode);
			continue;
		}
		metrics_sample(text, family->name, number(item, family->mode), "mode", mode,
			       family->label, item->name, NULL);
		shown++;
	}
	if (shown < group->count)
		metrics_sample(text, family->name, rest, "mode", mode, family->label, OTHER, NULL);
}

static void connections(const struct summary *summary, bool is_all, struct out_text *text)
{
	static const enum smc_mode order[] = { SMC_MODE_SMCR, SMC_MODE_SMCD, SMC_MODE_TCP };
	struct family family = { "smc_open_connections", "netns", BY_NETNS, SMC_MODE_NONE,
				 MOST_NETNS };

	metrics_head(text, family.name, "gauge",
		     "Connections of SMC sockets now, by what they "
		     "run over.");
	for (size_t i = 0; i < sizeof(order) / sizeof(order[0]); i++) {
		family.mode = (int)order[i];
		if (is_all)
			by_item(summary, text, &family);
		else
			metrics_sample(text, family.name, summary->counts[order[i]], "mode",
				       modes[order[i]], NULL);
	}
	if (!summary->has_listening)
		return;
	family.name = "smc_listening_sockets";
	family.mode = SMC_MODE_NONE;
	metrics_head(text, family.name, "gauge", "SMC sockets that listen now.");
	if (is_all)
		by_item(summary, text, &family);
	else
		metrics_sample(text, family.name, summary->listening, NULL);
}

static void namespaces(const struct summary *summary, const struct netns_list *spaces,
		       struct out_text *text)
{
	static const char name[] = "smc_network_namespaces";

	metrics_head(text, name, "gauge", "Network namespaces of this host.");
	metrics_sample(text, name, spaces->count, "what", "all", NULL);
	metrics_sample(text, name, summary->groups[BY_NETNS].count, "what", "with_sockets", NULL);
	metrics_sample(text, name, spaces->denied, "what", "denied", NULL);
	metrics_sample(text, name, spaces->failed, "what", "failed", NULL);
}

void summary_metrics(struct summary *summary, const struct netns_list *spaces,
		     struct out_text *text)
{
	static const struct family reasons = { "smc_open_fallbacks", "reason", BY_REASON,
					       SMC_MODE_TCP, MOST_REASONS };

	summary_sort(summary);
	connections(summary, spaces, text);
	metrics_head(text, reasons.name, "gauge",
		     "Connections of SMC sockets that run over TCP "
		     "now, by reason.");
	by_item(summary, text, &reasons);
	if (spaces)
		namespaces(summary, spaces, text);
	out_str(text, "# EOF\n");
}
