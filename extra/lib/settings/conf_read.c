// SPDX-License-Identifier: MIT
/* Files of settings: lines, sections, directories, and the place of an error. */
#include <dirent.h>
#include <fnmatch.h>
#include <sys/stat.h>

#include "base/array.h"
#include "base/read.h"
#include "base/words.h"
#include "sandbox/owned.h"
#include "settings/setting.h"
#include "smc/knob.h"

#define MAX_FILE (4U << 20) /* bytes */
#define MAX_WORDS 1025	    /* one too many */

/**
 * struct source - a file in progress
 * @name: of the file
 */
struct source {
	struct conf *conf;
	const char *name;
	struct smc_err *err;
};

int conf_expected(struct conf_line *line, size_t bad, const char *what)
{
	line->bad = bad;
	return smc_err_say(line->err, EINVAL, "%s", what);
}

/* Name all kinds, or what begins a line. */
static int expected_kind(struct conf_line *line, size_t bad, bool is_line)
{
	struct out_text text AUTO(out_free) = { 0 };

	out_str(&text, "expected ");
	for (const struct setting *kind = settings_rows; kind->name; kind++)
		out_printf(&text, "%s%s", kind == settings_rows ? "" : ", ",
			   is_line ? kind->words : kind->name);
	out_str(&text, is_line ? ", netns, host or exclusive" : "");
	out_char(&text, '\0');
	return conf_expected(line, bad, text.data);
}

int conf_accept(struct conf_line *line, struct conf_item *item, size_t bad)
{
	const struct conf_item *other;
	char place[CONF_PLACE_SIZE];

	item->kind = line->kind;
	item->section = line->section;
	item->place = line->place;
	other = conf_find(line->conf, item->section, item);
	if (!other)
		conf_add(line->conf, item);
	if (!other || conf_has_value_of(other, item))
		return 0;
	line->bad = bad;
	return smc_err_say(line->err, EINVAL, "contradicts %s",
			   conf_place_text(place, &other->place));
}

/* ---- lines about the file itself ---- */

static int read_netns(struct conf_line *line)
{
	const char *name = line->count > 1 ? line->words[1] : "";

	if (line->count > 2)
		return conf_expected(line, 2, "expected the end of the line");
	if (!*name || !strcmp(name, ".") || !strcmp(name, "..") || strlen(name) > NAME_MAX ||
	    strchr(name, '/') || strspn(name, "0123456789") == strlen(name))
		return conf_expected(line, 1, "expected the name of a network namespace, or *");
	line->section = conf_section(line->conf, name);
	return 0;
}

/* The end of a "netns" section. */
static int read_host(struct conf_line *line)
{
	if (line->count > 1)
		return conf_expected(line, 1, "expected the end of the line");
	line->section = conf_section(line->conf, "");
	return 0;
}

static int read_exclusive(struct conf_line *line)
{
	struct conf_section *section = &line->conf->sections[line->section];

	if (line->count == 1)
		section->exclusive = UINT32_MAX;
	for (size_t i = 1; i < line->count; i++) {
		const struct setting *kind = settings_rows;

		while (kind->name && strcmp(line->words[i], kind->name))
			kind++;
		if (!kind->name)
			return expected_kind(line, i, false);
		section->exclusive |= settings_bit(kind);
	}
	return 0;
}

/* ---- lines ---- */

static const struct setting *kind_of(const char *word)
{
	char pattern[32];

	for (const struct setting *kind = settings_rows; kind->name; kind++) {
		for (const char *at = kind->words; *at; at += strspn(at, ", ")) {
			snprintf(pattern, sizeof(pattern), "%.*s", (int)strcspn(at, ","), at);
			if (!fnmatch(pattern, word, 0))
				return kind;
			at += strcspn(at, ",");
		}
	}
	return NULL;
}

static int read_line(struct conf_line *line)
{
	static const struct {
		const char *word;
		int (*read)(struct conf_line *line);
	} others[] = { { "netns", read_netns },
		       { "host", read_host },
		       { "exclusive", read_exclusive } };
	const char *word = line->words[0];

	line->kind = kind_of(word);
	if (line->count == MAX_WORDS)
		return conf_expected(line, MAX_WORDS - 1, "too many words in a line");
	/* Ignore these words of unreleased versions. */
	if (!strcmp(word, "learn") || !strcmp(word, "by"))
		return 0;
	for_each(other, others, ARRAY_SIZE(others)) {
		if (!strcmp(word, other->word))
			return other->read(line);
	}
	if (!line->kind)
		return expected_kind(line, 0, true);
	if (line->kind->is_host && *line->conf->sections[line->section].netns)
		return conf_expected(line, 0,
				     "is the same in all network namespaces: "
				     "put it before the first netns, or after host");
	return line->kind->parse(line);
}

