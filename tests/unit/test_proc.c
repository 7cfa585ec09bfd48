// SPDX-License-Identifier: MIT
/* lib/process/proc with this process's own sockets. */
#include "test.h"

#include <sys/prctl.h>

#include "base/syscalls.h"
#include "process/proc.h"

static uint64_t inode_of(int fd)
{
	struct stat st;

	assert_int_equal(fstat(fd, &st), 0);
	return st.st_ino;
}

/* A listening TCP socket on 127.0.0.1, and its port. */
static int listener(uint16_t *port)
{
	struct sockaddr_in name = {
		.sin_family = AF_INET,
		.sin_addr.s_addr = htonl(INADDR_LOOPBACK),
	};
	socklen_t len = sizeof(name);
	int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);

	assert_true(fd >= 0);
	assert_int_equal(bind(fd, (struct sockaddr *)&name, sizeof(name)), 0);
	assert_int_equal(listen(fd, 1), 0);
	assert_int_equal(getsockname(fd, (struct sockaddr *)&name, &len), 0);
	*port = ntohs(name.sin_port);
	return fd;
}

TEST(own_sockets)
{
	int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0), second;
	struct proc_table table = { 0 };
	const struct proc_fd *holder;
	size_t count;

	second = dup(fd);
	assert_true(fd >= 0 && second > fd);
	assert_int_equal(prctl(PR_SET_NAME, "a \x1b\nname"), 0);
	assert_int_equal(proc_table_load(&table), 0);
	holder = proc_table_find(&table, inode_of(fd), &count);
	assert_non_null(holder);
	assert_int_equal(count, 2);
	assert_int_equal(holder[0].pid, getpid());
	assert_int_equal(holder[0].fd, fd);
	assert_int_equal(holder[1].fd, second);
	assert_string_equal(holder[0].comm, "a \x1b\nname");
	for (size_t i = 1; i < table.count; i++)
		assert_true(table.entries[i - 1].inode <= table.entries[i].inode);
	close(fd);
	close(second);
	proc_table_free(&table);
	assert_null(table.entries);
}

/* After fork() two processes hold the socket. */
TEST(shared)
{
	struct proc_table table = { 0 };
	const struct proc_fd *holder;
	size_t count;
	int pair[2];
	pid_t child;

	assert_int_equal(socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, pair), 0);
	child = fork();
	if (!child) {
		pause();
		_exit(0);
	}
	assert_true(child > 0);
	assert_int_equal(proc_table_load(&table), 0);
	holder = proc_table_find(&table, inode_of(pair[0]), &count);
	kill(child, SIGKILL);
	waitpid(child, NULL, 0);
	assert_non_null(holder);
	assert_int_equal(count, 2);
	assert_true(holder[0].pid < holder[1].pid);
	assert_true(holder[0].pid == child || holder[1].pid == child);
	close(pair[0]);
	close(pair[1]);
	proc_table_free(&table);
}

TEST(inode_without_a_process)
{
	const struct proc_fd entries[] = { { .inode = 5, .pid = 1, .fd = 3 },
					   { .inode = 9, .pid = 1, .fd = 4 } };
	struct proc_table table = { .entries = (struct proc_fd *)(uintptr_t)entries, .count = 2 };
	const struct proc_table none = { 0 };
	size_t count = 99;

	/* 0 is the inode of a connection that has not been accepted yet. */
	assert_null(proc_table_find(&table, 0, &count));
	assert_int_equal(count, 0);
	assert_null(proc_table_find(&table, 4, &count));
	assert_null(proc_table_find(&table, 7, &count));
	assert_null(proc_table_find(&table, UINT64_MAX, &count));
	assert_null(proc_table_find(&none, 5, &count));
	assert_int_equal(count, 0);
	assert_ptr_equal(proc_table_find(&table, 9, &count), &entries[1]);
	assert_int_equal(count, 1);
}

/* true if this process may duplicate its own descriptors: old kernels and sandboxes refuse */
static bool can_copy_fds(int fd)
{
	int pidfd = (int)syscall(SYS_pidfd_open, getpid(), 0), copy;

	copy = pidfd >= 0 ? (int)syscall(SYS_pidfd_getfd, pidfd, fd, 0) : -1;
	if (pidfd >= 0)
		close(pidfd);
	if (copy >= 0)
		close(copy);
	return copy >= 0;
}

TEST(names)
{
	static const uint8_t loopback[16] = { 127, 0, 0, 1 };
	struct smc_addr local = { .port = 7 }, peer = { .port = 8 };
	struct proc_fd holder = { .pid = getpid() };
	struct sockaddr_in name = { .sin_family = AF_INET };
	uint16_t port;
	int server, client, first;

	server = listener(&port);
	first = server;
	holder.fd = server;
	holder.inode = inode_of(server);
	if (!can_copy_fds(server)) {
		print_message("# this kernel gives no copies of descriptors\n");
		assert_false(proc_socket_names(&holder, &local, &peer));
		close(server);
		return;
	}
	assert_true(proc_socket_names(&holder, &local, &peer));
	assert_int_equal(local.family, AF_INET);
	assert_int_equal(local.port, port);
	assert_memory_equal(local.ip, loopback, 16);
	assert_int_equal(peer.port, 8); /* a listener has no peer */

	client = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
	name.sin_port = htons(port);
	name.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
	assert_int_equal(connect(client, (struct sockaddr *)&name, sizeof(name)), 0);
	holder.fd = client;
	holder.inode = inode_of(client);
	assert_true(proc_socket_names(&holder, &local, &peer));
	assert_int_equal(peer.family, AF_INET);
	assert_int_equal(peer.port, port);
	assert_memory_equal(peer.ip, loopback, 16);

	/* The number now belongs to another file, or to none. */
	holder.fd = first;
	assert_false(proc_socket_names(&holder, &local, &peer));
	close(client);
	holder.fd = client;
	assert_false(proc_socket_names(&holder, &local, &peer));
	holder.pid = 4999999;
	assert_false(proc_socket_names(&holder, &local, &peer));
	close(server);
}

/* A socket without IP addresses has no result. */
/* Each process once, whatever it holds. */
TEST(holders)
{
	static const struct proc_fd all[] = { { .pid = 3, .fd = 4 },
					      { .pid = 3, .fd = 5 },
					      { .pid = 7, .fd = 1 },
					      { .pid = 8, .fd = 1 },
					      { .pid = 8, .fd = 2 } };
	const struct proc_fd *at = NULL;
	pid_t sum = 0;

	while ((at = proc_next_holder(all, ARRAY_SIZE(all), at)))
		sum = sum * 10 + at->pid;
	assert_int_equal(sum, 378);
	assert_ptr_equal(proc_next_holder(all, 1, NULL), all);
	assert_null(proc_next_holder(all, 1, all));
	assert_null(proc_next_holder(NULL, 0, NULL));
}

TEST(other_families)
{
	struct smc_addr local = { .port = 7 }, peer = { .port = 8 };
	struct proc_fd holder = { .pid = getpid() };
	int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);

	holder.fd = fd;
	holder.inode = inode_of(fd);
	assert_false(proc_socket_names(&holder, &local, &peer));
	assert_int_equal(local.port, 7);
	close(fd);
}
