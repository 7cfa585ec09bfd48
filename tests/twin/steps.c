// SPDX-License-Identifier: MIT
/* Steps for the scripts of play(). Each script starts without descriptors. */
#include "twin.h"

struct step {
	const char *name;
	long (*run)(int *fd);
	bool is_quiet;
};

static int fds[26], port;

/* The linker collects the steps. Quiet ones print no result. */
#define ANY_STEP(step_name, quiet, call)                                                           \
	static long step_##step_name(int *fd)                                                      \
	{                                                                                          \
		return call;                                                                       \
	}                                                                                          \
	static const struct step entry_##step_name = { #step_name, step_##step_name, quiet };      \
	static const struct step *const add_##step_name                                            \
		__attribute__((used, section("twin_steps"))) = &entry_##step_name;

#define STEP(name, call) ANY_STEP(name, false, call)
#define QUIET(name, call) ANY_STEP(name, true, (call, 0))

extern const struct step *const __start_twin_steps[], *const __stop_twin_steps[];

static int *descriptor(char letter)
{
	return &fds[letter - 'a'];
}

static int connect_at(int fd, const char *v4, const char *v6)
{
	struct address to = address_of(family == AF_INET ? v4 : v6, refused_port());

	return connect(fd, (void *)&to.any, to.len);
}

static int bind_at(int fd, const char *v4, const char *v6)
{
	struct address own = address_of(family == AF_INET ? v4 : v6, 0);

	return bind(fd, (void *)&own.any, own.len);
}

static void become_pair(struct pair p)
{
	*descriptor('l') = p.l;
	*descriptor('c') = p.c;
	*descriptor('a') = p.a;
}

static void join_by(int fd)
{
	struct pair p;

	forget_kinds();
	join(&p, *descriptor('l'), fd);
	*descriptor('a') = p.a;
}

static int take(int l)
{
	bool was_blocking = !(fcntl(l, F_GETFL) & O_NONBLOCK);
	int a, err;

	nonblocking(l, true);
	errno = 0;
	a = accept(l, NULL, NULL);
	err = errno;
	nonblocking(l, !was_blocking);
	errno = err;
	return a;
}

/* Without a client within some seconds: EAGAIN. */
static int take_next(void)
{
	wait_for(*descriptor('l'), POLLIN);
	return take(*descriptor('l'));
}

QUIET(fresh, *fd = fresh())
QUIET(nonblocking, *fd = fresh_with(SOCK_NONBLOCK))
STEP(reusing, set(*fd = fresh(), SOL_SOCKET, SO_REUSEADDR, 1))
STEP(sharing, set(*fd = fresh(), SOL_SOCKET, SO_REUSEPORT, 1))
QUIET(listener, *fd = listener())
QUIET(pair, become_pair(make_pair()))
QUIET(join, join_by(*fd))
QUIET(dup, *fd = dup(*descriptor('c')))
STEP(accept, (*fd = take_next()) < 0 ? -1 : 0)
STEP(take, take(*fd) < 0 ? -1 : 0)
STEP(connect, connect_to(*fd, port_of(*descriptor('l'))))
STEP(refused, connect_to(*fd, refused_port()))
STEP(hole, connect_to(*fd, hole()))
STEP(any, connect_at(*fd, "0.0.0.0", "::"))
STEP(broadcast, connect_at(*fd, "255.255.255.255", "fe80::1"))
STEP(multicast, connect_at(*fd, "224.0.0.1", "ff02::1"))
STEP(subnet, connect_at(*fd, "127.255.255.255", "::ffff:127.255.255.255"))
STEP(foreign, connect_at(*fd, "192.0.2.1", "2001:db8::1"))
STEP(unspec, disconnect(*fd))
STEP(bind, bind_to(*fd, 0))
STEP(bind_any, bind_at(*fd, "0.0.0.0", "::"))
STEP(bind_foreign, bind_at(*fd, "192.0.2.1", "2001:db8::1"))
STEP(bind_broadcast, bind_at(*fd, "255.255.255.255", "::ffff:255.255.255.255"))
STEP(bind_multicast, bind_at(*fd, "224.0.0.1", "ff0e::1"))
/* To the port that was noted. */
STEP(rebind, bind_to(*fd, port))
STEP(reconnect, connect_to(*fd, port))
STEP(is_same, port_of(*fd) == port)
QUIET(note, port = port_of(*fd))
STEP(listen, listen(*fd, 5))
STEP(listen_none, listen(*fd, 0))
STEP(listen_two, listen(*fd, 2))
STEP(is_listening, get(*fd, SOL_SOCKET, SO_ACCEPTCONN))
STEP(free, set(*fd, IPPROTO_IP, IP_FREEBIND, 1))
STEP(no_port, set(*fd, IPPROTO_IP, IP_BIND_ADDRESS_NO_PORT, 1))
STEP(device, setsockopt(*fd, SOL_SOCKET, SO_BINDTODEVICE, "lo", 3))
STEP(unprivileged, syscall(SYS_setresuid, 65534, 65534, 65534))
STEP(bind_privileged, bind_to(*fd, 1))
QUIET(settle, wait_for(*fd, POLLOUT))
QUIET(readable, wait_for(*fd, POLLIN))
QUIET(nap, nap(100))
STEP(error, get(*fd, SOL_SOCKET, SO_ERROR))
QUIET(events, say("events=%s", events(*fd)))
QUIET(names, say_names("names", *fd))
STEP(recv, recv(*fd, much, 9, MSG_DONTWAIT))
STEP(send, send(*fd, "abc", 3, MSG_DONTWAIT | MSG_NOSIGNAL))
QUIET(rest, say_rest(*fd))
STEP(shut_read, shutdown(*fd, SHUT_RD))
STEP(shut_write, shutdown(*fd, SHUT_WR))
STEP(shut_both, shutdown(*fd, SHUT_RDWR))
STEP(shut_wrong, shutdown(*fd, 3))
STEP(close, close(*fd))
STEP(abort, abort_it(*fd))
STEP(range, close_range((unsigned int)*fd, (unsigned int)*fd, 0))
STEP(fclose, fclose(fdopen(*fd, "r+")))
STEP(replace, dup2(*descriptor('l'), *fd) == *fd)
QUIET(closefrom, closefrom(*fd))

/* A name ends at a space. */
static const struct step *find_step(const char *name)
{
	size_t len = strcspn(name, " ");
	const struct step *const *step = __start_twin_steps;

	for (; step < __stop_twin_steps; step++)
		if (strlen((*step)->name) == len && !strncmp((*step)->name, name, len))
			return *step;
	errx(1, "no step: %s", name);
}

long say_step(char letter, const char *name, long ret)
{
	char text[40];
	int err = errno;

	snprintf(text, sizeof(text), "%c.%s", letter, name);
	say_result(text, ret);
	errno = err;
	return ret;
}

long do_step(char letter, int *fd, const char *name)
{
	const struct step *step = find_step(name);
	long ret;

	errno = 0;
	ret = step->run(fd);
	return step->is_quiet ? ret : say_step(letter, step->name, ret);
}

void play(const char *script)
{
	char letter = *script;

	memset(fds, -1, sizeof(fds));
	while (*script) {
		if (script[1] == '.') {
			letter = *script;
			script += 2;
		}
		do_step(letter, descriptor(letter), script);
		script += strcspn(script, " ");
		script += *script == ' ';
	}
}
