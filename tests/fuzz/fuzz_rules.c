// SPDX-License-Identifier: MIT
/* A list of rules as typed by users, and a decision based on it. */
#include "fuzz.h"

#include <errno.h>
#include <netinet/in.h>

#include "launch/rules.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct sockaddr_in6 addr = { .sin6_family = AF_INET6 };
	struct rules rules = { 0 };
	const char *bad = NULL;
	char *text = fuzz_text(data, size);
	int ret;

	ret = rules_parse(&rules, size & 1, text, &bad);
	MUST(ret == 0 || ret == -EINVAL || ret == -E2BIG);
	MUST(!ret || (bad >= text && bad < text + size && !rules.count));
	for (int i = 0; i < rules.count; i++)
		MUST(rules.items[i].end.bits <= 128 &&
		     rules.items[i].end.low <= rules.items[i].end.high);
	if (size >= sizeof(addr.sin6_addr))
		memcpy(&addr.sin6_addr, data, sizeof(addr.sin6_addr));
	addr.sin6_port = htons((uint16_t)size);
	(void)rules_allow(&rules, size & 2, (struct sockaddr *)&addr, sizeof(addr));
	free(text);
	return 0;
}
