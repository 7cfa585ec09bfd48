// SPDX-License-Identifier: MIT
#include "process/signals.h"

#include <sys/signalfd.h>

#include "base/array.h"

void signals_heeded(sigset_t *set, const int *numbers, size_t count)
{
	struct sigaction action;

	sigemptyset(set);
	for (size_t i = 0; i < count; i++)
		if (!sigaction(numbers[i], NULL, &action) && action.sa_handler != SIG_IGN)
			sigaddset(set, numbers[i]);
}

void signals_interruptible(sigset_t *ends)
{
	static const int numbers[] = { SIGINT, SIGTERM, SIGQUIT };
	struct sigaction action;

	for (size_t i = 0; i < ARRAY_SIZE(numbers); i++)
		if (!sigaction(numbers[i], NULL, &action) && action.sa_handler == SIG_IGN)
			signal(numbers[i], SIG_DFL);
	sigemptyset(ends);
	sigaddset(ends, SIGINT);
	sigaddset(ends, SIGTERM);
}

int signals_catch(void)
{
	sigset_t ends;

	signals_interruptible(&ends);
	pthread_sigmask(SIG_BLOCK, &ends, NULL);
	return signalfd(-1, &ends, SFD_CLOEXEC | SFD_NONBLOCK);
}
