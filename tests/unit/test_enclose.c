// SPDX-License-Identifier: MIT
/* lib/host/beneath, lib/sandbox/enclose: names and processes cannot leave a directory. */
#include "child.h"
#include "scratch.h"
#include "test.h"

#include <linux/seccomp.h>
#include <sys/prctl.h>

#include "host/beneath.h"
#include "sandbox/enclose.h"

/* A directory with "top", the allowed part, and "outside". */
static char directory[] = "/tmp/smc-enclose.XXXXXX";
static int top;

FIXTURE(start)
{
	if (!scratch_make(directory) || chdir(directory) || mkdir("top", 0700) ||
	    mkdir("top/a", 0700) || mkdir("top/a/b", 0700) || mkfifo("top/fifo", 0600))
		return -1;
	close(open("outside", O_CREAT | O_WRONLY, 0600));
	close(open("top/file", O_CREAT | O_WRONLY, 0600));
	top = open("top", O_RDONLY | O_DIRECTORY);
	return top < 0;
}

FIXTURE(end)
{
	close(top);
	return chdir("/") || scratch_remove(directory);
}

/* Return: 0, or the errno of the refusal. */
static int try(const char *path, int flags)
{
	struct beneath at;
	int fd = -1, code = 0;

	if (!beneath_find(&at, top, path, true) || (fd = beneath_open(&at, flags)) < 0)
		code = errno;
	if (fd >= 0)
		close(fd);
	beneath_end(&at);
	return code;
}

TEST(names)
{
	char long_name[300] = "";

	assert_int_equal(try("/file", O_RDONLY), 0);
	assert_int_equal(try("a/b/../../file", O_RDONLY), 0);
	assert_int_equal(try("../../../../file", O_RDONLY), 0);
	assert_int_equal(try("/", O_RDONLY | O_DIRECTORY), 0);
	assert_int_equal(try("a/b", O_RDONLY | O_DIRECTORY), 0);
	assert_int_equal(try("../outside", O_RDONLY), ENOENT);
	assert_int_equal(try("none/file", O_RDONLY), ENOENT);
	assert_int_equal(try("file/x", O_RDONLY), ENOTDIR);
	assert_int_equal(try("fifo", O_RDONLY), ENXIO);
	assert_int_equal(try("fifo", O_WRONLY | O_CREAT), ENXIO);
	memset(long_name, 'x', sizeof(long_name) - 1);
	assert_int_equal(try(long_name, O_RDONLY), ENAMETOOLONG);
}

static void follow(const char *target, int want)
{
	assert_int_equal(symlink(target, "top/a/link"), 0);
	assert_int_equal(try("a/link", O_RDONLY), want);
	assert_int_equal(unlink("top/a/link"), 0);
}

TEST(links)
{
	char target[64];

	follow("../file", 0);
	follow("b/../../file", 0);
	follow("/file", 0);
	follow("../../../../file", 0);
	follow("../../outside", ENOENT);
	follow("link", ELOOP);
	follow("/dev/null", ENOENT);
	snprintf(target, sizeof(target), "%s/outside", directory);
	follow(target, ENOENT);
	/* In the middle of a path. */
	assert_int_equal(symlink("../a", "top/a/up") | symlink("/", "top/a/root") |
				 symlink("..", "top/out"),
			 0);
	assert_int_equal(try("a/up/up/up/b", O_RDONLY | O_DIRECTORY), 0);
	assert_int_equal(try("a/root/file", O_RDONLY), 0);
	assert_int_equal(try("out/outside", O_RDONLY), ENOENT);
	assert_int_equal(try("out/file", O_RDONLY), 0);
}

TEST(written)
{
	struct beneath at;
	size_t made = 0;

	assert_true(beneath_make(&at, top, "a/c/d/e", &made));
	assert_int_equal(made, 2);
	assert_string_equal(at.name, "e");
	beneath_end(&at);
	assert_false(beneath_make(&at, top, "file/x", &made));
	assert_int_equal(errno, ENOTDIR);
	assert_int_equal(symlink(directory, "top/out"), 0);
	assert_false(beneath_make(&at, top, "out/x", &made));
	assert_int_equal(made, 2);
	assert_int_equal(symlink("file", "top/link"), 0);
	assert_true(beneath_make(&at, top, "link", &made));
	assert_int_equal(beneath_open(&at, O_WRONLY | O_CREAT), -1);
	assert_int_equal(errno, ELOOP);
	beneath_end(&at);
}

/* ---- processes ---- */

static bool is_shut(const char *path)
{
	int fd = open(path, O_RDONLY);

	if (fd < 0)
		return true;
	fprintf(stderr, "%s can be opened\n", path);
	return false;
}

/* Emulators have no system call filters. Nothing is set: there is no program. */
static bool has_filters(void)
{
	return prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, NULL) && errno == EFAULT;
}

static int as_root(const void *owner)
{
	char outside[64];
	struct smc_err err;

	/* A process that stays root is confined by a filter. */
	if (geteuid() || (!owner && !has_filters()))
		return CHILD_CANNOT;
	if (owner && fchown(top, CONFINE_NOBODY, CONFINE_NOBODY))
		return CHILD_CANNOT;
	snprintf(outside, sizeof(outside), "%s/outside", directory);
	if (enclose(top, LANDLOCK_READ, &err)) {
		fprintf(stderr, "%s\n", err.text);
		return CHILD_WRONG;
	}
	if (!is_shut("/etc/passwd") || !is_shut("/dev/null") || !is_shut("/proc/self/status") ||
	    !is_shut(outside) || !is_shut("../outside") || !is_shut("../../../../etc/passwd"))
		return CHILD_WRONG;
	if ((owner && !geteuid()) || !chroot(".") || try("/", O_RDONLY | O_DIRECTORY))
		return CHILD_WRONG;
	return !owner && try("file", O_RDONLY) ? CHILD_WRONG : CHILD_RIGHT;
}

TEST(root_owned_by_nobody)
{
	in_child(as_root, "nobody's");
}

TEST(root_owned_by_itself)
{
	in_child(as_root, NULL);
}

static int with_landlock(const void *arg)
{
	struct smc_err err;

	if (landlock_restrict(NULL, 0, &err) == -ENOSYS || err.code == EOPNOTSUPP)
		return CHILD_CANNOT;
	return CHILD_RIGHT;
}

/* Other users need Landlock. */
static int as_user(const void *arg)
{
	struct smc_err err;

	if (!geteuid() && (fchown(top, 1234, 1234) || setgid(1234) || setuid(1234)))
		return CHILD_CANNOT;
	if (enclose(top, LANDLOCK_READ, &err))
		return CHILD_WRONG;
	return is_shut("/etc/passwd") && is_shut("../outside") ? CHILD_RIGHT : CHILD_WRONG;
}

TEST(user)
{
	in_child(with_landlock, NULL);
	in_child(as_user, NULL);
}

TEST(owners)
{
	int fd;

	if (geteuid())
		skip();
	assert_true((fd = beneath_top("top", 0)) >= 0);
	close(fd);
	assert_int_equal(fchown(top, 1234, 1234), 0);
	assert_int_equal(beneath_top("top", 1), -1);
	assert_int_equal(errno, EPERM);
	assert_true((fd = beneath_top("top", 1234)) >= 0);
	close(fd);
}

static struct fixture fixture = { .setup = start, .teardown = end };
