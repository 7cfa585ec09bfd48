/* SPDX-License-Identifier: MIT */
/*
 * Files below a directory whose content anybody may have written: no path leads out of it, no name
 * leads to a device or to what hangs, whoever changes the directory meanwhile.
 */
#pragma once

#include <limits.h>
#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

/**
 * struct beneath - where a path below a directory leads
 * @fd: the directory that has the last name, for beneath_end(); -1 for an error
 * @name: that name, to be taken with O_NOFOLLOW; "." for the top
 */
struct beneath {
	int fd;
	char name[NAME_MAX + 1];
};

/**
 * beneath_clean() - a path without empty parts, "." and "..": "/a/../../b/./c" is "b/c"
 *
 * Return: false when it is too long.
 */
bool beneath_clean(char out[PATH_MAX], const char *path);

/**
 * beneath_top() - open a directory that belongs to the effective user, to root or to @also
 *
 * Return: a descriptor of O_PATH; -1 with errno: EPERM for another owner, ENOTDIR also for a link.
 */
int beneath_top(const char *directory, uid_t also);

/**
 * beneath_find() - go down to a path's last name; @follows: also if that is a symbolic link
 *
 * Symbolic links, 40 at most, lead to what is below the top, where absolute ones begin too; sysfs
 * is full of them. Return: false with errno, ELOOP for more links.
 */
bool beneath_find(struct beneath *at, int top, const char *path, bool follows);

/**
 * beneath_make() - the same for a file that is to be written, without any links
 * @made: counts the directories that were not there, which are made with mode 0700
 *
 * Return: false with errno: ENOTDIR where a directory would have to be, or another of mkdirat(2).
 */
bool beneath_make(struct beneath *at, int top, const char *path, size_t *made);

/**
 * beneath_open() - open what was found, unless it is neither file nor directory, or a link
 *
 * Return: a descriptor that blocks nobody; -1 with errno: ENXIO for a device, a socket or a FIFO.
 */
int beneath_open(const struct beneath *at, int flags);

/** beneath_end() - close the directory; errno stays */
void beneath_end(struct beneath *at);
