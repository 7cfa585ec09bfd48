// SPDX-License-Identifier: MIT
/* SO_RCVTIMEO and SO_SNDTIMEO of each call that may wait. */
#include "twin.h"

enum { LIMIT = 100 };

/* The result, and for a call that gave up, whether it waited since @start. */
static void say_timed(const char *name, double start, long ret)
{
	double ms = (seconds() - start) * 1000;

	say_result(name, ret);
	if (ret < 0 && errno == EAGAIN)
		say("%s", ms < LIMIT * 0.9 ? "early" : ms < LIMIT * 40 ? "in_time" : "late");
}

#define SAY_TIMED(name, call) (errno = 0, now = seconds(), say_timed(name, now, call))

/* Every call that may wait, with a limit. */
static void wait_in(enum state state)
{
	struct pair p = in_state(state);
	char text[16];
	double now;

	nonblocking(p.c, false);
	limit(p.c, SO_RCVTIMEO, LIMIT);
	limit(p.c, SO_SNDTIMEO, LIMIT);
	for (int way = 0; way < INS; way++)
		SAY_TIMED(ins[way], read_by(way, p.c, text, 2, way < IN_FLAGS ? MSG_WAITALL : 0));
	SAY_TIMED("send", send(p.c, "x", 1, 0));
	SAY_TIMED("accept", accept(p.c, NULL, NULL));
	SAY_TIMED("accept4", accept4(p.c, NULL, NULL, SOCK_CLOEXEC));
	nonblocking(p.c, true);
	SAY("recv", recv(p.c, text, 2, 0));
}

IN_EACH_STATE(wait, wait_in)

/* MSG_WAITALL ends with all data, the end, a limit or a signal. */
static void whole(const char *more, int how, int signal_flags)
{
	int time = signal_flags < 0 ? LIMIT : 5000;

	on(SIGALRM, on_alarm, signal_flags);
	for (int way = 0; way < IN_FLAGS; way++) {
		struct pair p = in_state(HAS_DATA);
		pid_t pid = fork();
		char text[16] = "";

		if (!pid) {
			nap(50);
			(void)!write(p.a, more, strlen(more));
			_exit(shutdown(p.a, how));
		}
		nonblocking(p.c, false);
		limit(p.c, SO_RCVTIMEO, *more ? 0 : time);
		storm(signal_flags < 0 ? 0 : 40000);
		SAY(ins[way], read_by(way, p.c, text, 6, MSG_WAITALL));
		storm(0);
		say("%s", text);
		waitpid(pid, NULL, 0);
		part(&p);
	}
}

CASE_OF(whole_part, whole("", -1, -1))
CASE_OF(whole_whole, whole("defghi", -1, -1))
CASE_OF(whole_end, whole("de", SHUT_WR, -1))
CASE_OF(whole_signal, whole("", -1, 0))
CASE_OF(whole_restart, whole("", -1, SA_RESTART))

CASE(wait_signal)
{
	struct pair p = in_state(IS_CONNECTED);
	int l = listener();
	char byte;

	nonblocking(p.c, false);
	limit(p.c, SO_RCVTIMEO, 5000);
	limit(l, SO_RCVTIMEO, 5000);
	storm(50000);
	for (int flags = 0; flags <= SA_RESTART; flags += SA_RESTART) {
		on(SIGALRM, on_alarm, flags);
		for (int way = 0; way < INS; way++)
			SAY(ins[way], read_by(way, p.c, &byte, 1, 0));
		SAY("accept", accept(l, NULL, NULL));
	}
}
