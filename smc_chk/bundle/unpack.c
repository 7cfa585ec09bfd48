// SPDX-License-Identifier: MIT
/* Bundles of any origin back into directories, by tar(1). */
#include "smc_chk/bundle/unpack.h"

#include <errno.h>
#include <fcntl.h>
#include <ftw.h>
#include <signal.h>
#include <string.h>
#include <unistd.h>
#include <zlib.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <sys/wait.h>

#include "base/write.h"
#include "sandbox/confine.h"
#include "smc_chk/bundle/pack.h"

#define BLOCK 65536
/* A header for each file, and padding after it. */
#define STREAM_MAX (PACK_MAX_BYTES + PACK_MAX_FILES * 2048ULL)

static int refuse(const char *file, const char *why, struct smc_err *err)
{
	return smc_err_say(err, EINVAL, "%s is not a bundle: %s", file, why);
}

/* ---- rights ---- */

/* Programs and libraries, wherever a distribution has them. */
static size_t reachable(struct landlock_path paths[8])
{
	static const char *const names[] = { "/usr",   "/bin", "/lib",
					     "/lib64", "/nix", "/etc/ld.so.cache" };
	size_t count = 1;

	paths[0] = (struct landlock_path){ ".", LANDLOCK_READ | LANDLOCK_WRITE };
	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++)
		if (!access(names[i], F_OK))
			paths[count++] = (struct landlock_path){ names[i],
								 LANDLOCK_READ | LANDLOCK_EXECUTE };
	return count;
}

/* Only the current directory is left within its reach. */
static int give_up(struct smc_err *err)
{
	/* A list, or a complaint for each file, must not fill the memory. */
	struct confine_limit limit = { RLIMIT_FSIZE, PACK_MAX_BYTES };
	struct landlock_path paths[8];
	struct confine keep = { .paths = paths, .limits = &limit, .n_limits = 1 };
	struct rlimit now;
	struct stat st;

	if (!getrlimit(RLIMIT_FSIZE, &now) && now.rlim_cur < limit.most)
		limit.most = now.rlim_cur;
	keep.n_paths = reachable(paths);
	/* In a user namespace without nobody the directory stays root's, see open.c. */
	keep.keeps_root = !stat(".", &st) && !st.st_uid && !geteuid();
	return confine(&keep, NULL, err);
}

/* ---- tar(1) ---- */

/** struct tar - @in: what it reads; @out, @errors: what it writes */
struct tar {
	pid_t pid;
	int in, out, errors;
};

static void __attribute__((noreturn)) be_tar(char *const argv[], const struct tar *tar, int in)
{
	if (dup2(in, STDIN_FILENO) < 0 || dup2(tar->out, STDOUT_FILENO) < 0 ||
	    dup2(tar->errors, STDERR_FILENO) < 0)
		_exit(126);
	signal(SIGPIPE, SIG_DFL);
	execvp(argv[0], argv);
	_exit(errno == ENOENT ? 127 : 126);
}

static int start_tar(struct tar *tar, char *const argv[])
{
	int ends[2];

	tar->out = memfd_create("list", MFD_CLOEXEC);
	tar->errors = memfd_create("errors", MFD_CLOEXEC);
	if (tar->out < 0 || tar->errors < 0 || pipe2(ends, O_CLOEXEC))
		return -errno;
	tar->pid = fork();
	if (!tar->pid)
		be_tar(argv, tar, ends[0]);
	close(ends[0]);
	tar->in = ends[1];
	return tar->pid < 0 ? -errno : 0;
}

