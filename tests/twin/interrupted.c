// SPDX-License-Identifier: MIT
/* Calls that end early, or interrupt others. */
#include "twin.h"

struct call {
	int fd, way;
	bool reads;
	atomic_bool cleaned;
};

static void clean(void *call)
{
	sigset_t mask;
	bool blocked = false;

	pthread_sigmask(SIG_SETMASK, NULL, &mask);
	for (int i = 1; i < 32; i++)
		blocked |= sigismember(&mask, i) == 1;
	((struct call *)call)->cleaned = !blocked;
}

static void *call_for_long(void *arg)
{
	struct call *call = arg;

	pthread_cleanup_push(clean, call);
	if (call->reads)
		read_by(call->way, call->fd, (char[16]){ 0 }, 16, 0);
	else
		write_by(call->way, call->fd, much, sizeof(much), 0);
	pthread_cleanup_pop(0);
	return NULL;
}

static void cancel(bool reads)
{
	for (int way = 0; way < (reads ? (int)IN_COPIES : (int)OUT_COPIES); way++) {
		struct pair p = make_narrow_pair(), other = make_pair();
		struct call call = { .fd = p.c, .way = way, .reads = reads };
		pthread_t thread;
		void *value = NULL;

		pthread_create(&thread, NULL, call_for_long, &call);
		if (!reads)
			wait_for(p.a, POLLIN);
		nap(100);
		pthread_cancel(thread);
		pthread_join(thread, &value);
		say("%s=%d cleaned=%d", reads ? ins[way] : outs[way], value == PTHREAD_CANCELED,
		    call.cleaned);
		echo(&other);
		part(&p);
		part(&other);
	}
	on(SIGALRM, on_alarm, 0);
	storm(1000);
	wait_for(-1, 0);
	storm(0);
	say("ticks=%d", ticks > 0);
}

CASE_OF(cancel_write, cancel(false))
CASE_OF(cancel_read, cancel(true))

CASE(vfork_write)
{
	struct pair p = make_narrow_pair();
	pid_t reader = start_reader(&p, sizeof(much)), child = vfork();
	static volatile ssize_t n;

	if (!child) {
		n = write(p.c, much, sizeof(much) / 2);
		_exit(0);
	}
	waitpid(child, NULL, 0);
	say_amount("child", n, sizeof(much) / 2);
	n = write(p.c, much + sizeof(much) / 2, sizeof(much) / 2);
	say_amount("parent", n, sizeof(much) / 2);
	part(&p);
	say_status("reader", reader);
}

static int other_end;
static volatile sig_atomic_t written;

static void write_on_alarm(int number)
{
	written += write(other_end, "t", 1) == 1;
	ticks++;
}

CASE(handler_write)
{
	struct pair p = make_narrow_pair(), other = make_pair();
	pid_t reader = start_reader(&p, sizeof(much));
	size_t pos = 0;
	ssize_t n = 1;

	other_end = other.c;
	on(SIGALRM, write_on_alarm, SA_RESTART);
	storm(10000);
	for (; pos < sizeof(much) && n > 0; pos += n > 0 ? (size_t)n : 0)
		n = write(p.c, much + pos, sizeof(much) - pos);
	storm(0);
	part(&p);
	say_status("reader", reader);
	close(other.c);
	say("written=%d arrived=%d", written == ticks, read_all(other.a) == (size_t)ticks);
}
