// SPDX-License-Identifier: MIT
/* An SMC handshake message. */
#include "fuzz.h"

#include "smc_dump/clc.h"

static void must_end(const char name[SMC_CLC_EID])
{
	MUST(memchr(name, '\0', SMC_CLC_EID));
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct smc_clc clc;
	size_t length = smc_clc_length(data, size);

	if (smc_clc_decode(&clc, data, size)) {
		MUST(!length || size < SMC_CLC_HEADER);
		return 0;
	}
	MUST(clc.len == length && length <= SMC_CLC_MAX && smc_clc_type_name(clc.type));
	MUST(clc.is_cut == (size < length));
	MUST(clc.n_prefixes <= SMC_CLC_MAX_LIST && clc.n_isms <= SMC_CLC_MAX_LIST);
	MUST(clc.n_ueids <= SMC_CLC_MAX_LIST && clc.n_gids <= SMC_CLC_MAX_LIST);
	for (size_t i = 0; i < clc.n_ueids; i++)
		must_end(clc.ueids[i]);
	must_end(clc.seid);
	must_end(clc.eid);
	must_end(clc.host);
	return 0;
}
