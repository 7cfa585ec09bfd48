// SPDX-License-Identifier: MIT
/* dl_iterate_phdr(3): lets programs with AddressSanitizer start with the library preloaded. */
#include <link.h>
#include <stdatomic.h>

#include "ld_pre_smc/next.h"

typedef int (*visit_fn)(struct dl_phdr_info *info, size_t size, void *arg);

struct visit {
	visit_fn visit;
	void *arg;
};

/* Only defined in programs with AddressSanitizer. */
extern void __asan_init(void) __attribute__((weak));

static int visit_others(struct dl_phdr_info *info, size_t size, void *arg)
{
	const struct visit *visit = arg;

	if (info->dlpi_addr == (ElfW(Addr))__ehdr_start)
		return 0;
	return visit->visit(info, size, visit->arg);
}

/**
 * dl_iterate_phdr() - dl_iterate_phdr(3), hiding this library until it has started
 *
 * AddressSanitizer's runtime ends the program if another library comes first, as it might have its
 * own malloc(). This library has none, and is first due to LD_PRELOAD. The check runs before any
 * constructor. Variables that disable the check belong to the program.
 */
int dl_iterate_phdr(visit_fn visit, void *arg)
{
	struct visit others = { .visit = visit, .arg = arg };
	__typeof__(dl_iterate_phdr) *next =
		(__typeof__(dl_iterate_phdr) *)shim_next(SHIM_DL_ITERATE_PHDR);

	if (!__asan_init || atomic_load_explicit(&shim_has_started, memory_order_relaxed))
		return next(visit, arg);
	return next(visit_others, &others);
}
