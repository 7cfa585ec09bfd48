// SPDX-License-Identifier: MIT
/*
 * The server of the live test. A thread for each client, with blocking calls: a client that is slow,
 * or makes close() wait, delays nobody else. Memory: one buffer a client, and a limit on clients.
 */
#include "smc_chk/live/server.h"

#include <errno.h>
#include <poll.h>
#include <pthread.h>
#include <stdlib.h>
#include <sys/eventfd.h>
#include <time.h>
#include <unistd.h>

#include "smc_chk/live/listen.h"
#include "smc_chk/live/session.h"

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
	struct session session;
};

static void destroy(struct server *server)
{
	close(server->event);
	pthread_mutex_destroy(&server->lock);
	free(server);
}

static void *serve(void *arg)
{
	struct client *client = arg;
	struct server *server = client->server;
	bool is_last;

	session_run(&client->session);
	session_close(&client->session);
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
		client->session.fd = fd;
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
				  listen_on_free_port(server->listeners, &server->n_listeners,
						      addrs, count, port, err);
	if (ret)
		destroy(server);
	else
		*out = server;
	return ret;
}
