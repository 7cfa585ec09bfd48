// SPDX-License-Identifier: MIT
/* lib/sandbox: operations that must fail after dropping rights. */
#include "child.h"

#include <grp.h>
#include <sched.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>

#include "sandbox/confine.h"
#include "sandbox/sysfilter.h"

#define NR_IO_URING_SETUP 425
#define NR_CLONE3 435
#define NR_OPENAT2 437

/* true if it failed with this errno; prints a message if not */
static bool fails(const char *what, long ret, int code)
{
	if (ret < 0 && errno == code)
		return true;
	fprintf(stderr, "%s: returned %ld, errno %d, not %d\n", what, ret, errno, code);
	return false;
}

/* EINVAL: a user namespace in which nobody is root. */
static bool is_refused(const char *what, long ret)
{
	return (ret < 0 && errno == EINVAL) || fails(what, ret, EPERM);
}

/* Try every call that opens, creates or removes a file. */
static bool no_file_opens(void)
{
	const struct {
		uint64_t flags, mode, resolve;
	} how = { .flags = O_RDONLY };

	return fails("open /", open("/", O_RDONLY), EACCES) &&
	       fails("open /dev/null", open("/dev/null", O_RDONLY), EACCES) &&
	       fails("write /dev/null", open("/dev/null", O_WRONLY), EACCES) &&
	       fails("open status", open("/proc/self/status", O_RDONLY), EACCES) &&
	       fails("open . below", openat(AT_FDCWD, ".", O_RDONLY | O_DIRECTORY), EACCES) &&
	       fails("openat2", syscall(NR_OPENAT2, AT_FDCWD, "/dev/null", &how, sizeof(how)),
		     EACCES) &&
#ifdef SYS_open
	       fails("open(2)", syscall(SYS_open, "/dev/null", O_RDONLY), EACCES) &&
#endif
	       fails("create", open("confine-test", O_CREAT | O_WRONLY, 0600), EACCES) &&
	       fails("mkdir", mkdir("confine-test", 0700), EACCES) &&
	       fails("unlink", unlink("/dev/null"), EACCES);
}

static bool nothing_more(void)
{
	char *argv[] = { (char *)"true", NULL };
	uint8_t params[120] = { 0 };

	return fails("execve", execve("/bin/true", argv, argv), EACCES) &&
	       fails("Unix socket", socket(AF_UNIX, SOCK_STREAM, 0), EACCES) &&
	       fails("io_uring", syscall(NR_IO_URING_SETUP, 1, params), EPERM) &&
	       fails("clone3", syscall(NR_CLONE3, params, sizeof(params)), ENOSYS) &&
	       fails("the future", syscall(1000), ENOSYS) &&
	       fails("ptrace", syscall(SYS_ptrace, 0, 0, 0, 0), EPERM) &&
	       fails("user namespace", unshare(CLONE_NEWUSER), EPERM) &&
	       fails("clone", syscall(SYS_clone, CLONE_NEWUSER, CLONE_NEWUSER, 0, 0, 0), EPERM);
}

/* Still allowed: processes, sockets, and open files. */
static bool the_rest_works(void)
{
	int fd = socket(AF_INET, SOCK_STREAM, 0), status = 1;
	pid_t pid = fork();

	if (!pid)
		_exit(0);
	return fd >= 0 && !listen(fd, 1) && pid > 0 && waitpid(pid, &status, 0) == pid && !status;
}

static bool has_line(const char *text, const char *line)
{
	if (strstr(text, line))
		return true;
	fprintf(stderr, "no line '%s' in\n%s", line, text);
	return false;
}

/* Read the kernel's status from a file opened before. */
static bool status_says(int fd, bool was_root)
{
	char text[4096] = "";

	if (pread(fd, text, sizeof(text) - 1, 0) <= 0)
		return false;
	return has_line(text, "\nCapEff:\t0000000000000000\n") &&
	       has_line(text, "\nCapPrm:\t0000000000000000\n") &&
	       has_line(text, "\nNoNewPrivs:\t1\n") && has_line(text, "\nSeccomp:\t2\n") &&
	       (!was_root || (has_line(text, "\nUid:\t65534\t65534\t65534\t65534\n") &&
			      has_line(text, "\nGid:\t65534\t65534\t65534\t65534\n") &&
			      has_line(text, "\nGroups:\t \n")));
}

