// SPDX-License-Identifier: MIT
/* smc_chk: does SMC work here, why not, and what to type next. */
#include "host/record.h"
#include "smc_chk/advise/advise.h"
#include "smc_chk/bundle/bundle.h"
#include "smc_chk/doctor/doctor.h"
#include "smc_chk/live/client.h"
#include "smc_chk/live/live.h"
#include "smc_chk/live/server.h"
#include "smc_chk/live/tune.h"
#include "smc_chk/matrix/matrix.h"
#include "sys/enclose.h"
#include "sys/netns.h"

/* What goes over the network would test this machine, not the recorded one. */
static bool uses_network(const struct chk_request *req)
{
	return req->is_live || req->command == 'C' || req->command == 'S' ||
	       req->command == CHK_OPT_ADVISE;
}

/* Bundles, or a program of this host. */
static bool reads_elsewhere(const struct chk_request *req)
{
	return req->from || req->command == 'x' || req->command == CHK_OPT_MATRIX;
}

/* -l, and with -s the static analysis too. */
static int run_live(const struct chk_request *req)
{
	int status;

	if (req->is_static && req->is_json)
		return cli_usage_error(&chk_tool, "--json can be used with only one of -l and -s");
	status = chk_live(req);
	return req->is_static ? live_worse_status(status, chk_doctor(req)) : status;
}

static int run(const struct chk_request *req)
{
	struct smc_err err = { 0 };

	if (record_root() && uses_network(req))
		return cli_error(&chk_tool, "a recorded host cannot be tested over the network");
	if (reads_elsewhere(req) ? enclose_not(&err) : enclose_record(&err))
		return cli_error(&chk_tool, "%s", err.text);
	if (req->netns && smc_netns_enter(req->netns, &err))
		return cli_error(&chk_tool, "%s", err.text);
	if (req->from)
		return chk_from(req);
	switch (req->command) {
	case 'S': return chk_server(req);
	case 'C': return req->is_tune ? chk_tune(req) : chk_connect(req);
	case 'e': return chk_explain(req);
	case 'x': return chk_program(req);
	case 'b': return chk_bundle(req);
	case CHK_OPT_ADVISE: return chk_advise(req);
	case CHK_OPT_MATRIX: return chk_matrix(req);
	default: break;
	}
	if (req->is_live)
		return run_live(req);
	return req->iface && !req->command && !req->is_static ? chk_pnetid(req) : chk_doctor(req);
}

int main(int argc, char **argv)
{
	struct chk_request req = { 0 };
	int status, closed;

	cli_start();
	status = chk_parse(&req, argc, argv);
	if (status >= 0)
		return status;
	status = run(&req);
	closed = cli_close_stdout(&chk_tool);
	return closed ? closed : status;
}
