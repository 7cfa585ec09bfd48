// SPDX-License-Identifier: MIT
/* Give up files, privileges and root. */
#include "sandbox/confine.h"

#include <fcntl.h>
#include <grp.h>
#include <linux/capability.h>
#include <sys/prctl.h>
#include <sys/stat.h>

#include "base/syscalls.h"
#include "sandbox/sysfilter.h"

/* ---- root ---- */

static bool is_root(void)
{
	uid_t real, effective, saved;

	return getresuid(&real, &effective, &saved) || !real || !effective || !saved;
}

/* Groups first: that needs a capability, which is lost with the user ID. */
static bool become_nobody(void)
{
	return !setgroups(0, NULL) && !setresgid(CONFINE_NOBODY, CONFINE_NOBODY, CONFINE_NOBODY) &&
	       !setresuid(CONFINE_NOBODY, CONFINE_NOBODY, CONFINE_NOBODY);
}

static bool drop_capabilities(void)
{
	struct __user_cap_header_struct header = { .version = _LINUX_CAPABILITY_VERSION_3 };
	struct __user_cap_data_struct none[_LINUX_CAPABILITY_U32S_3] = { 0 };
	struct __user_cap_data_struct left[_LINUX_CAPABILITY_U32S_3] = { 0 };

	if (syscall(SYS_capset, &header, none) || syscall(SYS_capget, &header, left))
		return false;
	for (int i = 0; i < _LINUX_CAPABILITY_U32S_3; i++)
		if (left[i].effective | left[i].permitted | left[i].inheritable)
			return false;
	return true;
}

/* Return: 0, with *@is_gone; -EPERM if it seemed to work, but root could be regained. */
static int give_up_root(bool *is_gone, struct smc_err *err)
{
	bool was_root = is_root(), is_nobody = !was_root || become_nobody();

	*is_gone = drop_capabilities() && is_nobody;
	if (!*is_gone)
		return 0;
	if (!is_root() && setresuid((uid_t)-1, 0, (uid_t)-1) &&
	    (!was_root || setresgid((gid_t)-1, 0, (gid_t)-1)))
		return 0;
	*is_gone = false;
	return smc_err_say(err, EPERM, "cannot give up root for good");
}

/* ---- Landlock, without wrappers in the C library ---- */

/* From <linux/landlock.h>, which headers before Linux 5.13 lack. */
#define RULESET_VERSION 1U
#define RULE_PATH_BENEATH 1
struct path_beneath {
	uint64_t allowed_access;
	int32_t parent_fd;
} __attribute__((packed));

enum { EXECUTE, WRITE_FILE, READ_FILE, READ_DIR, REFER = 13, TRUNCATE, IOCTL_DEV };
#define FS(right) (1ULL << (right))
#define FS_FIRST 0x1fffULL /* rights of version 1: all before FS(REFER) */
#define FS_OF_FILES (FS(EXECUTE) | FS(WRITE_FILE) | FS(READ_FILE) | FS(TRUNCATE) | FS(IOCTL_DEV))
#define FS_READ (FS(READ_FILE) | FS(READ_DIR))

static uint64_t known_access(long version)
{
	return FS_FIRST | (version >= 2 ? FS(REFER) : 0) | (version >= 3 ? FS(TRUNCATE) : 0) |
	       (version >= 5 ? FS(IOCTL_DEV) : 0);
}

static uint64_t rights_of(unsigned int access)
{
	return (access & LANDLOCK_READ ? FS_READ : 0) |
	       (access & LANDLOCK_WRITE ? ~(FS_READ | FS(EXECUTE) | FS(IOCTL_DEV)) : 0);
}

static int allow(int ruleset, uint64_t known, const struct landlock_path *path, struct smc_err *err)
{
	struct path_beneath rule = { .allowed_access = rights_of(path->access) & known };
	int fd AUTO_CLOSE = open(path->path, O_PATH | O_CLOEXEC);
	struct stat st;

	if (fd < 0)
		return smc_err_set(err, errno, "cannot open '%s'", path->path);
	rule.parent_fd = fd;
	if (!fstat(fd, &st) && !S_ISDIR(st.st_mode))
		rule.allowed_access &= FS_OF_FILES;
	if (syscall(SYS_landlock_add_rule, ruleset, RULE_PATH_BENEATH, &rule, 0))
		return smc_err_set(err, errno, "cannot keep '%s' reachable", path->path);
	return 0;
}

int landlock_restrict(const struct landlock_path *paths, size_t count, struct smc_err *err)
{
	long version = syscall(SYS_landlock_create_ruleset, NULL, 0, RULESET_VERSION);
	uint64_t known = known_access(version);
	int ruleset AUTO_CLOSE = -1, ret = 0;

	if (version < 1)
		return smc_err_set(err, version ? errno : ENOSYS, "the kernel has no Landlock");
	ruleset = (int)syscall(SYS_landlock_create_ruleset, &known, sizeof(known), 0);
	if (ruleset < 0)
		return smc_err_set(err, errno, "cannot use Landlock");
	for (size_t i = 0; i < count && !ret; i++)
		ret = allow(ruleset, known, &paths[i], err);
	if (!ret && syscall(SYS_landlock_restrict_self, ruleset, 0))
		ret = smc_err_set(err, errno, "cannot use Landlock");
	return ret;
}

/* ---- files ---- */

/* An outer sandbox answers EPERM to unknown calls. */
static bool is_lack(int code)
{
	return code == -ENOSYS || code == -EOPNOTSUPP || code == -EPERM || code == -E2BIG;
}

/* Restrict files by Landlock. Return: 0, even without Landlock; -errno if a path cannot be used. */
static int close_files(const struct confine *keep, unsigned int *done, struct smc_err *err)
{
	int ret;

	if (keep->no_landlock)
		return 0;
	ret = landlock_restrict(keep->paths, keep->n_paths, err);
	if (!ret)
		*done |= CONFINE_LANDLOCK | CONFINE_FILES;
	if (ret && !is_lack(ret))
		return ret;
	if (err)
		*err = (struct smc_err){ 0 };
	return 0;
}

int confine(const struct confine *keep, unsigned int *done, struct smc_err *err)
{
	unsigned int local = 0;
	bool is_gone = false;
	int ret;

	if (!prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0))
		local |= CONFINE_NO_NEW_PRIVS;
	/* Done before root is given up, as only root may be able to open the paths. */
	ret = close_files(keep, &local, err);
	if (!ret && !keep->keeps_root)
		ret = give_up_root(&is_gone, err);
	if (is_gone)
		local |= CONFINE_NOT_ROOT;
	/* Last, because it forbids some of the above. */
	if (!ret && !sysfilter_install(!keep->n_paths))
		local |= CONFINE_FILTER | (keep->n_paths ? 0 : CONFINE_FILES);
	if (done)
		*done = local;
	return ret;
}
