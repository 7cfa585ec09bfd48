// SPDX-License-Identifier: MIT
/* smc_run --learned. Writes JSON by hand, as a library would slow down each start of a command. */
#include <arpa/inet.h>
#include <ctype.h>
#include <time.h>

#include "cli/screen.h"
#include "launch/learned_list.h"
#include "smc_run/smc_run.h"

enum { WHY = 40 };

struct list {
	bool is_json;
	int count;
};

static const char *address(const struct learned_fact *fact, char *text)
{
	if (IN6_IS_ADDR_V4MAPPED(&fact->addr))
		return inet_ntop(AF_INET, &fact->addr.s6_addr[12], text, INET6_ADDRSTRLEN);
	return inet_ntop(AF_INET6, &fact->addr, text, INET6_ADDRSTRLEN);
}

/* Programs choose their names: escape them. */
static void name(const struct learned_fact *fact, bool is_json, char *text)
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

static void print_json(const struct learned_fact *fact, bool is_first)
{
	char addr[INET6_ADDRSTRLEN], program[6 * LEARNED_PROGRAM + 1];

	name(fact, true, program);
	printf("%s{\"user\":%u,\"program\":\"%s\",\"address\":\"%s\",\"port\":%u,"
	       "\"uses\":\"%s\",",
	       is_first ? JSON_START : ",", fact->user, program, address(fact, addr), fact->port,
	       fact->is_tcp ? "TCP" : "SMC");
	if (fact->is_tcp)
		printf("\"why\":\"%s\",", fact->broken ? "broke" : "short");
	if (fact->broken)
		printf("\"seconds_left\":%u,", fact->broken);
	put_json_time("handshake_us", fact->handshake);
	put_json_time("smc_life_us", fact->smc);
	put_json_time("tcp_life_us", fact->tcp);
	printf("\"connections\":%u,\"idle_seconds\":%u}", fact->connections, fact->idle);
}

static void print_row(const struct learned_fact *fact, bool is_first)
{
	char addr[INET6_ADDRSTRLEN], place[INET6_ADDRSTRLEN + sizeof("[]:65535")];
	char program[4 * LEARNED_PROGRAM + 1], why[WHY], times[3][32], line[320];

	if (is_first) {
		snprintf(line, sizeof(line), "%-12s  %6s  %-23s  Uses   #Conns  %s", "Program",
			 "UID", "Destination", "Handshake   SMC life   TCP life  Why");
		cli_print(line);
	}
	name(fact, false, program);
	address(fact, addr);
	snprintf(place, sizeof(place), strchr(addr, ':') ? "[%s]:%u" : "%s:%u", addr, fact->port);
	say_why(fact, why);
	snprintf(line, sizeof(line), "%-12s  %6u  %-23s  %-4s  %7u  %9s  %9s  %9s  %s", program,
		 fact->user, place, fact->is_tcp ? "TCP" : "SMC", fact->connections,
		 milliseconds(fact->handshake, times[0]), milliseconds(fact->smc, times[1]),
		 milliseconds(fact->tcp, times[2]), why);
	cli_print(line);
}

static void visit(const struct learned_fact *fact, void *arg)
{
	struct list *list = arg;

	if (list->is_json)
		print_json(fact, !list->count);
	else
		print_row(fact, !list->count);
	list->count++;
}

int show_learned(const struct cli_tool *tool, bool is_json)
{
	struct list list = { .is_json = is_json };
	int ret;

	ret = learned_each(visit, &list);
	if (ret)
		return cli_error(tool, "cannot list shared memory: %s", strerror(-ret));
	if (is_json)
		puts(list.count ? "]}" : JSON_START "]}");
	else if (!list.count)
		cli_none("smc_run: no destination is known");
	return cli_close_stdout(tool);
}
