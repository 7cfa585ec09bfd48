/* SPDX-License-Identifier: MIT */
/* Control groups, version 2: where they are, which id they have. */
#pragma once

#include <limits.h>
#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

/* Hexadecimal digits of a container's whole id, with all of docker, podman and Kubernetes. */
#define CONTAINER_ID_LEN 64

/** cgroup_mount() - where control groups of version 2 are mounted, or NULL */
const char *cgroup_mount(void);

/**
 * cgroup_id() - the number that the kernel knows a control group by
 *
 * The inode number of its directory: that of a new group is always another one (kernfs). Return: 0,
 * -ENOENT, -ENOTDIR, -errno of stat(2).
 */
int cgroup_id(const char *root, const char *path, uint64_t *id);

/**
 * cgroup_path() - the name of a control group, from what a person typed
 * @root: from cgroup_mount()
 * @text: a path with or without @root, with or without a slash at the start
 * @path: "/system.slice/ssh.service", "/" for the root
 *
 * Return: 0; -ENOENT, -ENOTDIR; -EXDEV when it is outside of @root.
 */
int cgroup_path(const char *root, const char *text, char path[PATH_MAX]);

/** cgroup_of_process() - the same of a process, from /proc. Return: 0, -ESRCH, -ENOENT, -errno */
int cgroup_of_process(pid_t pid, char path[PATH_MAX]);

/**
 * cgroup_of_unit() - the control group of a unit of the system's systemd
 * @unit: "ssh.service" or "user.slice"; without a known ending .service is meant
 *
 * Looks in slices only: those are systemd's own, while anybody to whom a group was handed over
 * chooses the names in it.
 *
 * Return: 0, -ENOENT when it has none, because it does not run.
 */
int cgroup_of_unit(const char *root, const char *unit, char path[PATH_MAX]);

/**
 * cgroup_of_container() - the control group of a container
 * @id: part of the container's id, which docker, podman and Kubernetes put into the group's name
 *
 * Return: 0, -ENOENT, -EEXIST when several groups match, -EINVAL for what is not an id, such as a
 * name.
 */
int cgroup_of_container(const char *root, const char *id, char path[PATH_MAX]);

/**
 * cgroup_is_named() - is a control group the one of a container? Pure
 * @path: "/machine.slice/libpod-4be7.scope"
 * @id: of the container, as a whole: other letters and digits do not stand beside it
 */
bool cgroup_is_named(const char *path, const char *id);

/**
 * cgroup_cut() - the group of all of a container, from that of its first process. Pure
 * @path: changed; what a runtime has made within the container's group is cut off
 * @own: the group of the caller
 * @id: of the container, which runtimes put into the name of the group
 *
 * Return: 0; -EXDEV when it is not the container's alone: the caller is in it, too, or it has the
 * id of another container.
 */
int cgroup_cut(char *path, const char *own, const char *id);

/** cgroup_of_container_process() - the same, by @pid. Return: as that, -ESRCH, -errno */
int cgroup_of_container_process(pid_t pid, const char *id, char path[PATH_MAX]);

/** cgroup_is_populated() - is there a process in it or below it? Return: 1, 0, or -errno */
int cgroup_is_populated(const char *root, const char *path);

/**
 * cgroup_chosen() - how much of a control group's path root alone has named
 *
 * Who owns a group names those in it.
 *
 * Return: length up to the first group of another user's; SIZE_MAX for all, and where control
 * groups cannot be seen.
 */
size_t cgroup_chosen(const char *path);

/** cgroup_part() - the next name in a path, cut to what fits. Return: what follows it. Pure */
const char *cgroup_part(const char *path, char part[PATH_MAX]);

/**
 * cgroup_digits() - the first run of exactly 64 digits. Pure
 * @name: "docker-4be7....scope", "4be7..."; a unit's has fewer
 *
 * Return: where it begins, NULL for none.
 */
const char *cgroup_digits(const char *name);

/**
 * cgroup_unit() - the service of systemd that a control group belongs to. Pure
 * @path: "/system.slice/ssh.service/sub"
 * @unit: receives "ssh.service", without the _ that systemd may put before it
 * @is_user: it is one of a user's own systemd
 *
 * Only below slices, as with cgroup_of_unit(). Return: false when it belongs to none.
 */
bool cgroup_unit(const char *path, char unit[NAME_MAX + 1], bool *is_user);
