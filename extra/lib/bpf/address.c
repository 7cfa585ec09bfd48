// SPDX-License-Identifier: MIT
#include "bpf/address.h"

#include "smc/tcp.h"

static struct smc_addr address(uint16_t family, const uint8_t ip[16], uint16_t port)
{
	struct smc_addr addr = { .family = (uint8_t)family, .port = port };

	memcpy(addr.ip, ip, sizeof(addr.ip));
	smc_addr_unmap(&addr);
	return addr;
}

struct smc_addr bpf_ends_local(const struct bpf_ends *ends)
{
	return address(ends->family, ends->local, ends->local_port);
}

struct smc_addr bpf_ends_peer(const struct bpf_ends *ends)
{
	return address(ends->family, ends->peer, ends->peer_port);
}
