// SPDX-License-Identifier: MIT
#include "settings/conf.h"

#include <ctype.h>
#include <dirent.h>

#include "base/array.h"
#include "base/read.h"
#include "base/words.h"
#include "cgroup/cgroup.h"
#include "sandbox/owned.h"
#include "smc/eid.h"
#include "smc/knob.h"
#include "smc/pnet.h"

#define MAX_FILE (4U << 20) /* bytes */
#define MAX_WORDS 1025	    /* one too many */
#define MAX_DEPTH 8

/**
 * struct conf_line - the current line
 * @section: section of the line; "netns" changes it
 * @bad: receives the index of the wrong word; @count for a missing one
 * @err: receives the expectation, without file, line and word
 */
struct conf_line {
	struct conf *conf;
	size_t section;
	struct conf_place place;
	char **words;
	size_t count, bad;
	struct smc_err *err;
};

/* Report word @bad as wrong, or missing. Return: -EINVAL */
static int expected(struct conf_line *line, size_t bad, const char *what)
{
	line->bad = bad;
	return smc_err_say(line->err, EINVAL, "%s", what);
}

/* Ignore a duplicate, refuse a contradiction. */
static int add(struct conf_line *line, struct conf_item *item, size_t bad)
{
	const struct conf_item *other;
	char place[CONF_PLACE_SIZE];

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

static int need_one(struct conf_line *line, const char *what)
{
	if (line->count < 2)
		return expected(line, 1, what);
	return line->count > 2 ? expected(line, 2, "expected the end of the line") : 0;
}

static int read_eids(struct conf_line *line)
{
	struct conf_item item = { .kind = CONF_EID, .value = "" };
	int ret = line->count < 2 ? expected(line, 1, "expected an EID") : 0;

	for (size_t i = 1; !ret && i < line->count; i++) {
		line->bad = i;
		ret = smc_eid_check(line->words[i], line->err);
		item.object = line->words[i];
		if (!ret)
			ret = add(line, &item, i);
	}
	return ret;
}

static int find_kind(const char *word)
{
	int kind = 0;

	while (kind < CONF_KINDS && strcmp(word, conf_kind_name(kind)))
		kind++;
	return kind;
}

static int read_switch(struct conf_line *line)
{
	struct conf_item item = { .kind = find_kind(line->words[0]), .object = "" };
	int ret = need_one(line, "expected on or off");

	if (ret)
		return ret;
	item.value = line->words[1];
	if (strcmp(item.value, "on") && strcmp(item.value, "off"))
		return expected(line, 1, "expected on or off");
	return add(line, &item, 1);
}

static int read_knob(struct conf_line *line)
{
	const struct smc_knob *knob = smc_knob_find(line->words[0]);
	char value[24], text[100];
	struct conf_item item = { .kind = CONF_KNOB, .object = line->words[0], .value = value };
	long long number;

	if (!strcmp(line->words[0], SMC_KNOB_PREFIX "limit_smc_hs"))
		return expected(line, 0, "expected 'handshake-limit on' or 'off' instead");
	if (!knob)
		return expected(line, 0, "not a known sysctl of net.smc");
	snprintf(text, sizeof(text), "expected a number from %lld to %lld", knob->low, knob->high);
	if (line->count < 2 || strspn(line->words[1], "0123456789") != strlen(line->words[1]))
		return expected(line, 1, text);
	errno = 0;
	number = strtoll(line->words[1], NULL, 10);
	if (errno || !*line->words[1] || number < knob->low || number > knob->high)
		return expected(line, 1, text);
	if (line->count > 2)
		return expected(line, 2, "expected the end of the line");
	snprintf(value, sizeof(value), "%lld", number);
	return add(line, &item, 1);
}

/* ---- PNET IDs ---- */

static void lower(char *word)
{
	for (; *word; word++)
		*word = (char)tolower((unsigned char)*word);
}

/* An x in @form stands for one hexadecimal digit. */
static bool has_form(const char *word, const char *form)
{
	for (; *word && *form; word++, form++)
		if (*form == 'x' ? !isxdigit((unsigned char)*word) : *word != *form)
			return false;
	return *word == *form;
}

/* A PCI function, whose domain may be wide, or a CCW device. */
static bool is_bus_id(const char *word)
{
	static const char pci[] = "xxxxxxxx:xx:xx.x";
	size_t domain = strcspn(word, ":");

	return has_form(word, "x.x.xxxx") ||
	       (domain >= 4 && domain <= 8 && has_form(word, &pci[8 - domain]));
}

/* 6 bytes, or 20 for IP over InfiniBand. */
static bool is_mac(const char *word)
{
	static const char form[] = "xx:xx:xx:xx:xx:xx:xx:xx:xx:xx:xx:xx:xx:xx:xx:xx:xx:xx:xx:xx";

	return has_form(word, form) || has_form(word, &form[3 * (20 - 6)]);
}

/* Check the device as smc_pnet -I and -D do. */
static int check_device(struct conf_line *line, enum conf_by by, size_t at)
{
	char eth[SMC_PNET_ETH_SIZE], ib[SMC_PNET_IB_SIZE];

	line->bad = at;
	switch (by) {
	case CONF_BY_NET: return smc_pnet_eth(eth, line->words[at], line->err);
	case CONF_BY_MAC:
		lower(line->words[at]);
		return is_mac(line->words[at]) ?
			       0 :
			       expected(line, at, "expected a MAC address, 02:00:00:00:00:01");
	case CONF_BY_BUS:
		lower(line->words[at]);
		return is_bus_id(line->words[at]) ?
			       0 :
			       expected(line, at,
					"expected a PCI function, 0000:3b:00.0, or a CCW "
					"device, 0.0.f500");
	default: return smc_pnet_ib(ib, line->words[at], line->err);
	}
}

/* Parse one device at word @at, and advance @at. */
static int read_device(struct conf_line *line, const char *id, size_t *at)
{
	struct conf_item item = { .kind = CONF_PNETID, .value = id };
	size_t object = *at + 1;
	int ret;

	while (item.by < CONF_BYS && strcmp(line->words[*at], conf_by_name(item.by)))
		item.by++;
	if (item.by == CONF_BYS)
		return expected(line, *at, "expected net, bus, mac or device");
	if (object >= line->count)
		return expected(line, object, "expected a device");
	ret = check_device(line, item.by, object);
	if (ret)
		return ret;
	item.object = line->words[object];
	*at = object + 1;
	if (item.by == CONF_BY_DEVICE) {
		item.port = 1;
		if (*at < line->count && !strcmp(line->words[*at], "port")) {
			ret = *at + 1 < line->count ?
				      smc_pnet_port(line->words[*at + 1], line->err) :
				      -EINVAL;
			if (ret < 0)
				return expected(line, *at + 1, "expected port 1 or 2");
			item.port = (uint8_t)ret;
			*at += 2;
		}
		if (*line->conf->sections[line->section].netns)
			return expected(
				line, object,
				"PNET IDs of RDMA and ISM devices belong before the first netns, or after host");
	}
	return add(line, &item, object);
}

static int read_pnetid(struct conf_line *line)
{
	char id[SMC_PNET_NAME_SIZE];
	size_t at = 2;
	int ret;

	if (line->count < 2)
		return expected(line, 1, "expected a PNET ID");
	line->bad = 1;
	ret = smc_pnet_name(id, line->words[1], line->err);
	if (!ret && line->count < 3)
		return expected(line, 2, "expected net, bus, mac or device");
	while (!ret && at < line->count)
		ret = read_device(line, id, &at);
	return ret;
}

/* ---- scopes ---- */

/* A path as in /proc/PID/cgroup; the mount point may precede it. */
static const char *cgroup_of(const char *path)
{
	const char *inside = cgroup_below(CGROUP_DIR, path);

	path = inside ? inside : path;
	if (*path != '/' || strlen(path) >= SCOPE_NAME_SIZE)
		return NULL;
	for (const char *at = path; path[1] && *at; at += strcspn(at, "/")) {
		size_t name = strcspn(++at, "/");

		if (!name || (name <= 2 && !strncmp(at, "..", name)))
			return NULL;
	}
	return path;
}

static int read_scope(struct conf_line *line)
{
	struct conf_item item = { .kind = CONF_SCOPE };
	struct conf_scope scope = { .only = NULL };
	struct out_text rules AUTO(out_free) = { 0 };
	int ret = 0;

	item.object = line->count > 1 ? cgroup_of(line->words[1]) : NULL;
	if (!item.object)
		return expected(line, 1,
				"expected the path of a control group, "
				"/system.slice/redis.service");
	for (size_t i = 2; !ret && i < line->count; i += 2) {
		const char *rule = line->words[i];

		if (strcmp(rule, "only") && strcmp(rule, "user") && strcmp(rule, "mptcp") &&
		    strcmp(rule, "exclude-comm"))
			return expected(line, i, "expected only, user, mptcp or exclude-comm");
		line->bad = i + 1;
		if (line->bad == line->count)
			return expected(line, line->bad, "expected a value after it");
		ret = conf_scope_rule(&scope, rule, line->words[i + 1], line->err);
	}
	conf_scope_text(&rules, &scope);
	out_char(&rules, '\0');
	item.value = rules.data;
	if (!ret)
		ret = add(line, &item, 1);
	return ret;
}

/* ---- namespaces, policy, exclusive ---- */

static int read_netns(struct conf_line *line)
{
	static const char what[] = "expected the name of a network namespace, or *";
	int ret = need_one(line, what);
	const char *name;

	if (ret)
		return ret;
	name = line->words[1];
	if (!*name || !strcmp(name, ".") || !strcmp(name, "..") || strlen(name) > NAME_MAX ||
	    strchr(name, '/') || strspn(name, "0123456789") == strlen(name))
		return expected(line, 1, what);
	line->section = conf_section(line->conf, name);
	return 0;
}

/* The end of a "netns" section. */
static int read_host(struct conf_line *line)
{
	if (line->count > 1)
		return expected(line, 1, "expected the end of the line");
	line->section = conf_section(line->conf, "");
	return 0;
}

static int read_exclusive(struct conf_line *line)
{
	struct conf_section *section = &line->conf->sections[line->section];

	if (line->count == 1)
		section->exclusive = (1U << CONF_KINDS) - 1;
	for (size_t i = 1; i < line->count; i++) {
		int kind = find_kind(line->words[i]);

		if (kind == CONF_KINDS)
			return expected(line, i,
					"expected eid, seid, handshake-limit, "
					"sysctl, pnetid, scope or policy");
		section->exclusive |= 1U << kind;
	}
	return 0;
}

/* Policy lines: allow, deny. */
static int read_policy(struct conf_line *line)
{
	struct conf_section *section = &line->conf->sections[line->section];

	if (!section->has_policy)
		section->policy_place = line->place;
	section->has_policy = true;
	return policy_line(&section->policy, (const char *const *)line->words, line->count,
			   &line->bad, line->err);
}

/* ---- table of lines ---- */

/** struct key - first word of a line; @is_host: only before the first "netns" */
static const struct key {
	const char *word;
	bool is_host;
	int (*read)(struct conf_line *line);
} keys[] = {
	{ "eid", true, read_eids },
	{ "seid", true, read_switch },
	{ "handshake-limit", false, read_switch },
	{ "pnetid", false, read_pnetid },
	{ "scope", true, read_scope },
	{ "netns", false, read_netns },
	{ "host", false, read_host },
	{ "exclusive", false, read_exclusive },
};

/* Any line except "include". */
static int read_line(struct conf_line *line)
{
	const char *word = line->words[0];

	if (!strncmp(word, SMC_KNOB_PREFIX, strlen(SMC_KNOB_PREFIX)))
		return read_knob(line);
	if (policy_is_keyword(word))
		return read_policy(line);
	/* Files of unreleased versions have them. */
	if (!strcmp(word, "learn") || !strcmp(word, "by"))
		return 0;
	for (size_t i = 0; i < ARRAY_SIZE(keys); i++) {
		if (strcmp(word, keys[i].word))
			continue;
		if (keys[i].is_host && *line->conf->sections[line->section].netns)
			return expected(line, 0,
					"is the same in all network namespaces: "
					"put it before the first netns, or after host");
		return keys[i].read(line);
	}
	return expected(line, 0,
			"expected eid, seid, handshake-limit, net.smc.*, pnetid, "
			"scope, allow, deny, netns, host, exclusive or include");
}

/**
 * struct source - a file in progress
 * @name: of the file
 * @depth: nesting of includes; negative: it cannot include other files
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

/* A relative name is resolved against the file's directory. */
static int make_directory(char out[PATH_MAX], const struct source *source, const char *word)
{
	const char *slash = strrchr(source->name, '/');
	int len = *word == '/' || !slash ? 0 : (int)(slash - source->name) + 1;

	return snprintf(out, PATH_MAX, "%.*s%s", len, source->name, word) < PATH_MAX ?
		       0 :
		       -ENAMETOOLONG;
}

/* Return: 0; an error of one of its files, with a sentence; a positive errno for the directory. */
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
		return expected(line, 0, "only files can include others");
	if (source->depth == MAX_DEPTH)
		return expected(line, 0, "too many files include each other");
	if (line->count != 2 || make_directory(directory, source, line->words[1]))
		return expected(line, line->count < 2 ? 1 : line->count - 1,
				"expected one directory");
	ret = read_directory(source->conf, directory, source->depth + 1, source->err);
	if (ret > 0) {
		line->bad = 1;
		return smc_err_set(line->err, ret, "cannot read the directory");
	}
	if (ret) /* reported already, with the name of that file */
		line->bad = SIZE_MAX;
	return ret;
}

