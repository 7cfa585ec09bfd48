// SPDX-License-Identifier: MIT
/*
 * The server of the live test. A thread for each client, with blocking calls: who is slow, or makes
 * close() wait, delays nobody else. Memory: one buffer a client, and a limit on clients.
 */
#include "smc_chk/live/server.h"

#include <errno.h>
#include <limits.h>
#include <linux/sockios.h>
#include <netdb.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <sys/ioctl.h>
#include <sys/resource.h>
#include <sys/signalfd.h>
#include <time.h>
#include <unistd.h>

#include "smc_chk/print.h"
#include "smc_chk/live/proto.h"
#include "smc_chk/smc_chk.h"

#define MAX_CLIENTS 1000
#define BACKLOG 1000
#define BUFFER_SIZE 65536
#define STACK_SIZE (1024 * 1024) /* address space; a dump of sockets needs 40 KiB of it */
#define IDLE_SECONDS 60		 /* a client that neither sends nor reads for so long is closed */
#define DRAIN_MS 5000

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
	uint8_t buf[BUFFER_SIZE];
};

/* ---- one client ---- */

static bool send_all(int fd, const uint8_t *data, size_t len)
{
	while (len) {
		ssize_t ret = send(fd, data, len, MSG_NOSIGNAL);

		if (ret < 0 && errno == EINTR)
			continue;
		if (ret <= 0)
			return false;
		data += ret;
		len -= (size_t)ret;
	}
	return true;
}

/* Return: bytes, 0 at the end or after an error. */
static size_t receive(struct client *client, uint64_t most)
{
	ssize_t ret;

	do
		ret = recv(client->fd, client->buf, most < BUFFER_SIZE ? (size_t)most : BUFFER_SIZE,
			   0);
	while (ret < 0 && errno == EINTR);
	return ret > 0 ? (size_t)ret : 0;
}

/* Take @length bytes, and give them back if @is_echo. */
static bool take(struct client *client, uint64_t length, bool is_echo)
{
	while (length) {
		size_t len = receive(client, length);

		if (!len || (is_echo && !send_all(client->fd, client->buf, len)))
			return false;
		length -= len;
	}
	return true;
}

static bool tell_who(struct client *client)
{
	struct smc_sock sock;
	struct proto_who who = { 0 };
	uint8_t out[PROTO_SIZE];

	if (endpoint_diag(client->fd, &sock)) {
		who.mode = smc_sock_mode(&sock);
		who.has_reason = who.mode == SMC_MODE_TCP && sock.has & SMC_SOCK_HAS_FALLBACK;
		who.reason = sock.fallback.reason;
		who.peer_diagnosis = sock.fallback.peer_diagnosis;
	} else if (endpoint_is_tcp(client->fd)) {
		who.mode = SMC_MODE_TCP;
	}
	proto_put_who(out, &who);
	return send_all(client->fd, out, sizeof(out));
}

static bool answer(struct client *client, const uint8_t message[PROTO_SIZE])
{
	struct proto_request request;

	if (!proto_get_request(&request, message))
		return false;
	if (request.command == PROTO_WHO)
		return tell_who(client);
	return take(client, request.length, request.command == PROTO_ECHO) &&
	       (request.command == PROTO_ECHO || send_all(client->fd, message, PROTO_SIZE));
}

/* Return: false for the end; then @len bytes, which are no request, have come. */
static bool get_message(struct client *client, uint8_t message[PROTO_SIZE], size_t *len)
{
	for (*len = 0; *len < PROTO_SIZE;) {
		size_t got = receive(client, PROTO_SIZE - *len);

		memcpy(message + *len, client->buf, got);
		*len += got;
		if (!got || !proto_is_request(message, *len))
			return false;
	}
	return true;
}

static void converse(struct client *client)
{
	uint8_t message[PROTO_SIZE];
	bool is_ours = false;
	size_t len;

	proto_put_greeting(message);
	if (!send_all(client->fd, message, sizeof(message)))
		return;
	while (get_message(client, message, &len)) {
		is_ours = true;
		if (!answer(client, message))
			return;
	}
	if (!is_ours && len && send_all(client->fd, message, len))
		take(client, UINT64_MAX, true);
}

/* SMC-R drops what the peer has not taken when close() has waited two seconds. Is all taken? */
static bool drain(int fd)
{
	const struct timespec moment = { .tv_nsec = 10 * 1000 * 1000 };
	int unsent = 0;

	for (int i = 0; i < DRAIN_MS / 10; i++) {
		struct pollfd pfd = { .fd = fd };

		if (ioctl(fd, SIOCOUTQNSD, &unsent) || !unsent)
			return true;
		if (poll(&pfd, 1, 0) > 0 && pfd.revents & (POLLERR | POLLHUP))
			break;
		nanosleep(&moment, NULL);
	}
	return false;
}

static void destroy(struct server *server)
{
	close(server->event);
	pthread_mutex_destroy(&server->lock);
	free(server);
}

