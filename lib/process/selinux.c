// SPDX-License-Identifier: MIT
#include "process/selinux.h"

#include <fcntl.h>
#include <sys/xattr.h>

#include "base/read.h"

#define SELINUXFS "/sys/fs/selinux"

/* Flag of struct av_decision: the domain is permissive. */
#define FLAG_PERMISSIVE 1

/* Return: 0 with the file's first bytes; -errno. */
static int read_text(char *text, size_t size, const char *path)
{
	int len = smc_read_start(path, 0, text, size);

	text[strcspn(text, "\n")] = '\0';
	return len > 0 ? 0 : len ? len : -ENODATA;
}

static int read_number(unsigned int *value, const char *path)
{
	char text[32];
	int ret = read_text(text, sizeof(text), path);

	*value = (unsigned int)strtoul(text, NULL, 10);
	return ret;
}

void selinux_domain(char domain[SELINUX_DOMAIN_SIZE], const char *context)
{
	const char *type = strchr(context, ':');

	type = type ? strchr(type + 1, ':') : NULL;
	type = type ? type + 1 : "";
	snprintf(domain, SELINUX_DOMAIN_SIZE, "%.*s", (int)strcspn(type, ":"), type);
}

/* A file of selinuxfs answers on the descriptor that has asked. Return: 0 with the text; -errno */
static int ask(char *text, size_t size, const char *file, const char *source, const char *target,
	       const char *class)
{
	char path[128], question[2 * SELINUX_CONTEXT_SIZE + 32];
	unsigned int number;
	ssize_t len;
	int fd, ret;

	snprintf(path, sizeof(path), SELINUXFS "/class/%s/index", class);
	ret = read_number(&number, path);
	if (ret)
		return ret;
	fd = open(file, O_RDWR | O_CLOEXEC);
	if (fd < 0)
		return -errno;
	len = snprintf(question, sizeof(question), "%s %s %u", source, target, number);
	len = write(fd, question, (size_t)len) == len ? read(fd, text, size - 1) : -1;
	ret = len < 0 ? -errno : 0;
	close(fd);
	text[len > 0 ? len : 0] = '\0';
	return ret;
}

bool selinux_is_enforcing(void)
{
	unsigned int enforcing;

	return !read_number(&enforcing, SELINUX_ENFORCE) && enforcing;
}

int selinux_context(int pid, char context[SELINUX_CONTEXT_SIZE])
{
	char path[64] = "/proc/self/attr/current";

	if (pid)
		snprintf(path, sizeof(path), "/proc/%d/attr/current", pid);
	return read_text(context, SELINUX_CONTEXT_SIZE, path);
}

int selinux_started(const char *program, char context[SELINUX_CONTEXT_SIZE])
{
	char init[SELINUX_CONTEXT_SIZE], label[SELINUX_CONTEXT_SIZE];
	ssize_t len = getxattr(program, "security.selinux", label, sizeof(label) - 1);
	int ret = len < 0 ? -errno : selinux_context(1, init);

	label[len > 0 ? len : 0] = '\0';
	return ret ? ret :
		     ask(context, SELINUX_CONTEXT_SIZE, SELINUXFS "/create", init, label,
			 "process");
}

int selinux_denies(const char *context, const char *class)
{
	unsigned int allowed, unused, flags, permission;
	char text[256], path[128];
	int ret;

	if (!selinux_is_enforcing())
		return 0;
	snprintf(path, sizeof(path), SELINUXFS "/class/%s/perms/create", class);
	ret = read_number(&permission, path);
	if (!ret)
		ret = ask(text, sizeof(text), SELINUXFS "/access", context, context, class);
	if (ret)
		return ret;
	if (permission < 1 || permission > 32 ||
	    sscanf(text, "%x %x %x %x %u %x", &allowed, &unused, &unused, &unused, &unused,
		   &flags) != 6)
		return -EBADMSG;
	return !(allowed >> (permission - 1) & 1) && !(flags & FLAG_PERMISSIVE);
}
