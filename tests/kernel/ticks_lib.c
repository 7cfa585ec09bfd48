// SPDX-License-Identifier: MIT
/*
 * A signal each millisecond, for the program and its children: calls are interrupted, and not
 * restarted. SIGVTALRM by a timer that no program stops: redis ends that of setitimer(2).
 */
#include "tests/libc.h"

static void on_tick(int number)
{
}

static void start_timer(void)
{
	const struct itimerspec every = { { .tv_nsec = 1000000 }, { .tv_nsec = 1000000 } };
	struct sigevent event = { .sigev_notify = SIGEV_SIGNAL, .sigev_signo = SIGVTALRM };
	timer_t timer;

	if (timer_create(CLOCK_MONOTONIC, &event, &timer) || timer_settime(timer, 0, &every, NULL))
		err(1, "timer_create");
}

static __attribute__((constructor)) void start(void)
{
	sigaction(SIGVTALRM, &(struct sigaction){ .sa_handler = on_tick }, NULL);
	pthread_atfork(NULL, NULL, start_timer);
	start_timer();
}
