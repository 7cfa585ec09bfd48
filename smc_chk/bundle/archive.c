// SPDX-License-Identifier: MIT
#include "smc_chk/bundle/archive.h"

#include <fcntl.h>
#include <ftw.h>
#include <jansson.h>
#include <poll.h>
#include <signal.h>
#include <time.h>
#include <zlib.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/stat.h>

#include "base/write.h"
#include "host/beneath.h"
#include "sandbox/enclose.h"

#define ERRORS_SIZE 512
#define BLOCK 65536
#define DAMAGED "it is damaged"
#define TOO_LONG "it has a name that is too long"

/*
 * Limit for reading a bundle of any origin. Listing 100000 sockets with processes as JSON takes 1.2
 * GiB, and 5 s on a slow processor.
 */
#define MEMORY_MAX (2ULL * 1024 * 1024 * 1024)
#define SECONDS_MAX 60

/* nftw(3) takes no argument, so the sizes are static. */
static struct pack_size measured;

static int measure_one(const char *path, const struct stat *st, int type, struct FTW *where)
{
	(void)path, (void)type, (void)where;
	measured.files++;
	measured.bytes += S_ISREG(st->st_mode) ? (unsigned long long)st->st_size : 0;
	return 0;
}

/* ---- packing ---- */

int bundle_pack(struct workdir *work, int fd, const char *directory, struct pack_size *size,
		struct smc_err *err)
{
	char mtime[40];
	/* Sort by name, so that the same files make the same archive. */
	const char *const argv[] = { "tar",
				     "-cz",
				     "--format=gnu",
				     "--sort=name",
				     "--numeric-owner",
				     "--owner=0",
				     "--group=0",
				     mtime,
				     "--transform=s,^\\.," BUNDLE_DIRECTORY ",",
				     "-C",
				     directory,
				     ".",
				     NULL };
	int errors AUTO_CLOSE = memfd_create("errors", MFD_CLOEXEC), status;
	struct pollfd poll_out = { .fd = fd, .events = POLLOUT };
	char text[ERRORS_SIZE] = "";
	const char *line = text;
	time_t now = time(NULL);

	if (errors < 0 || nftw(directory, measure_one, 8, FTW_PHYS))
		return smc_err_set(err, errno, "cannot read what was collected");
	*size = measured;
	if (size->files > PACK_MAX_FILES || size->bytes > PACK_MAX_BYTES)
		return smc_err_say(err, EFBIG, "the data of this host is too large for one bundle");
	snprintf(mtime, sizeof(mtime), "--mtime=@%lld", (long long)(now - now % 86400));
	status = workdir_run(work, (char *const *)argv, fd, errors, 0);
	if (!status)
		return 0;
	/* If the reader has gone, act as if SIGPIPE had ended this process, too. */
	if (poll(&poll_out, 1, 0) == 1 && poll_out.revents & POLLERR) {
		raise(SIGPIPE); /* it is blocked, or ignored */
		workdir_is_stopped(work);
	}
	if (work->caught)
		return smc_err_set(err, EINTR, "stopped");
	if (status == -ENOENT || status == 127)
		return smc_err_say(err, ENOENT, "bundles need GNU tar and gzip");
	/* The first line of output; gzip begins with an empty one. */
	if (pread(errors, text, sizeof(text) - 1, 0) <= 0)
		snprintf(text, sizeof(text), "%s",
			 status > 128 ? workdir_why(status) : "tar failed");
	line += strspn(line, "\n");
	return smc_err_say(err, EIO, "cannot write the bundle: %.*s", (int)strcspn(line, "\n"),
			   line);
}

/* ---- unpacking: formats of POSIX.1-2001 and of GNU tar; gzip has the checksum ---- */

#define TAR_BLOCK 512

struct tar_header {
	char name[100], ids[24], size[12], times[20], type, link[100], magic[6], owner[82],
		prefix[155], padding[12];
};

_Static_assert(sizeof(struct tar_header) == TAR_BLOCK, "tar");

/** struct unpacking - @file: for messages; @name: of the next entry; @bytes, @files: so far */
struct unpacking {
	gzFile from;
	const char *file;
	int top;
	char name[PATH_MAX];
	unsigned long long bytes, files;
	struct smc_err *err;
};

