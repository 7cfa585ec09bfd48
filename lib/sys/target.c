// SPDX-License-Identifier: MIT
/* What will really run: PATH, scripts, and what the kernel does with the file. */
#include "sys/target.h"

#include <elf.h>
#include <fcntl.h>
#include <linux/capability.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <sys/xattr.h>
#include <unistd.h>

#define SCRIPTS_MAX 4
/* The kernel reads that much of a file to find its interpreter: BINPRM_BUF_SIZE. */
#define FIRST_BYTES 256

/* DIR/NAME, or NAME where DIR is empty, which PATH means as the current folder. */
static bool is_program(char *path, const char *dir, size_t dir_len, const char *name)
{
	struct stat st;
	int len = snprintf(path, PATH_MAX, "%.*s%s%s", (int)dir_len, dir, dir_len ? "/" : "", name);

	return len > 0 && len < PATH_MAX && !access(path, X_OK) && !stat(path, &st) &&
	       S_ISREG(st.st_mode);
}

/* As execvp(3) does; its default for a missing PATH is that of confstr(3). */
static bool find_in_path(const char *name, char *path)
{
	const char *dir = getenv("PATH");
	size_t len;

	if (strchr(name, '/'))
		return is_program(path, "", 0, name);
	if (!*name)
		return false;
	for (dir = dir ? dir : "/bin:/usr/bin"; ; dir += len + 1) {
		len = strcspn(dir, ":");
		if (is_program(path, dir, len, name))
			return true;
		if (!dir[len])
			return false;
	}
}

/* The first bytes as text without the newline; 0 bytes if the file cannot be read. */
static size_t read_first(const char *path, char *first)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
	ssize_t len = fd < 0 ? 0 : read(fd, first, FIRST_BYTES - 1);

	if (fd >= 0)
		close(fd);
	len = len > 0 ? len : 0;
	first[len] = '\0';
	return (size_t)len;
}

/* "env [-S] [-x] [A=b] NAME": the word that env will look up, or NULL. */
static const char *name_after_env(char *words)
{
	char *rest = words, *word;

	while ((word = strsep(&rest, " \t"))) {
		if (*word && *word != '-' && !strchr(word, '='))
			return word;
	}
	return NULL;
}

/* The interpreter of a script, whose first bytes are @first. False if nothing is to be found. */
static bool find_interpreter(char *first, char *path)
{
	char *rest = first + 2, *file, *base;

	if (strncmp(first, "#!", 2))
		return find_in_path("/bin/sh", path);	/* execvp(3) on ENOEXEC */
	first[strcspn(first, "\n")] = '\0';
	rest += strspn(rest, " \t");
	file = strsep(&rest, " \t");
	base = strrchr(file, '/');
	if (rest && base && !strcmp(base, "/env")) {
		const char *name = name_after_env(rest);

		return name && find_in_path(name, path);
	}
	return find_in_path(file, path);
}

/* Capabilities that a file gives: struct vfs_cap_data in <linux/capability.h>, little-endian. */
static bool gives_capabilities(const char *path)
{
	struct vfs_ns_cap_data caps = { 0 };
	ssize_t len = getxattr(path, "security.capability", &caps, sizeof(caps));

	return len >= (ssize_t)XATTR_CAPS_SZ_1 &&
	       (caps.data[0].permitted || caps.data[1].permitted);
}

/*
 * AT_SECURE as the kernel will set it (security/commoncap.c, cap_bprm_creds_from_file): effective
 * id after exec is not the real id of the caller, or capabilities come from the file to somebody
 * who is not root. Neither happens on a nosuid mount or after PR_SET_NO_NEW_PRIVS.
 */
static bool is_secure(const char *path)
{
	uid_t euid = geteuid();
	gid_t egid = getegid();
	struct statvfs fs;
	struct stat st;
	bool honoured;

	if (stat(path, &st))
		return false;
	honoured = prctl(PR_GET_NO_NEW_PRIVS, 0, 0, 0, 0) != 1 &&
		   !statvfs(path, &fs) && !(fs.f_flag & ST_NOSUID);
	if (honoured && st.st_mode & S_ISUID)
		euid = st.st_uid;
	if (honoured && st.st_mode & S_ISGID && st.st_mode & S_IXGRP)
		egid = st.st_gid;
	return euid != getuid() || egid != getgid() ||
	       (honoured && getuid() && gives_capabilities(path));
}

void target_find(const char *command, struct target *out)
{
	char first[FIRST_BYTES], next[PATH_MAX];
	int scripts;

	*out = (struct target){ .known = false };
	if (!find_in_path(command, out->path)) {
		out->path[0] = '\0';
		return;
	}
	for (scripts = 0; scripts <= SCRIPTS_MAX; scripts++) {
		if (!read_first(out->path, first))
			break;
		if (!memcmp(first, ELFMAG, SELFMAG)) {
			out->known = !smc_elf_inspect(out->path, &out->elf);
			break;
		}
		if (!find_interpreter(first, next))
			break;
		memcpy(out->path, next, sizeof(next));
	}
	out->secure = is_secure(out->path);
}