/* ---- lines ---- */

/* The text is quoted unchanged: its printer escapes it. */
static int say(const struct source *source, const struct conf_line *line)
{
	char what[sizeof(line->err->text)];

	snprintf(what, sizeof(what), "%s", line->err->text);
	return smc_err_say(source->err, line->err->code, "%.150s:%zu: %.60s: %.160s", source->name,
			   line->place.line,
			   line->bad < line->count ? line->words[line->bad] : "end of line", what);
}

/* As in sysctl.conf(5), name and number may be separated by =, with or without blanks. */
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

/* @text: @len bytes, followed by a NUL */
static int read_text(struct source *source, char *text, size_t len)
{
	const char *nul = memchr(text, '\0', len);
	char *words[MAX_WORDS];
	struct smc_err inner = { 0 };
	struct conf_line line = { .conf = source->conf,
				  .words = words,
				  .err = &inner,
				  .place.file = conf_keep(source->conf, source->name) };
	int ret = 0;

	for (const char *at = text; nul && at <= nul; at++)
		line.place.line += at == text || at[-1] == '\n';
	if (nul)
		return smc_err_say(source->err, EINVAL, "%.150s:%zu: this is not text",
				   source->name, line.place.line);
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
			ret = expected(&line, MAX_WORDS - 1, "too many words in a line");
		else if (!strcmp(words[0], "include"))
			ret = include(source, &line);
		else
			ret = read_line(&line);
		if (ret && line.bad != SIZE_MAX)
			say(source, &line);
	}
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

static int open_file(const char *path, bool is_applied, struct smc_err *err)
{
	int fd = smc_open_input(path, err), ret = 0;

	if (fd >= 0 && is_applied && !geteuid() && strcmp(path, "-"))
		ret = check_owner(path, fd, err);
	if (ret)
		close(fd);
	return ret ? ret : fd;
}

static int read_path(struct conf *conf, const char *path, int depth, struct smc_err *err)
{
	struct source source = { conf, path, depth, err };
	int fd = open_file(path, conf->is_applied, err);
	size_t len = 0;
	char *text AUTO_FREE = NULL;

	if (fd < 0)
		return fd;
	if (!strcmp(path, "-")) {
		source.name = "standard input";
		source.depth = -1;
	}
	text = smc_read_fd(fd, MAX_FILE, &len);
	if (!text)
		return smc_err_set(err, errno, "cannot read %.200s", source.name);
	return read_text(&source, text, len);
}

static int finish(struct conf *conf, int ret)
{
	for (size_t i = 0; i < conf->n_sections; i++)
		policy_settle(&conf->sections[i].policy);
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
