/* SPDX-License-Identifier: MIT */
/* Control groups, version 2: their paths and ids. */
#pragma once

#include "base/libc.h"

/* Hexadecimal digits of a container's full id, for docker, podman and Kubernetes alike. */
#define CONTAINER_ID_LEN 64

#define CGROUP_DIR "/sys/fs/cgroup"

/** cgroup_mount() - mount point of control groups of version 2, or NULL */
const char *cgroup_mount(void);

/**
 * cgroup_id() - the kernel's id of a control group
 *
 * It is the inode number of its directory, which kernfs never reuses. Return: 0, -ENOENT, -ENOTDIR,
 * -errno of stat(2).
 */
int cgroup_id(const char *root, const char *path, uint64_t *id);

/** cgroup_below() - the rest of an absolute path after @root, "/" for @root itself, or NULL */
const char *cgroup_below(const char *root, const char *full);

/**
 * cgroup_path() - normalize a user-specified control group
 * @root: from cgroup_mount()
 * @text: a path with or without @root, with or without a slash at the start
 * @path: "/system.slice/ssh.service", "/" for the root
 *
 * Return: 0; -ENOENT, -ENOTDIR; -EXDEV when it is outside of @root.
 */
int cgroup_path(const char *root, const char *text, char path[PATH_MAX]);

/**
 * cgroup_of_unit() - control group of a unit of the system manager
 * @unit: "ssh.service" or "user.slice"; .service is added unless there is a known suffix
 *
 * Looks only in slices, which systemd owns, because owners of delegated groups choose names there.
 * Return: 0, -ENOENT if it has none because it is not running.
 */
int cgroup_of_unit(const char *root, const char *unit, char path[PATH_MAX]);

/**
 * cgroup_of_container() - the control group of a container
 * @id: part of the container's id, which docker, podman and Kubernetes use in the group's name
 *
 * Return: 0, -ENOENT, -EEXIST if several groups match, -EINVAL if it is not an id.
 */
int cgroup_of_container(const char *root, const char *id, char path[PATH_MAX]);

/**
 * cgroup_is_named() - true if a control group is named after a container. Pure
 * @path: "/machine.slice/libpod-4be7.scope"; @id: full id, which is not part of a longer word
 */
bool cgroup_is_named(const char *path, const char *id);

/**
 * cgroup_cut() - the control group of a whole container, from that of its first process. Pure
 * @path: shortened: groups created by the runtime within the container's group are cut off
 * @own: control group of the caller; @id: of the container, which runtimes use in the group's name
 *
 * Return: 0; -EXDEV if the group is shared, with the caller or with another container.
 */
int cgroup_cut(char *path, const char *own, const char *id);

/** cgroup_of_container_process() - cgroup_cut() by @pid. Return: as that, -ESRCH, -errno */
int cgroup_of_container_process(pid_t pid, const char *id, char path[PATH_MAX]);

/** cgroup_is_populated() - 1 if processes are in it or below it, else 0, or -errno */
int cgroup_is_populated(const char *root, const char *path);

/**
 * cgroup_chosen() - length of the part of a control group's path that root chose
 *
 * The owner of a group names the groups in it.
 * Return: length up to the first group of another user; SIZE_MAX if there is none, or if control
 * groups are not visible.
 */
size_t cgroup_chosen(const char *path);

/** cgroup_part() - copy the next name of a path, truncated to fit. Return: the rest of the path */
const char *cgroup_part(const char *path, char part[PATH_MAX]);

/**
 * cgroup_digits() - the first run of exactly 64 digits. Pure
 * @name: "docker-4be7....scope", "4be7..."; unit names have fewer digits
 *
 * Return: start of the digits, or NULL.
 */
const char *cgroup_digits(const char *name);

/**
 * cgroup_unit() - the systemd service that a control group belongs to. Pure
 * @path: "/system.slice/ssh.service/sub"; @unit: receives "ssh.service", without systemd's _ prefix
 * @is_user: set if it is a unit of a user manager
 *
 * Only below slices, as in cgroup_of_unit(). Return: false if there is none.
 */
bool cgroup_unit(const char *path, char unit[NAME_MAX + 1], bool *is_user);
