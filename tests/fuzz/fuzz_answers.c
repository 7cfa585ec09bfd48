// SPDX-License-Identifier: MIT
/* Netlink answers: decoders of pause frames, IPsec policies and the PNET table. */
#include "fuzz.h"

#include "netlink/answer.h"
#include "smc_chk/doctor/facts.h"
#include "smc/pnet.h"
#include "smc_chk/advise/xfrm.h"

struct taken {
	struct smc_xfrm_table xfrms;
	struct smc_pnet_table pnets;
};

static int take(const struct nlmsghdr *nlh, void *arg)
{
	struct taken *taken = arg;
	struct smc_pause pause;

	memset(&pause, 0xa5, sizeof(pause));
	if (!smc_pause_decode(&pause, nlh))
		MUST(memchr(pause.netdev, '\0', sizeof(pause.netdev)));
	smc_xfrm_add(nlh, &taken->xfrms);
	return smc_pnet_add(nlh, &taken->pnets);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct smc_addr local = { .family = 2, .port = 1 }, peer = { .family = 10, .port = 2 };
	struct taken taken = { 0 };
	struct answer answer = { .seq = 1, .port = 0, .fn = take, .arg = &taken };
	uint8_t *copy = malloc(size ? size : 1);

	MUST(copy);
	if (size)
		memcpy(copy, data, size);
	answer_take(&answer, copy, size);
	MUST(memchr(answer.text, '\0', sizeof(answer.text)) && answer.code >= 0);
	for (size_t i = 0; i < taken.pnets.count; i++)
		MUST(memchr(taken.pnets.entries[i].name, '\0', SMC_PNET_NAME_SIZE));
	smc_xfrm_has(&taken.xfrms, &local, &local);
	smc_xfrm_has(&taken.xfrms, &peer, &peer);
	smc_xfrm_free(&taken.xfrms);
	smc_pnet_free(&taken.pnets);
	free(copy);
	return 0;
}
