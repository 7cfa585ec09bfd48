// SPDX-License-Identifier: MIT
/* Directories to tar.gz files and back, by libarchive. */
#include "smc_chk/bundle/pack.h"

#include <archive.h>
#include <archive_entry.h>
#include <dirent.h>
#include <dlfcn.h>
#include <elf.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>
#include <sys/stat.h>

#include "base/write.h"
#include "host/record.h"

#define BLOCK 65536

/*
 * Loaded when it is needed, not linked: with the twelve libraries that libarchive needs, libxml2
 * and ICU among them, each start of smc_chk would take 6.2 million instructions instead of 0.8, at
 * least 2 ms more, and its installation 40 MB more. The build takes ARCHIVE_SONAME from the linker.
 * Since a scan for dependencies does not see dlopen(), the note tells packagers: see "ELF dlopen
 * metadata" of the UAPI Group.
 */
#define DLOPEN_JSON                                                                      \
	"[{\"soname\":[\"" ARCHIVE_SONAME "\"],\"feature\":\"bundle\","                \
	"\"description\":\"Bundles for support: --bundle and --from\","                       \
	"\"priority\":\"recommended\"}]"
#define DLOPEN_NOTE_TYPE 0x407c0c0a
#define DLOPEN_NOTE_OWNER "FDO"

static const struct {
	Elf32_Nhdr header;
	char owner[sizeof(DLOPEN_NOTE_OWNER)];
	_Alignas(4) char json[sizeof(DLOPEN_JSON)];
} dlopen_note __attribute__((used, aligned(4), section(".note.dlopen"))) = {
	{ sizeof(DLOPEN_NOTE_OWNER), sizeof(DLOPEN_JSON), DLOPEN_NOTE_TYPE },
	DLOPEN_NOTE_OWNER,
	DLOPEN_JSON,
};

#define FUNCTIONS(X)                                                                     \
	X(archive_entry_new) X(archive_entry_free) X(archive_entry_clear)                \
	X(archive_entry_filetype) X(archive_entry_hardlink) X(archive_entry_pathname)    \
	X(archive_entry_set_filetype) X(archive_entry_set_mtime) X(archive_entry_set_perm) \
	X(archive_entry_set_size) X(archive_entry_copy_pathname) X(archive_errno)        \
	X(archive_read_new) X(archive_read_free) X(archive_read_data)                    \
	X(archive_read_next_header) X(archive_read_open_fd)                              \
	X(archive_read_support_filter_gzip) X(archive_read_support_format_tar)           \
	X(archive_write_new) X(archive_write_free) X(archive_write_close)                \
	X(archive_write_add_filter_gzip) X(archive_write_set_format_pax_restricted)      \
	X(archive_write_header) X(archive_write_data) X(archive_write_open_fd)

struct library {
#define MEMBER(name) __typeof__(name) *name;
	FUNCTIONS(MEMBER)
#undef MEMBER
};

static int load(struct library *lib, struct smc_err *err)
{
	void *handle = dlopen(ARCHIVE_SONAME, RTLD_NOW | RTLD_LOCAL);
	size_t missing = !handle;

	if (handle) {
#define LOOK_UP(name) missing += !(*(void **)&lib->name = dlsym(handle, #name));
		FUNCTIONS(LOOK_UP)
#undef LOOK_UP
	}
	if (missing)
		return smc_err_say(err, ENOSYS, "bundles need %s: install libarchive13 (Debian, "
				   "Ubuntu) or libarchive (RPM)", ARCHIVE_SONAME);
	return 0;
}

/**
 * struct job - one archive, being made or read
 * @work: of unpacking; @file: what is unpacked
 */
struct job {
	struct library lib;
	struct archive *archive;
	struct archive_entry *entry;
	struct workdir *work;
	const char *file;
	struct pack_size size;
	struct smc_err *err;
};

/* ---- packing ---- */

static int cannot_write(struct job *job)
{
	int code = job->lib.archive_errno(job->archive);

	return smc_err_set(job->err, code > 0 ? code : EIO, "cannot write the bundle");
}

static int cannot_read(struct job *job)
{
	return smc_err_set(job->err, errno, "cannot read what was collected");
}

