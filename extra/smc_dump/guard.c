// SPDX-License-Identifier: MIT
/* Rights, signals, and the output file of a capture. */

#include <fcntl.h>
#include <signal.h>
#include <time.h>
#include <sys/stat.h>

#include "sandbox/confine.h"
#include "smc_dump/request.h"

/* Load the time zone now: localtime() would read it from a file. */
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
	const struct sigaction action = { .sa_handler = on_signal,
					  .sa_flags = SA_RESTART | (int)SA_RESETHAND };

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

/* Take over an existing file of this user. It is emptied only by output_empty(). */
static int take_over(struct output *output, const char *path, int input, struct smc_err *err)
{
	struct stat st, in;

	if (fstat(output->fd, &st))
		return smc_err_set(err, errno, "cannot write %s", path);
	if (st.st_uid != geteuid())
		return smc_err_say(err, EPERM, "cannot write %s: it belongs to another user", path);
	if (!S_ISREG(st.st_mode))
		return 0;
	if (input >= 0 && !fstat(input, &in) && in.st_dev == st.st_dev && in.st_ino == st.st_ino)
		return smc_err_say(err, EINVAL, "cannot write %s: it is the file that is read",
				   path);
	if (fchmod(output->fd, 0600))
		return smc_err_set(err, errno, "cannot write %s", path);
	output->is_replaced = true;
	return 0;
}

int output_open(struct output *output, const char *path, int input, struct smc_err *err)
{
	const int flags = O_WRONLY | O_CREAT | O_CLOEXEC | O_NOFOLLOW;
	bool is_named = strcmp(path, "-") != 0;

	/* Packets may contain terminal escape sequences. */
	if (!is_named && isatty(STDOUT_FILENO))
		return smc_err_say(
			err, EINVAL,
			"cannot write packets to a terminal: redirect standard output, or name a file");
	output->fd = is_named ? open(path, flags, 0600) : dup(STDOUT_FILENO);
	if (output->fd < 0)
		return smc_err_set(err, errno, "cannot write %s", path);
	return is_named ? take_over(output, path, input, err) : 0;
}

int output_empty(struct output *output, struct smc_err *err)
{
	return output->is_replaced && ftruncate(output->fd, 0) ?
		       smc_err_set(err, errno, "cannot write packets") :
		       0;
}
