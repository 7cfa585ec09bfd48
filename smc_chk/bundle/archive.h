/* SPDX-License-Identifier: MIT */
/* libarchive, loaded when it is needed. */
#pragma once

#include <archive.h>
#include <archive_entry.h>

#include "base/err.h"

/* clang-format off */
#define ARCHIVE_FUNCTIONS(X)                                                                     \
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
/* clang-format on */

/** struct archive_library - its functions */
struct archive_library {
#define MEMBER(name) __typeof__(name) *name;
	ARCHIVE_FUNCTIONS(MEMBER)
#undef MEMBER
};

/** archive_load() - find libarchive. Return: 0, -ENOSYS with @err when it is not installed */
int archive_load(struct archive_library *lib, struct smc_err *err);
