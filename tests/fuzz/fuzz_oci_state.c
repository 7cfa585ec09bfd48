// SPDX-License-Identifier: MIT
/* The state of a container: accepted input is a valid state. */
#include "fuzz.h"

#include <string.h>

#include "smc_bpf/smc_bpf.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct oci_state container;
	struct smc_err err = { 0 };
	int ret = oci_state_read(&container, (const char *)data, size, &err);

	MUST(ret <= 0 && (!ret || (err.code == -ret && err.text[0])));
	MUST(memchr(container.id, '\0', sizeof(container.id)) && !strchr(container.id, '/'));
	MUST(ret || (*container.id && (container.pid > 0) == !container.is_stopped));
	MUST(!container.is_stopped || !container.wish);
	return 0;
}
