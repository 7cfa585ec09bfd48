// SPDX-License-Identifier: MIT
#include "cgroup/cgroup.h"

#include <ctype.h>
#include <dirent.h>
#include <linux/magic.h>
#include <sys/stat.h>
#include <sys/vfs.h>

#include "base/array.h"
#include "base/read.h"
#include "base/words.h"
#include "process/proc.h"

const char *cgroup_mount(void)
{
	/* The second one is used in hybrid mode, with both versions. */
	static const char *const places[] = { CGROUP_DIR, CGROUP_DIR "/unified" };
	struct statfs fs;

	for (size_t i = 0; i < ARRAY_SIZE(places); i++)
		if (!statfs(places[i], &fs) && fs.f_type == CGROUP2_SUPER_MAGIC)
			return places[i];
	return NULL;
}

int cgroup_id(const char *root, const char *path, uint64_t *id)
{
	char full[PATH_MAX];
	struct stat st;

	if (snprintf(full, sizeof(full), "%s%s", root, path) >= (int)sizeof(full))
		return -ENAMETOOLONG;
	if (stat(full, &st))
		return -errno;
	if (!S_ISDIR(st.st_mode))
		return -ENOTDIR;
	*id = st.st_ino;
	return 0;
}

const char *cgroup_below(const char *root, const char *full)
{
	size_t len = strlen(root);

	if (strncmp(full, root, len) || (full[len] && full[len] != '/'))
		return NULL;
	return full[len] ? full + len : "/";
}

int cgroup_path(const char *root, const char *text, char path[PATH_MAX])
{
	char full[PATH_MAX], real[PATH_MAX], real_root[PATH_MAX];
	const char *inside = cgroup_below(root, text);
	uint64_t id;

	/* Probably an unset variable of a script; do not take it as the root. */
	if (!*text)
		return -ENOENT;
	if (snprintf(full, sizeof(full), "%s/%s", root, inside ? inside : text) >= PATH_MAX)
		return -ENAMETOOLONG;
	if (!realpath(full, real) || !realpath(root, real_root))
		return -errno;
	inside = cgroup_below(real_root, real);
	if (!inside)
		return -EXDEV;
	strcpy(path, inside);
	return cgroup_id(root, path, &id);
}

struct search {
	const char *name;
	bool is_unit;
	char *found;
	int hits;
};

const char *cgroup_digits(const char *name)
{
	size_t run;

	for (; *name; name += run + (name[run] != '\0')) {
		run = strspn(name, "0123456789abcdefABCDEF");
		if (run == CONTAINER_ID_LEN)
			return name;
	}
	return NULL;
}

static bool has_id(const char *name, const char *id)
{
	for (; (name = cgroup_digits(name)); name += CONTAINER_ID_LEN) {
		const char *hit = strstr(name, id);

		if (hit && hit + strlen(id) <= name + CONTAINER_ID_LEN)
			return true;
	}
	return false;
}

static bool fits(const struct search *search, const char *name)
{
	/* systemd prefixes _ to names that would clash with the kernel's files: _cpu.service. */
	if (search->is_unit)
		return !strcmp(name + (*name == '_'), search->name);
	/* conmon watches a container of podman and CRI-O from its own group. */
	return has_id(name, search->name) && !strstr(name, "conmon");
}

/* @full: path of the directory; modified during the search, restored at the end. */
static void search_in(struct search *search, char full[PATH_MAX], size_t root_len)
{
	size_t len = strlen(full);
	struct dirent *entry;
	DIR *dir AUTO_CLOSEDIR = opendir(full);

	while (dir && (entry = readdir(dir))) {
		bool is_hit = fits(search, entry->d_name);

		if (entry->d_type != DT_DIR || entry->d_name[0] == '.' ||
		    (!is_hit && search->is_unit && !word_ends_with(entry->d_name, ".slice")) ||
		    snprintf(full + len, PATH_MAX - len, "/%s", entry->d_name) >=
			    (int)(PATH_MAX - len))
			continue;
		if (is_hit && !search->hits++)
			strcpy(search->found, full + root_len);
		if (!is_hit)
			search_in(search, full, root_len);
	}
	full[len] = '\0';
}

static int find(const char *root, struct search *search)
{
	char full[PATH_MAX];

	snprintf(full, sizeof(full), "%s", root);
	search_in(search, full, strlen(full));
	if (search->hits > 1)
		return -EEXIST;
	return search->hits ? 0 : -ENOENT;
}

