// SPDX-License-Identifier: MIT
/*
 * A libc below the preload library: answers socket() and setsockopt() as set in the environment,
 * and records the calls. FAKE_SMC, FAKE_INET, FAKE_TCP: errno for AF_SMC, IPPROTO_SMC and all other
 * sockets, unset or 0 for success; FAKE_OPT: errno for setsockopt; FAKE_LIMIT: maximum size of a
 * buffer, except with FAKE_FORCE=1 by options that are refused otherwise; FAKE_LOG: file for a line
 * per call. FAKE_PROFILE: errno for the file that says which profile of AppArmor is in force, which
 * is recorded; FAKE_CONTEXT: text of the file with the context of SELinux. Without them there are
 * no such files. Its clock can be advanced.
 */

#include "tests/libc.h"
#include "tests/calls.h"

void fake_last(int call[3]);
void fake_later(int seconds);

static _Thread_local int last[3];

static int number(const char *name)
{
	const char *text = getenv(name);

	return text ? atoi(text) : 0;
}

static void tell(const char *text)
{
	const char *file = getenv("FAKE_LOG");
	int saved = errno;
	int fd = file ? open(file, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0666) : -1;

	if (fd >= 0) {
		if (write(fd, text, strlen(text)) < 0)
			abort();
		close(fd);
	}
	errno = saved;
}

/* Arguments of this thread's latest socket(). */
void fake_last(int call[3])
{
	memcpy(call, last, sizeof(last));
}

static atomic_int later;

void fake_later(int seconds)
{
	later += seconds;
}

int clock_gettime(clockid_t clock, struct timespec *now)
{
	int ret = (int)syscall(SYS_clock_gettime, clock, now);

	now->tv_sec += later;
	return ret;
}

/* The text of a file. */
static int give(const char *text)
{
	int ends[2];

	if (pipe2(ends, O_CLOEXEC))
		return -1;
	if (write(ends[1], text, strlen(text)) < 0)
		abort();
	close(ends[1]);
	return ends[0];
}

static int open_attribute(const char *path)
{
	const char *context = getenv("FAKE_CONTEXT");

	if (strstr(path, "/attr/apparmor/") && number("FAKE_PROFILE")) {
		tell("profile\n");
		errno = number("FAKE_PROFILE");
		return -1;
	}
	errno = ENOENT;
	return context && !strstr(path, "apparmor") ? give(context) : -1;
}

long syscall(long name, ...)
{
	long args[6];
	va_list ap;

	va_start(ap, name);
	get_args(args, ap);
	va_end(ap);
	if (name == SYS_openat && strstr((const char *)args[1], "/attr/"))
		return open_attribute((const char *)args[1]);
	return libc_call(name, args);
}

int socket(int domain, int type, int protocol)
{
	const char *inet = protocol == 256 ? "FAKE_INET" : "FAKE_TCP";
	int err = number(domain == 43 ? "FAKE_SMC" : inet);
	char text[64];

	memcpy(last, (int[]){ domain, type, protocol }, sizeof(last));
	snprintf(text, sizeof(text), "socket %d %d %d\n", domain, type, protocol);
	tell(text);
	if (!err)
		return open("/dev/null", O_RDWR | (type & (O_NONBLOCK | O_CLOEXEC)));
	errno = err;
	return -1;
}

int setsockopt(int fd, int level, int name, const void *value, socklen_t len)
{
	int err = number("FAKE_OPT"), number_set = 0;
	char text[96];

	if (level == SOL_SOCKET && (name == SO_SNDBUFFORCE || name == SO_RCVBUFFORCE))
		err = number("FAKE_FORCE") ? 0 : EPERM;
	if (len == sizeof(number_set))
		memcpy(&number_set, value, len);
	snprintf(text, sizeof(text), "setsockopt %d %d %d\n", level, name, number_set);
	tell(text);
	errno = err ? err : errno;
	return err ? -1 : 0;
}

int getsockopt(int fd, int level, int name, void *value, socklen_t *len)
{
	int doubled = 2 * number("FAKE_LIMIT");

	if (doubled && level == SOL_SOCKET && (name == SO_SNDBUF || name == SO_RCVBUF)) {
		memcpy(value, &doubled, sizeof(doubled));
		return 0;
	}
	/* Not with dlsym(): it takes a lock, and signal handlers come here. */
	return (int)syscall(SYS_getsockopt, fd, level, name, value, len);
}
