// SPDX-License-Identifier: MIT
/* Directories to tar.gz files. */
#include "smc_chk/bundle/pack.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>
#include <sys/stat.h>

#include "smc_chk/bundle/archive.h"

#define BLOCK 65536

/** struct job - one archive, being made */
struct job {
	struct archive_library lib;
	struct archive *archive;
	struct archive_entry *entry;
	struct pack_size size;
	struct smc_err *err;
};

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
	/* The day only: index.json has the time, unless nobody is to know it. */
	job->lib.archive_entry_set_mtime(job->entry, st->st_mtime - st->st_mtime % 86400, 0);
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
	if (count)
		job->size.files++;
	else
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
	const struct archive_library *lib = &job.lib;
	int ret = archive_load(&job.lib, err);

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
