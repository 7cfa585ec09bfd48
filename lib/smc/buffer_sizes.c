// SPDX-License-Identifier: MIT
#include "smc/buffer_sizes.h"

#define CONNECTIONS 1000ULL

#define FEWEST_SOCKETS 256
#define MOST_SOCKETS (1 << 20)

/* Total memory excludes the part reserved by the kernel: 2 GiB are a bit less. */
int smc_good_buffer(unsigned long long memory)
{
	unsigned long long half = (memory + memory / 8) / 2;
	unsigned long long most = half / CONNECTIONS / SMC_BUFFERS_PER_CONNECTION;
	int size = SMC_GOOD_BUFFER;

	while (size > SMC_KERNEL_BUFFER && (unsigned long long)size > most)
		size /= 2;
	return size;
}

int smc_good_sockets(unsigned long long memory, int size)
{
	unsigned long long sockets = (memory + memory / 8) / 8 / SMC_BUFFERS_PER_CONNECTION;
	unsigned int rounded = SMC_KERNEL_BUFFER;

	while (rounded < (unsigned int)size)
		rounded *= 2;
	sockets /= rounded;
	if (sockets > MOST_SOCKETS)
		return MOST_SOCKETS;
	return sockets < FEWEST_SOCKETS ? FEWEST_SOCKETS : (int)sockets;
}
