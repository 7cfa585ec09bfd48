// SPDX-License-Identifier: MIT
/* smcss --learned: destinations in the shared memory of ld_pre_smc.so. */
#include "smcss/smcss.h"

#include <arpa/inet.h>
#include <time.h>

#include "base/array.h"
#include "cli/screen.h"
#include "host/record.h"
#include "launch/learned_list.h"
#include "out/list.h"

struct facts {
	struct learned_fact *all;
	size_t count;
};

static void text_address(struct out_text *text, const void *object)
{
	const struct learned_fact *fact = object;
	bool is_v4 = IN6_IS_ADDR_V4MAPPED(&fact->addr);
	char addr[INET6_ADDRSTRLEN];

	out_str(text, inet_ntop(is_v4 ? AF_INET : AF_INET6, &fact->addr.s6_addr[is_v4 ? 12 : 0],
				addr, sizeof(addr)));
}

static void text_destination(struct out_text *text, const void *object)
{
	const struct learned_fact *fact = object;
	bool is_v4 = IN6_IS_ADDR_V4MAPPED(&fact->addr);

	out_str(text, is_v4 ? "" : "[");
	text_address(text, fact);
	out_printf(text, "%s:%u", is_v4 ? "" : "]", fact->port);
}

static void text_why(struct out_text *text, const void *object)
{
	const struct learned_fact *fact = object;
	time_t until = time(NULL) + fact->broken;
	char clock[sizeof("23:59")] = "";
	struct tm tm;

	if (fact->broken && localtime_r(&until, &tm))
		strftime(clock, sizeof(clock), "%H:%M", &tm);
	if (*clock)
		out_printf(text, "a handshake broke, until %s", clock);
	else if (fact->is_new || fact->is_long)
		out_str(text, fact->is_new ? "new" : "long");
	else
		out_printf(text, "shorter over %s", fact->is_tcp ? "TCP" : "SMC");
}

static json_t *json_why(const void *object)
{
	const struct learned_fact *fact = object;

	return fact->is_tcp ? json_string(fact->broken ? "broke" : "short") : NULL;
}

static void text_ms(struct out_text *text, const void *value)
{
	uint64_t nanoseconds = *(const uint64_t *)value;

	if (nanoseconds)
		out_printf(text, "%.2f ms", (double)nanoseconds / 1e6);
}

static json_t *json_us(const void *value)
{
	uint64_t nanoseconds = *(const uint64_t *)value;

	return nanoseconds ? json_integer((json_int_t)(nanoseconds / 1000)) : NULL;
}

static const struct out_names transports =
	OUT_NAMES(NULL, NULL, [false] = { "SMC", "SMC" }, [true] = { "TCP", "TCP" });

#define TIME(member) OUT_RIGHT, OUT_ODD(learned_fact, member), .text = text_ms, .json = json_us

static const struct out_col columns[] = {
	{ "program", "Program", "program", 12, OUT_STR(learned_fact, program) },
	{ "user", "UID", "user", 6, OUT_RIGHT, OUT_DEC(learned_fact, user, 0) },
	{ NULL, NULL, "address", 0, OUT_TEXT(text_address) },
	{ NULL, NULL, "port", 0, OUT_DEC(learned_fact, port, 0) },
	{ "destination", "Destination", NULL, 23, OUT_TEXT(text_destination) },
	{ "uses", "Uses", "uses", 4, OUT_FLAG(learned_fact, is_tcp, transports) },
	{ "conns", "#Conns", "connections", 7, OUT_RIGHT, OUT_DEC(learned_fact, connections, 0) },
	{ "handshake", "Handshake", "handshake_us", 9, TIME(handshake) },
	{ "smc", "SMC life", "smc_life_us", 9, TIME(smc) },
	{ "tcp", "TCP life", "tcp_life_us", 9, TIME(tcp) },
	{ "why", "Why", "why", 0, .text = text_why, .json = json_why },
	{ NULL, NULL, "seconds_left", 0, OUT_DEC(learned_fact, broken, 0), OUT_OPTIONAL },
	{ NULL, NULL, "idle_seconds", 0, OUT_DEC(learned_fact, idle, 0) },
	{ 0 },
};

static void collect(const struct learned_fact *fact, void *arg)
{
	struct facts *facts = arg;

	*smc_array_add(&facts->all, &facts->count) = *fact;
}

int smcss_learned(bool is_json, struct smc_err *err)
{
	struct out_view view = { .count = 0 };
	struct facts facts = { .count = 0 };
	int ret;

	if (record_root())
		return smc_err_say(err, ENOENT, "only the number of destinations was recorded");
	ret = learned_each(collect, &facts);
	if (ret)
		smc_err_set(err, -ret, "cannot list shared memory");
	out_view_add(&view, columns, "program,user,destination,uses,conns,handshake,smc,tcp,why");
	if (!ret && is_json)
		ret = out_print_json(json_pack("{s:s, s:o}", "schema", "smc-tools/learned/1",
					       "destinations",
					       out_json_list(columns, facts.all, facts.count,
							     sizeof(*facts.all))),
				     err);
	else if (!ret)
		ret = out_print_list(&view, facts.all, facts.count, sizeof(*facts.all),
				     "smcss: no destination is known", err);
	free(facts.all);
	return ret;
}
