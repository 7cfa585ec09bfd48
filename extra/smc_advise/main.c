// SPDX-License-Identifier: MIT
/* smc_advise: find the TCP connections of this host that would gain from SMC. */
#include <getopt.h>

#include "cli/cli.h"
#include "cli/screen.h"
#include "host/record.h"
#include "net/netns.h"
#include "netlink/diag.h"
#include "out/list.h"
#include "sandbox/enclose.h"
#include "smc_advise/advice.h"

#define WATCH_MAX (7 * 86400)

/* Exit status, like smc_chk's. */
enum { BENEFITS, FAILED, BENEFITS_NOT };

enum { OPT_FOR = CLI_LONG_ONLY };

static struct {
	unsigned int seconds;
	bool is_json, is_debug;
	const char *netns;
	size_t width;
} asked = { .seconds = 60 };

static const struct cli_opt options[] = {
	{ OPT_FOR, "for", "TIME", "watch for this long, such as 30s or 1h (default 1m)" },
	{ 'j', "json", NULL, "write one JSON document", &asked.is_json },
	{ 'N', "netns", "NETNS", "look into a network namespace: name, PID or path",
	  .text = &asked.netns },
	CLI_COLOR_OPTION,
	{ 'd', "debug", NULL, "print each step on standard error", &asked.is_debug },
	{ 0 },
};

static const struct cli_tool tool = {
	.name = "smc_advise",
	.usage = "[OPTIONS]",
	.summary = "Watch TCP connections for a while, and list those that SMC would improve.",
	.opts = options,
	.examples = "  smc_advise --for 1h\n  smc_advise --json\n",
	.exits = "0 something would benefit, 1 error, 2 nothing would",
	.error_status = FAILED,
};

/* A week is longer than anybody waits. */
static int take_time(int val __attribute__((unused)))
{
	const char *text = optarg;
	char *end = NULL;
	unsigned long seconds = *text >= '0' && *text <= '9' ? strtoul(text, &end, 10) : 0;
	unsigned long unit = 1;

	if (seconds && *end == 'h')
		unit = 3600;
	else if (seconds && *end == 'm')
		unit = 60;
	if (seconds && *end && strchr("smh", *end))
		end++;
	if (!seconds || *end || seconds > WATCH_MAX / unit)
		return cli_usage_error(&tool, "'%s' is not a time from 1s to 168h", text);
	asked.seconds = (unsigned int)(seconds * unit);
	return 0;
}

/* Return: exit status; -errno with @err */
static int report(const struct judged *judged, const struct tally *tally,
		  const struct watched *watched, struct smc_err *err)
{
	struct out_text text = { 0 };
	int ret;

	if (asked.is_json) {
		ret = out_print_json(advice_json(judged, tally, watched), err);
	} else {
		advice_text(&text, judged, tally, watched, asked.width);
		out_wrap_from(&text, 0, asked.width, 0);
		ret = out_finish(&text, err);
	}
	if (ret)
		return ret;
	return judged->sum.suited_bytes ? BENEFITS : BENEFITS_NOT;
}

static int advise(struct smc_err *err)
{
	struct devices devices AUTO(devices_free) = { .count = 0 };
	struct smc_xfrm_table policies AUTO(smc_xfrm_free) = { 0 };
	struct tally tally AUTO(tally_free) = { .own = &devices.addrs, .policies = &policies };
	struct watched watched = { 0 };
	struct judged judged AUTO(judged_free) = { .count = 0 };
	int ret = devices_load(&devices, asked.netns, err);

	if (ret)
		return ret;
	tally_start(&tally);
	/* No policies without IPsec, or without the right to list them. */
	smc_xfrm_dump(smc_xfrm_add, &policies);
	ret = advise_watch(&tally, &watched, asked.seconds, asked.is_debug, err);
	if (ret)
		return ret;
	advise_judge(&judged, &tally, &devices);
	return report(&judged, &tally, &watched, err);
}

int main(int argc, char **argv)
{
	struct smc_err err = { 0 };
	int status, closed;

	cli_start();
	status = cli_parse(&tool, argc, argv, take_time);
	if (status < 0 && cli_no_operand(&tool, argv[optind]))
		return FAILED;
	if (status >= 0)
		return status;
	if (record_root())
		return cli_error(&tool, "a recorded host has no connections to watch");
	asked.width = asked.is_json ? 0 : cli_columns();
	if (enclose_record(&err) || smc_netns_enter(asked.netns, &err))
		return cli_error(&tool, "%s", err.text);
	status = advise(&err);
	if (status < 0)
		status = cli_error(&tool, "%s", err.text);
	closed = cli_close_stdout(&tool);
	return closed ? closed : status;
}