/* Return: exit status, 128 + the signal that ended it. */
static int end_tar(struct tar *tar)
{
	int status;

	close(tar->in);
	if (waitpid(tar->pid, &status, 0) != tar->pid)
		return 128;
	return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

/* Return: 0, also when tar(1) reads no more; -errno with @err. */
static int feed(gzFile from, int to, const char *file, struct smc_err *err)
{
	char block[BLOCK];
	uint64_t total = 0;
	int len, code;

	while ((len = gzread(from, block, sizeof(block))) > 0) {
		total += (uint64_t)len;
		if (total > STREAM_MAX)
			return refuse(file, "it is too large", err);
		if (!smc_write_all(to, block, (size_t)len))
			return 0;
	}
	if (gzdirect(from))
		return refuse(file, "it is not a tar.gz file", err);
	gzerror(from, &code);
	return len || code == Z_BUF_ERROR ? refuse(file, "it is damaged", err) : 0;
}

/* Its first complaint is the reason. */
static int say_why(const struct tar *tar, int status, const char *file, struct smc_err *err)
{
	ssize_t len;
	char text[200] = "";
	struct statvfs room;

	len = pread(tar->errors, text, sizeof(text) - 1, 0);

	if (status == 127)
		return smc_err_say(err, ENOENT, "bundles need GNU tar and gzip");
	if (status == 128 + SIGXFSZ)
		return refuse(file, "it is too large", err);
	if (!statvfs(".", &room) && !room.f_bavail)
		return smc_err_set(err, ENOSPC, "cannot unpack %s", file);
	text[len > 0 ? strcspn(text, "\n") : 0] = '\0';
	return smc_err_say(err, EINVAL, "%s is not a bundle: %s", file,
			   *text ? text : "it is damaged");
}

/* Let tar(1) do something with the whole archive. @out: receives what it wrote. */
static int run_tar(char *const argv[], gzFile from, const char *file, int *out, struct smc_err *err)
{
	struct tar tar = { .in = -1 };
	int ret = start_tar(&tar, argv), status;

	if (ret)
		return smc_err_set(err, -ret, "cannot unpack %s", file);
	ret = feed(from, tar.in, file, err);
	status = end_tar(&tar);
	*out = tar.out;
	if (!ret && status)
		ret = say_why(&tar, status, file, err);
	close(tar.errors);
	return ret;
}

/* ---- what is in it ---- */

/* Reads the output of `tar -t`: each name is a line, whatever is in it. */
static int check_list(int list, const char *file, struct smc_err *err)
{
	char block[BLOCK];
	size_t names = 0, parts = 0;
	ssize_t len;

	lseek(list, 0, SEEK_SET);
	while ((len = read(list, block, sizeof(block))) > 0) {
		for (ssize_t i = 0; i < len; i++) {
			names += block[i] == '\n';
			parts = block[i] == '\n' ? 0 : parts + (block[i] == '/');
			if (parts > UNPACK_MAX_PARTS)
				return refuse(file, "it has a name that is too long", err);
		}
	}
	if (!names)
		return refuse(file, "it is empty", err);
	return names > PACK_MAX_FILES ? refuse(file, "it contains too many files", err) : 0;
}

/* nftw(3) has no argument for what was found. */
static const char *wrong;

static int check_one(const char *path, const struct stat *st, int type, struct FTW *where)
{
	static const char top[] = "./" BUNDLE_DIRECTORY;
	size_t len = strlen(top);

	(void)type;
	if (where->level && (strncmp(path, top, len) || (path[len] && path[len] != '/') ||
			     (where->level == 1 && !S_ISDIR(st->st_mode))))
		wrong = "it contains a file with an unexpected name";
	else if (!S_ISDIR(st->st_mode) && (!S_ISREG(st->st_mode) || st->st_nlink > 1))
		wrong = "it contains something other than files";
	return !!wrong;
}

static int unpack(gzFile from, const char *file, struct smc_err *err)
{
	static const char *const list[] = { "tar", "-tf", "-", NULL };
	/* -k: a name that is there twice is an error. */
	static const char *const extract[] = {
		"tar", "-xkf", "-", "--no-same-owner", "--no-same-permissions", NULL
	};
	int out = -1, ret = run_tar((char *const *)list, from, file, &out, err);
	struct pack_size size;

	if (!ret)
		ret = check_list(out, file, err);
	close(out);
	if (!ret && gzrewind(from))
		ret = smc_err_set(err, errno, "cannot unpack %s", file);
	if (ret)
		return ret;
	ret = run_tar((char *const *)extract, from, file, &out, err);
	close(out);
	if (ret)
		return ret;
	wrong = NULL;
	if (nftw(".", check_one, 8, FTW_PHYS))
		return refuse(file, wrong ? wrong : "it is damaged", err);
	/* Holes take no room in an archive. */
	if (pack_measure(&size, ".") || size.bytes > PACK_MAX_BYTES)
		return refuse(file, "it is too large", err);
	return size.files > PACK_MAX_FILES ? refuse(file, "it contains too many files", err) : 0;
}

int bundle_unpack(int fd, int directory, const char *file, struct smc_err *err)
{
	int copy = fcntl(fd, F_DUPFD_CLOEXEC, 0), ret;
	gzFile from = copy < 0 ? NULL : gzdopen(copy, "r");

	if (!from || fchdir(directory))
		return smc_err_set(err, errno, "cannot unpack %s", file);
	signal(SIGPIPE, SIG_IGN);
	ret = give_up(err);
	if (!ret)
		ret = unpack(from, file, err);
	gzclose(from);
	return ret;
}
