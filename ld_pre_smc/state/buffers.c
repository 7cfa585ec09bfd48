// SPDX-License-Identifier: MIT
/* Apply SMC_SNDBUF and SMC_RCVBUF to SMC sockets, but not to TCP sockets. */
#include "ld_pre_smc/state/buffers.h"

#include <errno.h>
#include <netinet/tcp.h>
#include <stdatomic.h>
#include <sys/resource.h>
#include <sys/socket.h>

#include "ld_pre_smc/next.h"
#include "ld_pre_smc/state/log.h"
#include "process/sockopt_numbers.h"

/* Bits of SO_BUF_LOCK: include/linux/socket.h. */
#define SNDBUF_LOCK 1
#define RCVBUF_LOCK 2

static int force_of(int name)
{
	return name == SO_SNDBUF ? SO_SNDBUFFORCE : SO_RCVBUFFORCE;
}

/* Return: 0; 1 if the forcing option was needed, and successful; -errno. */
static int set_buffer(int fd, int name, int bytes)
{
	int got;

	if (next_setsockopt(fd, SOL_SOCKET, name, &bytes, sizeof(bytes)))
		return -errno;
	/* The kernel reports twice the requested size. */
	got = shim_int_option(fd, SOL_SOCKET, name);
	return got >= 0 && got / 2 < bytes &&
	       !next_setsockopt(fd, SOL_SOCKET, force_of(name), &bytes, sizeof(bytes));
}

/*
 * The kernel silently caps a size at net.core.wmem_max or rmem_max, except for processes that may
 * raise these. The method that works is found once; after that, a socket costs one system call.
 * Return: 0, or errno.
 */
static int set_size(int fd, int name, int bytes)
{
	enum { UNKNOWN, PLAIN, FORCED };
	static atomic_int methods[2];
	atomic_int *method = &methods[name == SO_SNDBUF];
	int known = atomic_load_explicit(method, memory_order_relaxed), ret;

	if (!bytes)
		return 0;
	if (known == PLAIN)
		return next_setsockopt(fd, SOL_SOCKET, name, &bytes, sizeof(bytes)) ? errno : 0;
	if (known == FORCED &&
	    !next_setsockopt(fd, SOL_SOCKET, force_of(name), &bytes, sizeof(bytes)))
		return 0;
	ret = set_buffer(fd, name, bytes);
	if (ret < 0)
		return -ret;
	atomic_store_explicit(method, ret ? FORCED : PLAIN, memory_order_relaxed);
	return 0;
}

/*
 * A listener's size is permanent, and applies to all its clients. Their number is only limited by
 * the program's limit of descriptors.
 */
static bool is_ours(const struct smc_buffer *buffer, int fd, rlim_t descriptors)
{
	return smc_buffer_of(buffer, fd) && smc_buffer_fits(buffer, descriptors);
}

/* Lock bits of the sizes that are ours; 0 for a locked program. */
static int our_locks(int fd, rlim_t descriptors)
{
	struct shim_config own;
	const struct shim_config *cfg = shim_config_get(&own);

	if (shim_is_locked)
		return 0;
	return (is_ours(&cfg->sndbuf, fd, descriptors) ? SNDBUF_LOCK : 0) |
	       (is_ours(&cfg->rcvbuf, fd, descriptors) ? RCVBUF_LOCK : 0);
}

static rlim_t most_descriptors(void)
{
	struct rlimit limit = { 0 };
	AUTO_ERRNO();

	getrlimit(RLIMIT_NOFILE, &limit);
	return limit.rlim_cur;
}

int shim_lock_buffers(int fd)
{
	int ours = our_locks(fd, 0), locks;

	if (!ours || !shim_is_smc(fd, NULL))
		return -1;
	ours = our_locks(fd, most_descriptors());
	if (!ours) {
		shim_log_fd(fd, "RLIMIT_NOFILE is high", "its clients get small buffers", 0);
		return -1;
	}
	locks = shim_int_option(fd, SOL_SOCKET, SO_BUF_LOCK);
	if (locks >= 0)
		shim_relock_buffers(fd, locks | ours);
	return locks;
}

void shim_relock_buffers(int fd, int locks)
{
	AUTO_ERRNO();

	if (locks >= 0)
		next_setsockopt(fd, SOL_SOCKET, SO_BUF_LOCK, &locks, sizeof(locks));
}

void shim_accepted_buffers(int listener, int fd)
{
	if (our_locks(listener, 0) && shim_int_option(fd, SOL_SOCKET, SO_PROTOCOL) == IPPROTO_TCP)
		shim_relock_buffers(fd, shim_int_option(listener, SOL_SOCKET, SO_BUF_LOCK));
}

/* getsockopt() returns twice the value given to setsockopt(). */
static void copy_buffer(int from, int to, int name)
{
	int twice = shim_int_option(from, SOL_SOCKET, name);

	if (twice > 1)
		set_buffer(to, name, twice / 2);
}

void shim_copy_buffers(int from, int to, bool are_both_smc)
{
	int locks = shim_int_option(from, SOL_SOCKET, SO_BUF_LOCK);

	if (locks < 0)
		return;
	if (are_both_smc || locks & SNDBUF_LOCK)
		copy_buffer(from, to, SO_SNDBUF);
	if (are_both_smc || locks & RCVBUF_LOCK)
		copy_buffer(from, to, SO_RCVBUF);
	if (locks || are_both_smc)
		shim_relock_buffers(to, locks);
}

/* Setting a size locks it. */
void shim_wake(int fd, bool is_smc)
{
	int level = is_smc ? SOL_SOCKET : IPPROTO_TCP;
	int opt = is_smc ? SO_BUF_LOCK : TCP_NOTSENT_LOWAT, value = shim_int_option(fd, level, opt);

	if (is_smc)
		copy_buffer(fd, fd, SO_SNDBUF);
	if (value >= 0)
		next_setsockopt(fd, level, opt, &value, sizeof(value));
}

void shim_give_buffers(int fd, int locks, int errs[2])
{
	struct shim_config own;
	const struct shim_config *cfg = shim_config_get(&own);
	int sndbuf = smc_buffer_of(&cfg->sndbuf, fd), rcvbuf = smc_buffer_of(&cfg->rcvbuf, fd);

	if (locks < 0 || shim_is_locked || (!sndbuf && !rcvbuf))
		return;
	if (!(locks & SNDBUF_LOCK))
		errs[0] = set_size(fd, SO_SNDBUF, sndbuf);
	if (!(locks & RCVBUF_LOCK))
		errs[1] = set_size(fd, SO_RCVBUF, rcvbuf);
	shim_relock_buffers(fd, locks);
}
