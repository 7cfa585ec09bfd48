// SPDX-License-Identifier: MIT
/* Who listens where. */
#include "listeners.h"

#include <errno.h>
#include <string.h>

#include "base/array.h"
#include "base/clock.h"
#include "sockets/fetch.h"

/* Between two times of reading all, if something is not found. */
#define PAUSE_NS 500000000

struct listener {
	struct smc_addr local;
	uint32_t uid;
	uint64_t inode;
	struct event_process process;
};

static int begin(void *arg)
{
	((struct listeners *)arg)->count = 0;
	return 0;
}

static int on_message(const struct nlmsghdr *nlh, void *arg)
{
	struct listeners *listeners = arg;
	struct listener *listener;
	struct smc_sock sock;

	if (smc_sock_decode(&sock, nlh))
		return smc_err_say(listeners->err, EBADMSG,
				   "the kernel's answer about a socket is too short");
	if (sock.state != SMC_ABI_LISTEN)
		return 0;
	listener = smc_array_add(&listeners->entries, &listeners->count, &listeners->size,
				 sizeof(*listener));
	listener->local = sock.local;
	listener->uid = sock.uid;
	listener->inode = sock.inode;
	return 0;
}

static int name_process(struct listeners *listeners, struct listener *listener)
{
	const struct proc_fd *holder;
	struct smc_sock sock = { .local = listener->local,
				 .inode = listener->inode,
				 .state = SMC_ABI_LISTEN };
	size_t count;
	int ret = 0;

	if (smc_sock_needs_lookup(&sock))
		ret = sockets_complete(&listeners->lookup, &sock, listeners->err);
	listener->local = sock.local;
	holder = proc_table_find(&listeners->lookup.procs, listener->inode, &count);
	if (!holder)
		return ret;
	listener->process.pid = holder->pid;
	memcpy(listener->process.comm, holder->comm, sizeof(holder->comm));
	return ret;
}

static int load(struct listeners *listeners, struct smc_err *err)
{
	const struct sockets_source source = {
		.begin = begin,
		.on_message = on_message,
		.arg = listeners,
	};
	int ret;

	listeners->err = err;
	listeners->is_stale = false;
	ret = sockets_fetch(&source, err);
	if (!ret)
		ret = sockets_load_processes(&listeners->lookup, err);
	for (size_t i = 0; !ret && i < listeners->count; i++)
		ret = name_process(listeners, &listeners->entries[i]);
	sockets_lookup_free(&listeners->lookup);
	listeners->at = clock_ns(CLOCK_MONOTONIC);
	return ret;
}

/* An address of its own comes before any address. */
static const struct listener *find(const struct listeners *listeners, const struct smc_addr *local)
{
	static const uint8_t any[16];
	const struct listener *found = NULL;

	for (size_t i = 0; i < listeners->count; i++) {
		const struct listener *listener = &listeners->entries[i];

		if (listener->local.port != local->port)
			continue;
		if (listener->local.family == local->family &&
		    !memcmp(listener->local.ip, local->ip, sizeof(local->ip)))
			return listener;
		if (!memcmp(listener->local.ip, any, sizeof(any)))
			found = listener;
	}
	return found;
}

int listeners_find(struct listeners *listeners, struct event *event, struct smc_err *err)
{
	const struct listener *listener = NULL;
	int ret = 0;

	if (!listeners->is_stale)
		listener = find(listeners, &event->sock.local);
	if (!listener &&
	    (!listeners->at || clock_ns(CLOCK_MONOTONIC) - listeners->at >= PAUSE_NS)) {
		ret = load(listeners, err);
		listener = ret ? NULL : find(listeners, &event->sock.local);
	}
	if (!listener)
		return ret;
	event->sock.uid = listener->uid;
	event->process = listener->process;
	return 0;
}