/* The text is quoted unchanged: its printer escapes it. */
static int say(const struct source *source, const struct conf_line *line)
{
	const char *word = line->bad < line->count ? line->words[line->bad] : "end of line";

	return smc_err_say(source->err, line->err->code, "%.150s:%zu: %.60s: %.160s", source->name,
			   line->place.line, word, line->err->text);
}

/* As in sysctl.conf(5), name and number may be separated by =, with or without blanks. */
static void blank_equals(char *line)
{
	line += strspn(line, " \t");
	if (strncmp(line, SMC_KNOB_PREFIX, strlen(SMC_KNOB_PREFIX)))
		return;
	line += strcspn(line, " \t=#");
	line += strspn(line, " \t");
	if (*line == '=')
		*line = ' ';
}

/* @text: @len bytes, followed by a NUL */
static int read_text(const struct source *source, char *text, size_t len)
{
	bool is_text = strlen(text) == len;
	char *words[MAX_WORDS];
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
		if (!is_text && !next)
			return smc_err_say(source->err, EINVAL, "%.150s:%zu: this is not text",
					   source->name, line.place.line);
		blank_equals(here);
		line.count = words_split(here, words, MAX_WORDS);
		line.bad = 0;
		ret = line.count ? read_line(&line) : 0;
		if (ret)
			say(source, &line);
	}
	return ret;
}

/* ---- files ---- */

static int check_owner(const char *path, int fd, struct smc_err *err)
{
	char absolute[PATH_MAX], here[PATH_MAX], culprit[PATH_MAX];
	int ret = getcwd(here, sizeof(here)) ? 0 : -errno;

	if (!ret && snprintf(absolute, sizeof(absolute), *path == '/' ? "%.0s%s" : "%s/%s", here,
			     path) >= (int)sizeof(absolute))
		ret = -ENAMETOOLONG;
	if (!ret)
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

static int read_path(struct conf *conf, const char *path, struct smc_err *err)
{
	bool is_stdin = !strcmp(path, "-");
	struct source source = { conf, path, err };
	int fd = smc_open_input(path, err), ret = 0;
	size_t len = 0;
	char *text AUTO_FREE = NULL;

	if (fd < 0)
		return fd;
	if (conf->is_applied && !geteuid() && !is_stdin)
		ret = check_owner(path, fd, err);
	if (ret) {
		close(fd);
		return ret;
	}
	if (is_stdin)
		source.name = "standard input";
	text = smc_read_fd(fd, MAX_FILE, &len);
	if (!text)
		return smc_err_set(err, errno, "cannot read %.200s", source.name);
	return read_text(&source, text, len);
}

static int is_conf(const struct dirent *entry)
{
	return entry->d_name[0] != '.' && word_ends_with(entry->d_name, ".conf");
}

static int by_name(const struct dirent **a, const struct dirent **b)
{
	return strcmp((*a)->d_name, (*b)->d_name);
}

/* Return: 0; an error of one of its files, with a sentence; a positive errno for the directory. */
static int read_directory(struct conf *conf, const char *directory, struct smc_err *err)
{
	char path[PATH_MAX + NAME_MAX + 2];
	struct dirent **names = NULL;
	int ret = 0, count = scandir(directory, &names, is_conf, by_name);

	if (count < 0)
		return errno;
	for (int i = 0; i < count; i++) {
		snprintf(path, sizeof(path), "%s/%s", directory, names[i]->d_name);
		if (!ret)
			ret = read_path(conf, path, err);
		free(names[i]);
	}
	free(names);
	return ret;
}

static int finish(struct conf *conf, int ret)
{
	if (ret)
		conf_free(conf);
	return ret;
}

int conf_read(struct conf *conf, const char *path, bool is_applied, struct smc_err *err)
{
	*conf = (struct conf){ .is_applied = is_applied };
	*err = (struct smc_err){ 0 };
	return finish(conf, read_path(conf, path, err));
}

int conf_read_directory(struct conf *conf, const char *path, bool is_applied, struct smc_err *err)
{
	int ret;

	conf->is_applied = is_applied;
	ret = read_directory(conf, path, err);
	if (ret > 0)
		ret = smc_err_set(err, ret, "cannot read %.200s", path);
	return finish(conf, ret);
}

/* A dangling link counts as present: reading it fails. */
static bool is_there(const char *path)
{
	struct stat st;

	return !lstat(path, &st);
}

int conf_read_default(struct conf *conf, bool needs_one, bool is_applied, struct smc_err *err)
{
	bool has_directory = is_there(CONF_DIR);
	int ret = 0;

	if (is_there(CONF_FILE) || (!has_directory && needs_one))
		ret = conf_read(conf, CONF_FILE, is_applied, err);
	return ret || !has_directory ? ret : conf_read_directory(conf, CONF_DIR, is_applied, err);
}

int conf_read_text(struct conf *conf, char *text, size_t len, const char *name, struct smc_err *err)
{
	struct source source = { conf, name, err };

	*conf = (struct conf){ 0 };
	*err = (struct smc_err){ 0 };
	return finish(conf, read_text(&source, text, len));
}
