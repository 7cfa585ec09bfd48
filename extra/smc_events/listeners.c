// SPDX-License-Identifier: MIT
/* Find the owner of a listening address. */
#include "smc_events/event.h"

#include "base/array.h"
#include "base/clock.h"
#include "sockets/fetch.h"

/* Minimum interval between two scans, if something is not found. */
#define PAUSE_NS 500000000

struct listener {
	struct smc_sock sock;
	struct smclife_process process;
};

static int begin(void *arg)
{
	((struct listeners *)arg)->count = 0;
	return 0;
}

static int on_message(const struct nlmsghdr *nlh, void *arg)
{
	struct listeners *listeners = arg;
	struct listener listener = { .process.pid = 0 };

	if (smc_sock_decode(&listener.sock, nlh))
		return smc_err_say(listeners->err, EBADMSG,
				   "the kernel's answer about a socket is too short");
	if (listener.sock.state == SMC_ABI_LISTEN)
		*smc_array_add(&listeners->entries, &listeners->count) = listener;
	return 0;
}

static int name_process(struct listeners *listeners, struct listener *listener)
{
	struct smc_sock *sock = &listener->sock;
	const struct proc_fd *holder;
	size_t count;
	int ret = 0;

	if (smc_sock_needs_lookup(sock))
		ret = sockets_complete(&listeners->lookup, sock, listeners->err);
	holder = proc_table_find(&listeners->lookup.procs, sock->inode, &count);
	if (!holder)
		return ret;
	listener->process.pid = (uint32_t)holder->pid;
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

/* A specific address takes precedence over the wildcard. */
static const struct listener *find(const struct listeners *listeners, const struct smc_addr *local)
{
	static const uint8_t any[16];
	const struct listener *found = NULL;

	for_each(listener, listeners->entries, listeners->count) {
		const struct smc_addr *at = &listener->sock.local;

		if (at->port != local->port)
			continue;
		if (at->family == local->family && !memcmp(at->ip, local->ip, sizeof(at->ip)))
			return listener;
		if (!memcmp(at->ip, any, sizeof(any)))
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
	event->sock.uid = listener->sock.uid;
	event->process = listener->process;
	return 0;
}
