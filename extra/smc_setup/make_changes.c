// SPDX-License-Identifier: MIT
/* Change all hosts or none, and test the connections between them. */
#include "smc_setup/setup.h"

#include "base/array.h"
#include "base/memory.h"
#include "base/words.h"
#include "cli/screen.h"
#include "out/list.h"
#include "settings/settings.h"

/* At most this many connections are tested; if there are more, a sample. */
#define TESTS_MAX 24

/* @lines: NULL for all that were added before. */
static int change(const char *source, const char *lines, bool is_removed, struct smc_err *err)
{
	const char *script = lines ? "smc_conf remove -" : "smc_conf remove";
	char answer[ANSWER_SIZE];

	if (!source)
		return settings_add(lines, is_removed, err);
	return host_run(source, is_removed ? script : "smc_conf add -", lines ? lines : "", answer,
			err);
}

/* Undo the changes of hosts before @end, and of that at @end if it may have been changed. */
static void take_back(const struct changes *changes, const struct setup_host *hosts, size_t end)
{
	struct smc_err err = { 0 };

	for (size_t i = end; i-- > 0;) {
		if (!changes->lines[i])
			continue;
		if (change(hosts[i].source, changes->lines[i], true, &err))
			cli_error(&setup_tool, "%s: cannot be changed back: %s",
				  hosts[i].facts.name, err.text);
		else
			cli_note(&setup_tool, "%s: changed back", hosts[i].facts.name);
	}
}

int changes_make(const struct changes *changes, const struct setup_host *hosts, bool is_removed,
		 struct smc_err *err)
{
	int ret = 0, failed = 0;

	for (size_t i = 0; i < changes->n_hosts; i++) {
		if (!is_removed && !changes->lines[i])
			continue;
		ret = change(hosts[i].source, is_removed ? NULL : changes->lines[i], is_removed,
			     err);
		if (!ret)
			continue;
		cli_error(&setup_tool, "%s: %s", hosts[i].facts.name, err->text);
		failed = ret;
		if (is_removed)
			continue;
		take_back(changes, hosts, i + (ret == -EHOSTDOWN));
		return smc_err_say(err, EIO, "the hosts were not set up");
	}
	return failed ? smc_err_say(err, EIO, "not all hosts were changed") : 0;
}

/* ---- prove ---- */

struct row {
	const char *client, *server;
	char predicted[32], seen[160];
};

static const struct out_col columns[] = {
	{ "client", "Client", "client", 8, OUT_ESCAPED(row, client) },
	{ "server", "Server", "server", 8, OUT_ESCAPED(row, server) },
	{ "predicted", "Predicted", "predicted", 19, OUT_STR(row, predicted) },
	{ "seen", "Seen", "seen", 19, OUT_STR(row, seen), .is_wrapped = true },
	{ 0 },
};

static void append_mode(char *text, size_t size, const char *mode, unsigned int links)
{
	snprintf(text, size, "%s", mode);
	if (links)
		snprintf(text + strlen(text), size - strlen(text), ", %u link%s", links,
			 plural_s(links));
}

/*
 * RoCE may lose the first message of a link, and then the kernel falls back to TCP. The second link
 * is added after the first has its first connection.
 */
static int dial(const struct test *test, const struct setup_host *hosts, int port,
		char answer[ANSWER_SIZE], struct smc_err *err)
{
	char *script AUTO_FREE = xprintf(
		"n=0; for i in 1 2 3; do o=$(smc_chk connect %s -p %d 2>&1); s=$?; "
		"[ $s = 2 ] || break; done; "
		"g=$(echo \"$o\" | sed -n 's/^ *link group *\\([0-9a-f]*\\),.*/\\1/p'); "
		"for i in 1 2 3 4 5 6 7 8 9 10; do "
		"[ \"$g\" ] || break; n=$(smcr linkgroup link-show $g 2>/dev/null | grep -c LINK_ACTIVE); "
		"[ $n -lt %u ] || break; sleep 1; done; echo \"$s $n $o\"",
		test->address, port, test->links);

	return host_run(hosts[test->client].source, script, "", answer, err);
}

/* The reason of the server, or of the client, as in the words of smc_chk. */
static void append_reason(char *text, size_t size, const char *answer)
{
	const char *line = strstr(answer, "\n  server  ") ?: strstr(answer, "\n  here  ");
	char symbol[32];

	if (line && sscanf(line, " %*s %*x %31[A-Z0-9_]", symbol) == 1)
		snprintf(text + strlen(text), size - strlen(text), ", %s", symbol);
}

/* Return: setup_status. */
static int judge(const struct test *test, const char *answer, struct row *row)
{
	const char *mode = strstr(answer, "using SMC-"), *predicted = predict_mode_name(test->mode);
	unsigned int status = 1, links = 0;
	int at = 0;

	if (sscanf(answer, "%u %u %n", &status, &links, &at) != 2 || !at || status == 1 ||
	    (!status && !(mode && strstr(mode, "verified")))) {
		/* The reason is that of smc_chk, on one line. */
		answer = mode ? "data do not get through" : answer + at;
		snprintf(row->seen, sizeof(row->seen), "no connection: %.*s",
			 (int)strcspn(answer, "\n"), answer);
		return SETUP_ERROR;
	}
	if (status) {
		snprintf(row->seen, sizeof(row->seen), "%s", status == 2 ? "TCP" : "not tested");
		append_reason(row->seen, sizeof(row->seen), answer);
		return status == 2 ? SETUP_TCP : SETUP_UNTESTED;
	}
	mode += strlen("using ");
	if (strncmp(mode, predicted, 5) || links < test->links)
		status = SETUP_TCP;
	append_mode(row->seen, sizeof(row->seen), mode[4] == 'R' ? "SMC-R" : "SMC-D",
		    test->links ? links : 0);
	return (int)status;
}

static int prove_one(const struct test *test, const struct setup_host *hosts, struct row *row)
{
	char answer[ANSWER_SIZE];
	struct smc_err err = { 0 };
	struct server server;
	int ret;

	row->client = hosts[test->client].facts.name;
	row->server = hosts[test->server].facts.name;
	append_mode(row->predicted, sizeof(row->predicted), predict_mode_name(test->mode),
		    test->links);
	cli_progress("testing: %s to %s", row->client, row->server);
	ret = server_start(&server, hosts[test->server].source, test->address, &err);
	if (!ret) {
		ret = dial(test, hosts, server.port, answer, &err);
		server_end(&server);
	}
	cli_progress_end();
	if (!ret)
		return judge(test, answer, row);
	snprintf(row->seen, sizeof(row->seen), "%.150s", err.text);
	return SETUP_ERROR;
}

/* The worst counts. */
static int worse(int one, int other)
{
	return one == SETUP_ERROR || (other != SETUP_ERROR && one > other) ? one : other;
}

int changes_prove(const struct changes *changes, const struct setup_host *hosts,
		  struct smc_err *err)
{
	size_t step = (changes->n_tests + TESTS_MAX - 1) / TESTS_MAX;
	struct out_text text AUTO(out_free) = { 0 };
	struct out_view view = { .count = 0 };
	struct out_list list;
	int status = SETUP_OK, ret;

	out_view_add(&view, columns, "client,server,predicted,seen");
	out_list_begin(&list, &view, &text, cli_columns(), true);
	for (size_t i = 0; i < changes->n_tests; i += step) {
		struct row row = { .client = NULL };

		status = worse(status, prove_one(&changes->tests[i], hosts, &row));
		out_list_row(&list, &row);
	}
	out_list_end(&list);
	out_list_free(&list);
	ret = out_print(&text, err);
	return ret ? ret : status;
}