static void *serve(void *arg)
{
	const struct timeval idle = { .tv_sec = IDLE_SECONDS };
	const int on = 1;
	struct client *client = arg;
	struct server *server = client->server;
	bool is_last;

	setsockopt(client->fd, SOL_SOCKET, SO_RCVTIMEO, &idle, sizeof(idle));
	setsockopt(client->fd, SOL_SOCKET, SO_SNDTIMEO, &idle, sizeof(idle));
	setsockopt(client->fd, IPPROTO_TCP, TCP_NODELAY, &on, sizeof(on));
	converse(client);
	if (drain(client->fd))
		close(client->fd);
	else
		endpoint_abort(client->fd);
	free(client);
	pthread_mutex_lock(&server->lock);
	server->clients--;
	server->was_served = true;
	eventfd_write(server->event, 1);
	is_last = server->is_closed && !server->clients;
	pthread_mutex_unlock(&server->lock);
	if (is_last)
		destroy(server);
	return NULL;
}

/* ---- accepting ---- */

static int start_thread(struct client *client)
{
	pthread_attr_t attr;
	pthread_t thread;
	int ret;

	pthread_attr_init(&attr);
	pthread_attr_setstacksize(&attr, STACK_SIZE);
	pthread_attr_setdetachstate(&attr, PTHREAD_CREATE_DETACHED);
	ret = pthread_create(&thread, &attr, serve, client);
	pthread_attr_destroy(&attr);
	return ret;
}

/* Without memory or threads for one more client, that client is sent away. */
static void admit(struct server *server, int fd)
{
	struct client *client = malloc(sizeof(*client));

	pthread_mutex_lock(&server->lock);
	server->clients++;
	pthread_mutex_unlock(&server->lock);
	if (client) {
		client->server = server;
		client->fd = fd;
		if (!start_thread(client))
			return;
	}
	free(client);
	endpoint_abort(fd);
	pthread_mutex_lock(&server->lock);
	server->clients--;
	pthread_mutex_unlock(&server->lock);
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
	bool is_last;

	for (int i = 0; i < server->n_listeners; i++)
		close(server->listeners[i]);
	pthread_mutex_lock(&server->lock);
	server->is_closed = true;
	is_last = !server->clients;
	pthread_mutex_unlock(&server->lock);
	if (is_last)
		destroy(server);
}

/* ---- listening ---- */

/* Return: descriptor, -errno. */
static int listen_on(union endpoint_addr *addr)
{
	const int on = 1;
	union endpoint_addr bound = { 0 };
	socklen_t len = sizeof(bound);
	int fd = endpoint_socket(addr->sa.sa_family, true), ret = 0;

	if (fd < 0)
		return fd;
	setsockopt(fd, SOL_SOCKET, SO_REUSEADDR, &on, sizeof(on));
	/* IPv4 has a socket of its own, whatever net.ipv6.bindv6only says. */
	if (addr->sa.sa_family == AF_INET6)
		ret = setsockopt(fd, IPPROTO_IPV6, IPV6_V6ONLY, &on, sizeof(on));
	if (!ret)
		ret = bind(fd, &addr->sa, endpoint_len(addr));
	if (!ret)
		ret = listen(fd, BACKLOG);
	if (!ret)
		ret = getsockname(fd, &bound.sa, &len);
	if (!ret) {
		/* The port only: an SMC socket forgets the scope id. */
		endpoint_set_port(addr, endpoint_port(&bound));
		return fd;
	}
	ret = -errno;
	close(fd);
	return ret;
}

static bool is_without_ipv6(int code)
{
	return code == -EAFNOSUPPORT || code == -EADDRNOTAVAIL || code == -EPROTONOSUPPORT;
}

/* All addresses at one port, or none. */
static int listen_at(struct server *server, union endpoint_addr *addrs, int count, uint16_t port)
{
	int fd, ret = 0;

	server->n_listeners = 0;
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

static int listen_first_free(struct server *server, union endpoint_addr *addrs, int count,
			     uint16_t port, struct smc_err *err)
{
	char text[ENDPOINT_TEXT_SIZE];
	int ret;

	do
		ret = listen_at(server, addrs, count, port);
	while (ret == -EADDRINUSE && port && ++port);
	if (!ret)
		return 0;
	if (ret == -EADDRINUSE)
		return smc_err_say(err, -ret, "no port is free from there to 65535");
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
	server->event = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
	pthread_mutex_init(&server->lock, NULL);
	ret = server->event < 0 ? smc_err_set(err, errno, "cannot start the server") :
				  listen_first_free(server, addrs, count, port, err);
	if (ret)
		destroy(server);
	else
		*out = server;
	return ret;
}

/* ---- -S ---- */

/* Addresses to listen on. Return: how many, or -errno with a sentence. */
static int find_addresses(const struct chk_request *req, union endpoint_addr addrs[2],
			  struct smc_err *err)
{
	const struct addrinfo hints = { .ai_family = req->family, .ai_socktype = SOCK_STREAM,
					.ai_flags = AI_PASSIVE };
	struct addrinfo *list;
	int ret, count = 0;

	memset(addrs, 0, 2 * sizeof(*addrs));
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
	out_str(&text, "Server started on port ");
	out_dec(&text, port, 0);
	out_char(&text, '\n');
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
	union endpoint_addr addrs[2];
	struct server *server;
	struct smc_err err = { 0 };
	int count, signal_fd, fd, ret;

	fd = endpoint_socket(AF_INET, true);
	if (fd < 0) {
		cli_error(&chk_tool, "cannot serve SMC: %s", endpoint_why_not(-fd));
		return CHK_UNTESTED;
	}
	close(fd);
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
	return ret ? CHK_ERROR : CHK_OK;
}
