// SPDX-License-Identifier: MIT
/* Predictions become changes and tests, written by a process without rights, read by another. */
#include "smc_setup/setup.h"

#include "base/array.h"
#include "base/memory.h"

/* ---- in the confined process: predictions become lines of text ---- */

/* "smcd ueid add MYEID" stands for any EID; prefer one that a host already has. */
static const char *common_eid(const struct setup_host *hosts, size_t count)
{
	for_each(host, hosts, count)
		if (!host->err.code && host->facts.n_ueids)
			return host->facts.ueids[0];
	return "SMC-SETUP";
}

static void write_gaps(struct out_text *text, const struct prediction *result, const size_t at[2],
		       const char *eid)
{
	char line[PREDICT_COMMAND_SIZE];

	for_each(gap, result->gaps, result->n_gaps) {
		if (!predict_conf_line(line, gap->command))
			continue;
		if (!strcmp(line, "eid MYEID"))
			snprintf(line, sizeof(line), "eid %s", eid);
		for (int side = PREDICT_CLIENT; side <= PREDICT_SERVER; side++)
			if ((int)gap->side == side || gap->side == PREDICT_BOTH)
				out_printf(text, "line %zu %s\n", at[side], line);
	}
}

void plan_write(struct out_text *text, const struct setup_host *hosts, size_t count)
{
	const char *eid = common_eid(hosts, count);
	struct prediction result;
	char address[NETADDR_TEXT_SIZE];

	for (size_t i = 0; i < count * count; i++) {
		const size_t at[2] = { i / count, i % count };

		if (at[0] == at[1] || hosts[at[0]].err.code || hosts[at[1]].err.code)
			continue;
		predict(&result, &hosts[at[0]].facts, &hosts[at[1]].facts);
		write_gaps(text, &result, at, eid);
		if (!result.client)
			continue;
		netaddr_text(address, &result.address, false);
		out_printf(text, "test %zu %zu %u %u %.*s\n", at[0], at[1], result.mode,
			   result.links, (int)strcspn(address, "/"), address);
	}
}

/* ---- in the privileged one ---- */

/* Accept only settings of these kinds, made of plain words, because hosts are not trusted. */
static bool is_good_line(const char *line)
{
	static const char *const kinds[] = { "eid ", "net.smc.", "handshake-limit off", "pnetid " };

	if (line[strspn(line, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789"
			      " .:_=-")])
		return false;
	for_each(kind, kinds, ARRAY_SIZE(kinds))
		if (!strncmp(line, *kind, strlen(*kind)))
			return true;
	return false;
}

static void add_line(struct changes *changes, size_t host, const char *line)
{
	char *old = changes->lines[host];

	for (const char *at = old; at && (at = strstr(at, line)); at++)
		if (at[strlen(line)] == '\n' && (at == old || at[-1] == '\n'))
			return;
	changes->lines[host] = xprintf("%s%s\n", old ? old : "", line);
	free(old);
	changes->n_lines++;
}

static bool take(struct changes *changes, const char *line)
{
	struct test test = { 0 };
	struct netaddr addr;
	size_t host;
	int at = 0;

	if (sscanf(line, "line %zu %n", &host, &at) == 1 && at) {
		if (host >= changes->n_hosts || !is_good_line(line + at))
			return false;
		add_line(changes, host, line + at);
		return true;
	}
	if (sscanf(line, "test %u %u %u %u %49s", &test.client, &test.server, &test.mode,
		   &test.links, test.address) != 5 ||
	    test.client >= changes->n_hosts || test.server >= changes->n_hosts ||
	    test.mode > PREDICT_SMCD_V2 || test.links > 2 || !netaddr_host(&addr, test.address))
		return false;
	*smc_array_add(&changes->tests, &changes->n_tests) = test;
	return true;
}

int changes_read(struct changes *changes, char *text, size_t n_hosts, struct smc_err *err)
{
	char *line;

	changes->n_hosts = n_hosts;
	changes->lines = xcalloc(n_hosts, sizeof(*changes->lines));
	while ((line = strsep(&text, "\n")))
		if (*line && !take(changes, line))
			return smc_err_say(err, EBADMSG, "a host sent unusable data");
	return 0;
}

void changes_free(struct changes *changes)
{
	for (size_t i = 0; i < changes->n_hosts; i++)
		free(changes->lines[i]);
	free(changes->lines);
	free(changes->tests);
	*changes = (struct changes){ 0 };
}
