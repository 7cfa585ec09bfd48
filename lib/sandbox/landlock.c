// SPDX-License-Identifier: MIT
/* Landlock, by system calls of its own: the C library has none, headers may be older. */
#include "sandbox/landlock.h"

#include <errno.h>
#include <fcntl.h>
#include <stdint.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

/* The same numbers on every architecture. */
#define NR_CREATE_RULESET 444
#define NR_ADD_RULE 445
#define NR_RESTRICT_SELF 446

#define ASK_VERSION 1U
#define RULE_PATH_BENEATH 1

/* LANDLOCK_ACCESS_FS_*, <linux/landlock.h> */
#define FS_EXECUTE (1ULL << 0)
#define FS_WRITE_FILE (1ULL << 1)
#define FS_READ_FILE (1ULL << 2)
#define FS_READ_DIR (1ULL << 3)
#define FS_REMOVE_DIR (1ULL << 4)
#define FS_FIRST 0x1fffULL /* version 1: what is above, and to remove and make each kind of file */
#define FS_REFER (1ULL << 13)	  /* version 2 */
#define FS_TRUNCATE (1ULL << 14)  /* version 3 */
#define FS_IOCTL_DEV (1ULL << 15) /* version 5 */

#define FS_OF_FILES (FS_EXECUTE | FS_WRITE_FILE | FS_READ_FILE | FS_TRUNCATE | FS_IOCTL_DEV)
#define FS_READ (FS_READ_FILE | FS_READ_DIR)

struct path_beneath {
	uint64_t access;
	int32_t parent;
} __attribute__((packed));

static uint64_t known_access(long version)
{
	return FS_FIRST | (version >= 2 ? FS_REFER : 0) | (version >= 3 ? FS_TRUNCATE : 0) |
	       (version >= 5 ? FS_IOCTL_DEV : 0);
}

static uint64_t rights_of(unsigned int access)
{
	return (access & LANDLOCK_READ ? FS_READ : 0) |
	       (access & LANDLOCK_EXECUTE ? FS_EXECUTE : 0) |
	       (access & LANDLOCK_WRITE ? ~(FS_READ | FS_EXECUTE | FS_IOCTL_DEV) : 0);
}

static int allow(int ruleset, uint64_t known, const struct landlock_path *path, struct smc_err *err)
{
	struct path_beneath rule = { .access = rights_of(path->access) & known };
	struct stat st;
	int ret = 0;

	rule.parent = open(path->path, O_PATH | O_CLOEXEC);
	if (rule.parent < 0)
		return smc_err_set(err, errno, "cannot open '%s'", path->path);
	if (!fstat(rule.parent, &st) && !S_ISDIR(st.st_mode))
		rule.access &= FS_OF_FILES;
	if (syscall(NR_ADD_RULE, ruleset, RULE_PATH_BENEATH, &rule, 0))
		ret = smc_err_set(err, errno, "cannot keep '%s' reachable", path->path);
	close(rule.parent);
	return ret;
}

int landlock_restrict(const struct landlock_path *paths, size_t count, struct smc_err *err)
{
	long version = syscall(NR_CREATE_RULESET, NULL, 0, ASK_VERSION);
	uint64_t known = known_access(version);
	int ruleset, ret = 0;

	if (version < 1)
		return smc_err_set(err, version ? errno : ENOSYS, "the kernel has no Landlock");
	ruleset = (int)syscall(NR_CREATE_RULESET, &known, sizeof(known), 0);
	if (ruleset < 0)
		return smc_err_set(err, errno, "cannot use Landlock");
	for (size_t i = 0; i < count && !ret; i++)
		ret = allow(ruleset, known, &paths[i], err);
	if (!ret && syscall(NR_RESTRICT_SELF, ruleset, 0))
		ret = smc_err_set(err, errno, "cannot use Landlock");
	close(ruleset);
	return ret;
}
