// SPDX-License-Identifier: MIT
/* Kind of sockets that socket(2) opens. */
#include "ld_pre_smc/state/openers.h"

#include <stddef.h>

_Atomic(shim_open_fn) shim_openers[2];
atomic_bool shim_is_tcp_first;
atomic_int shim_working_kinds[2];

void shim_look_again(void)
{
	atomic_store_explicit(&shim_openers[0], NULL, memory_order_release);
	atomic_store_explicit(&shim_openers[1], NULL, memory_order_release);
}

void shim_open_tcp_first(bool yes)
{
	if (shim_is_tcp_first == yes)
		return;
	shim_is_tcp_first = yes;
	shim_look_again();
}
