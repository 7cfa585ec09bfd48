// SPDX-License-Identifier: MIT
/* smc_run: run a command with its TCP sockets turned into SMC sockets. */
#include <arpa/inet.h>
#include <ctype.h>
#include <getopt.h>
#include <time.h>

#include "base/memory.h"
#include "cli/screen.h"
#include "launch/launch.h"
#include "launch/learned_list.h"

const int memory_status = LAUNCH_FAILED;

enum { OPT_LEARNED = LAUNCH_LAST };

static bool is_learned, is_json;

static const struct cli_opt options[] = {
	LAUNCH_OPTIONS,
	LAUNCH_LEARN_OPTION,
	LAUNCH_COMMAND_OPTIONS,
	{ OPT_LEARNED, "learned", NULL, "list what was learned about destinations", &is_learned },
	{ 'j', "json", NULL, "write one JSON document", &is_json, .needs = "--learned" },
	{ 0 },
};

static const struct cli_tool tool = {
	.name = "smc_run",
	.usage = "[OPTION]... [--] COMMAND [ARGUMENT]...\n"
		 "--learned [-j]",
	.summary = "Run a command with its TCP sockets turned into SMC sockets.",
	.opts = options,
	.more = "Example: smc_run -r 1M -t 1M redis-server --port 7000\n"
		"\n"
		"Exit status: that of COMMAND; 125 if smc_run fails, 126 if COMMAND cannot be\n"
		"executed, 127 if it is not found.\n",
	.error_status = LAUNCH_FAILED,
	.stop_at_first = true,
};

static struct launch launch = { .tool = &tool };

/* ---- --learned: JSON by hand, as a library would slow down each start of a command ---- */

enum { WHY = 40 };

static const char *address(const struct learned_fact *fact, char *text)
{
	if (IN6_IS_ADDR_V4MAPPED(&fact->addr))
		return inet_ntop(AF_INET, &fact->addr.s6_addr[12], text, INET6_ADDRSTRLEN);
	return inet_ntop(AF_INET6, &fact->addr, text, INET6_ADDRSTRLEN);
}

/* Programs choose their names: escape them. */
static void name(const struct learned_fact *fact, char *text)
{
	for (const char *from = fact->program; *from; from++) {
		if (isalnum((unsigned char)*from) || strchr("+-._@", *from))
			*text++ = *from;
		else
			text += sprintf(text, is_json ? "\\u%04x" : "\\x%02x",
					(unsigned char)*from);
	}
	*text = '\0';
}

static const char *uses_because(const struct learned_fact *fact)
{
	if (fact->is_new)
		return "new";
	if (fact->is_long)
		return "long";
	return fact->is_tcp ? "shorter over TCP" : "shorter over SMC";
}

static void say_why(const struct learned_fact *fact, char *why)
{
	time_t until = time(NULL) + fact->broken;
	char clock[sizeof("23:59")] = "";
	struct tm tm;

	if (fact->broken && localtime_r(&until, &tm)) {
		strftime(clock, sizeof(clock), "%H:%M", &tm);
		snprintf(why, WHY, "a handshake broke, until %s", clock);
	} else {
		snprintf(why, WHY, "%s", uses_because(fact));
	}
}

static const char *milliseconds(uint64_t nanoseconds, char *text)
{
	if (!nanoseconds)
		return "-";
	sprintf(text, "%.2f ms", (double)nanoseconds / 1e6);
	return text;
}

static void put_json_time(const char *key, uint64_t nanoseconds)
{
	if (nanoseconds)
		printf("\"%s\":%llu,", key, (unsigned long long)nanoseconds / 1000);
}

#define JSON_START "{\"schema\":\"smc-tools/learned/1\",\"destinations\":["

static void print_json(const struct learned_fact *fact, void *count)
{
	char addr[INET6_ADDRSTRLEN], program[6 * LEARNED_PROGRAM + 1];

	name(fact, program);
	printf("%s{\"user\":%u,\"program\":\"%s\",\"address\":\"%s\",\"port\":%u,"
	       "\"uses\":\"%s\",",
	       (*(int *)count)++ ? "," : JSON_START, fact->user, program, address(fact, addr),
	       fact->port, fact->is_tcp ? "TCP" : "SMC");
	if (fact->is_tcp)
		printf("\"why\":\"%s\",", fact->broken ? "broke" : "short");
	if (fact->broken)
		printf("\"seconds_left\":%u,", fact->broken);
	put_json_time("handshake_us", fact->handshake);
	put_json_time("smc_life_us", fact->smc);
	put_json_time("tcp_life_us", fact->tcp);
	printf("\"connections\":%u,\"idle_seconds\":%u}", fact->connections, fact->idle);
}

static void print_row(const struct learned_fact *fact, void *count)
{
	char addr[INET6_ADDRSTRLEN], place[INET6_ADDRSTRLEN + sizeof("[]:65535")];
	char program[4 * LEARNED_PROGRAM + 1], why[WHY], times[3][32], line[320];

	if (!(*(int *)count)++) {
		snprintf(line, sizeof(line), "%-12s  %6s  %-23s  Uses   #Conns  %s", "Program",
			 "UID", "Destination", "Handshake   SMC life   TCP life  Why");
		cli_print(line);
	}
	name(fact, program);
	address(fact, addr);
	snprintf(place, sizeof(place), strchr(addr, ':') ? "[%s]:%u" : "%s:%u", addr, fact->port);
	say_why(fact, why);
	snprintf(line, sizeof(line), "%-12s  %6u  %-23s  %-4s  %7u  %9s  %9s  %9s  %s", program,
		 fact->user, place, fact->is_tcp ? "TCP" : "SMC", fact->connections,
		 milliseconds(fact->handshake, times[0]), milliseconds(fact->smc, times[1]),
		 milliseconds(fact->tcp, times[2]), why);
	cli_print(line);
}

static int show_learned(void)
{
	int count = 0, ret = learned_each(is_json ? print_json : print_row, &count);

	if (ret)
		return cli_error(&tool, "cannot list shared memory: %s", strerror(-ret));
	if (is_json)
		puts(count ? "]}" : JSON_START "]}");
	else if (!count)
		cli_none("smc_run: no destination is known");
	return cli_close_stdout(&tool);
}

/* ---- the command ---- */

static int take_option(int opt)
{
	return launch_option(&launch, opt);
}

int main(int argc, char **argv)
{
	int status = cli_parse(&tool, argc, argv, take_option);

	launch.command_line = argv;
	if (status >= 0)
		return status;
	if (is_learned && cli_no_operand(&tool, argv[optind]))
		return LAUNCH_FAILED;
	return is_learned ? show_learned() : launch_run(&launch, argv + optind);
}
