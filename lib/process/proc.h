/* SPDX-License-Identifier: MIT */
/* Holders of sockets, from /proc (proc(5)). */
#pragma once

#include "base/memory.h"

#include <dirent.h>

#include "smc/sock.h"

/** proc_next() - the next process of /proc, or thread of /proc/PID/task. Return: 0 at the end */
pid_t proc_next(DIR *dir);

/** proc_shares() - 1 if a process is in our namespace "net", "mnt", ..., else 0, or -errno */
int proc_shares(pid_t pid, const char *ns);

/**
 * proc_has() - true if a file of a process contains a text
 * @name: "maps", "environ"; read up to 64 MiB
 *
 * Return: -errno if it cannot be read.
 */
int proc_has(pid_t pid, const char *name, const char *text);

/**
 * struct proc_fd - one open socket
 * @inode: as in /proc/PID/fd and sock_diag; unique across network namespaces
 * @pid: in the caller's PID namespace; @comm: not escaped
 */
struct proc_fd {
	uint64_t inode;
	pid_t pid;
	int fd;
	char comm[16];
};

/** struct proc_table - @is_recorded: results of look-ups go to a record, see host/record.h */
struct proc_table {
	struct proc_fd *entries;
	size_t count;
	bool is_recorded;
};

ARRAY_FREE(proc_table_free, proc_table, entries)

/**
 * proc_table_load() - read /proc/PID/fd of every process
 *
 * Without privileges only the caller's own processes are readable; others are skipped silently.
 *
 * Return: 0, -EMFILE and -ENFILE without free descriptors, or -errno if /proc itself cannot be
 * read; -EFBIG if a record has more than a million holders.
 */
int proc_table_load(struct proc_table *table);

/** proc_table_load_of() - proc_table_load() for the @count @pids that still run; never a record */
int proc_table_load_of(struct proc_table *table, const pid_t *pids, size_t count);

/**
 * proc_table_parse() - parse the recorded holders of sockets
 * @text: untrusted lines of inode, process, descriptor and command name
 *
 * Return: 0, -EFBIG for more than a million. Malformed lines are skipped.
 */
int proc_table_parse(struct proc_table *table, const char *text);

/** proc_table_find() - @count holders of a socket, by pid and descriptor. Return: NULL for none */
const struct proc_fd *proc_table_find(const struct proc_table *table, uint64_t inode,
				      size_t *count);

/** proc_next_holder() - each process of proc_table_find() once; @last: NULL for the first */
const struct proc_fd *proc_next_holder(const struct proc_fd *holders, size_t count,
				       const struct proc_fd *last);

/** proc_fd_holds() - true if the socket is still open there, and always on a recorded host */
bool proc_fd_holds(const struct proc_fd *holder);

/**
 * proc_take_socket() - duplicate a process's socket, by pidfd_getfd(2) of kernel 5.6, which needs
 *	ptrace access; not on a recorded host
 *
 * Return: a descriptor; -ESTALE if another file has its place by now; -errno.
 */
int proc_take_socket(const struct proc_fd *holder);

/** proc_socket_names() - addresses of a duplicated socket. Return: true if @local is known */
bool proc_socket_names(const struct proc_fd *holder, struct smc_addr *local, struct smc_addr *peer);

/** proc_cgroup() - control group of a process. Return: 0, -ESRCH, -ENOENT, -errno */
int proc_cgroup(pid_t pid, char path[PATH_MAX]);