static int all_of_it(const void *arg)
{
	const struct confine keep = { .n_paths = 0 };
	const unsigned int all =
		CONFINE_NO_NEW_PRIVS | CONFINE_NOT_ROOT | CONFINE_FILTER | CONFINE_FILES;
	int fd = open("/proc/self/status", O_RDONLY | O_CLOEXEC);
	bool was_root = !geteuid(), is_right;
	unsigned int done = 0;
	const gid_t group = 4;
	struct smc_err err;

	if ((was_root && setgroups(1, &group)) || confine(&keep, &done, &err))
		return CHILD_WRONG;
	if ((done & all) != all)
		return CHILD_CANNOT;
	is_right = no_file_opens() && nothing_more() && the_rest_works() &&
		   status_says(fd, was_root) && is_refused("setuid", setuid(0)) &&
		   is_refused("seteuid", seteuid(0)) && is_refused("setgid", setgid(0));
	return is_right ? CHILD_RIGHT : CHILD_WRONG;
}

TEST(gives_up_everything)
{
	in_child(all_of_it, NULL);
}

/* Each of the two mechanisms blocks files on its own. */
static int filter_alone(const void *arg)
{
	if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) || sysfilter_install(true))
		return CHILD_CANNOT;
	return no_file_opens() && nothing_more() && the_rest_works() ? CHILD_RIGHT : CHILD_WRONG;
}

/* Without this part, files are still accessible, but not as programs. */
static int filter_of_system(const void *arg)
{
	char *argv[] = { (char *)"true", NULL };

	if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) || sysfilter_install(false))
		return CHILD_CANNOT;
	if (open("/dev/null", O_RDONLY) < 0 || socket(AF_UNIX, SOCK_STREAM, 0) < 0 ||
	    !fails("user namespace", unshare(CLONE_NEWUSER), EPERM))
		return CHILD_WRONG;
	return fails("execve", execve("/bin/true", argv, argv), EACCES) ? CHILD_RIGHT : CHILD_WRONG;
}

static int landlock_alone(const void *arg)
{
	struct smc_err err;

	if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) || landlock_restrict(NULL, 0, &err))
		return CHILD_CANNOT;
	return no_file_opens() && the_rest_works() ? CHILD_RIGHT : CHILD_WRONG;
}

TEST(each_alone)
{
	in_child(filter_alone, NULL);
	in_child(filter_of_system, NULL);
	in_child(landlock_alone, NULL);
}

/* ---- paths that stay accessible ---- */

struct tree {
	char top[64], seen[80], made[80], other[64];
};

static void touch(const char *path)
{
	int fd = open(path, O_CREAT | O_WRONLY | O_CLOEXEC, 0666);

	assert_true(fd >= 0);
	close(fd);
}

/* World-writable, as root becomes nobody. */
FIXTURE(make_tree)
{
	static struct tree tree;

	strcpy(tree.top, "/tmp/confine-XXXXXX");
	assert_non_null(mkdtemp(tree.top));
	assert_int_equal(chmod(tree.top, 0777), 0);
	snprintf(tree.seen, sizeof(tree.seen), "%s/seen", tree.top);
	snprintf(tree.made, sizeof(tree.made), "%s/made", tree.top);
	snprintf(tree.other, sizeof(tree.other), "%s-other", tree.top);
	touch(tree.seen);
	touch(tree.other);
	assert_int_equal(chmod(tree.seen, 0666) | chmod(tree.other, 0666), 0);
	*state = &tree;
	return 0;
}

FIXTURE(remove_tree)
{
	const struct tree *tree = *state;

	unlink(tree->made);
	return unlink(tree->seen) | unlink(tree->other) | rmdir(tree->top);
}

/* Return: for in_child(), if there is anything to test. */
static int keep_one(const char *path, unsigned int access)
{
	const struct landlock_path kept = { path, access };
	const struct confine keep = { .paths = &kept, .n_paths = 1 };
	unsigned int done = 0;
	struct smc_err err;

	if (confine(&keep, &done, &err))
		return CHILD_WRONG;
	return done & CONFINE_FILES ? CHILD_RIGHT : CHILD_CANNOT;
}

