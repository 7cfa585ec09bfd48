// SPDX-License-Identifier: MIT
/* -C: test the connection to a server. */
#include "smc_chk/live/live.h"

#include "smc_chk/live/client.h"
#include "smc_chk/live/report.h"
#include "smc_chk/print.h"

int chk_connect(const struct chk_request *req)
{
	struct client_result result;
	struct out_text text = { 0 };
	json_t *json;
	int ret;

	if (client_test(&result, req, req->host, req->port ? req->port : CHK_PORT) == CHK_ERROR)
		return cli_error(&chk_tool, "%s", result.err.text);
	if (req->is_json) {
		json = json_pack("{s:s, s:o}", "schema", "smc-tools/check/1", "host",
				 out_json_str(req->host));
		if (!json || report_json(json, &result)) {
			json_decref(json);
			json = NULL;
		}
		ret = chk_print_json(json);
	} else {
		report_text(&text, &result);
		ret = chk_print(&text);
	}
	return ret ? ret : result.status;
}
