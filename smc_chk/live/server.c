// SPDX-License-Identifier: MIT
/* The server of the live test: each client has a thread, so that slow ones do not delay others. */
#include "smc_chk/live/server.h"

#include <poll.h>
#include <pthread.h>
#include <sys/eventfd.h>
#include <sys/resource.h>
#include <time.h>

#include "process/signals.h"
#include "sandbox/confine.h"

#define BACKLOG 1000
#define MAX_CLIENTS 1000
#define SHARES 4 /* one peer may use a quarter of the places */
#define MAX_REFUSED 100
#define SPARE_FDS 100		 /* for refused clients, and for dumps of sockets */
#define STACK_SIZE (1024 * 1024) /* address space; a dump of sockets uses 40 KiB of it */

struct client {
	struct client *next;
	int fd;
	bool is_refused;
	uint8_t origin[ENDPOINT_ORIGIN_SIZE];
};

/**
 * server - of this process, shared by the accepting thread and all clients
 * @event: wakes the accepting thread
 * @most: maximum number of clients served at a time
 * @list: every client, served or refused
 * @was_served: a client has come and gone
 */
static struct {
	int listeners[2], n_listeners;
	int event;
	unsigned int most;
	pthread_mutex_t lock;
	struct client *list;
	bool was_served;
} server = { .lock = PTHREAD_MUTEX_INITIALIZER };

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
	unsigned int served = 0, refused = 0, share = 0;

	for (const struct client *other = server.list; other; other = other->next) {
		served += !other->is_refused;
		refused += other->is_refused;
		share += !other->is_refused &&
			 !memcmp(other->origin, client->origin, sizeof(client->origin));
	}
	client->is_refused = served >= server.most || share >= server.most / SHARES;
	return !client->is_refused || refused < MAX_REFUSED;
}

/* ---- accepting ---- */

/* A client without a place gets a refusal; without memory or threads for that, it is dropped. */
static void admit(int fd)
{
	struct client *client = calloc(1, sizeof(*client));
	union endpoint_addr addr = { 0 };
	socklen_t len = sizeof(addr);
	bool is_started = false;

	/* The thread removes itself from the list under the same lock. */
	pthread_mutex_lock(&server.lock);
	if (client) {
		client->fd = fd;
		getpeername(fd, &addr.sa, &len);
		endpoint_origin(client->origin, &addr);
		is_started = find_place(client) && start_thread(client);
	}
	if (is_started) {
		client->next = server.list;
		server.list = client;
	}
	pthread_mutex_unlock(&server.lock);
	if (!is_started) {
		free(client);
		endpoint_abort(fd);
	}
}

/* Return: 0, or -errno if the listener is broken. */
static int accept_one(int listener)
{
	const struct timespec moment = { .tv_nsec = 100 * 1000 * 1000 };
	int fd = accept4(listener, NULL, NULL, SOCK_CLOEXEC | SOCK_NONBLOCK);

	if (fd >= 0) {
		admit(fd);
		return 0;
	}
	if (errno == EBADF || errno == EINVAL || errno == ENOTSOCK || errno == EOPNOTSUPP)
		return -errno;
	/* Clients leave, then there is room again. Otherwise this one is gone already. */
	if (errno == EMFILE || errno == ENFILE || errno == ENOBUFS || errno == ENOMEM)
		nanosleep(&moment, NULL);
	return 0;
}

/* A client was served, and there is none now. */
static bool is_over(void)
{
	bool is_idle;

	pthread_mutex_lock(&server.lock);
	is_idle = server.was_served;
	for (const struct client *client = server.list; client; client = client->next)
		is_idle &= client->is_refused;
	pthread_mutex_unlock(&server.lock);
	return is_idle;
}

static void *serve(void *arg)
{
	struct client *client = arg, **place = &server.list;

	if (client->is_refused)
		session_refuse(client->fd);
	else
		session_serve(client->fd);
	pthread_mutex_lock(&server.lock);
	while (*place != client)
		place = &(*place)->next;
	*place = client->next;
	server.was_served |= !client->is_refused;
	eventfd_write(server.event, 1);
	pthread_mutex_unlock(&server.lock);
	free(client);
	return NULL;
}