static int refuse(const char *file, const char *why, struct smc_err *err)
{
	return smc_err_say(err, EINVAL, "%s is not a bundle: %s", file, why);
}

static int cannot(const struct unpacking *job)
{
	return smc_err_set(job->err, errno, "cannot unpack %s", job->file);
}

/* Read whole blocks, of which @len bytes are needed. */
static int get(const struct unpacking *job, void *data, size_t len)
{
	int size = (int)((len + TAR_BLOCK - 1) / TAR_BLOCK * TAR_BLOCK);

	return gzread(job->from, data, (unsigned int)size) == size ?
		       0 :
		       refuse(job->file, DAMAGED, job->err);
}

/* The long name of the next entry: from GNU tar, or in a record "LENGTH path=NAME" of pax(1). */
static int get_name(struct unpacking *job, bool is_pax, size_t len)
{
	char data[PATH_MAX], *name = data;
	int ret = len < sizeof(data) ? get(job, data, len) : refuse(job->file, TOO_LONG, job->err);

	if (ret)
		return ret;
	data[len] = '\0';
	if (is_pax && (name = strstr(data, " path="))) {
		name += strlen(" path=");
		name[strcspn(name, "\n")] = '\0';
	}
	strcpy(job->name, name ? name : "");
	return 0;
}

/* Make the directories on the way to an entry, which is in the directory of bundles. */
static int find_place(struct unpacking *job, struct beneath *at, bool is_directory)
{
	static const char top[] = BUNDLE_DIRECTORY "/";
	size_t parts = 1, made = 0;
	char clean[PATH_MAX];

	if (!beneath_clean(clean, job->name))
		return refuse(job->file, TOO_LONG, job->err);
	for (const char *c = clean; *c; c++)
		parts += *c == '/';
	if (parts > UNPACK_MAX_PARTS)
		return refuse(job->file, TOO_LONG, job->err);
	if (strncmp(clean, top, strlen(top)) && (!is_directory || strcmp(clean, BUNDLE_DIRECTORY)))
		return refuse(job->file, "it contains a file with an unexpected name", job->err);
	if (!beneath_make(at, job->top, clean, &made))
		return cannot(job);
	job->files += made;
	return 0;
}

