// SPDX-License-Identifier: MIT
/* The file that packets are written to. */
#include "smc_dump/output.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <unistd.h>
#include <sys/stat.h>

/* Return: whether what would be written is the file that is read. */
static bool is_input(int fd, const struct stat *output)
{
	struct stat input;

	return fd >= 0 && !fstat(fd, &input) && input.st_dev == output->st_dev &&
	       input.st_ino == output->st_ino;
}

/* A file that was there, of this user. What it has stays until all is well. */
static int take_over(struct output *output, const char *path, int input, struct smc_err *err)
{
	struct stat st;

	if (fstat(output->fd, &st))
		return smc_err_set(err, errno, "cannot write %s", path);
	if (st.st_uid != geteuid())
		return smc_err_say(err, EPERM, "cannot write %s: it belongs to another user", path);
	if (!S_ISREG(st.st_mode))
		return 0;
	if (is_input(input, &st))
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

	/* What strangers sent could be sequences that it obeys. */
	if (!is_named && isatty(STDOUT_FILENO))
		return smc_err_say(err, EINVAL,
				   "packets are not for a terminal: redirect "
				   "standard output, or name a file");
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

void output_close(struct output *output)
{
	if (output->fd >= 0)
		close(output->fd);
}
