/* SPDX-License-Identifier: MIT */
/* Capture output on file descriptor 1. Include once per program. */
#pragma once

#include "test.h"

#include <sys/mman.h>

/* Redirect descriptor 1; returns the old one. Output of cmocka is flushed first. */
static inline int stdout_to(int fd)
{
	int saved;

	fflush(stdout);
	saved = dup(STDOUT_FILENO);
	assert_true(saved >= 0);
	assert_int_equal(dup2(fd, STDOUT_FILENO), STDOUT_FILENO);
	return saved;
}

static inline void stdout_back(int saved)
{
	fflush(stdout);
	dup2(saved, STDOUT_FILENO);
	close(saved);
}

/* The file's whole content as a string, to be freed; closes the descriptor. */
static inline char *file_text(int fd)
{
	off_t size = lseek(fd, 0, SEEK_END);
	char *text = malloc((size_t)size + 1);

	assert_non_null(text);
	assert_int_equal(pread(fd, text, (size_t)size, 0), size);
	text[size] = '\0';
	close(fd);
	return text;
}

static inline int capture_file(void)
{
	int fd = memfd_create("capture", MFD_CLOEXEC);

	assert_true(fd >= 0);
	return fd;
}
