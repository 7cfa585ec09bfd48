// SPDX-License-Identifier: MIT
/* A table of TCP sockets from inet_diag answers, and a look-up in it. */
#include "fuzz.h"

#include "smc/inet.h"

/* Answers of at most 80 bytes each: the last may be too short. */
#define STEP 80

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct smc_inet_table table = { 0 };
	struct smc_sock sock = { .family = AF_SMC, .state = SMC_ABI_ACTIVE };
	size_t n_good = 0;

	if (size > 65535)
		return 0;
	for (size_t at = 0; at < size; at += STEP) {
		size_t len = size - at < STEP ? size - at : STEP;
		struct nlmsghdr *nlh = fuzz_message(data + at, len);
		int ret = smc_inet_add(nlh, &table);

		MUST((ret == 0) == (len >= sizeof(struct inet_diag_msg)));
		n_good += !ret;
		free(nlh);
	}
	MUST(table.count == n_good);
	for (size_t i = 0; i < n_good; i++) {
		const struct smc_inet_entry *entry = &table.entries[i];

		sock.local.port = entry->local.port;
		sock.peer.port = entry->peer.port;
		sock.local.family = sock.peer.family = AF_UNSPEC;
		sock.state = entry->is_listener ? SMC_ABI_LISTEN : SMC_ABI_ACTIVE;
		sock.family = i % 2 ? AF_SMC : entry->local.family;
		sock.uid = entry->uid;
		memset(sock.local.ip, 0, sizeof(sock.local.ip));
		memset(sock.peer.ip, 0, sizeof(sock.peer.ip));
		smc_inet_resolve(&table, &sock);
	}
	smc_inet_free(&table);
	return 0;
}
