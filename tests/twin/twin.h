/* SPDX-License-Identifier: MIT */
/*
 * For cases of the twin. A case is a function that prints results, errors, events, their order, and
 * classes of time (at once, its time-out, never), but no times, numbers of ports or process ids.
 */
#pragma once

#include <linux/filter.h>
#include <linux/sockios.h>
#include <linux/tcp.h>
#include <net/if.h>
#include <sys/ioctl.h>
#include <sys/time.h>

#include "tests/kernel/transfer.h"
#include "tests/libc.h"

#ifndef AF_SMC
#define AF_SMC 43
#endif
#ifndef IPPROTO_SMC
#define IPPROTO_SMC 256
#endif
#ifndef IPPROTO_MPTCP
#define IPPROTO_MPTCP 262
#endif
#ifndef TCP_AO_ADD_KEY
#define TCP_AO_ADD_KEY 38
#endif
#ifndef SO_TXREHASH
#define SO_TXREHASH 74
#endif

/**
 * struct twin_case
 * @file, @line: of its source, for the order of the output
 * @waits: true if it mostly waits, so that all of this kind run at the same time
 */
struct twin_case {
	const char *name, *file;
	void (*run)(void);
	int line;
	bool waits;
};

/* The linker collects the cases of all files. */
#define TWIN_CASE(case_name, case_waits)                                                           \
	static void case_##case_name(void);                                                        \
	static const struct twin_case entry_##case_name = { #case_name, __FILE__,                  \
							    case_##case_name, __LINE__,            \
							    case_waits };                          \
	static const struct twin_case *const add_##case_name                                       \
		__attribute__((used, section("twin_cases"))) = &entry_##case_name;                 \
	static void case_##case_name(void)

#define CASE(case_name) TWIN_CASE(case_name, false)
#define WAITING_CASE(case_name) TWIN_CASE(case_name, true)

/* A case that consists of one call. */
#define CASE_OF(case_name, call)                                                                   \
	CASE(case_name)                                                                            \
	{                                                                                          \
		call;                                                                              \
	}

#define PLAY(case_name, script) CASE_OF(case_name, play(script))

#define WAITING_CASE_OF(case_name, call)                                                           \
	WAITING_CASE(case_name)                                                                    \
	{                                                                                          \
		call;                                                                              \
	}

/* NAME=RESULT or NAME=-ERRNO, and a remark where a successful call changes errno. */
#define SAY(name, call) (errno = 0, say_result(name, call))

/* AF_INET or AF_INET6 */
extern int family;
/* The address of loopback(), IPv4 */
extern char loopback_host[INET_ADDRSTRLEN];
/* More than TCP sends without a reader. */
extern char much[4 << 20];
/* Calls of on_alarm() and on_pipe(), and the thread of the latter. */
extern volatile sig_atomic_t ticks, pipes, pipe_thread;

struct address {
	struct sockaddr_storage any;
	socklen_t len;
};

struct pair {
	int l, c, a;
};

/* RESET by a peer with unread data, ABORTED by one whose SO_LINGER is 0. */
enum state {
	IS_FRESH,
	IS_BOUND,
	IS_LISTENING,
	IS_CONNECTING,
	IS_REFUSED,
	IS_CONNECTED,
	IS_ACCEPTED,
	HAS_DATA,
	IS_SHUT_READ,
	IS_SHUT_WRITE,
	IS_SHUT_BOTH,
	PEER_HAS_SHUT,
	PEER_HAS_CLOSED,
	IS_RESET,
	IS_ABORTED
};

struct named_state {
	const char *name;
	enum state state;
};

