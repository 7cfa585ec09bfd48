// SPDX-License-Identifier: MIT
/*
 * Namespaces of this thread, and whether smc_keep is in the same.
 *
 * smc_keep is not dumpable, to protect its sockets from ptrace(2). So only root can read the links
 * in its /proc/PID/ns. The other files of /proc/PID are readable by all.
 */
#include "ld_pre_smc/state/home.h"

#include <fcntl.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "ld_pre_smc/state/fd_query.h"
#include "ld_pre_smc/state/log.h"

#define START 128

/* Bytes, or -1. */
static int read_start(int dir, const char *path, char *text)
{
	int fd = (int)syscall(SYS_openat, dir, path, O_RDONLY | O_CLOEXEC), len;

	if (fd < 0)
		return -1;
	len = (int)syscall(SYS_read, fd, text, START);
	shim_close(fd);
	return len;
}

/*
 * True if a file in /proc of another process begins with the same bytes as the same file of this
 * thread. @own: path of this thread's file
 */
static bool is_alike(int dir, const char *own)
{
	char mine[START], other[START];
	int len = read_start(AT_FDCWD, own, mine);

	return len > 0 && read_start(dir, own + sizeof(KEEP_SELF) - 1, other) == len &&
	       !memcmp(mine, other, (size_t)len);
}

/*
 * True if it is in the same user namespace. Only root can read the link; others compare the user
 * map, which several namespaces can share.
 */
static bool has_users(int dir, const struct keep_home *home)
{
	struct stat st;

	return is_alike(dir, KEEP_SELF "uid_map") &&
	       (shim_stat(dir, "ns/user", &st) || (unsigned long)st.st_ino == home->spaces[1]);
}

/* True if it is in the same network namespace. The inode of net/dev is unique to each. */
static bool has_network(int dir)
{
	struct stat mine;

	return !shim_stat(AT_FDCWD, KEEP_SELF "net/dev", &mine) &&
	       shim_is_file(dir, "net/dev", &mine);
}

/* True if it is in the same PID namespace as this /proc: NSpid has its number alone. */
static bool has_number(int dir, const char *status, int number)
{
	struct log_line line = { 0 };

	log_format(&line, "\nNSpid:\t%d\n", number);
	return shim_file_has(dir, status, line.text) > 0;
}

/* True if it has this user id in all four places, as smc_keep sets it. */
static bool has_user(int dir, unsigned int uid)
{
	char text[64] = "\nUid:", *end = text + strlen(text);

	for (int i = 0; i < 4; i++) {
		*end++ = '\t';
		end = keep_put(end, uid);
	}
	*end = '\n';
	return shim_file_has(dir, "status", text) > 0;
}

bool shim_home_find(struct keep_home *home)
{
	char map[START];
	struct stat st;
	int len;

	home->uid = geteuid();
	for (int i = 0; i < KEEP_SPACES; i++) {
		if (shim_stat(AT_FDCWD, keep_space(i), &st))
			return false;
		home->spaces[i] = (unsigned long)st.st_ino;
	}
	len = read_start(AT_FDCWD, KEEP_SELF "uid_map", map);
	return len > 0 && keep_is_known(home->uid, map, (size_t)len) &&
	       has_number(AT_FDCWD, KEEP_SELF "status", (int)syscall(SYS_gettid));
}

/* Mount IDs are unique: the first one is that of the root directory. */
bool shim_home_has(const struct keep_home *home, int pid)
{
	struct log_line path = { 0 };
	bool has;
	int dir;

	log_format(&path, "/proc/%d", pid);
	dir = (int)syscall(SYS_openat, AT_FDCWD, path.text, O_PATH | O_DIRECTORY | O_CLOEXEC);
	if (dir < 0)
		return false;
	has = shim_file_has(dir, "status", "Name:\tsmc_keep\n") > 0 && has_user(dir, home->uid) &&
	      has_number(dir, "status", pid) && is_alike(dir, KEEP_SELF "mountinfo") &&
	      has_users(dir, home) && has_network(dir);
	shim_close(dir);
	return has;
}
