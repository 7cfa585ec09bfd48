// SPDX-License-Identifier: MIT
/* SELinux, asked through selinuxfs: does it let a process open SMC sockets? */
#include "process/selinux.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define SELINUXFS "/sys/fs/selinux"
#define CONTEXT_SIZE 512

/* Flag of struct av_decision: the domain is permissive. */
#define FLAG_PERMISSIVE 1

/* Return: 0 with the file's first bytes; -errno. */
static int read_text(char *text, size_t size, const char *path)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	ssize_t len = fd < 0 ? -1 : read(fd, text, size - 1);
	int err = errno;

	if (fd >= 0)
		close(fd);
	text[len > 0 ? len : 0] = '\0';
	text[strcspn(text, "\n")] = '\0';
	return len > 0 ? 0 : len ? -err : -ENODATA;
}

static int read_number(unsigned int *value, const char *path)
{
	char text[32];
	int ret = read_text(text, sizeof(text), path);

	*value = (unsigned int)strtoul(text, NULL, 10);
	return ret;
}

/* The third of "system_u:system_r:redis_t:s0". */
static void take_type(char domain[SELINUX_DOMAIN_SIZE], const char *context)
{
	const char *type = strchr(context, ':');

	type = type ? strchr(type + 1, ':') : NULL;
	type = type ? type + 1 : "";
	snprintf(domain, SELINUX_DOMAIN_SIZE, "%.*s", (int)strcspn(type, ":"), type);
}

/* The file answers on the descriptor that has asked. Return: 1 if denied, 0; -errno. */
static int ask(const char *context, unsigned int class, unsigned int permission)
{
	char text[2 * CONTEXT_SIZE + 32];
	unsigned int allowed, unused, flags;
	int fd = open(SELINUXFS "/access", O_RDWR | O_CLOEXEC), ret = -EBADMSG;
	int len = snprintf(text, sizeof(text), "%s %s %u", context, context, class);
	ssize_t got;

	if (fd < 0)
		return -errno;
	got = write(fd, text, (size_t)len) == len ? read(fd, text, sizeof(text) - 1) : -1;
	if (got < 0)
		ret = -errno;
	close(fd);
	text[got > 0 ? got : 0] = '\0';
	if (sscanf(text, "%x %x %x %x %u %x", &allowed, &unused, &unused, &unused, &unused,
		   &flags) == 6)
		ret = !(allowed >> (permission - 1) & 1) && !(flags & FLAG_PERMISSIVE);
	return ret;
}

int selinux_denies(int pid, const char *class, char domain[SELINUX_DOMAIN_SIZE])
{
	char path[128], context[CONTEXT_SIZE];
	unsigned int enforcing, number, permission;
	int ret;

	domain[0] = '\0';
	if (read_number(&enforcing, SELINUXFS "/enforce") || !enforcing)
		return 0;
	snprintf(path, sizeof(path), "/proc/%d/attr/current", pid);
	ret = read_text(context, sizeof(context), path);
	if (ret)
		return ret;
	take_type(domain, context);
	snprintf(path, sizeof(path), SELINUXFS "/class/%s/index", class);
	ret = read_number(&number, path);
	snprintf(path, sizeof(path), SELINUXFS "/class/%s/perms/create", class);
	if (!ret)
		ret = read_number(&permission, path);
	if (!ret && (permission < 1 || permission > 32))
		ret = -EBADMSG;
	return ret ? ret : ask(context, number, permission);
}
