// SPDX-License-Identifier: MIT
/* What comes before the first foreign byte, and what ends it all. */
#include "smc_dump/guard.h"

#include <signal.h>
#include <time.h>

#include "sandbox/confine.h"
#include "smc_dump/request.h"

/* The time zone too, which localtime() would read from a file. */
int guard_give_up_rights(struct smc_err *err)
{
	const struct confine nothing = { .n_paths = 0 };
	unsigned int done;
	int ret;

	tzset();
	ret = confine(&nothing, &done, err);
	if (!ret && !(done & CONFINE_NOT_ROOT))
		cli_note(&dump_tool, "could not give up root");
	return ret;
}

static pcap_t *volatile stopping;
static volatile sig_atomic_t is_stopped;

static void on_signal(int number)
{
	pcap_t *pcap = stopping;

	(void)number;
	is_stopped = true;
	if (pcap)
		pcap_breakloop(pcap);
}

void guard_catch_signals(pcap_t *pcap)
{
	const struct sigaction action = {
		.sa_handler = on_signal,
		.sa_flags = SA_RESTART | (int)SA_RESETHAND,
	};

	stopping = pcap;
	sigaction(SIGINT, &action, NULL);
	sigaction(SIGTERM, &action, NULL);
}

bool guard_is_stopped(void)
{
	return is_stopped;
}

void guard_release(void)
{
	stopping = NULL;
}
