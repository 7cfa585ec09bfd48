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

#include "host/record.h"


#define BLOCK 65536

/*
 * Loaded when it is needed, not linked: with the twelve libraries that libarchive needs, libxml2 and
 * ICU among them, each start of smc_chk would take 6.2 million instructions instead of 0.8, at least
 * 2 ms more, and its installation 40 MB more. The build takes ARCHIVE_SONAME from the linker. Since a
 * scan for dependencies does not see dlopen(), the note tells packagers: see "ELF dlopen metadata"
 * of the UAPI Group.
 */
#define DLOPEN_JSON                                                                      \
	"[{\"soname\":[\"" ARCHIVE_SONAME "\"],\"feature\":\"bundle\","                \
	"\"description\":\"Bundles for support: --bundle and --from\",\"priority\":\"recommended\"}]"
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

/* ---- packing ---- */

struct packer {
	struct library lib;
	struct archive *archive;
	struct archive_entry *entry;
	struct pack_size *size;
	struct smc_err *err;
};

static int archive_failed(const struct library *lib, struct archive *archive, struct smc_err *err,
			  const char *what)
{
	int code = lib->archive_errno(archive);

	return smc_err_set(err, code > 0 ? code : EIO, "%s", what);
}

static int pack_data(struct packer *p, int fd)
{
	char block[BLOCK];
	ssize_t len;

	while ((len = read(fd, block, sizeof(block))) > 0) {
		if (p->lib.archive_write_data(p->archive, block, (size_t)len) != len)
			return archive_failed(&p->lib, p->archive, p->err, "cannot write the bundle");
		p->size->bytes += (uint64_t)len;
	}
	return len ? smc_err_set(p->err, errno, "cannot read what was collected") : 0;
}

static int pack_header(struct packer *p, const char *name, const struct stat *st)
{
	bool is_file = S_ISREG(st->st_mode);

	p->lib.archive_entry_clear(p->entry);
	p->lib.archive_entry_copy_pathname(p->entry, name);
	p->lib.archive_entry_set_filetype(p->entry, is_file ? AE_IFREG : AE_IFDIR);
	p->lib.archive_entry_set_perm(p->entry, is_file ? 0600 : 0700);
	p->lib.archive_entry_set_size(p->entry, is_file ? st->st_size : 0);
	p->lib.archive_entry_set_mtime(p->entry, st->st_mtime, 0);
	p->size->files++;
	if (p->lib.archive_write_header(p->archive, p->entry) < ARCHIVE_WARN)
		return archive_failed(&p->lib, p->archive, p->err, "cannot write the bundle");
	return 0;
}

/* A file, or a directory of which only is known that it is there. */
static int pack_one(struct packer *p, const char *path, const char *name)
{
	int fd = open(path, O_RDONLY | O_NOFOLLOW | O_CLOEXEC), ret;
	struct stat st;

	if (fd < 0 || fstat(fd, &st))
		ret = smc_err_set(p->err, errno, "cannot read what was collected");
	else
		ret = pack_header(p, name, &st);
	if (!ret && S_ISREG(st.st_mode))
		ret = pack_data(p, fd);
	if (!ret && (p->size->files > PACK_MAX_FILES || p->size->bytes > PACK_MAX_BYTES))
		ret = smc_err_say(p->err, EFBIG, "this host has too much for one bundle");
	if (fd >= 0)
		close(fd);
	return ret;
}

static int pack_directory(struct packer *p, const char *directory, const char *name)
{
	char path[PATH_MAX], inner[PATH_MAX];
	struct dirent **items;
	int count, ret = 0;

	count = scandir(directory, &items, NULL, alphasort);
	if (count < 0)
		return smc_err_set(p->err, errno, "cannot read what was collected");
	if (count == 2)
		ret = pack_one(p, directory, name);
	for (int i = 0; i < count; i++) {
		const char *item = items[i]->d_name;
		bool is_self = !strcmp(item, ".") || !strcmp(item, "..");

		if (!ret && !is_self &&
		    (snprintf(path, PATH_MAX, "%s/%s", directory, item) >= PATH_MAX ||
		     snprintf(inner, PATH_MAX, "%s/%s", name, item) >= PATH_MAX))
			ret = smc_err_set(p->err, ENAMETOOLONG, "cannot pack %s", item);
		if (!ret && !is_self)
			ret = items[i]->d_type == DT_DIR ? pack_directory(p, path, inner) :
							   pack_one(p, path, inner);
		free(items[i]);
	}
	free(items);
	return ret;
}

int bundle_pack(int fd, const char *directory, const char *name, struct pack_size *size, struct smc_err *err)
{
	struct packer p = { .size = size, .err = err };
	int ret = load(&p.lib, err);

	*size = (struct pack_size){ 0 };
	if (ret)
		return ret;
	p.archive = p.lib.archive_write_new();
	p.entry = p.lib.archive_entry_new();
	if (!p.archive || !p.entry)
		ret = smc_err_set(err, ENOMEM, "cannot write the bundle");
	else if (p.lib.archive_write_add_filter_gzip(p.archive) ||
		 p.lib.archive_write_set_format_pax_restricted(p.archive) ||
		 p.lib.archive_write_open_fd(p.archive, fd))
		ret = archive_failed(&p.lib, p.archive, err, "cannot write the bundle");
	if (!ret)
		ret = pack_directory(&p, directory, name);
	if (!ret && p.lib.archive_write_close(p.archive))
		ret = archive_failed(&p.lib, p.archive, err, "cannot write the bundle");
	p.lib.archive_entry_free(p.entry);
	p.lib.archive_write_free(p.archive);
	return ret;
}

