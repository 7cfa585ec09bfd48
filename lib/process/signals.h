/* SPDX-License-Identifier: MIT */
/* Which signals a program takes. */
#pragma once

#include <signal.h>
#include <stddef.h>

/**
 * signals_heeded() - of these signals those that whoever started this program does not have ignored
 *
 * What nohup(1), or a shell that started it with &, has ignored stays so. A signal that is blocked,
 * to be read from a descriptor, would come even if it is ignored.
 */
void signals_heeded(sigset_t *set, const int *numbers, size_t count);

/**
 * signals_interruptible() - for what runs until it is interrupted: no longer ignore what does that
 * @ends: receives SIGINT and SIGTERM, which end it in good order
 *
 * sh starts a job in the background with SIGINT and SIGQUIT ignored, and nothing could end it with
 * Ctrl-C or kill -INT. As in tcpdump(8), SIGHUP stays as nohup(1) has set it.
 */
void signals_interruptible(sigset_t *ends);

/** signals_catch() - a descriptor for both, which no thread gets any more; -1 with errno */
int signals_catch(void);
