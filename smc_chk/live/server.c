// SPDX-License-Identifier: MIT
/* The server of the live test: each client has a thread, so that slow ones do not delay others. */
#include "smc_chk/live/server.h"

#include <netdb.h>
#include <poll.h>
#include <pthread.h>
#include <sys/eventfd.h>
#include <sys/resource.h>
#include <time.h>

#include "base/memory.h"
#include "process/signals.h"
#include "sandbox/confine.h"

#define BACKLOG 1000
#define MAX_CLIENTS 1000
#define SHARES 4 /* one peer may use a quarter of the places */
#define MAX_REFUSED 100
#define SPARE_FDS 100		 /* for refused clients, and for dumps of sockets */
#define STACK_SIZE (1024 * 1024) /* address space; a dump of sockets uses 40 KiB of it */

struct client {
	struct server *server;
	struct client *next;
	int fd;
	bool is_refused;
	uint8_t origin[ENDPOINT_ORIGIN_SIZE];
};

/**
 * struct server - shared by the accepting thread and all clients; the last one frees it
 * @event: wakes the accepting thread
 * @most: maximum number of clients served at a time
 * @list: every client, served or refused
 * @is_stopping: server_run() is to end; @is_closed: the accepting thread has ended
 * @was_served: a client has come and gone
 */
struct server {
	int listeners[2], n_listeners;
	int event;
	unsigned int most;
	pthread_mutex_t lock;
	struct client *list;
	bool is_stopping, is_closed, was_served;
};

/* Finish a change; the last thread frees the server. */
static void unlock(struct server *server)
{
	bool is_last = server->is_closed && !server->list;

	pthread_mutex_unlock(&server->lock);
	if (!is_last)
		return;
	close(server->event);
	pthread_mutex_destroy(&server->lock);
	free(server);
}

/* ---- listening ---- */

/* Return: descriptor, -errno. */
static int listen_on(union endpoint_addr *addr)
{
	const int on = 1;
	union endpoint_addr bound = { 0 };
	socklen_t len = sizeof(bound);
	int fd = endpoint_socket(addr->sa.sa_family, true), code;

	if (fd < 0)
		return fd;
	setsockopt(fd, SOL_SOCKET, SO_REUSEADDR, &on, sizeof(on));
	/* IPv4 has a separate socket, whatever the value of net.ipv6.bindv6only. */
	if ((addr->sa.sa_family == AF_INET6 &&
	     setsockopt(fd, IPPROTO_IPV6, IPV6_V6ONLY, &on, sizeof(on))) ||
	    bind(fd, &addr->sa, endpoint_len(addr)) || listen(fd, BACKLOG) ||
	    getsockname(fd, &bound.sa, &len)) {
		code = errno;
		close(fd);
		return -code;
	}
	/* Take only the port: an SMC socket loses the scope id. */
	endpoint_set_port(addr, endpoint_port(&bound));
	return fd;
}

/* ---- clients ---- */

static void *serve(void *arg);

static bool start_thread(struct client *client)
{
	pthread_attr_t attr;
	pthread_t thread;
	int ret;

	pthread_attr_init(&attr);
	pthread_attr_setstacksize(&attr, STACK_SIZE);
	pthread_attr_setdetachstate(&attr, PTHREAD_CREATE_DETACHED);
	ret = pthread_create(&thread, &attr, serve, client);
	pthread_attr_destroy(&attr);
	return !ret;
}

/* Find a place for a client, or at least for its refusal. A peer gets no more than its share. */
static bool find_place(struct client *client)
{
	const struct server *server = client->server;
	unsigned int served = 0, refused = 0, share = 0;

	for (const struct client *other = server->list; other; other = other->next) {
		served += !other->is_refused;
		refused += other->is_refused;
		share += !other->is_refused &&
			 !memcmp(other->origin, client->origin, sizeof(client->origin));
	}
	client->is_refused = served >= server->most || share >= server->most / SHARES;
	return !client->is_refused || refused < MAX_REFUSED;
}

/* ---- accepting ---- */

/* A client without a place gets a refusal; without memory or threads for that, it is dropped. */
static void admit(struct server *server, int fd)
{
	struct client *client = calloc(1, sizeof(*client));
	union endpoint_addr addr = { 0 };
	socklen_t len = sizeof(addr);
	bool is_started = false;

	/* The thread removes itself from the list under the same lock. */
	pthread_mutex_lock(&server->lock);
	if (client) {
		client->server = server;
		client->fd = fd;
		getpeername(fd, &addr.sa, &len);
		endpoint_origin(client->origin, &addr);
		is_started = find_place(client) && start_thread(client);
	}
	if (is_started) {
		client->next = server->list;
		server->list = client;
	}
	pthread_mutex_unlock(&server->lock);
	if (!is_started) {
		free(client);
		endpoint_abort(fd);
	}
}

