// SPDX-License-Identifier: MIT
/* The document of a host that is not trusted, and a prediction from it. */
#include "fuzz.h"

#include "smc_setup/setup.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	json_t *doc = json_loadb((const char *)data, size, 0, NULL);
	struct predict_host host = { .n_nets = 0 };
	struct smc_err err = { 0 };
	struct prediction result;

	if (doc && !host_parse(&host, doc, &err)) {
		MUST(host.n_ueids <= SMC_MAX_UEIDS && host.n_chids <= PREDICT_CHIDS);
		for (const char *at = host.why; *at; at++)
			MUST(*at >= ' ' && *at <= '~');
		predict(&result, &host, &host);
		MUST(result.n_gaps <= PREDICT_GAPS);
	}
	free(host.nets);
	json_decref(doc);
	return 0;
}
