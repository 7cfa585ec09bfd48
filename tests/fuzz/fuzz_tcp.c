// SPDX-License-Identifier: MIT
/* One TCP socket from an inet_diag answer, or an IPsec policy. */
#include "fuzz.h"

#include "smc/tcp.h"
#include "smc_advise/xfrm.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct smc_addr local = { .family = 2, .port = 1 }, peer = { .family = 10, .port = 2 };
	struct smc_xfrm_table table = { 0 };
	struct nlmsghdr *nlh;
	struct smc_tcp tcp;

	if (size > 65000)
		return 0;
	nlh = fuzz_message(data, size);
	if (!smc_tcp_decode(&tcp, nlh)) {
		MUST(size >= sizeof(struct inet_diag_msg));
		MUST(memchr(tcp.ulp, '\0', sizeof(tcp.ulp)));
		local = tcp.local;
		peer = tcp.peer;
	}
	if (!smc_xfrm_add(nlh, &table)) {
		smc_xfrm_has(&table, &local, &peer);
		smc_xfrm_has(&table, &peer, &local);
	}
	smc_xfrm_free(&table);
	free(nlh);
	return 0;
}