static int pack_data(struct job *job, int fd)
{
	char block[BLOCK];
	ssize_t len;

	while ((len = read(fd, block, sizeof(block))) > 0) {
		if (job->lib.archive_write_data(job->archive, block, (size_t)len) != len)
			return cannot_write(job);
		job->size.bytes += (uint64_t)len;
	}
	return len ? cannot_read(job) : 0;
}

static int pack_header(struct job *job, const char *name, const struct stat *st)
{
	bool is_file = S_ISREG(st->st_mode);

	job->lib.archive_entry_clear(job->entry);
	job->lib.archive_entry_copy_pathname(job->entry, name);
	job->lib.archive_entry_set_filetype(job->entry, is_file ? AE_IFREG : AE_IFDIR);
	job->lib.archive_entry_set_perm(job->entry, is_file ? 0600 : 0700);
	job->lib.archive_entry_set_size(job->entry, is_file ? st->st_size : 0);
	job->lib.archive_entry_set_mtime(job->entry, st->st_mtime, 0);
	job->size.files++;
	if (job->lib.archive_write_header(job->archive, job->entry) < ARCHIVE_WARN)
		return cannot_write(job);
	return 0;
}

/* A file, or a directory of which only is known that it is there. */
static int pack_one(struct job *job, const char *path, const char *name)
{
	int fd = open(path, O_RDONLY | O_NOFOLLOW | O_CLOEXEC), ret;
	struct stat st;

	if (fd < 0 || fstat(fd, &st))
		ret = cannot_read(job);
	else
		ret = pack_header(job, name, &st);
	if (!ret && S_ISREG(st.st_mode))
		ret = pack_data(job, fd);
	if (!ret && (job->size.files > PACK_MAX_FILES || job->size.bytes > PACK_MAX_BYTES))
		ret = smc_err_say(job->err, EFBIG, "this host has too much for one bundle");
	if (fd >= 0)
		close(fd);
	return ret;
}

static int is_item(const struct dirent *item)
{
	return strcmp(item->d_name, ".") && strcmp(item->d_name, "..");
}

static int pack_directory(struct job *job, const char *directory, const char *name)
{
	char path[PATH_MAX], inner[PATH_MAX];
	struct dirent **items;
	int count = scandir(directory, &items, is_item, alphasort), ret = 0;

	if (count < 0)
		return cannot_read(job);
	if (!count)
		ret = pack_one(job, directory, name);
	for (int i = 0; i < count; i++) {
		const char *item = items[i]->d_name;

		if (!ret && (snprintf(path, PATH_MAX, "%s/%s", directory, item) >= PATH_MAX ||
			     snprintf(inner, PATH_MAX, "%s/%s", name, item) >= PATH_MAX))
			ret = smc_err_set(job->err, ENAMETOOLONG, "cannot pack %s", item);
		if (!ret)
			ret = items[i]->d_type == DT_DIR ? pack_directory(job, path, inner) :
							   pack_one(job, path, inner);
		free(items[i]);
	}
	free(items);
	return ret;
}

int bundle_pack(int fd, const char *directory, struct pack_size *size, struct smc_err *err)
{
	struct job job = { .err = err };
	const struct library *lib = &job.lib;
	int ret = load(&job.lib, err);

	if (ret)
		return ret;
	job.archive = lib->archive_write_new();
	job.entry = lib->archive_entry_new();
	if (!job.archive || !job.entry)
		ret = smc_err_set(err, ENOMEM, "cannot write the bundle");
	else if (lib->archive_write_add_filter_gzip(job.archive) ||
		 lib->archive_write_set_format_pax_restricted(job.archive) ||
		 lib->archive_write_open_fd(job.archive, fd))
		ret = cannot_write(&job);
	if (!ret)
		ret = pack_directory(&job, directory, BUNDLE_DIRECTORY);
	if (!ret && lib->archive_write_close(job.archive))
		ret = cannot_write(&job);
	lib->archive_entry_free(job.entry);
	lib->archive_write_free(job.archive);
	*size = job.size;
	return ret;
}

/* ---- unpacking ---- */

static int refuse(struct job *job, const char *why)
{
	return smc_err_say(job->err, EINVAL, "%s is not a bundle: %s", job->file, why);
}