/* ---- unpacking ---- */

struct unpacker {
	struct library lib;
	struct archive *archive;
	struct workdir *work;
	const char *file, *name;
	struct pack_size size;
	struct smc_err *err;
};

static int refuse(struct unpacker *u, const char *why)
{
	return smc_err_say(u->err, EINVAL, "%s is not a bundle: %s", u->file, why);
}

/* Is it the name of a file below the directory @name, without "." and ".." and empty parts? */
static bool is_plain(const char *path, const char *name)
{
	size_t len = strlen(name);

	if (strncmp(path, name, len) || path[len] != '/')
		return false;
	for (; *path; path += *path == '/') {
		len = strcspn(path, "/");
		if (!len || (len == 1 && path[0] == '.') || (len == 2 && !strncmp(path, "..", 2)))
			return false;
		path += len;
	}
	return true;
}

static int unpack_data(struct unpacker *u, int fd)
{
	char block[BLOCK];
	la_ssize_t len;

	while ((len = u->lib.archive_read_data(u->archive, block, sizeof(block))) > 0) {
		u->size.bytes += (uint64_t)len;
		if (u->size.bytes > PACK_MAX_BYTES)
			return refuse(u, "it is too large");
		if (workdir_is_stopped(u->work))
			return -ECANCELED;
		if (write(fd, block, (size_t)len) != len)
			return smc_err_set(u->err, errno, "cannot unpack %s", u->file);
	}
	return len ? refuse(u, "it is damaged") : 0;
}

static int unpack_one(struct unpacker *u, const char *inner, bool is_directory)
{
	char path[PATH_MAX];
	int fd, ret;

	if (snprintf(path, sizeof(path), "%s/%s%s", u->work->path, inner, is_directory ? "/" : "") >=
	    PATH_MAX)
		return refuse(u, "it has a name that is too long");
	if (!record_parents(path, strlen(u->work->path) + 1))
		return smc_err_set(u->err, errno, "cannot unpack %s", u->file);
	if (is_directory)
		return 0;
	fd = open(path, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600);
	if (fd < 0 && (errno == EEXIST || errno == EISDIR || errno == ENOTDIR))
		return refuse(u, "it contains a name twice");
	if (fd < 0)
		return smc_err_set(u->err, errno, "cannot unpack %s", u->file);
	ret = unpack_data(u, fd);
	if (close(fd) && !ret)
		ret = smc_err_set(u->err, errno, "cannot unpack %s", u->file);
	return ret;
}

static int unpack_entry(struct unpacker *u, struct archive_entry *entry)
{
	const char *path = u->lib.archive_entry_pathname(entry);
	__LA_MODE_T type = u->lib.archive_entry_filetype(entry);

	if (workdir_is_stopped(u->work))
		return -ECANCELED;
	if (++u->size.files > PACK_MAX_FILES)
		return refuse(u, "it contains too many files");
	if ((type != AE_IFREG && type != AE_IFDIR) || u->lib.archive_entry_hardlink(entry))
		return refuse(u, "it contains something other than files");
	if (!path || !is_plain(path, u->name))
		return refuse(u, "it contains a file with an unexpected name");
	return unpack_one(u, path, type == AE_IFDIR);
}

static int unpack_all(struct unpacker *u, int fd)
{
	struct archive_entry *entry;
	int ret = 0, next = ARCHIVE_OK;

	u->archive = u->lib.archive_read_new();
	if (!u->archive)
		return smc_err_set(u->err, ENOMEM, "cannot unpack %s", u->file);
	u->lib.archive_read_support_filter_gzip(u->archive);
	u->lib.archive_read_support_format_tar(u->archive);
	if (u->lib.archive_read_open_fd(u->archive, fd, BLOCK))
		ret = refuse(u, "it is not a tar.gz file");
	while (!ret && (next = u->lib.archive_read_next_header(u->archive, &entry)) == ARCHIVE_OK)
		ret = unpack_entry(u, entry);
	if (!ret && next != ARCHIVE_EOF)
		ret = refuse(u, u->size.files ? "it is damaged" : "it is not a tar.gz file");
	u->lib.archive_read_free(u->archive);
	return ret;
}

int bundle_unpack(struct workdir *work, const char *file, const char *name, struct smc_err *err)
{
	struct unpacker u = { .work = work, .file = file, .name = name, .err = err };
	int fd, ret = load(&u.lib, err);

	if (ret)
		return ret;
	fd = open(file, O_RDONLY | O_CLOEXEC);
	if (fd < 0)
		return smc_err_set(err, errno, "cannot open %s", file);
	ret = unpack_all(&u, fd);
	close(fd);
	return ret;
}
