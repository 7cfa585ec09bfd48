/* SPDX-License-Identifier: MIT */
/* Check whether only root can change a file. */
#pragma once

#include <limits.h>

/**
 * owned_by_root() - true if root alone owns a file and every directory on the way to it
 * @path: absolute; @fd: the file opened by this name, -1 for none
 * @culprit: receives the first path that others may change or replace
 *
 * Root must be the owner, and neither group nor others may have write access. The sticky bit makes
 * no difference: users who can create a file in a directory own it. Symbolic links are followed,
 * and the directories that contain them are checked too.
 *
 * Return: 0; -EPERM with @culprit; -ESTALE if @fd is another file, because links in /proc lead into
 * other mount namespaces; -errno of an unreadable path, with @culprit.
 */
int owned_by_root(const char *path, int fd, char culprit[PATH_MAX]);
