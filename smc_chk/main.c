// SPDX-License-Identifier: MIT
/* smc_chk: does SMC work here, why not, and what to type next. */
#include <signal.h>

#include "cli/screen.h"
#include "host/record.h"
#include "net/netns.h"
#include "sandbox/enclose.h"
#include "smc_chk/smc_chk.h"

/* True if the command, or option -C, would test this machine instead of the recorded one. */
static bool is_on_network(const struct chk_request *req)
{
	return req->command->is_on_network || req->is_live || req->is_server ||
	       (req->object && !req->command->operand);
}

static int run(const struct chk_request *req)
{
	struct smc_err err = { 0 };

	if (record_root() && is_on_network(req))
		return cli_error(&chk_tool, "a recorded host cannot be tested over the network");
	if ((req->command->reads_elsewhere ? enclose_not(&err) : enclose_record(&err)) ||
	    smc_netns_enter(req->netns, &err))
		return cli_error(&chk_tool, "%s", err.text);
	return req->command->run(req);
}

int main(int argc, char **argv)
{
	struct chk_request *req = &chk_asked;
	int is_word, status, closed;

	cli_start();
	signal(SIGXFSZ, SIG_IGN); /* write(2) then fails, which is reported */
	req->command = chk_command(argc > 1 ? argv[1] : NULL);
	if (!req->command)
		return CHK_ERROR;
	is_word = req->command->tool != &chk_tool;
	status = chk_parse(argc - is_word, argv + is_word);
	if (status >= 0)
		return status;
	req->width = req->is_json ? 0 : cli_columns();
	status = req->html ? chk_page(req) : run(req);
	closed = cli_close_stdout(&chk_tool);
	return closed ? closed : status;
}