static int cannot_unpack(struct job *job)
{
	return smc_err_set(job->err, errno, "cannot unpack %s", job->file);
}

/* Is it the name of a file below BUNDLE_DIRECTORY, without "." and ".." and empty parts? */
static bool is_plain(const char *path)
{
	size_t len = strlen(BUNDLE_DIRECTORY "/");

	if (strncmp(path, BUNDLE_DIRECTORY "/", len))
		return false;
	for (; *path; path += *path == '/') {
		len = strcspn(path, "/");
		if (!len || (len == 1 && path[0] == '.') || (len == 2 && !strncmp(path, "..", 2)))
			return false;
		path += len;
	}
	return true;
}

static int unpack_data(struct job *job, int fd)
{
	char block[BLOCK];
	la_ssize_t len;

	while ((len = job->lib.archive_read_data(job->archive, block, sizeof(block))) > 0) {
		job->size.bytes += (uint64_t)len;
		if (job->size.bytes > PACK_MAX_BYTES)
			return refuse(job, "it is too large");
		if (workdir_is_stopped(job->work))
			return -ECANCELED;
		if (!smc_write_all(fd, block, (size_t)len))
			return cannot_unpack(job);
	}
	return len ? refuse(job, "it is damaged") : 0;
}

static int unpack_one(struct job *job, const char *inner, bool is_directory)
{
	char path[PATH_MAX];
	int fd, ret;

	if (snprintf(path, sizeof(path), "%s/%s%s", job->work->path, inner,
		     is_directory ? "/" : "") >= PATH_MAX)
		return refuse(job, "it has a name that is too long");
	if (!record_parents(path, strlen(job->work->path) + 1))
		return cannot_unpack(job);
	if (is_directory)
		return 0;
	fd = open(path, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600);
	if (fd < 0 && (errno == EEXIST || errno == EISDIR || errno == ENOTDIR))
		return refuse(job, "it contains a name twice");
	if (fd < 0)
		return cannot_unpack(job);
	ret = unpack_data(job, fd);
	if (close(fd) && !ret)
		ret = cannot_unpack(job);
	return ret;
}

static int unpack_entry(struct job *job, struct archive_entry *entry)
{
	const char *path = job->lib.archive_entry_pathname(entry);
	__LA_MODE_T type = job->lib.archive_entry_filetype(entry);

	if (workdir_is_stopped(job->work))
		return -ECANCELED;
	if (++job->size.files > PACK_MAX_FILES)
		return refuse(job, "it contains too many files");
	if ((type != AE_IFREG && type != AE_IFDIR) || job->lib.archive_entry_hardlink(entry))
		return refuse(job, "it contains something other than files");
	if (!path || !is_plain(path))
		return refuse(job, "it contains a file with an unexpected name");
	return unpack_one(job, path, type == AE_IFDIR);
}

static int unpack_all(struct job *job, int fd)
{
	struct archive_entry *entry;
	const struct library *lib = &job->lib;
	int ret = 0, next = ARCHIVE_OK;

	job->archive = lib->archive_read_new();
	if (!job->archive)
		return smc_err_set(job->err, ENOMEM, "cannot unpack %s", job->file);
	lib->archive_read_support_filter_gzip(job->archive);
	lib->archive_read_support_format_tar(job->archive);
	if (lib->archive_read_open_fd(job->archive, fd, BLOCK))
		ret = refuse(job, "it is not a tar.gz file");
	while (!ret && (next = lib->archive_read_next_header(job->archive, &entry)) == ARCHIVE_OK)
		ret = unpack_entry(job, entry);
	if (!ret && next != ARCHIVE_EOF)
		ret = refuse(job, job->size.files ? "it is damaged" : "it is not a tar.gz file");
	lib->archive_read_free(job->archive);
	return ret;
}

int bundle_unpack(struct workdir *work, const char *file, struct smc_err *err)
{
	struct job job = { .work = work, .file = file, .err = err };
	int fd, ret = load(&job.lib, err);

	if (ret)
		return ret;
	fd = open(file, O_RDONLY | O_CLOEXEC);
	if (fd < 0)
		return smc_err_set(err, errno, "cannot open %s", file);
	ret = unpack_all(&job, fd);
	close(fd);
	return ret;
}