/* Return: 0, or -errno if the listener is broken. */
static int accept_one(struct server *server, int listener)
{
	const struct timespec moment = { .tv_nsec = 100 * 1000 * 1000 };
	int fd = accept4(listener, NULL, NULL, SOCK_CLOEXEC | SOCK_NONBLOCK);

	if (fd >= 0) {
		admit(server, fd);
		return 0;
	}
	switch (errno) {
	case EBADF:
	case EINVAL:
	case ENOTSOCK:
	case EOPNOTSUPP: return -errno;
	case EMFILE:
	case ENFILE:
	case ENOBUFS:
	case ENOMEM:
		nanosleep(&moment, NULL); /* clients leave, then there is room again */
		return 0;
	default: /* EAGAIN, or the client is gone already */ return 0;
	}
}

static bool is_over(struct server *server, bool is_once)
{
	bool is_idle = true, ret;

	pthread_mutex_lock(&server->lock);
	for (const struct client *client = server->list; client; client = client->next)
		is_idle &= client->is_refused;
	ret = server->is_stopping || (is_once && server->was_served && is_idle);
	pthread_mutex_unlock(&server->lock);
	return ret;
}

static void *serve(void *arg)
{
	struct client *client = arg;
	struct server *server = client->server;
	struct client **place = &server->list;

	if (client->is_refused)
		session_refuse(client->fd);
	else
		session_serve(client->fd);
	pthread_mutex_lock(&server->lock);
	while (*place != client)
		place = &(*place)->next;
	*place = client->next;
	server->was_served |= !client->is_refused;
	eventfd_write(server->event, 1);
	unlock(server);
	free(client);
	return NULL;
}

/* ---- all clients ---- */

int server_run(struct server *server, int signal_fd, bool is_once, struct smc_err *err)
{
	struct pollfd pfds[4] = { { .fd = signal_fd, .events = POLLIN },
				  { .fd = server->event, .events = POLLIN } };
	eventfd_t count;
	int ret;

	while (!is_over(server, is_once)) {
		for (int i = 0; i < server->n_listeners; i++)
			pfds[2 + i] =
				(struct pollfd){ .fd = server->listeners[i], .events = POLLIN };
		ret = poll(pfds, 2 + (nfds_t)server->n_listeners, -1);
		if (ret < 0 && errno != EINTR)
			return smc_err_set(err, errno, "cannot wait for clients");
		if (ret <= 0)
			continue;
		if (pfds[0].revents)
			return 0;
		if (pfds[1].revents)
			eventfd_read(server->event, &count);
		for (int i = 0; i < server->n_listeners; i++) {
			ret = pfds[2 + i].revents ? accept_one(server, pfds[2 + i].fd) : 0;
			if (ret)
				return smc_err_set(err, -ret, "cannot accept clients");
		}
	}
	return 0;
}

void server_stop(struct server *server)
{
	pthread_mutex_lock(&server->lock);
	server->is_stopping = true;
	pthread_mutex_unlock(&server->lock);
	eventfd_write(server->event, 1);
}

void server_close(struct server *server)
{
	for (int i = 0; i < server->n_listeners; i++)
		close(server->listeners[i]);
	pthread_mutex_lock(&server->lock);
	server->is_closed = true;
	unlock(server);
}

/* ---- addresses ---- */

/* Listen on one port of all addresses, or fail; the second one, for IPv6, may be missing. */
static int listen_at(struct server *server, union endpoint_addr *addrs, int count, uint16_t port)
{
	int fd, ret = 0;

	for (int i = 0; i < count && !ret; i++) {
		endpoint_set_port(&addrs[i], i ? endpoint_port(&addrs[0]) : port);
		fd = listen_on(&addrs[i]);
		if (fd >= 0)
			server->listeners[server->n_listeners++] = fd;
		else if (!i ||
			 (fd != -EAFNOSUPPORT && fd != -EADDRNOTAVAIL && fd != -EPROTONOSUPPORT))
			ret = fd;
	}
	while (ret && server->n_listeners)
		close(server->listeners[--server->n_listeners]);
	return ret;
}

static int listen_on_free_port(struct server *server, union endpoint_addr *addrs, int count,
			       uint16_t port, struct smc_err *err)
{
	const unsigned int first = port;
	char text[ENDPOINT_TEXT_SIZE];
	int ret;

	do
		ret = listen_at(server, addrs, count, port);
	while (ret == -EADDRINUSE && port && ++port);
	if (!ret)
		return 0;
	if (ret == -EADDRINUSE)
		return smc_err_say(err, -ret, "no port from %u to 65535 is free", first);
	return smc_err_set(err, -ret, "cannot listen on %s port %u", endpoint_text(text, &addrs[0]),
			   port);
}

