// SPDX-License-Identifier: MIT
/* The command keep: write the current settings to smc.conf, and apply them at each boot. */
#include "smc_conf/smc_conf.h"

#include <fcntl.h>
#include <sys/stat.h>

#include "base/memory.h"
#include "base/read.h"
#include "base/write.h"
#include "host/record.h"

#define DIRECTORY "/etc/smc-tools"
#define NAME "smc.conf"
#define OLD_NAME NAME ".old"

/* Check that the file would be valid together with those in the directory. */
static int check(const struct out_text *text, struct smc_err *err)
{
	char *copy AUTO_FREE = xstrndup(text->data, text->len);
	struct conf conf AUTO(conf_free) = { 0 };
	int ret = conf_read_text(&conf, copy, text->len, CONF_FILE, err);

	if (!ret && !access(CONF_DIR, F_OK))
		ret = conf_read_directory(&conf, CONF_DIR, true, err);
	return ret;
}

static bool is_there(const struct out_text *text)
{
	size_t len;
	char *old AUTO_FREE = smc_read_file(CONF_FILE, O_NONBLOCK, text->len + 1, &len);

	return old && len == text->len && !memcmp(old, text->data, len);
}

/* True if both names are of one file: a process was killed before it replaced the first. */
static bool is_same(int dir)
{
	struct stat now, old;

	return errno == EEXIST && !fstatat(dir, NAME, &now, AT_SYMLINK_NOFOLLOW) &&
	       !fstatat(dir, OLD_NAME, &old, AT_SYMLINK_NOFOLLOW) && now.st_ino == old.st_ino;
}

/* Replace the default file; the old one gets a second name. Return: 1 if there was one, or 0. */
static int replace(int dir, const struct out_text *text, struct smc_err *err)
{
	bool has_old = !linkat(dir, NAME, dir, OLD_NAME, 0) || is_same(dir);
	int ret;

	if (!has_old && errno == EEXIST)
		return smc_err_say(err, EEXIST,
				   CONF_FILE " differs, and " DIRECTORY "/" OLD_NAME
					     " already exists: move it away first");
	if (!has_old && errno != ENOENT)
		return smc_err_set(err, errno, "cannot rename " CONF_FILE);
	ret = smc_replace_file(dir, NAME, text->data, text->len, 0644);
	if (!ret)
		return has_old;
	if (has_old)
		unlinkat(dir, OLD_NAME, 0);
	return smc_err_set(err, -ret, "cannot write " CONF_FILE);
}

static int put(const struct out_text *text, const struct cli_tool *tool, struct smc_err *err)
{
	int dir, ret;

	settings_remove_left(DIRECTORY "/." NAME ".*");
	if (is_there(text))
		return 0;
	mkdir(DIRECTORY, 0755);
	dir = open(DIRECTORY, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	if (dir < 0)
		return smc_err_set(err, errno, "cannot write " CONF_FILE);
	ret = replace(dir, text, err);
	close(dir);
	if (ret > 0)
		cli_note(tool, "the previous file is now " DIRECTORY "/" OLD_NAME);
	return ret < 0 ? ret : 0;
}

int sc_keep(const struct conf *now, const struct cli_tool *tool, struct smc_err *err)
{
	struct out_text text AUTO(out_free) = { 0 };
	struct smc_err inner;
	int ret;

	if (record_root())
		return record_refuse(err);
	sc_export(&text, now);
	ret = check(&text, err);
	if (!ret)
		ret = put(&text, tool, err);
	if (ret)
		return ret;
	ret = settings_enable(&inner);
	if (ret > 0)
		cli_note(tool, CONF_FILE
			 " is written, but systemd does not run here: nothing applies it at boot");
	return ret < 0 ? smc_err_say(err, -ret, CONF_FILE " is written, but %s", inner.text) : 0;
}
