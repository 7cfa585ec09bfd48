// SPDX-License-Identifier: MIT
/* Files of settings: their lines, and what they include. */
#include "settings/conf_read.h"

#include <dirent.h>
#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/memory.h"
#include "base/read.h"
#include "base/words.h"
#include "sandbox/owned.h"
#include "settings/conf_keys.h"
#include "smc/knob.h"

#define MAX_FILE (4U << 20) /* bytes */
#define MAX_WORDS 1025	    /* one too many */
#define MAX_DEPTH 8

/**
 * struct source - a file that has been read
 * @name: of the file
 * @depth: how many files include it; negative: it cannot include any
 */
struct source {
	struct conf *conf;
	const char *name;
	int depth;
	struct smc_err *err;
};

static int read_path(struct conf *conf, const char *path, int depth, struct smc_err *err);

/* ---- include ---- */

static int is_conf(const struct dirent *entry)
{
	const char *end = strrchr(entry->d_name, '.');

	return entry->d_name[0] != '.' && end && !strcmp(end, ".conf");
}

static int by_name(const struct dirent **a, const struct dirent **b)
{
	return strcmp((*a)->d_name, (*b)->d_name);
}

/* A relative name is one beside the file. */
static int make_directory(char out[PATH_MAX], const struct source *source, const char *word)
{
	const char *slash = strrchr(source->name, '/');
	int len = *word == '/' || !slash ? 0 : (int)(slash - source->name) + 1;

	return snprintf(out, PATH_MAX, "%.*s%s", len, source->name, word) < PATH_MAX ?
		       0 :
		       -ENAMETOOLONG;
}

/* Return: 0; an error of one of its files, with a sentence; a positive errno of the directory. */
static int read_directory(struct conf *conf, const char *directory, int depth, struct smc_err *err)
{
	char path[PATH_MAX + NAME_MAX + 2];
	struct dirent **names = NULL;
	int ret = 0, count = scandir(directory, &names, is_conf, by_name);

	if (count < 0)
		return errno;
	for (int i = 0; i < count; i++) {
		snprintf(path, sizeof(path), "%s/%s", directory, names[i]->d_name);
		if (!ret)
			ret = read_path(conf, path, depth, err);
		free(names[i]);
	}
	free(names);
	return ret;
}

static int include(struct source *source, struct conf_line *line)
{
	char directory[PATH_MAX];
	int ret;

	if (source->depth < 0)
		return conf_expected(line, 0, "only files can include others");
	if (source->depth == MAX_DEPTH)
		return conf_expected(line, 0, "too many files include each other");
	if (line->count != 2 || make_directory(directory, source, line->words[1]))
		return conf_expected(line, line->count < 2 ? 1 : line->count - 1,
				     "expected one directory");
	ret = read_directory(source->conf, directory, source->depth + 1, source->err);
	if (ret > 0) {
		line->bad = 1;
		return smc_err_set(line->err, ret, "cannot read the directory");
	}
	if (ret) /* said already, with the name of that file */
		line->bad = SIZE_MAX;
	return ret;
}

/* ---- lines ---- */

/* What stands there, made harmless by whoever prints it. */
static int say(const struct source *source, const struct conf_line *line)
{
	char what[sizeof(line->err->text)];

	snprintf(what, sizeof(what), "%s", line->err->text);
	return smc_err_say(source->err, line->err->code, "%.150s:%zu: %.60s: %.160s", source->name,
			   line->place.line,
			   line->bad < line->count ? line->words[line->bad] : "end of line", what);
}

/* As in sysctl.conf(5), an = may stand between name and number, with or without blanks. */
static void blank_equals(char *line)
{
	static const char blanks[] = " \t";

	line += strspn(line, blanks);
	if (strncmp(line, SMC_KNOB_PREFIX, strlen(SMC_KNOB_PREFIX)))
		return;
	line += strcspn(line, " \t=#");
	line += strspn(line, blanks);
	if (*line == '=')
		*line = ' ';
}