static int unpack_file(const struct unpacking *job, const struct beneath *at, size_t size)
{
	int fd AUTO_CLOSE = openat(at->fd, at->name, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
	int ret = fd < 0 ? cannot(job) : 0;
	char block[BLOCK];

	for (size_t len; !ret && size; size -= len) {
		len = size < sizeof(block) ? size : sizeof(block);
		ret = get(job, block, len);
		if (!ret && !smc_write_all(fd, block, len))
			ret = cannot(job);
	}
	return ret;
}

static int unpack_entry(struct unpacking *job, char type, size_t size)
{
	bool is_directory = type == '5';
	struct beneath at;
	int ret;

	if (!is_directory && type != '0' && type)
		return refuse(job->file, "it contains something other than files", job->err);
	ret = find_place(job, &at, is_directory);
	if (ret)
		return ret;
	if (!is_directory)
		ret = unpack_file(job, &at, size);
	else if (mkdirat(at.fd, at.name, 0700) && errno != EEXIST)
		ret = cannot(job);
	beneath_end(&at);
	*job->name = '\0';
	return ret;
}

static int unpack_block(struct unpacking *job, const struct tar_header *header)
{
	bool has_prefix = !strcmp(header->magic, "ustar") && *header->prefix;
	unsigned long long size = TAR_BLOCK;

	if (gzdirect(job->from))
		return refuse(job->file, "it is not a tar.gz file", job->err);
	if (*header->magic &&
	    (strncmp(header->magic, "ustar", 5) || sscanf(header->size, "%12llo", &size) != 1))
		return refuse(job->file, DAMAGED, job->err);
	job->bytes += size < PACK_MAX_BYTES ? size : PACK_MAX_BYTES;
	if (job->bytes >= PACK_MAX_BYTES)
		return refuse(job->file, "it is too large", job->err);
	/* Empty blocks follow the last entry. */
	if (!*header->magic)
		return 0;
	if (++job->files >= PACK_MAX_FILES)
		return refuse(job->file, "it contains too many files", job->err);
	if (header->type == 'L' || header->type == 'x')
		return get_name(job, header->type == 'x', size);
	if (!*job->name)
		snprintf(job->name, sizeof(job->name), "%.*s%s%.100s", has_prefix ? 155 : 0,
			 header->prefix, has_prefix ? "/" : "", header->name);
	return unpack_entry(job, header->type, size);
}

int bundle_unpack(int fd, int directory, const char *file, struct smc_err *err)
{
	struct unpacking job = { .file = file, .top = directory, .err = err };
	int copy = fcntl(fd, F_DUPFD_CLOEXEC, 0), ret, code, len = 0;
	struct tar_header header;

	job.from = copy < 0 ? NULL : gzdopen(copy, "r");
	if (!job.from)
		return cannot(&job);
	ret = enclose(directory, LANDLOCK_READ | LANDLOCK_WRITE, err);
	while (!ret && (len = gzread(job.from, &header, sizeof(header))) == sizeof(header))
		ret = unpack_block(&job, &header);
	gzerror(job.from, &code);
	if (!ret && (len || code == Z_BUF_ERROR))
		ret = refuse(file, DAMAGED, err);
	gzclose(job.from);
	return ret;
}

/* ---- reading ---- */

/** struct opening - a bundle, and the directory for it */
struct opening {
	const char *file;
	int fd, directory;
};

static int open_here(void *arg, struct smc_err *err)
{
	const struct opening *job = arg;
	json_auto_t *index = NULL;
	const char *schema = "";
	int ret = bundle_unpack(job->fd, job->directory, job->file, err);

	if (ret)
		return ret;
	index = json_load_file(BUNDLE_DIRECTORY "/index.json", 0, NULL);
	json_unpack(index, "{s?s}", "schema", &schema);
	if (strcmp(schema, BUNDLE_SCHEMA))
		return smc_err_say(err, EINVAL,
				   "%s is not a bundle of this version: no " BUNDLE_SCHEMA,
				   job->file);
	return access(BUNDLE_DIRECTORY "/record", F_OK) ?
		       refuse(job->file, "it has no record", err) :
		       0;
}

/* Make the directory. Root gives it to nobody, the user of the processes that read it. */
static int make_directory(const struct workdir *work)
{
	int fd = -1;

	if (!mkdirat(work->fd, "unpacked", 0700))
		fd = openat(work->fd, "unpacked", O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
	/* In a user namespace without nobody it stays root's, which makes no difference there. */
	if (fd >= 0 && !geteuid() && fchown(fd, CONFINE_NOBODY, CONFINE_NOBODY) &&
	    errno != EINVAL && errno != EPERM) {
		close(fd);
		fd = -1;
	}
	return fd;
}

int bundle_read(struct workdir *work, int fd, const char *file, struct smc_err *err)
{
	int directory AUTO_CLOSE = make_directory(work);
	struct opening job = { file, fd, directory };
	char what[PATH_MAX];

	if (directory < 0)
		return smc_err_set(err, errno, "cannot unpack into %s", work->path);
	snprintf(what, sizeof(what), "read %s", file);
	return workdir_fork(work, open_here, &job, what, err);
}

static void limit_one(int resource, rlim_t soft, rlim_t hard)
{
	struct rlimit now;

	if (getrlimit(resource, &now))
		return;
	now.rlim_cur = now.rlim_cur < soft ? now.rlim_cur : soft;
	now.rlim_max = now.rlim_max < hard ? now.rlim_max : hard;
	setrlimit(resource, &now);
}

void bundle_limit(void)
{
	/* The hard limit, one second later, kills the process, while SIGXCPU shows the reason. */
	limit_one(RLIMIT_CPU, SECONDS_MAX, SECONDS_MAX + 1);
	/* The shadow memory of a sanitizer exceeds any limit. */
#ifndef __SANITIZE_ADDRESS__
	limit_one(RLIMIT_AS, MEMORY_MAX, MEMORY_MAX);
#endif
}