int server_open(struct server **out, union endpoint_addr *addrs, int count, uint16_t port,
		struct smc_err *err)
{
	struct server *server = xcalloc(1, sizeof(*server));
	struct rlimit limit;
	int ret;

	pthread_mutex_init(&server->lock, NULL);
	/* Limited by the number of descriptors. */
	server->most = MAX_CLIENTS;
	if (!getrlimit(RLIMIT_NOFILE, &limit) && limit.rlim_cur < MAX_CLIENTS + SPARE_FDS)
		server->most = limit.rlim_cur > SPARE_FDS + SHARES ?
				       (unsigned int)limit.rlim_cur - SPARE_FDS :
				       SHARES;
	server->event = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
	ret = server->event < 0 ? smc_err_set(err, errno, "cannot start the server") :
				  listen_on_free_port(server, addrs, count, port, err);
	if (ret)
		server_close(server);
	else
		*out = server;
	return ret;
}

/* ---- the command ---- */

/* Addresses to listen on. Return: number of them, or -errno with a message. */
static int find_addresses(const struct chk_request *req, union endpoint_addr addrs[2],
			  struct smc_err *err)
{
	const struct addrinfo hints = { .ai_family = req->family,
					.ai_socktype = SOCK_STREAM,
					.ai_flags = AI_PASSIVE };
	struct addrinfo *list;
	int ret, count = 0;

	if (!req->bind) {
		if (req->family != AF_INET6)
			addrs[count++].in.sin_family = AF_INET;
		if (req->family != AF_INET)
			addrs[count++].in6.sin6_family = AF_INET6;
		return count;
	}
	ret = getaddrinfo(req->bind, NULL, &hints, &list);
	if (ret)
		return smc_err_say(err, EINVAL, "cannot listen on '%s': %s", req->bind,
				   ret == EAI_SYSTEM ? strerror(errno) : gai_strerror(ret));
	memcpy(addrs, list->ai_addr, list->ai_addrlen);
	freeaddrinfo(list);
	return 1;
}

static void raise_limit(int resource)
{
	struct rlimit limit;

	if (getrlimit(resource, &limit))
		return;
	limit.rlim_cur = limit.rlim_max;
	setrlimit(resource, &limit);
}

/*
 * From here on there are untrusted clients. Only sockets for clients and netlink are opened later.
 * If some rights cannot be dropped, the server warns and still runs.
 */
static int give_up_rights(struct smc_err *err)
{
	const unsigned int all = CONFINE_FILES | CONFINE_NOT_ROOT | CONFINE_NO_NEW_PRIVS;
	const struct confine nothing = { .n_paths = 0 };
	unsigned int done;
	int ret = confine(&nothing, &done, err);

	if (!ret && (done & all) != all)
		cli_note(&chk_tool, "the server could not give up all its rights:%s%s%s",
			 done & CONFINE_FILES ? "" : " it can open files",
			 done & CONFINE_NOT_ROOT ? "" : " it is root",
			 done & CONFINE_NO_NEW_PRIVS ? "" : " it can get new ones");
	return ret;
}

int chk_server(const struct chk_request *req)
{
	const char *why_not = endpoint_why_not();
	union endpoint_addr addrs[2] = { 0 };
	struct out_text text AUTO(out_free) = { 0 };
	struct server *server;
	struct smc_err err = { 0 };
	int count, signal_fd, ret;

	if (why_not) {
		cli_error(&chk_tool, "cannot serve SMC: %s", why_not);
		return CHK_UNTESTED;
	}
	raise_limit(RLIMIT_NOFILE);
	raise_limit(RLIMIT_NPROC); /* the kernel counts all threads of user nobody together */
	signal_fd = signals_catch();
	count = find_addresses(req, addrs, &err);
	if (count < 0 || server_open(&server, addrs, count, req->port, &err))
		return cli_error(&chk_tool, "%s", err.text);
	chk_debug(req, "serving on %d listening sockets", count);
	out_printf(&text, "Server started on port %u\n", endpoint_port(&addrs[0]));
	if (give_up_rights(&err))
		ret = cli_error(&chk_tool, "%s", err.text);
	else if (req->is_json)
		ret = chk_print_json(json_pack("{s:s, s:i}", "schema", "smc-tools/check-server/1",
					       "port", endpoint_port(&addrs[0])));
	else
		ret = chk_print(&text, 0, 0);
	if (!ret && server_run(server, signal_fd, req->is_once, &err))
		ret = cli_error(&chk_tool, "%s", err.text);
	server_close(server);
	return ret;
}
