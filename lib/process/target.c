// SPDX-License-Identifier: MIT
#include "process/target.h"

#include <elf.h>
#include <fcntl.h>
#include <linux/capability.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <sys/xattr.h>

#include "base/read.h"

#define SCRIPTS_MAX 4
/* The kernel reads this much of a file to find its interpreter: BINPRM_BUF_SIZE. */
#define FIRST_BYTES 256

/* Try DIR/NAME, or NAME if DIR is empty, which means the current directory in PATH. */
static bool is_program(char *path, const char *dir, size_t dir_len, const char *name)
{
	struct stat st;
	int len = snprintf(path, PATH_MAX, "%.*s%s%s", (int)dir_len, dir, dir_len ? "/" : "", name);

	return len > 0 && len < PATH_MAX && !access(path, X_OK) && !stat(path, &st) &&
	       S_ISREG(st.st_mode);
}

/* As execvp(3) does; without PATH it uses the default of confstr(3). */
static bool find_in_path(const char *name, char *path)
{
	const char *dir = getenv("PATH");
	size_t len;

	if (strchr(name, '/'))
		return is_program(path, "", 0, name);
	if (!*name)
		return false;
	for (dir = dir ? dir : "/bin:/usr/bin";; dir += len + 1) {
		len = strcspn(dir, ":");
		if (is_program(path, dir, len, name))
			return true;
		if (!dir[len])
			return false;
	}
}

/* Read the first bytes as text, up to the newline; 0 bytes if the file cannot be read. */
static size_t read_first(const char *path, char *first)
{
	int len = smc_read_start(path, O_NONBLOCK | O_NOCTTY, first, FIRST_BYTES);

	return len > 0 ? (size_t)len : 0;
}

/* "env [-S] [-x] [A=b] NAME": the word that env will look up, or NULL. */
static const char *name_after_env(char *words, bool *clears_env)
{
	char *rest = words, *word;

	while ((word = strsep(&rest, " \t"))) {
		if (*word && *word != '-' && !strchr(word, '='))
			return word;
		if (!strcmp(word, "-") || !strcmp(word, "-i") || !strncmp(word, "--ig", 4))
			*clears_env = true;
	}
	return NULL;
}

/* Find the interpreter of a script, whose @len bytes are @first. Return: false if there is none. */
static bool find_interpreter(char *first, size_t len, char *path, bool *clears_env)
{
	char *rest = first + 2, *file, *base;

	if (strncmp(first, "#!", 2)) /* execvp(3) on ENOEXEC runs sh */
		return !memchr(first, '\0', len) && find_in_path("/bin/sh", path);
	first[strcspn(first, "\n")] = '\0';
	rest += strspn(rest, " \t");
	file = strsep(&rest, " \t");
	base = strrchr(file, '/');
	if (rest && base && !strcmp(base, "/env")) {
		const char *name = name_after_env(rest, clears_env);

		return name && find_in_path(name, path);
	}
	return find_in_path(file, path);
}

/* True if the file grants capabilities: little-endian struct vfs_cap_data, <linux/capability.h>. */
static bool gives_capabilities(const char *path)
{
	struct vfs_ns_cap_data caps = { 0 };
	ssize_t len = getxattr(path, "security.capability", &caps, sizeof(caps));

	return len >= (ssize_t)XATTR_CAPS_SZ_1 &&
	       (caps.data[0].permitted || caps.data[1].permitted);
}

static void read_privileges(struct target *out)
{
	struct statvfs fs;
	struct stat st;

	if (stat(out->path, &st))
		return;
	out->uid = st.st_uid;
	out->gid = st.st_gid;
	out->raises = (st.st_mode & S_ISUID ? TARGET_SETUID : 0) |
		      (st.st_mode & S_ISGID && st.st_mode & S_IXGRP ? TARGET_SETGID : 0) |
		      (gives_capabilities(out->path) ? TARGET_CAPS : 0);
	out->is_nosuid = statvfs(out->path, &fs) || fs.f_flag & ST_NOSUID;
}

/*
 * AT_SECURE as the kernel will set it (security/commoncap.c, cap_bprm_creds_from_file): the
 * effective id after exec differs from the caller's real id, or a caller who is not root gets
 * capabilities from the file. Neither happens on a nosuid mount or after PR_SET_NO_NEW_PRIVS.
 */
static bool is_secure(const struct target *target)
{
	bool honoured = prctl(PR_GET_NO_NEW_PRIVS, 0, 0, 0, 0) != 1 && !target->is_nosuid;
	unsigned int raises = honoured ? target->raises : 0;

	return (raises & TARGET_SETUID ? target->uid : geteuid()) != getuid() ||
	       (raises & TARGET_SETGID ? target->gid : getegid()) != getgid() ||
	       (raises & TARGET_CAPS && getuid());
}

void target_find(const char *command, struct target *out)
{
	char first[FIRST_BYTES], next[PATH_MAX];
	size_t len;

	*out = (struct target){ .known = false };
	if (!find_in_path(command, out->path)) {
		out->path[0] = '\0';
		return;
	}
	for (; out->scripts <= SCRIPTS_MAX; out->scripts++) {
		len = read_first(out->path, first);
		if (!len)
			break;
		if (!memcmp(first, ELFMAG, SELFMAG)) {
			out->known = !smc_elf_inspect(out->path, &out->elf);
			break;
		}
		out->is_script = !strncmp(first, "#!", 2);
		if (!find_interpreter(first, len, next, &out->clears_env))
			break;
		memcpy(out->path, next, sizeof(next));
	}
	out->is_script &= !out->known;
	read_privileges(out);
	out->secure = is_secure(out);
}

void target_exec(char *const *argv)
{
	char path[PATH_MAX], first[FIRST_BYTES];

	if (find_in_path(*argv, path) && read_first(path, first) >= SELFMAG &&
	    !memcmp(first, ELFMAG, SELFMAG))
		execv(path, argv);
	else
		execvp(*argv, argv);
}
