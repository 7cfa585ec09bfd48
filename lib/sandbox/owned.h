/* SPDX-License-Identifier: MIT */
/* Can anybody but root change a file? */
#pragma once

#include <limits.h>

/**
 * owned_by_root() - do a file, and every directory on the way to it, belong to root alone?
 * @path: absolute
 * @fd: of what was opened by this name, -1 for nothing
 * @culprit: receives the first that others may change or replace
 *
 * Others must not own it, and neither its group nor others may write to it. The sticky bit makes no
 * difference: who may create something in a directory owns that. Symbolic links are followed, and
 * the directories that they stand in count, too.
 *
 * Return: 0; -EPERM with @culprit; -ESTALE if @fd is another file, as links of /proc lead into
 * other mount namespaces; -errno of what could not be read, with @culprit.
 */
int owned_by_root(const char *path, int fd, char culprit[PATH_MAX]);
