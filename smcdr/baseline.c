// SPDX-License-Identifier: MIT
/*
 * "stats reset" saves the counters as a baseline: one file per tool and network namespace, valid
 * until the next boot. The kernel itself cannot reset its counters.
 */
#include "smcdr/cmd.h"

#include <fcntl.h>
#include <sys/socket.h>
#include <sys/stat.h>

#include "base/read.h"
#include "base/write.h"
#include "out/text.h"

#ifndef SO_NETNS_COOKIE
#define SO_NETNS_COOKIE 71 /* kernel 5.14 */
#endif
#define NAME_SIZE 64
#define MAX_SIZE 65536
#define HEAD "smc-tools statistics 1 "

/*
 * Root's directory is /run/smc-tools, another user's is below $XDG_RUNTIME_DIR, $XDG_STATE_HOME or
 * $HOME/.local/state. Return: 0, -errno.
 */
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
	for (size_t i = 0; i < sizeof(places) / sizeof(places[0]); i++) {
		const char *base = secure_getenv(places[i].variable);

		if (!base || base[0] != '/')
			continue;
		return snprintf(path, size, "%s%s/smc-tools", base, places[i].below) < (int)size ?
			       0 :
			       -ENAMETOOLONG;
	}
	return -ENOENT;
}

/* Open the directory, or make it. No one else may write to it. */
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

/* Return: to be freed; NULL with errno. */
static char *boot_id(void)
{
	size_t len;
	char *id = smc_read_file("/proc/sys/kernel/random/boot_id", 0, MAX_SIZE, &len);

	if (id)
		id[strcspn(id, "\n")] = '\0';
	return id;
}

/* The cookie of a namespace is unique until the next boot, an inode number is not. */
static void file_name(char name[NAME_SIZE], const char *tool)
{
	uint64_t cookie = 0;
	socklen_t len = sizeof(cookie);
	struct stat st;
	int fd = socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC, 0);
	bool has_cookie = fd >= 0 && !getsockopt(fd, SOL_SOCKET, SO_NETNS_COOKIE, &cookie, &len);

	if (fd >= 0)
		close(fd);
	if (!has_cookie && !stat("/proc/thread-self/ns/net", &st))
		cookie = st.st_ino;
	snprintf(name, NAME_SIZE, "%s-%s%" PRIu64, tool, has_cookie ? "" : "inode-", cookie);
}

/* ---- text form ---- */

char *baseline_write(const struct smc_stats *stats, const char *boot)
{
	struct out_text text = { 0 };

	out_printf(&text, HEAD "%s\n", boot);
	for (int t = 0; t < SMC_TECHS; t++)
		for (int i = 0; i < SMC_STAT_COUNT; i++)
			out_printf(&text, "tech %d %d %" PRIu64 "\n", t, i,
				   stats->tech[t].value[i]);
	for (int s = 0; s < SMC_SIDES; s++) {
		const struct smc_side_stats *side = &stats->side[s];

		out_printf(&text, "side %d %" PRIu64 " %" PRIu64 "\n", s, side->handshake_errors,
			   side->fallbacks);
		for (size_t i = 0; i < side->n_reasons; i++)
			out_printf(&text, "reason %d %u %u\n", s, side->reasons[i].code,
				   side->reasons[i].count);
	}
	out_mem(&text, "end\n", sizeof("end\n"));
	return text.data;
}

static bool read_line(struct smc_stats *base, const char *line, size_t *n_tech)
{
	struct smc_side_stats *side;
	uint64_t a, b;
	unsigned int i, j;

	if (sscanf(line, "tech %u %u %" SCNu64, &i, &j, &a) == 3) {
		if (i >= SMC_TECHS || j >= SMC_STAT_COUNT)
			return false;
		base->tech[i].value[j] = a;
		return ++*n_tech;
	}
	if (sscanf(line, "%*[a-z] %u %" SCNu64 " %" SCNu64, &i, &a, &b) != 3 || i >= SMC_SIDES)
		return false;
	side = &base->side[i];
	if (!strncmp(line, "side ", 5)) {
		side->handshake_errors = a;
		side->fallbacks = b;
		return true;
	}
	if (strncmp(line, "reason ", 7) || a > UINT32_MAX || b > UINT16_MAX ||
	    side->n_reasons == SMC_STAT_REASONS)
		return false;
	side->reasons[side->n_reasons++] = (struct smc_reason_count){ (uint32_t)a, (uint16_t)b };
	return true;
}

int baseline_read(struct smc_stats *base, const char *text, const char *boot)
{
	size_t n_tech = 0, len;

	memset(base, 0, sizeof(*base));
	if (strncmp(text, HEAD, sizeof(HEAD) - 1))
		return -EBADMSG;
	text += sizeof(HEAD) - 1;
	len = strcspn(text, "\n");
	if (len != strlen(boot) || memcmp(text, boot, len))
		return -ENOENT;
	for (text += len; *text == '\n' && text[1]; text += strcspn(text, "\n")) {
		text++;
		if (!strcmp(text, "end\n"))
			return n_tech == (size_t)SMC_TECHS * SMC_STAT_COUNT ? 0 : -EBADMSG;
		if (!read_line(base, text, &n_tech))
			return -EBADMSG;
	}
	return -EBADMSG;
}

/* ---- files ---- */

/* Return: to be freed; NULL with errno. */
static char *read_file(int dir, const char *name)
{
	int fd = openat(dir, name, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
	struct stat st;
	size_t len;

	if (fd >= 0 && (fstat(fd, &st) || !S_ISREG(st.st_mode) || st.st_uid != geteuid())) {
		close(fd);
		errno = EPERM;
		return NULL;
	}
	return smc_read_fd(fd, MAX_SIZE, &len);
}

int baseline_load(struct smc_stats *base, const char *tool, struct smc_err *err)
{
	char name[NAME_SIZE], *id, *text = NULL;
	int dir = open_dir(false, err), ret;

	if (dir < 0)
		return dir;
	file_name(name, tool);
	id = boot_id();
	if (id)
		text = read_file(dir, name);
	ret = text ? baseline_read(base, text, id) : -errno;
	free(text);
	free(id);
	close(dir);
	return ret ? smc_err_set(err, -ret, "cannot read the baseline %s", name) : 0;
}

int baseline_save(const struct smc_stats *stats, const char *tool, struct smc_err *err)
{
	char name[NAME_SIZE], *id, *text = NULL;
	int dir = open_dir(true, err), ret;

	if (dir < 0)
		return dir;
	file_name(name, tool);
	id = boot_id();
	if (id)
		text = baseline_write(stats, id);
	ret = text ? smc_replace_file(dir, name, text, strlen(text), 0600) : -errno;
	free(text);
	free(id);
	close(dir);
	return ret ? smc_err_set(err, -ret, "cannot store the baseline %s", name) : 0;
}
