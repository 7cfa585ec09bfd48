// SPDX-License-Identifier: MIT
/* The nftables listing of a policy; an accepted policy can be written again. */
#include "fuzz.h"

#include <errno.h>

#include "settings/policy.h"
#include "smc_conf/smc_conf.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct out_text script = { 0 };
	struct policy policy = { 0 };
	char *json = fuzz_text(data, size);
	int ret;

	ret = policy_nft_parse(&policy, json);
	MUST(ret == 0 || ret == -EPROTO);
	policy_nft_script(&script, &policy);
	json_decref(policy_json(&policy));
	out_free(&script);
	policy_free(&policy);
	free(json);
	return 0;
}
