// SPDX-License-Identifier: MIT
/*
 * The server of the live test. A thread for each client, with blocking calls: a client that is
 * slow, or makes close() wait, delays nobody else. Memory: one buffer a client, on its stack, and a
 * limit on clients.
 */
#include "smc_chk/live/server.h"

#include <errno.h>
#include <netdb.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <sys/resource.h>
#include <sys/signalfd.h>
#include <time.h>
#include <unistd.h>

#include "smc_chk/live/session.h"
#include "smc_chk/print.h"

#define BACKLOG 1000
#define MAX_CLIENTS 1000
#define STACK_SIZE (1024 * 1024) /* address space; a dump of sockets needs 40 KiB of it */

/**
 * struct server - shared by the accepting thread and all clients; the last one frees it
 * @event: wakes the accepting thread
 * @clients: being served
 * @is_stopping: server_run() shall end; @is_closed: no accepting thread any more
 * @was_served: has a client come and gone?
 */
struct server {
	int listeners[2], n_listeners;
	int event;
	pthread_mutex_t lock;
	unsigned int clients;
	bool is_stopping, is_closed, was_served;
};

struct client {
	struct server *server;
	int fd;
};

/* The end of a change; the last one out frees it. */
static void unlock(struct server *server)
{
	bool is_last = server->is_closed && !server->clients;

	pthread_mutex_unlock(&server->lock);
	if (!is_last)
		return;
	close(server->event);
	pthread_mutex_destroy(&server->lock);
	free(server);
}

/* ---- accepting ---- */

static void *serve(void *arg)
{
	struct client *client = arg;
	struct server *server = client->server;

	session_serve(client->fd);
	free(client);
	pthread_mutex_lock(&server->lock);
	server->clients--;
	server->was_served = true;
	eventfd_write(server->event, 1);
	unlock(server);
	return NULL;
}

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

/* Without memory or threads for one more client, that client is sent away. */
static void admit(struct server *server, int fd)
{
	struct client *client = malloc(sizeof(*client));
	bool is_started;

	if (client)
		*client = (struct client){ server, fd };
	/* The thread takes itself off the count under the same lock. */
	pthread_mutex_lock(&server->lock);
	is_started = client && start_thread(client);
	server->clients += is_started;
	pthread_mutex_unlock(&server->lock);
	if (!is_started) {
		free(client);
		endpoint_abort(fd);
	}
}

/* Return: 0, or -errno when this listener is lost. */
static int accept_one(struct server *server, int listener)
{
	const struct timespec moment = { .tv_nsec = 100 * 1000 * 1000 };
	int fd = accept4(listener, NULL, NULL, SOCK_CLOEXEC);

	if (fd >= 0) {
		admit(server, fd);
		return 0;
	}
	switch (errno) {
	case EBADF: case EINVAL: case ENOTSOCK: case EOPNOTSUPP:
		return -errno;
	case EMFILE: case ENFILE: case ENOBUFS: case ENOMEM:
		nanosleep(&moment, NULL); /* clients go, and there is room again */
		return 0;
	default: /* EAGAIN; a client that has gone already */
		return 0;
	}
}

/* Is it time to end? Tells too whether there is room for more clients. */
static bool is_over(struct server *server, bool is_once, bool *has_room)
{
	bool ret;

	pthread_mutex_lock(&server->lock);
	ret = server->is_stopping || (is_once && server->was_served && !server->clients);
	*has_room = server->clients < MAX_CLIENTS;
	pthread_mutex_unlock(&server->lock);
	return ret;
}