int cgroup_of_unit(const char *root, const char *unit, char path[PATH_MAX])
{
	static const char *const endings[] = { ".service", ".slice", ".scope",
					       ".socket",  ".mount", ".swap" };
	char name[NAME_MAX + 1];
	struct search search = { .name = name, .is_unit = true, .found = path };
	bool has_ending = false;

	for (size_t i = 0; i < ARRAY_SIZE(endings); i++)
		has_ending |= word_ends_with(unit, endings[i]);
	if (!*unit || snprintf(name, sizeof(name), "%s%s", unit, has_ending ? "" : ".service") >=
			      (int)sizeof(name))
		return -ENOENT;
	return find(root, &search);
}

int cgroup_of_container(const char *root, const char *id, char path[PATH_MAX])
{
	struct search search = { .name = id, .found = path };

	if (!*id)
		return -ENOENT;
	return id[strspn(id, "0123456789abcdef")] ? -EINVAL : find(root, &search);
}

bool cgroup_is_named(const char *path, const char *id)
{
	const char *slash = strrchr(path, '/'), *hit = slash;
	size_t len = strlen(id);

	while (hit && (hit = strstr(hit + 1, id)))
		if (!isalnum((unsigned char)hit[-1]) && hit[-1] != '.' &&
		    !isalnum((unsigned char)hit[len]))
			return !word_ends_with(slash, ".slice") &&
			       !word_ends_with(slash, ".service");
	return false;
}

/* Cut @path to the innermost group that is named after the container. */
static bool cut_to(char *path, const char *id)
{
	char outer[PATH_MAX];

	strcpy(outer, path);
	while (*outer && !cgroup_is_named(outer, id))
		*strrchr(outer, '/') = '\0';
	if (*outer)
		strcpy(path, outer);
	return *outer;
}

/* True if a group in @path, below the part shared with @own, has another container's name. */
static bool is_of_other(const char *path, const char *own, const char *id)
{
	size_t common = 0;

	for (size_t i = 0; path[i] && path[i] == own[i]; i++)
		if (path[i] == '/')
			common = i;
	return has_id(id, "") && has_id(path + common, "");
}

int cgroup_cut(char *path, const char *own, const char *id)
{
	if ((!cut_to(path, id) && is_of_other(path, own, id)) || !strcmp(path, "/") ||
	    !strncmp(path, "/..", 3) || cgroup_below(path, own))
		return -EXDEV;
	return 0;
}

int cgroup_of_container_process(pid_t pid, const char *id, char path[PATH_MAX])
{
	char own[PATH_MAX];
	int ret = proc_cgroup(pid, path);

	if (!ret)
		ret = proc_cgroup(getpid(), own);
	return ret ? ret : cgroup_cut(path, own, id);
}

int cgroup_is_populated(const char *root, const char *path)
{
	char full[PATH_MAX], text[256];
	int ret;

	/* The root group has no such file. */
	if (!strcmp(path, "/"))
		return 1;
	if (snprintf(full, sizeof(full), "%s%s/cgroup.events", root, path) >= (int)sizeof(full))
		return -ENAMETOOLONG;
	ret = smc_read_start(full, 0, text, sizeof(text));
	if (ret < 0)
		return ret;
	if (!strstr(text, "populated "))
		return -ENODATA;
	return strstr(text, "populated 1") != NULL;
}

size_t cgroup_chosen(const char *path)
{
	const char *root = cgroup_mount();
	char full[PATH_MAX];
	struct stat st;
	size_t len = 0;

	while (root && path[len]) {
		len += strspn(path + len, "/");
		len += strcspn(path + len, "/");
		if (snprintf(full, sizeof(full), "%s%.*s", root, (int)len, path) >= PATH_MAX ||
		    stat(full, &st))
			break;
		if (st.st_uid || st.st_mode & (S_IWGRP | S_IWOTH))
			return len;
	}
	return SIZE_MAX;
}

const char *cgroup_part(const char *path, char part[PATH_MAX])
{
	size_t len;

	path += strspn(path, "/");
	len = strcspn(path, "/");
	snprintf(part, PATH_MAX, "%.*s", (int)len, path);
	return path + len;
}

bool cgroup_unit(const char *path, char unit[NAME_MAX + 1], bool *is_user)
{
	char part[PATH_MAX];

	*is_user = false;
	do {
		path = cgroup_part(path, part);
		if (!*is_user && !strncmp(part, "user@", 5) && word_ends_with(part, ".service")) {
			*is_user = true;
			path = cgroup_part(path, part);
		}
	} while (word_ends_with(part, ".slice"));
	if (!word_ends_with(part, ".service") || strlen(part) > NAME_MAX)
		return false;
	strcpy(unit, part + (*part == '_'));
	return true;
}
