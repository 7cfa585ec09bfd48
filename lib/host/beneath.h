/* SPDX-License-Identifier: MIT */
/*
 * Access to files below an untrusted directory: no path leads out of it, and no device or anything
 * that blocks is opened, even if the directory changes at the same time.
 */
#pragma once

#include "base/libc.h"

/**
 * struct beneath - result of a path lookup below a directory
 * @fd: the directory that contains the last name, closed by beneath_end(); -1 for an error
 * @name: that name, to be used with O_NOFOLLOW; "." for the top
 */
struct beneath {
	int fd;
	char name[NAME_MAX + 1];
};

/** beneath_clean() - reduce a path: "/a/../../b/./c" is "b/c". Return: false if too long */
bool beneath_clean(char out[PATH_MAX], const char *path);

/**
 * beneath_top() - open a directory owned by the effective user, by root or by @also
 *
 * Return: an O_PATH descriptor; -1 with errno: EPERM for another owner, ENOTDIR also for a link.
 */
int beneath_top(const char *directory, uid_t also);

/**
 * beneath_find() - look up a path; @follows: if the last name is a symbolic link, resolve it, too
 *
 * Up to 40 symbolic links are followed, as sysfs is full of them; absolute ones start at the top.
 * Return: false with errno, ELOOP for more links.
 */
bool beneath_find(struct beneath *at, int top, const char *path, bool follows);

/**
 * beneath_make() - look up a path for writing, without following links
 * @made: counts the missing directories, which are created with mode 0700
 *
 * Return: false with errno: ENOTDIR if a part is not a directory, or another of mkdirat(2).
 */
bool beneath_make(struct beneath *at, int top, const char *path, size_t *made);

/**
 * beneath_open() - open a found name if it is a file or directory, not a link
 *
 * Return: a descriptor that cannot block; -1 with errno: ENXIO for a device, a socket or a FIFO.
 */
int beneath_open(const struct beneath *at, int flags);

/** beneath_end() - close the directory; errno is preserved */
void beneath_end(struct beneath *at);