/* ---- all clients ---- */

int server_run(int signal_fd, bool is_once, struct smc_err *err)
{
	struct pollfd pfds[4] = { { .fd = signal_fd, .events = POLLIN },
				  { .fd = server.event, .events = POLLIN } };
	eventfd_t count;
	int ret;

	for (int i = 0; i < server.n_listeners; i++)
		pfds[2 + i] = (struct pollfd){ .fd = server.listeners[i], .events = POLLIN };
	while (!is_once || !is_over()) {
		ret = poll(pfds, 2 + (nfds_t)server.n_listeners, -1);
		if (ret < 0 && errno != EINTR)
			return smc_err_set(err, errno, "cannot wait for clients");
		if (ret <= 0)
			continue;
		if (pfds[0].revents)
			return 0;
		if (pfds[1].revents)
			eventfd_read(server.event, &count);
		for (int i = 0; i < server.n_listeners; i++) {
			ret = pfds[2 + i].revents ? accept_one(pfds[2 + i].fd) : 0;
			if (ret)
				return smc_err_set(err, -ret, "cannot accept clients");
		}
	}
	return 0;
}

void server_close(void)
{
	while (server.n_listeners)
		close(server.listeners[--server.n_listeners]);
	close(server.event);
}

/* ---- addresses ---- */

/* Listen on one port of all addresses, or fail; the second one, IPv6's, may be missing. */
static int listen_at(union endpoint_addr *addrs, int count, uint16_t port)
{
	int fd, ret = 0;

	for (int i = 0; i < count && !ret; i++) {
		endpoint_set_port(&addrs[i], i ? endpoint_port(&addrs[0]) : port);
		fd = listen_on(&addrs[i]);
		if (fd >= 0)
			server.listeners[server.n_listeners++] = fd;
		else if (!i ||
			 (fd != -EAFNOSUPPORT && fd != -EADDRNOTAVAIL && fd != -EPROTONOSUPPORT))
			ret = fd;
	}
	while (ret && server.n_listeners)
		close(server.listeners[--server.n_listeners]);
	return ret;
}

int server_open(union endpoint_addr *addrs, int count, uint16_t port, struct smc_err *err)
{
	const unsigned int first = port;
	char text[ENDPOINT_TEXT_SIZE];
	struct rlimit limit;
	int ret;

	/* Limited by the number of descriptors. */
	server.most = MAX_CLIENTS;
	if (!getrlimit(RLIMIT_NOFILE, &limit) && limit.rlim_cur < MAX_CLIENTS + SPARE_FDS)
		server.most = limit.rlim_cur > SPARE_FDS + SHARES ?
				      (unsigned int)limit.rlim_cur - SPARE_FDS :
				      SHARES;
	do
		ret = listen_at(addrs, count, port);
	while (ret == -EADDRINUSE && port && ++port);
	if (ret == -EADDRINUSE)
		return smc_err_say(err, -ret, "no port from %u to 65535 is free", first);
	if (ret)
		return smc_err_set(err, -ret, "cannot listen on %s port %u",
				   endpoint_text(text, &addrs[0]), port);
	server.event = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
	if (server.event >= 0)
		return 0;
	smc_err_set(err, errno, "cannot start the server");
	server_close();
	return -err->code;
}

/* ---- the command ---- */

/* Addresses to listen on. Return: number of them, or -errno with a message. */
static int find_addresses(const struct chk_request *req, union endpoint_addr addrs[2],
			  struct smc_err *err)
{
	struct addrinfo *list;
	int count = 0;

	if (!req->bind) {
		if (req->family != AF_INET6)
			addrs[count++].in.sin_family = AF_INET;
		if (req->family != AF_INET)
			addrs[count++].in6.sin6_family = AF_INET6;
		return count;
	}
	list = endpoint_resolve(req->bind, req->family, err);
	if (!list)
		return -err->code;
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
	if (count < 0 || server_open(addrs, count, req->port, &err))
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
	if (!ret && server_run(signal_fd, req->is_once, &err))
		ret = cli_error(&chk_tool, "%s", err.text);
	server_close();
	return ret;
}
