// SPDX-License-Identifier: MIT
#include "smc_unit/unit.h"

#include <dirent.h>
#include <fcntl.h>
#include <sys/stat.h>

#include "base/read.h"
#include "base/words.h"
#include "base/write.h"

#define SIZE_MAX_READ 65536

static int set_base(bool user, char base[PATH_MAX], struct smc_err *err)
{
	const char *config = getenv("XDG_CONFIG_HOME"), *home = getenv("HOME");
	int len;

	if (!user)
		len = snprintf(base, PATH_MAX, "/etc/systemd/system");
	else if (config && *config == '/')
		len = snprintf(base, PATH_MAX, "%s/systemd/user", config);
	else if (home && *home == '/')
		len = snprintf(base, PATH_MAX, "%s/.config/systemd/user", home);
	else
		return smc_err_say(err, ENOENT, "HOME is not set");
	return len < PATH_MAX ? 0 : smc_err_set(err, ENAMETOOLONG, "'%s'", base);
}

int dropin_locate(bool user, const char *unit, struct dropin *out, struct smc_err *err)
{
	char base[PATH_MAX];
	int ret = set_base(user, base, err);

	if (!ret && (snprintf(out->dir, PATH_MAX, "%s/%s.d", base, unit) >= PATH_MAX ||
		     snprintf(out->file, PATH_MAX, "%s/" DROPIN_FILE, out->dir) >= PATH_MAX))
		ret = smc_err_set(err, ENAMETOOLONG, "'%s'", out->dir);
	return ret;
}

/* True if an entry of @dir is named after a service, with @end, and has @file. Cuts @end off. */
static bool cut_unit(char *name, const char *dir, const char *end, const char *file)
{
	char path[PATH_MAX + NAME_MAX + 32];
	struct stat st;

	snprintf(path, sizeof(path), "%s/%s%s", dir, name, file);
	if (*name == '.' || !word_ends_with(name, end) || lstat(path, &st))
		return false;
	name[strlen(name) - strlen(end)] = '\0';
	return word_ends_with(name, ".service");
}

int units_each(const char *dir, const char *end, const char *file, unit_fn *fn, void *arg,
	       struct smc_err *err)
{
	struct dirent **entries;
	int n = scandir(dir, &entries, NULL, alphasort), ret = 0;

	if (n < 0)
		return errno == ENOENT ? 0 : smc_err_set(err, errno, "cannot read '%s'", dir);
	for (int i = 0; i < n; i++) {
		if (!ret && cut_unit(entries[i]->d_name, dir, end, file))
			ret = fn(entries[i]->d_name, arg);
		free(entries[i]);
	}
	free(entries);
	return ret;
}

int dropin_each(bool user, unit_fn *fn, void *arg, struct smc_err *err)
{
	char base[PATH_MAX];

	return set_base(user, base, err) ?: units_each(base, ".d", "/" DROPIN_FILE, fn, arg, err);
}

static int failed(struct smc_err *err, int code, const char *what, const char *path)
{
	if (code == EACCES || code == EPERM)
		return smc_err_say(err, code, "cannot %s '%s': %s: try with sudo", what, path,
				   strerror(code));
	return smc_err_set(err, code, "cannot %s '%s'", what, path);
}

int dropin_read(const char *file, char **text, struct smc_err *err)
{
	struct stat st;
	size_t len;

	*text = NULL;
	if (lstat(file, &st))
		return errno == ENOENT || errno == ENOTDIR ? 0 : failed(err, errno, "read", file);
	if (S_ISREG(st.st_mode)) {
		*text = smc_read_file(file, O_NOFOLLOW | O_NONBLOCK | O_NOCTTY, SIZE_MAX_READ,
				      &len);
		if (!*text && errno != EFBIG)
			return failed(err, errno, "read", file);
	}
	if (*text && !strncmp(*text, DROPIN_MARK, strlen(DROPIN_MARK)))
		return 0;
	free(*text);
	*text = NULL;
	return smc_err_say(err, EEXIST, "'%s' was not written by smc_unit: left unchanged", file);
}

bool dropin_is_bpf(const char *text)
{
	return text && strstr(text, "\nExecStartPre=");
}

/* Same as mkdir -p. */
static int make_directories(const char *path, struct smc_err *err)
{
	char part[PATH_MAX];
	const char *end = path;

	do {
		end += 1 + strcspn(end + 1, "/");
		snprintf(part, sizeof(part), "%.*s", (int)(end - path), path);
		if (mkdir(part, 0755) && errno != EEXIST)
			return failed(err, errno, "create directory", part);
	} while (*end);
	return 0;
}

/* The new file first has a temporary name, which systemd ignores. */
static int replace(const struct dropin *dropin, const char *text, struct smc_err *err)
{
	int dir AUTO_CLOSE = open(dropin->dir, O_PATH | O_DIRECTORY | O_CLOEXEC);
	int ret = dir < 0 ? -errno :
			    smc_replace_file(dir, strrchr(dropin->file, '/') + 1, text,
					     strlen(text), 0644);

	if (!ret)
		return 1;
	if (!dropin->keeps_dir)
		rmdir(dropin->dir);
	return failed(err, -ret, "write", dropin->file);
}

int dropin_write(const struct dropin *dropin, const char *text, struct smc_err *err)
{
	bool same;
	char *old;
	int ret = dropin_read(dropin->file, &old, err);

	if (ret)
		return ret;
	same = old && !strcmp(old, text);
	free(old);
	if (same)
		return 0;
	return make_directories(dropin->dir, err) ?: replace(dropin, text, err);
}

int dropin_remove(const struct dropin *dropin, struct smc_err *err)
{
	char *old;
	int ret = dropin_read(dropin->file, &old, err);

	if (ret || !old)
		return ret;
	free(old);
	if (unlink(dropin->file))
		return failed(err, errno, "remove", dropin->file);
	if (!dropin->keeps_dir)
		rmdir(dropin->dir); /* fails if there are other files */
	return 1;
}
