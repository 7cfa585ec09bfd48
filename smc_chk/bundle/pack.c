// SPDX-License-Identifier: MIT
/* Directories to tar.gz files. */
#include "smc_chk/bundle/pack.h"

#include <errno.h>
#include <ftw.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <time.h>
#include <unistd.h>
#include <sys/mman.h>
#include <sys/stat.h>

#define ERRORS_SIZE 512

/* nftw(3) has no argument for what is counted. */
static struct pack_size measured;

static int measure_one(const char *path, const struct stat *st, int type, struct FTW *where)
{
	(void)path, (void)type, (void)where;
	measured.files++;
	measured.bytes += S_ISREG(st->st_mode) ? (uint64_t)st->st_size : 0;
	return 0;
}

int pack_measure(struct pack_size *size, const char *directory)
{
	measured = (struct pack_size){ 0 };
	if (nftw(directory, measure_one, 8, FTW_PHYS))
		return -errno;
	*size = measured;
	return 0;
}

/* The first line that tar or gzip wrote; gzip begins with an empty one. */
static int say_why(int status, int errors, struct smc_err *err)
{
	char text[ERRORS_SIZE] = "", *line;
	ssize_t len = pread(errors, text, sizeof(text) - 1, 0);

	if (status == -ENOENT || status == 127)
		return smc_err_say(err, ENOENT, "bundles need GNU tar and gzip");
	text[len > 0 ? len : 0] = '\0';
	line = text + strspn(text, "\n");
	line[strcspn(line, "\n")] = '\0';
	return smc_err_say(err, EIO, "cannot write the bundle: %s",
			   *line	? line :
			   status > 128 ? workdir_why(status) :
					  "tar failed");
}

/* Its reader has gone: SIGPIPE would have ended this process, too. */
static void note_reader(struct workdir *work, int fd)
{
	struct pollfd poll_out = { .fd = fd, .events = POLLOUT };

	if (poll(&poll_out, 1, 0) == 1 && poll_out.revents & POLLERR) {
		raise(SIGPIPE); /* which is blocked, or ignored */
		workdir_is_stopped(work);
	}
}

int bundle_pack(struct workdir *work, int fd, const char *directory, struct pack_size *size,
		struct smc_err *err)
{
	char mtime[40];
	/* Names in their order, so that the same files make the same archive. */
	const char *const argv[] = { "tar",
				     "-cz",
				     "--format=gnu",
				     "--sort=name",
				     "--numeric-owner",
				     "--owner=0",
				     "--group=0",
				     mtime,
				     "--transform=s,^\\.," BUNDLE_DIRECTORY ",",
				     "-C",
				     directory,
				     ".",
				     NULL };
	int errors = memfd_create("errors", MFD_CLOEXEC), status = pack_measure(size, directory);
	time_t now = time(NULL);

	if (status || errors < 0)
		return smc_err_set(err, errno, "cannot read what was collected");
	if (size->files > PACK_MAX_FILES || size->bytes > PACK_MAX_BYTES) {
		close(errors);
		return smc_err_say(err, EFBIG, "this host has too much for one bundle");
	}
	snprintf(mtime, sizeof(mtime), "--mtime=@%lld", (long long)(now - now % 86400));
	status = workdir_run(work, (char *const *)argv, fd, errors, 0);
	if (status)
		note_reader(work, fd);
	if (status && !work->caught)
		say_why(status, errors, err);
	close(errors);
	return !status ? 0 : work->caught ? smc_err_set(err, EINTR, "stopped") : -err->code;
}
