// SPDX-License-Identifier: MIT
/* Pauses and separators of tools that repeat their output. */
#include <time.h>

#include "cli/cli.h"

void cli_wait(double seconds)
{
	struct timespec pause = { .tv_sec = (time_t)seconds };

	pause.tv_nsec = (long)((seconds - (double)pause.tv_sec) * 1e9);
	nanosleep(&pause, NULL);
}

const char *cli_separator(bool is_first)
{
	const char *term = getenv("TERM");

	if (isatty(STDOUT_FILENO) && !(term && !strcmp(term, "dumb")))
		return "\033[H\033[J";
	return is_first ? "" : "\n";
}
