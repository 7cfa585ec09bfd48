// SPDX-License-Identifier: MIT
/* Lines that programs add to the files of smc.conf(5), and take out again. */
#include "settings/settings.h"

#include <fcntl.h>
#include <sys/stat.h>

#include "base/memory.h"
#include "base/read.h"
#include "base/write.h"
#include "process/program.h"

#define NAME "50-added.conf"
#define PATH CONF_DIR "/" NAME
#define SIZE_LIMIT 65536

int settings_enable(struct smc_err *err)
{
	static const char *const argv[] = { "systemctl", "enable", "smc-conf.service", NULL };
	char *said AUTO_FREE = NULL;
	size_t size;
	int status;

	if (access("/run/systemd/system", F_OK))
		return 1;
	status = program_run((char *const *)argv, &said, &size);
	if (status < 0)
		return smc_err_set(err, -status, "cannot run systemctl");
	return status ? smc_err_say(err, EIO, "cannot apply settings at each boot: %.*s",
				    (int)strcspn(said, "\n"), said) :
			0;
}

static bool has_line(const char *text, const char *line, size_t len)
{
	for (; *text; text += strcspn(text, "\n"), text += *text == '\n')
		if (strcspn(text, "\n") == len && !memcmp(text, line, len))
			return true;
	return false;
}

/* Append the lines of @from that @without does not have. */
static void append_lines(struct out_text *text, const char *from, const char *without)
{
	for (size_t len; *from; from += len, from += *from == '\n') {
		len = strcspn(from, "\n");
		if (len && !has_line(without, from, len))
			out_printf(text, "%.*s\n", (int)len, from);
	}
}

int settings_write_file(const char *directory, const char *name, const char *text, size_t len,
			struct smc_err *err)
{
	int dir AUTO_CLOSE = -1, ret;

	mkdir("/etc/smc-tools", 0755);
	mkdir(directory, 0755);
	dir = open(directory, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	if (dir < 0)
		ret = -errno;
	else if (len)
		ret = smc_replace_file(dir, name, text, len, 0644);
	else
		ret = unlinkat(dir, name, 0) && errno != ENOENT ? -errno : 0;
	return ret ? smc_err_set(err, -ret, "cannot write %s/%s", directory, name) : 0;
}

static int write_added(const char *text, struct smc_err *err)
{
	return settings_write_file(CONF_DIR, NAME, text, strlen(text), err);
}

/* Apply what the files say now, without the lines that are @gone. */
static int apply(char *gone, struct smc_err *err)
{
	struct conf file AUTO(conf_free) = { 0 };
	struct settings host AUTO(settings_free) = { 0 };
	int ret = conf_read_default(&file, false, true, err);

	if (!ret)
		ret = conf_read_text(&host.gone, gone, strlen(gone), PATH, err);
	if (!ret)
		ret = settings_plan(&host, &file, NULL, err);
	return ret ? ret : settings_apply(&host, err);
}

static int replace(const char *old, const char *text, char *gone, struct smc_err *err)
{
	struct smc_err inner;
	int ret = write_added(text, err);

	if (!ret && *text)
		ret = settings_enable(err) < 0 ? -err->code : 0;
	if (!ret)
		ret = apply(gone, err);
	if (ret)
		write_added(old, &inner);
	return ret;
}

int settings_add(const char *lines, bool is_removed, struct smc_err *err)
{
	struct out_text text AUTO(out_free) = { 0 }, gone AUTO(out_free) = { 0 };
	struct settings lock AUTO(settings_free) = { 0 };
	char *old AUTO_FREE = NULL;
	size_t len;

	settings_lock(&lock);
	old = smc_read_file(PATH, O_NOFOLLOW, SIZE_LIMIT, &len);
	if (!old && errno != ENOENT)
		return smc_err_set(err, errno, "cannot read " PATH);
	old = old ? old : xstrdup("");
	if (is_removed) {
		append_lines(&text, old, lines ? lines : old);
	} else {
		append_lines(&text, old, "");
		append_lines(&text, lines, old);
	}
	out_char(&text, '\0');
	append_lines(&gone, old, text.data);
	out_char(&gone, '\0');
	return replace(old, text.data, gone.data, err);
}
