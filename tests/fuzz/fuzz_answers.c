// SPDX-License-Identifier: MIT
/* Netlink answers: decoders of pause frames and the PNET table. */
#include "fuzz.h"

#include "netlink/answer.h"
#include "smc/pnet.h"
#include "smc_chk/doctor/facts.h"

static int take(const struct nlmsghdr *nlh, void *arg)
{
	struct smc_pause pause;

	memset(&pause, 0xa5, sizeof(pause));
	if (!smc_pause_decode(&pause, nlh))
		MUST(memchr(pause.netdev, '\0', sizeof(pause.netdev)));
	return smc_pnet_add(nlh, arg);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct smc_pnet_table pnets = { 0 };
	struct answer answer = { .seq = 1, .port = 0, .fn = take, .arg = &pnets };
	uint8_t *copy = malloc(size ? size : 1);

	MUST(copy);
	if (size)
		memcpy(copy, data, size);
	answer_take(&answer, copy, size);
	MUST(memchr(answer.text, '\0', sizeof(answer.text)) && answer.code >= 0);
	for (size_t i = 0; i < pnets.count; i++)
		MUST(memchr(pnets.entries[i].name, '\0', SMC_PNET_NAME_SIZE));
	smc_pnet_free(&pnets);
	free(copy);
	return 0;
}