int server_run(struct server *server, int signal_fd, bool is_once, struct smc_err *err)
{
	struct pollfd pfds[4] = { { .fd = signal_fd, .events = POLLIN },
				  { .fd = server->event, .events = POLLIN } };
	eventfd_t count;
	bool has_room;
	int ret;

	while (!is_over(server, is_once, &has_room)) {
		for (int i = 0; i < server->n_listeners; i++)
			pfds[2 + i] = (struct pollfd){ .fd = has_room ? server->listeners[i] : -1,
						       .events = POLLIN };
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
			ret = pfds[2 + i].revents ? accept_one(server, server->listeners[i]) : 0;
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
	/* IPv4 has a socket of its own, whatever net.ipv6.bindv6only says. */
	if ((addr->sa.sa_family == AF_INET6 &&
	     setsockopt(fd, IPPROTO_IPV6, IPV6_V6ONLY, &on, sizeof(on))) ||
	    bind(fd, &addr->sa, endpoint_len(addr)) || listen(fd, BACKLOG) ||
	    getsockname(fd, &bound.sa, &len)) {
		code = errno;
		close(fd);
		return -code;
	}
	/* The port only: an SMC socket forgets the scope id. */
	endpoint_set_port(addr, endpoint_port(&bound));
	return fd;
}

static bool is_without_ipv6(int code)
{
	return code == -EAFNOSUPPORT || code == -EADDRNOTAVAIL || code == -EPROTONOSUPPORT;
}

/* All addresses at one port, or none. */
static int listen_at(struct server *server, union endpoint_addr *addrs, int count, uint16_t port)
{
	int fd, ret = 0;

	for (int i = 0; i < count && !ret; i++) {
		endpoint_set_port(&addrs[i], i ? endpoint_port(&addrs[0]) : port);
		fd = listen_on(&addrs[i]);
		if (fd >= 0)
			server->listeners[server->n_listeners++] = fd;
		else if (!i || !is_without_ipv6(fd))
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
	return smc_err_set(err, -ret, "cannot listen on %s port %u",
			   endpoint_text(text, &addrs[0]), port);
}

int server_open(struct server **out, union endpoint_addr *addrs, int count, uint16_t port,
		struct smc_err *err)
{
	struct server *server = calloc(1, sizeof(*server));
	int ret;

	if (!server)
		return smc_err_set(err, ENOMEM, "cannot start the server");
	pthread_mutex_init(&server->lock, NULL);
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

/* Addresses to listen on. Return: how many, or -errno with a sentence. */
static int find_addresses(const struct chk_request *req, union endpoint_addr addrs[2],
			  struct smc_err *err)
{
	const struct addrinfo hints = { .ai_family = req->family, .ai_socktype = SOCK_STREAM,
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

static int announce(const struct chk_request *req, uint16_t port)
{
	struct out_text text = { 0 };

	if (req->is_json)
		return chk_print_json(json_pack("{s:s, s:i}", "schema", "smc-tools/check-server/1",
						"port", port));
	out_printf(&text, "Server started on port %u\n", port);
	return chk_print(&text);
}

/* A descriptor for SIGINT and SIGTERM, which no thread gets any more. */
static int catch_signals(void)
{
	sigset_t set;

	sigemptyset(&set);
	sigaddset(&set, SIGINT);
	sigaddset(&set, SIGTERM);
	pthread_sigmask(SIG_BLOCK, &set, NULL);
	return signalfd(-1, &set, SFD_CLOEXEC);
}

static void raise_limit(void)
{
	struct rlimit limit;

	if (getrlimit(RLIMIT_NOFILE, &limit))
		return;
	limit.rlim_cur = limit.rlim_max;
	setrlimit(RLIMIT_NOFILE, &limit);
}

int chk_server(const struct chk_request *req)
{
	const char *why_not = endpoint_why_not();
	union endpoint_addr addrs[2] = { 0 };
	struct server *server;
	struct smc_err err = { 0 };
	int count, signal_fd, ret;

	if (why_not) {
		cli_error(&chk_tool, "cannot serve SMC: %s", why_not);
		return CHK_UNTESTED;
	}
	raise_limit();
	signal_fd = catch_signals();
	count = find_addresses(req, addrs, &err);
	if (count < 0 ||
	    server_open(&server, addrs, count, req->port ? req->port : CHK_PORT, &err))
		return cli_error(&chk_tool, "%s", err.text);
	chk_debug(req, "serving on %d listening sockets", count);
	ret = announce(req, endpoint_port(&addrs[0]));
	if (!ret && server_run(server, signal_fd, req->is_once, &err))
		ret = cli_error(&chk_tool, "%s", err.text);
	server_close(server);
	return ret;
}
