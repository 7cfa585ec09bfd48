// SPDX-License-Identifier: MIT
/* Bundles of any origin back into directories, by libarchive. */
#include "smc_chk/bundle/unpack.h"

#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <string.h>
#include <unistd.h>
#include <sys/stat.h>

#include "base/write.h"
#include "host/beneath.h"
#include "smc_chk/bundle/pack.h"

#define BLOCK 65536
#define TOO_MANY "it contains too many files"

/** struct job - an archive that is being read; @size: directories count as files */
struct job {
	const struct archive_library *lib;
	struct archive *archive;
	int directory;
	const char *file;
	unpack_wants wants;
	struct pack_size size;
	struct smc_err *err;
};

static int refuse(struct job *job, const char *why)
{
	return smc_err_say(job->err, EINVAL, "%s is not a bundle: %s", job->file, why);
}

static int cannot_unpack(struct job *job, int code)
{
	return smc_err_set(job->err, code, "cannot unpack %s", job->file);
}

/* libarchive gave up: for lack of memory, or for what it read. */
static int damaged(struct job *job)
{
	if (job->lib->archive_errno(job->archive) == ENOMEM)
		return cannot_unpack(job, ENOMEM);
	return refuse(job, job->size.files ? "it is damaged" : "it is not a tar.gz file");
}

static bool is_deep(const char *path)
{
	int parts = 1;

	for (; *path && parts <= UNPACK_MAX_PARTS; path++)
		parts += *path == '/' && path[1];
	return parts > UNPACK_MAX_PARTS;
}

/*
 * What is below BUNDLE_DIRECTORY in the name of a file, which has no ".", ".." and empty parts;
 * NULL for another name.
 */
static const char *inner_name(const char *path)
{
	const char *part = path;
	size_t len;

	for (; *part; part += *part == '/') {
		len = strcspn(part, "/");
		if (!len || (len == 1 && part[0] == '.') || (len == 2 && !strncmp(part, "..", 2)))
			return NULL;
		part += len;
	}
	len = strlen(BUNDLE_DIRECTORY "/");
	return strncmp(path, BUNDLE_DIRECTORY "/", len) ? NULL : path + len;
}

static int unpack_data(struct job *job, int fd)
{
	char block[BLOCK];
	la_ssize_t len;

	while ((len = job->lib->archive_read_data(job->archive, block, sizeof(block))) > 0) {
		job->size.bytes += (uint64_t)len;
		if (job->size.bytes > PACK_MAX_BYTES)
			return refuse(job, "it is too large");
		errno = ENOSPC;
		if (!smc_write_all(fd, block, (size_t)len))
			return cannot_unpack(job, errno);
	}
	return len ? damaged(job) : 0;
}

static int unpack_file(struct job *job, const struct beneath *at)
{
	int fd = openat(at->fd, at->name, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC,
			0600),
	    ret;

	if (fd < 0 && (errno == EEXIST || errno == EISDIR))
		return refuse(job, "it contains a name twice");
	if (fd < 0)
		return cannot_unpack(job, errno);
	ret = unpack_data(job, fd);
	if (close(fd) && !ret)
		ret = cannot_unpack(job, errno);
	return ret;
}

/* The directories above it are made first. */
static int unpack_one(struct job *job, const char *name, bool is_directory)
{
	struct beneath at;
	int ret = 0;

	if (!beneath_make(&at, job->directory, name, &job->size.files))
		ret = errno == ENOTDIR	    ? refuse(job, "it contains a name twice") :
		      errno == ENAMETOOLONG ? refuse(job, "it has a name that is too long") :
					      cannot_unpack(job, errno);
	else if (is_directory && mkdirat(at.fd, at.name, 0700) && errno != EEXIST)
		ret = cannot_unpack(job, errno);
	else if (!is_directory)
		ret = unpack_file(job, &at);
	beneath_end(&at);
	return ret;
}

static int unpack_entry(struct job *job, struct archive_entry *entry)
{
	const char *path = job->lib->archive_entry_pathname(entry);
	const char *name = path ? inner_name(path) : NULL;
	__LA_MODE_T type = job->lib->archive_entry_filetype(entry);
	int ret;

	job->size.files++;
	if ((type != AE_IFREG && type != AE_IFDIR) || job->lib->archive_entry_hardlink(entry))
		return refuse(job, "it contains something other than files");
	if (path && is_deep(path))
		return refuse(job, "it has a name that is too long");
	if (!name || (!*name && type == AE_IFREG))
		return refuse(job, "it contains a file with an unexpected name");
	if (job->wants && type == AE_IFREG && !job->wants(name))
		return job->size.files > PACK_MAX_FILES ? refuse(job, TOO_MANY) : 0;
	ret = *name ? unpack_one(job, name, type == AE_IFDIR) : 0;
	if (!ret && job->size.files > PACK_MAX_FILES)
		ret = refuse(job, TOO_MANY);
	return ret;
}

static int unpack_all(struct job *job, int fd)
{
	const struct archive_library *lib = job->lib;
	struct archive_entry *entry;
	int ret = 0, next = ARCHIVE_OK;

	if (lib->archive_read_support_filter_gzip(job->archive) < ARCHIVE_WARN ||
	    lib->archive_read_support_format_tar(job->archive) < ARCHIVE_WARN ||
	    lib->archive_read_open_fd(job->archive, fd, BLOCK))
		return damaged(job);
	while (!ret && (next = lib->archive_read_next_header(job->archive, &entry)) == ARCHIVE_OK)
		ret = unpack_entry(job, entry);
	return !ret && next != ARCHIVE_EOF ? damaged(job) : ret;
}

int bundle_unpack(const struct archive_library *lib, int fd, int directory, const char *file,
		  unpack_wants wants, struct smc_err *err)
{
	struct job job = {
		.lib = lib, .directory = directory, .file = file, .wants = wants, .err = err
	};
	int ret;

	job.archive = lib->archive_read_new();
	if (!job.archive)
		return cannot_unpack(&job, ENOMEM);
	ret = unpack_all(&job, fd);
	lib->archive_read_free(job.archive);
	return ret;
}
