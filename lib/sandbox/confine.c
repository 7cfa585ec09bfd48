// SPDX-License-Identifier: MIT
/* Giving up files, rights and root. */
#include "sandbox/confine.h"

#include <errno.h>
#include <grp.h>
#include <stdio.h>
#include <string.h>
#include <linux/capability.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "sandbox/sysfilter.h"

static int set_limits(const struct confine *keep, struct smc_err *err)
{
	for (size_t i = 0; i < keep->n_limits; i++) {
		const struct confine_limit *wish = &keep->limits[i];
		const struct rlimit limit = { wish->most, wish->most };

		if (setrlimit(wish->resource, &limit))
			return smc_err_set(err, errno, "cannot set resource limit %d",
					   wish->resource);
	}
	return 0;
}

/* ---- root ---- */

static bool is_root(void)
{
	uid_t real, effective, saved;

	return getresuid(&real, &effective, &saved) || !real || !effective || !saved;
}

/* Groups first: that needs a capability, which goes with the number. */
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

/* Return: 0, with *@is_gone; -EPERM when it seemed to work, but root can come back. */
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

/* ---- files ---- */

static bool may_execute(const struct confine *keep)
{
	for (size_t i = 0; i < keep->n_paths; i++)
		if (keep->paths[i].access & LANDLOCK_EXECUTE)
			return true;
	return false;
}

/* Only Landlock knows paths: the filter closes all files, or none. */
static unsigned int filter_also(const struct confine *keep)
{
	return (keep->n_paths ? 0 : SYSFILTER_FILES) | (may_execute(keep) ? 0 : SYSFILTER_EXECUTE);
}

/* A sandbox around us answers EPERM to what it does not know. */
static bool is_lack(int code)
{
	return code == -ENOSYS || code == -EOPNOTSUPP || code == -EPERM || code == -E2BIG;
}

/* Return: 0, also where there is no Landlock; -errno for a path. */
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
	int ret = set_limits(keep, err);

	if (!ret && !prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0))
		local |= CONFINE_NO_NEW_PRIVS;
	/* Root may open paths that nobody may not. */
	if (!ret)
		ret = close_files(keep, &local, err);
	if (!ret && !keep->keeps_root)
		ret = give_up_root(&is_gone, err);
	if (is_gone)
		local |= CONFINE_NOT_ROOT;
	/* Last, because it forbids some of the above. */
	if (!ret && !sysfilter_install(filter_also(keep)))
		local |= CONFINE_FILTER | (keep->n_paths ? 0 : CONFINE_FILES);
	if (done)
		*done = local;
	return ret;
}

const char *confine_text(char text[CONFINE_TEXT_SIZE], unsigned int done)
{
	static const struct {
		unsigned int bit;
		const char *word;
	} words[] = {
		{ CONFINE_NO_NEW_PRIVS, "no new privileges" },
		{ CONFINE_NOT_ROOT, "not root" },
		{ CONFINE_LANDLOCK, "Landlock" },
		{ CONFINE_FILTER, "a filter of system calls" },
		{ CONFINE_FILES, "no more files" },
	};
	size_t len = 0;

	text[0] = '\0';
	for (size_t i = 0; i < sizeof(words) / sizeof(words[0]); i++)
		if (done & words[i].bit)
			len += (size_t)snprintf(text + len, CONFINE_TEXT_SIZE - len, "%s%s",
						len ? ", " : "", words[i].word);
	return len ? text : "nothing";
}