static int read_only(const void *arg)
{
	const struct tree *tree = arg;
	int ret = keep_one(tree->top, LANDLOCK_READ);
	char *argv[] = { (char *)"true", NULL };
	bool is_right;

	if (ret)
		return ret;
	is_right = open(tree->seen, O_RDONLY) >= 0 && open(tree->top, O_RDONLY) >= 0 &&
		   fails("write", open(tree->seen, O_RDWR), EACCES) &&
		   fails("make", open(tree->made, O_CREAT | O_WRONLY, 0600), EACCES) &&
		   fails("remove", unlink(tree->seen), EACCES) &&
		   fails("other", open(tree->other, O_RDONLY), EACCES) &&
		   fails("execve", execve("/bin/true", argv, argv), EACCES);
	return is_right ? CHILD_RIGHT : CHILD_WRONG;
}

static int read_and_write(const void *arg)
{
	const struct tree *tree = arg;
	int ret = keep_one(tree->top, LANDLOCK_READ | LANDLOCK_WRITE);
	bool is_right;

	if (ret)
		return ret;
	is_right = open(tree->made, O_CREAT | O_RDWR | O_TRUNC, 0600) >= 0 &&
		   fails("mkdir", mkdir(tree->made, 0700), EEXIST) && !unlink(tree->made) &&
		   fails("other", open(tree->other, O_RDONLY), EACCES) &&
		   fails("remove", unlink(tree->other), EACCES);
	return is_right ? CHILD_RIGHT : CHILD_WRONG;
}

static int one_file(const void *arg)
{
	const struct tree *tree = arg;
	int ret = keep_one(tree->seen, LANDLOCK_READ);
	bool is_right;

	if (ret)
		return ret;
	is_right = open(tree->seen, O_RDONLY) >= 0 &&
		   fails("top", open(tree->top, O_RDONLY), EACCES) &&
		   fails("other", open(tree->other, O_RDONLY), EACCES);
	return is_right ? CHILD_RIGHT : CHILD_WRONG;
}

static int programs(const void *arg)
{
	char *argv[] = { (char *)"true", NULL };
	int ret = keep_one("/", LANDLOCK_READ);

	if (ret)
		return ret;
	if (!fails("write", open(((const struct tree *)arg)->seen, O_RDWR), EACCES))
		return CHILD_WRONG;
	return fails("execve", execve("/bin/true", argv, argv), EACCES) ? CHILD_RIGHT : CHILD_WRONG;
}

TEST(keeps_paths)
{
	in_child(read_only, *state);
	in_child(read_and_write, *state);
	in_child(one_file, *state);
	in_child(programs, *state);
}

/* ---- missing features ---- */

static int no_such_path(const void *arg)
{
	const struct landlock_path path = { "/no/such/path", LANDLOCK_READ };
	const struct confine keep = { .paths = &path, .n_paths = 1 };
	unsigned int done;
	struct smc_err err = { 0 };

	if (confine(&keep, &done, &err) == -ENOENT)
		return strcmp(err.text, "cannot open '/no/such/path': No such file or directory") ?
			       CHILD_WRONG :
			       CHILD_RIGHT;
	return done & CONFINE_LANDLOCK ? CHILD_WRONG : CHILD_CANNOT;
}

/* The user nobody is not mapped there: capabilities are still dropped. */
static int in_user_namespace(const void *arg)
{
	const struct confine keep = { .n_paths = 0 };
	int fd = open("/proc/self/status", O_RDONLY | O_CLOEXEC), map;
	unsigned int done = 0;
	char text[64];

	snprintf(text, sizeof(text), "0 %u 1", geteuid());
	if (unshare(CLONE_NEWUSER))
		return CHILD_CANNOT;
	map = open("/proc/self/uid_map", O_WRONLY | O_CLOEXEC);
	if (map < 0 || write(map, text, strlen(text)) < 0)
		return CHILD_CANNOT;
	if (confine(&keep, &done, NULL) || done & CONFINE_NOT_ROOT)
		return CHILD_WRONG;
	return status_says(fd, false) && no_file_opens() ? CHILD_RIGHT : CHILD_WRONG;
}

static int stays_root(const void *arg)
{
	const struct confine keep = { .keeps_root = true };
	uid_t before = geteuid();
	unsigned int done = 0;

	if (confine(&keep, &done, NULL) || done & CONFINE_NOT_ROOT)
		return CHILD_WRONG;
	return geteuid() == before && no_file_opens() ? CHILD_RIGHT : CHILD_WRONG;
}

TEST(impossible_requests)
{
	in_child(no_such_path, NULL);
	in_child(in_user_namespace, NULL);
	in_child(stays_root, NULL);
}

static struct fixture fixture = { .setup = make_tree, .teardown = remove_tree };
