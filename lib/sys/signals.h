/* SPDX-License-Identifier: MIT */
/* Which signals a program takes. */
#pragma once

#include <signal.h>
#include <stddef.h>

/**
 * signals_heeded() - of these signals those that whoever started this program does not have ignored
 * @set: receives them
 *
 * What nohup(1), or a shell that started it with &, has ignored stays so. A signal that is blocked,
 * to be read from a descriptor, would come even if it is ignored.
 */
void signals_heeded(sigset_t *set, const int *numbers, size_t count);