/* A case for each of them, from a function with a state as its parameter. */
#define IN_EACH_STATE(subject, call)                                                               \
	CASE_OF(subject##_fresh, call(IS_FRESH))                                                   \
	CASE_OF(subject##_listening, call(IS_LISTENING))                                           \
	WAITING_CASE_OF(subject##_connecting, call(IS_CONNECTING))                                 \
	CASE_OF(subject##_refused, call(IS_REFUSED))                                               \
	CASE_OF(subject##_connected, call(IS_CONNECTED))                                           \
	CASE_OF(subject##_data, call(HAS_DATA))                                                    \
	CASE_OF(subject##_shut_read, call(IS_SHUT_READ))                                           \
	CASE_OF(subject##_shut_write, call(IS_SHUT_WRITE))                                         \
	CASE_OF(subject##_shut_both, call(IS_SHUT_BOTH))                                           \
	CASE_OF(subject##_peer_shut, call(PEER_HAS_SHUT))                                          \
	CASE_OF(subject##_peer_closed, call(PEER_HAS_CLOSED))                                      \
	CASE_OF(subject##_reset, call(IS_RESET))

struct waiter {
	const char *name;
	long (*call)(int fd);
	int fd, err;
	long ret;
	pthread_t thread;
	_Atomic pid_t id;
};

void __attribute__((format(printf, 1, 2))) say(const char *fmt, ...);
const char *result(long ret);
/* Successful calls do not change errno. */
void say_result(const char *name, long ret);
/* Ask the kernel, below any preload library. */
void say_kind(const char *name, int fd);
int get(int fd, int level, int name);
int set(int fd, int level, int name, int value);
const char *events(int fd);
/* Print the address of a socket and of its peer, with 0 or "some" for the port. */
void say_names(const char *name, int fd);
/* Names of bits of poll(2) and epoll(7). */
const char *bits(unsigned int events);
void wait_for(int fd, short what);
/* Bytes of a buffer without those at its end that are still @filler. */
size_t touched(const char *data, size_t size, char filler);
void nap(int ms);
bool nonblocking(int fd, bool on);
struct address loopback(int port);
/* The family is that of the text. */
struct address address_of(const char *text, int port);
int port_of(int fd);
int bind_to(int fd, int port);
int connect_to(int fd, int port);
/* A stream socket of the side, with flags such as SOCK_NONBLOCK. */
int fresh_with(int flags);
int fresh(void);
int listener(void);
/* Bind to any port, and listen. */
int start_listening(int fd);
/* A port that refuses connections until the case ends, and its socket; -1 at first. */
extern int refused_fd;
int refused_port(void);
int disconnect(int fd);
/* Close with a reset. */
int abort_it(int fd);
void join(struct pair *p, int l, int c);
struct pair make_pair(void);
void echo(const struct pair *p);
struct pair join_and_echo(int l, int c);
/* A TCP port that accepts no more connections. */
int hole(void);
void on_alarm(int number);
void on(int number, void (*handler)(int), int flags);
size_t read_all(int fd);
double seconds(void);
void storm(int us);
void say_rest(int fd);
/* The peer has read everything, so its reading triggers no update. */
struct pair make_drained_pair(void);
/* A handler that changes errno: it runs before the call returns. */
void on_pipe(int number);
/* A pair whose client does not send much ahead. */
struct pair make_narrow_pair(void);
void part(struct pair *p);
void say_amount(const char *name, ssize_t n, size_t len);
/* Return: true if @total right bytes arrive. */
bool arrives(int fd, size_t total);
/* A process that begins to read when the writer waits, and exits 0 if all right bytes arrive. */
pid_t start_reader(struct pair *p, size_t total);
void say_status(const char *name, pid_t pid);
/* Full means no progress for two seconds: a busy kernel still moves data to the peer. */
size_t fill(int fd);
/* Set SO_RCVTIMEO or SO_SNDTIMEO. */
void limit(int fd, int name, int ms);
/* No number of a descriptor from @n on. */
void limit_numbers(int n);
/* Set everything that must be copied to a replacement socket. */
void dress(int fd);
void undress(int fd);
/* Return: 0, not a number that another thread determines */
long call_accept(int fd);
long call_accept4(int fd);
long call_recv(int fd);
long call_poll(int fd);
long call_poll_briefly(int fd);
long call_select(int fd);
/* The events, without EPOLLOUT. */
long call_epoll(int fd);
int watch(int fd, unsigned int what);
/* Body of a thread that makes the call of a struct waiter. */
void *wait_in_thread(void *waiter);
/* A process or a thread, even if it has ended. */
void wait_until_it_sleeps(pid_t pid);
/* All threads wait, or have ended. */
void start_waiters(struct waiter *waiters, size_t n);
/* If a thread is never woken, the case hangs. */
void end_waiters(struct waiter *waiters, size_t n);
/* A whole life of a connection. Return: true if each call succeeds */
bool lives(void);
/* A child that has the accepted end, and ends without reading the data that arrives. */
pid_t leave_unread(struct pair *p);
/*
 * Do the steps of @script, which steps.c lists, and print results such as "c.connect=0". A letter
 * before a step is a descriptor, also for the next steps: "l.listener c.fresh connect a.accept".
 */
void play(const char *script);
/* Print the result of a step. Return: the same, with errno */
long say_step(char letter, const char *name, long ret);
/* One step of a script. Return: as say_step() */
long do_step(char letter, int *fd, const char *name);
/* A pair whose client is in this state and does not block. Count SIGPIPE from now. */
struct pair in_state(enum state state);
/* The client of in_state(), but it blocks. */
int enter(enum state state);
/* States in which options and requests are tried, up to one without a name. */
extern const struct named_state states[];
/* Send from the accepted end, and wait until the bytes can be read. */
void feed(const struct pair *p, const char *data, size_t len);
/* An address without memory; the page before it is memory, all zero. */
char *unmapped(void);
/* Forget what say_kind() found; print it at the end of a case. */
void forget_kinds(void);
void say_kinds(void);

#define TWIN_SIDES 16

/**
 * struct twin_sides - what to compare with TCP
 * @names: see usage in main.c; @lists: true if the names of the cases are wanted instead
 * @seconds: limit for a case; @jobs: cases at a time
 * @n_walks: number of random walks instead of cases
 */
struct twin_sides {
	const char *names[TWIN_SIDES];
	size_t n;
	int jobs, seconds;
	bool verbose, lists;
	unsigned long seed;
	size_t n_walks;
};

/* Print the table. Return: exit status, 0 if no case differs */
int run_sides(const struct twin_sides *sides, char **cases);
/* Print walks that differ, or without sides all walks. Return: exit status, 0 if none differs */
int walk_sides(struct twin_sides *sides, char **names);
/* @names: of walks, as printed, or none: run those of the seed. Return: exit status */
int run_walks(const struct twin_sides *sides, char **names);
/* Write as case @name does, to a remote reader. Return: exit status */
int write_to(const char *address, const char *port, const char *name);
