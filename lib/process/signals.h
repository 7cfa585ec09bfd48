/* SPDX-License-Identifier: MIT */
/* Signal dispositions of a program. */
#pragma once

#include <signal.h>

#include "base/libc.h"

/**
 * signals_heeded() - remove those signals from a set that were inherited as ignored
 *
 * Signals ignored by nohup(1), or by a shell that started the program with &, stay ignored. A
 * blocked signal, to be read from a descriptor, would be delivered even if it is ignored.
 */
void signals_heeded(sigset_t *set, const int *numbers, size_t count);

/**
 * signals_interruptible() - let ignored interrupts end a program that runs until interrupted
 * @ends: receives SIGINT and SIGTERM, which end it cleanly
 *
 * sh starts background jobs with SIGINT and SIGQUIT ignored; then neither Ctrl-C nor kill -INT
 * could end the program. As in tcpdump(8), SIGHUP stays as set by nohup(1).
 */
void signals_interruptible(sigset_t *ends);

/** signals_catch() - a descriptor for both signals, which are blocked; -1 with errno */
int signals_catch(void);