static int read_lines(struct source *source, char *text, char **words)
{
	struct smc_err inner = { 0 };
	struct conf_line line = { .conf = source->conf,
				  .words = words,
				  .err = &inner,
				  .place.file = conf_keep(source->conf, source->name) };
	int ret = 0;

	/* Each file begins outside of all sections. */
	line.section = conf_section(source->conf, "");
	for (char *next = text, *here; !ret && (here = strsep(&next, "\n"));) {
		line.place.line++;
		blank_equals(here);
		line.count = words_split(here, words, MAX_WORDS);
		line.bad = 0;
		if (!line.count)
			continue;
		if (line.count == MAX_WORDS)
			ret = conf_expected(&line, MAX_WORDS - 1, "too many words in a line");
		else if (!strcmp(words[0], "include"))
			ret = include(source, &line);
		else
			ret = conf_line(&line);
		if (ret && line.bad != SIZE_MAX)
			say(source, &line);
	}
	return ret;
}

static int read_text(struct source *source, char *text, size_t len)
{
	const char *nul = memchr(text, '\0', len);
	size_t number = 1;
	char **words;
	int ret;

	if (nul) {
		for (const char *at = text; at < nul; at++)
			number += *at == '\n';
		return smc_err_say(source->err, EINVAL, "%.150s:%zu: this is not text",
				   source->name, number);
	}
	words = xcalloc(MAX_WORDS, sizeof(*words));
	ret = read_lines(source, text, words);
	free(words);
	return ret;
}

/* ---- files ---- */

static int check_owner(const char *path, int fd, struct smc_err *err)
{
	char absolute[PATH_MAX], here[PATH_MAX], culprit[PATH_MAX];
	int ret;

	if (!getcwd(here, sizeof(here)))
		return smc_err_set(err, errno, "cannot open %.200s", path);
	if (snprintf(absolute, sizeof(absolute), *path == '/' ? "%.0s%s" : "%s/%s", here, path) >=
	    (int)sizeof(absolute))
		return smc_err_set(err, ENAMETOOLONG, "cannot open %.200s", path);
	ret = owned_by_root(absolute, fd, culprit);
	if (ret == -EPERM)
		return smc_err_say(err, EPERM,
				   "refusing to read %.150s as root: other users can "
				   "write to %.150s",
				   path, culprit);
	if (ret == -ESTALE)
		return smc_err_say(err, EPERM,
				   "refusing to read %.150s as root: it leads to a "
				   "file that cannot be checked",
				   path);
	return ret ? smc_err_set(err, -ret, "cannot open %.200s", path) : 0;
}

int conf_open(const char *path, bool is_applied, struct smc_err *err)
{
	int fd = smc_open_input(path, err), ret = 0;

	if (fd >= 0 && is_applied && !geteuid() && strcmp(path, "-"))
		ret = check_owner(path, fd, err);
	if (!ret)
		return fd;
	close(fd);
	return ret;
}

static int read_path(struct conf *conf, const char *path, int depth, struct smc_err *err)
{
	struct source source = { conf, path, depth, err };
	int fd = conf_open(path, conf->is_applied, err), ret;
	size_t len = 0;
	char *text;

	if (fd < 0)
		return fd;
	if (!strcmp(path, "-")) {
		source.name = "standard input";
		source.depth = -1;
	}
	text = smc_read_fd(fd, MAX_FILE, &len);
	if (!text)
		return smc_err_set(err, errno, "cannot read %.200s", source.name);
	ret = read_text(&source, text, len);
	free(text);
	return ret;
}

static void settle(struct conf *conf)
{
	for (size_t i = 0; i < conf->n_sections; i++) {
		policy_settle(&conf->sections[i].policy);
		conf->sections[i].policy.for_later = !strcmp(conf->sections[i].netns, "*");
	}
}

static int finish(struct conf *conf, int ret)
{
	settle(conf);
	if (ret)
		conf_free(conf);
	return ret;
}

int conf_read(struct conf *conf, const char *path, bool is_applied, struct smc_err *err)
{
	*conf = (struct conf){ .is_applied = is_applied };
	*err = (struct smc_err){ 0 };
	return finish(conf, read_path(conf, path, 0, err));
}

int conf_read_directory(struct conf *conf, const char *path, bool is_applied, struct smc_err *err)
{
	int ret;

	conf->is_applied = is_applied;
	ret = read_directory(conf, path, 0, err);
	if (ret > 0)
		ret = smc_err_set(err, ret, "cannot read %.200s", path);
	return finish(conf, ret);
}

int conf_read_text(struct conf *conf, char *text, size_t len, const char *name, struct smc_err *err)
{
	struct source source = { conf, name, -1, err };

	*conf = (struct conf){ 0 };
	*err = (struct smc_err){ 0 };
	return finish(conf, read_text(&source, text, len));
}
