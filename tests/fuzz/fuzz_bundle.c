// SPDX-License-Identifier: MIT
/* An archive of any origin: unpack it, and read it with the tools. */
#include "fuzz.h"

#include <fcntl.h>
#include <ftw.h>
#include <limits.h>
#include <stdio.h>
#include <unistd.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/wait.h>

#include "host/file.h"
#include "host/probe.h"
#include "net/netdev.h"
#include "net/rdma.h"
#include "netlink/replay.h"
#include "process/proc.h"
#include "smc_chk/bundle/archive.h"

static size_t found;

static int check_one(const char *path, const struct stat *st, int type, struct FTW *where)
{
	MUST(S_ISREG(st->st_mode) || S_ISDIR(st->st_mode));
	MUST(!(st->st_mode & 07077));
	MUST(where->level <= UNPACK_MAX_PARTS);
	MUST(strlen(path) < PATH_MAX);
	found++;
	return 0;
}

static int remove_one(const char *path, const struct stat *st, int type, struct FTW *where)
{
	return remove(path);
}

static int on_message(const struct nlmsghdr *nlh, void *arg)
{
	MUST(nlh->nlmsg_len >= NLMSG_HDRLEN);
	return 0;
}

static void read_record(const char *top)
{
	const struct replay_request request = { .name = "sock_diag/43" };
	struct proc_table procs = { 0 };
	struct netdev_table nets = { 0 };
	struct rdma_table rdma = { 0 };
	struct smc_err err;
	char text[64];

	setenv("SMC_TOOLS_ROOT", top, 1);
	replay(&request, on_message, NULL, &err);
	proc_table_load(&procs);
	proc_table_free(&procs);
	if (!netdev_load(&nets, "/sys") && !rdma_load(&rdma, "/sys", &nets))
		rdma_free(&rdma);
	netdev_free(&nets);
	host_ifname(text, 1);
	host_text(text, sizeof(text), "/etc/os-release");
	MUST(!host_exists("/../../../../../../etc/passwd") || host_exists("/etc/passwd"));
	unsetenv("SMC_TOOLS_ROOT");
}

static int archive_of(const uint8_t *data, size_t size)
{
	int fd = memfd_create("bundle", MFD_CLOEXEC);

	MUST(fd >= 0);
	MUST(write(fd, data, size) == (ssize_t)size && !lseek(fd, 0, SEEK_SET));
	return fd;
}

/* Unpack in a separate process, which drops its rights. Return: true if it is a bundle. */
static bool unpack(int fd, int directory)
{
	struct smc_err err = { 0 };
	int ret, status;
	pid_t pid = fork();

	if (!pid) {
		umask(077);
		ret = bundle_unpack(fd, directory, "x", &err);
		if (ret)
			_exit(ret == -err.code && err.text[0] ? 1 : 2);
		_exit(0);
	}
	MUST(pid > 0);
	/* libFuzzer's timer interrupts it. */
	while (waitpid(pid, &status, 0) != pid)
		MUST(errno == EINTR);
	MUST(WIFEXITED(status) && WEXITSTATUS(status) < 2);
	return !status;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	const char *tmp = access("/dev/shm", W_OK) ? getenv("TMPDIR") : "/dev/shm";
	char top[PATH_MAX], inner[PATH_MAX + 64];
	int directory, fd = archive_of(data, size);

	snprintf(top, sizeof(top), "%s/smc-fuzz.XXXXXX", tmp ? tmp : "/tmp");
	MUST(mkdtemp(top));
	directory = open(top, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	MUST(directory >= 0);
	/* Other archives may have any content, but must stay inside the directory. */
	if (unpack(fd, directory)) {
		found = 0;
		MUST(!nftw(top, check_one, 8, FTW_PHYS));
		MUST(found <= PACK_MAX_FILES);
		snprintf(inner, sizeof(inner), "%s/" BUNDLE_DIRECTORY, top);
		read_record(inner);
	}
	close(fd);
	close(directory);
	MUST(!nftw(top, remove_one, 8, FTW_DEPTH | FTW_PHYS));
	return 0;
}
