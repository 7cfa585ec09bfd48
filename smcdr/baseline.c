// SPDX-License-Identifier: MIT
/*
 * "stats reset" saves the counters as a baseline: one file per tool and network namespace, valid
 * until the next boot. The kernel itself cannot reset its counters.
 */
#include "smcdr/cmd.h"

#include <fcntl.h>
#include <sys/stat.h>

#include "base/array.h"
#include "base/read.h"
#include "base/write.h"
#include "net/netns.h"

#define NAME_SIZE 64
#define MAX_SIZE 65536
#define HEAD "smc-tools statistics 2"
#define BOOT_SIZE sizeof(((struct baseline *)NULL)->boot)

/* /run/smc-tools for root; else $XDG_RUNTIME_DIR, $XDG_STATE_HOME or $HOME/.local/state. */
static int baseline_dir(char *path, size_t size)
{
	static const struct {
		const char *variable, *below;
	} places[] = {
		{ "XDG_RUNTIME_DIR", "" },
		{ "XDG_STATE_HOME", "" },
		{ "HOME", "/.local/state" },
	};

	if (!geteuid())
		return snprintf(path, size, RUN_DIR) < (int)size ? 0 : -ENAMETOOLONG;
	for (size_t i = 0; i < ARRAY_SIZE(places); i++) {
		const char *base = secure_getenv(places[i].variable);

		if (!base || base[0] != '/')
			continue;
		return snprintf(path, size, "%s%s/smc-tools", base, places[i].below) < (int)size ?
			       0 :
			       -ENAMETOOLONG;
	}
	return -ENOENT;
}

/* Open or make the directory. No one else may write to it. */
static int open_dir(bool is_new, struct smc_err *err)
{
	char path[PATH_MAX], *slash;
	struct stat st;
	int fd, ret = baseline_dir(path, sizeof(path));

	if (ret)
		return smc_err_say(err, -ret, "no directory for the baseline: set XDG_RUNTIME_DIR");
	slash = is_new ? strrchr(path, '/') : NULL;
	if (slash) {
		*slash = '\0';
		mkdir(path, 0700); /* $XDG_STATE_HOME may not exist yet */
		*slash = '/';
		if (mkdir(path, 0700) && errno != EEXIST)
			return smc_err_set(err, errno, "cannot make %s", path);
	}
	fd = open(path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
	if (fd < 0)
		return smc_err_set(err, errno, "cannot open %s", path);
	if (!fstat(fd, &st) && st.st_uid == geteuid() && !(st.st_mode & 022))
		return fd;
	close(fd);
	return smc_err_say(
		err, EPERM,
		"%s is not trusted: it belongs to another user, or others may write to it", path);
}

void baseline_fill(struct baseline *file, const struct smc_stats *stats, const char *boot)
{
	*file = (struct baseline){ .head = HEAD, .stats = *stats };
	snprintf(file->boot, sizeof(file->boot), "%s", boot);
}

int baseline_read(struct smc_stats *base, const void *data, size_t len, const char *boot)
{
	struct baseline file;

	if (len != sizeof(file))
		return -EBADMSG;
	memcpy(&file, data, len);
	if (memcmp(file.head, (char[sizeof(file.head)]){ HEAD }, sizeof(file.head)))
		return -EBADMSG;
	if (strncmp(file.boot, boot, sizeof(file.boot)))
		return -ENOENT;
	for (int s = 0; s < SMC_SIDES; s++)
		if (file.stats.side[s].n_reasons > SMC_STAT_REASONS)
			return -EBADMSG;
	*base = file.stats;
	return 0;
}

/* Open the directory, and find the name of the file and of this boot. */
static int locate(char name[NAME_SIZE], char boot[BOOT_SIZE], const char *tool, bool is_new,
		  struct smc_err *err)
{
	int dir = open_dir(is_new, err);

	snprintf(name, NAME_SIZE, "%s-%" PRIu64, tool, smc_netns_id());
	smc_read_start("/proc/sys/kernel/random/boot_id", 0, boot, BOOT_SIZE);
	return dir;
}

int baseline_load(struct smc_stats *base, const char *tool, struct smc_err *err)
{
	char name[NAME_SIZE], boot[BOOT_SIZE], *data AUTO_FREE = NULL;
	int dir AUTO_CLOSE = locate(name, boot, tool, false, err), fd, ret = -EPERM;
	struct stat st;
	size_t len;

	if (dir < 0)
		return dir;
	fd = openat(dir, name, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
	if (fd >= 0 && (fstat(fd, &st) || !S_ISREG(st.st_mode) || st.st_uid != geteuid())) {
		close(fd);
	} else {
		data = smc_read_fd(fd, MAX_SIZE, &len);
		ret = data ? baseline_read(base, data, len, boot) : -errno;
	}
	return ret ? smc_err_set(err, -ret, "cannot read the baseline %s", name) : 0;
}

int baseline_save(const struct smc_stats *stats, const char *tool, struct smc_err *err)
{
	char name[NAME_SIZE], boot[BOOT_SIZE];
	int dir AUTO_CLOSE = locate(name, boot, tool, true, err), ret;
	struct baseline file;

	if (dir < 0)
		return dir;
	baseline_fill(&file, stats, boot);
	ret = smc_replace_file(dir, name, &file, sizeof(file), 0600);
	return ret ? smc_err_set(err, -ret, "cannot store the baseline %s", name) : 0;
}
