// SPDX-License-Identifier: MIT
/* close(2) and its relatives, when SMC-R has not sent all data yet. */
#include <errno.h>
#include <stdio.h>
#include <unistd.h>

#include "ld_pre_smc/fds.h"
#include "ld_pre_smc/next.h"
#include "ld_pre_smc/signals.h"
#include "ld_pre_smc/unsent.h"

/* musl's headers have neither. */
int close_range(unsigned int first, unsigned int last, int flags);
void closefrom(int low);

/* shim_signals_restore() follows the kernel's close(). */
static struct shim_signals begin(int fd)
{
	struct shim_signals old = { 0 };

	if (shim_fd_is_marked(fd) && shim_unsent_close(fd))
		shim_signals_block(&old);
	return old;
}

/* dup2() closes @to. */
static struct shim_signals begin_dup(int from, int to)
{
	return begin(from != to && shim_fd_is_marked(to) && shim_is_open(from) ? to : -1);
}

/**
 * close() - close(2); what SMC-R has not sent yet is sent all the same, and nobody waits
 *
 * The kernel waits two seconds, and then throws the rest away. As long as somebody has the socket
 * it goes on sending, so smc_keep gets it. What cannot be an SMC socket costs no system call, a
 * socket that has sent all one. No signal comes between the kernel and the peer, see
 * shim_unsent_close().
 *
 * A program in a sandbox gets what the kernel does: see shim_in_sandbox.
 *
 * Return: as close(2).
 */
int close(int fd)
{
	struct shim_signals signals = begin(fd);
	int ret = next_close(fd);

	shim_signals_restore(&signals);
	return ret;
}

/**
 * dup2() - dup2(2), which closes a file descriptor without a word
 *
 * Return: as dup2(2).
 */
int dup2(int from, int to)
{
	struct shim_signals signals = begin_dup(from, to);
	int ret = next_dup2(from, to);

	shim_signals_restore(&signals);
	if (ret >= 0)
		shim_fd_copy(from, to);
	return ret;
}

/**
 * dup3() - dup3(2), as dup2()
 *
 * Return: as dup3(2).
 */
int dup3(int from, int to, int flags)
{
	struct shim_signals signals = begin_dup(from, to);
	int ret = next_dup3(from, to, flags);

	shim_signals_restore(&signals);
	if (ret >= 0)
		shim_fd_copy(from, to);
	return ret;
}

/* Others may wait in their close(), and signals end that. Huge numbers are left to the kernel. */
static void close_sent(unsigned int first, unsigned int last)
{
	struct shim_signals signals;
	int fd;

	if (first >= SHIM_FD_NUMBERS)
		return;
	for (fd = shim_fd_next(FD_SMC, (int)first); fd >= 0 && (unsigned int)fd <= last;
	     fd = shim_fd_next(FD_SMC, fd + 1)) {
		signals = begin(fd);
		if (signals.are_blocked)
			next_close(fd);
		shim_signals_restore(&signals);
	}
}

/**
 * close_range() - close_range(2), as close()
 *
 * With CLOSE_RANGE_UNSHARE other threads keep their descriptors, and with CLOSE_RANGE_CLOEXEC
 * nothing is closed yet.
 *
 * Return: as close_range(2).
 */
int close_range(unsigned int first, unsigned int last, int flags)
{
	if (!flags)
		close_sent(first, last);
	return next_close_range(first, last, flags);
}

/** closefrom() - closefrom(3), as close() */
void closefrom(int low)
{
	close_sent(low < 0 ? 0 : (unsigned int)low, ~0U);
	next_closefrom(low);
}

/* Write the buffer of an SMC socket first; fflush() would move the offset of a file. */
static int flush(int fd, FILE *file)
{
	return shim_unsent_is_ours(fd) && fflush(file) ? errno : 0;
}

/**
 * fclose() - fclose(3), as close()
 *
 * Return: as fclose(3).
 */
int fclose(FILE *file)
{
	int saved = errno, fd = fileno(file), failed = flush(fd, file), ret;
	struct shim_signals signals = { 0 };

	/* Some libcs try again what could not be written, and a signal may interrupt that. */
	if (!failed)
		signals = begin(fd);
	else
		shim_unsent_close(fd);
	errno = saved;
	ret = ((int (*)(FILE *))shim_next(SHIM_FCLOSE))(file);
	shim_signals_restore(&signals);
	if (ret || !failed)
		return ret;
	/* The others have forgotten it. */
	errno = failed;
	return EOF;
}
