// SPDX-License-Identifier: MIT
/* Watches the TCP connections of this network namespace for a while, by what is allowed. */
#include "smc_chk/advise/watch.h"

#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/signalfd.h>
#include <time.h>
#include <unistd.h>

#include "base/clock.h"
#include "netlink/diag.h"
#include "process/signals.h"
#include "smc_chk/advise/lists.h"
#include "smc_chk/advise/lives.h"

/* Time between two lists, in ms: where each end is told, they only find what is open. */
#define POLL_ALONE 500
#define POLL_BESIDE 1000
/* Where eBPF tells of each connection, a list is for those that were there before. */
#define POLL_BPF 5000
/* Time between two looks at what eBPF tells. */
#define READ_BPF 200
/* A list takes at most this part of the time. */
#define POLL_SHARE 20
/* For the messages about what ended last: ms without one. */
#define DRAIN 200

/* struct watcher - @last: when the last list began; @cost: how long it took; in ms */
struct watcher {
	struct watched *watched;
	const struct chk_request *req;
	struct lists lists;
	struct smc_diag_ends *ends;
	struct lives lives;
	int signals;
	uint64_t start, last, cost;
	struct smc_err *err;
};

static uint64_t now_ms(void)
{
	return (uint64_t)clock_ns(CLOCK_MONOTONIC) / 1000000;
}

/* ---- what ended ---- */

static int on_end(const struct nlmsghdr *nlh, void *arg)
{
	struct watcher *watcher = arg;
	struct tally_death death = { .owner = 0 };

	/* One that cannot be read is none of a TCP socket. */
	if (!smc_tcp_decode(&death.tcp, nlh))
		tally_die(watcher->lists.tally, &death, now_ms());
	return 0;
}

static int read_ends(struct watcher *watcher)
{
	if (watcher->lives.programs)
		return lives_read(&watcher->lives, watcher->err);
	if (!watcher->ends)
		return 0;
	return smc_diag_ends_read(watcher->ends, on_end, watcher, &watcher->watched->is_lossy,
				  watcher->err);
}

/* ---- lists ---- */

static int read_lists(struct watcher *watcher)
{
	uint64_t begin = now_ms();
	uint64_t gap = begin - watcher->last;
	int ret = lists_read(&watcher->lists, begin, watcher->err);

	if (watcher->last && gap > watcher->watched->interval)
		watcher->watched->interval = gap;
	watcher->last = begin;
	watcher->cost = now_ms() - begin;
	return ret;
}

static uint64_t next_list(const struct watcher *watcher)
{
	uint64_t least = watcher->lives.programs ? POLL_BPF :
			 watcher->ends		 ? POLL_BESIDE :
						   POLL_ALONE;
	uint64_t share = watcher->cost * POLL_SHARE;

	return watcher->last + (share > least ? share : least);
}

/* ---- the time ---- */

/* Return: 1 when a signal came, 0 after @until or when something ended; -errno. */
static int wait_until(struct watcher *watcher, uint64_t until)
{
	struct pollfd fds[] = {
		{ .fd = watcher->signals, .events = POLLIN },
		{ .fd = watcher->ends ? smc_diag_ends_fd(watcher->ends) : -1, .events = POLLIN },
	};
	uint64_t now = now_ms();
	int ret = poll(fds, 2, until > now ? (int)(until - now) : 0);

	if (ret < 0 && errno != EINTR)
		return smc_err_set(watcher->err, errno, "cannot wait");
	return ret > 0 && fds[0].revents;
}

static uint64_t earlier(uint64_t a, uint64_t b)
{
	return a < b ? a : b;
}

static uint64_t next_step(const struct watcher *watcher, uint64_t end)
{
	uint64_t next = earlier(end, next_list(watcher));

	return watcher->lives.programs ? earlier(next, now_ms() + READ_BPF) : next;
}

static int watch_on(struct watcher *watcher)
{
	uint64_t end = watcher->start + (uint64_t)watcher->req->watch_seconds * 1000;
	int ret = 0;

	while (!ret && now_ms() < end) {
		ret = wait_until(watcher, next_step(watcher, end));
		if (ret >= 0 && read_ends(watcher))
			ret = -watcher->err->code;
		if (!ret && now_ms() >= next_list(watcher))
			ret = read_lists(watcher);
	}
	return ret < 0 ? ret : 0;
}

/* What ended last may still be on its way; what has not come by then is missing in the list. */
static int drain(struct watcher *watcher)
{
	uint64_t end = now_ms() + DRAIN;
	int ret = watcher->lives.programs ? read_ends(watcher) : 0;

	while (!ret && watcher->ends && now_ms() < end) {
		struct pollfd fd = { .fd = smc_diag_ends_fd(watcher->ends), .events = POLLIN };

		if (poll(&fd, 1, (int)(end - now_ms())) > 0)
			ret = read_ends(watcher);
	}
	return ret;
}

/* ---- beginning and end ---- */

static int catch_signals(void)
{
	sigset_t set;

	signals_interruptible(&set);
	sigprocmask(SIG_BLOCK, &set, NULL);
	return signalfd(-1, &set, SFD_CLOEXEC | SFD_NONBLOCK);
}

/* From now on they end this process; what ended the watch is forgotten. */
static void release_signals(void)
{
	const struct timespec none = { .tv_sec = 0 };
	sigset_t set;

	signals_interruptible(&set);
	while (sigtimedwait(&set, NULL, &none) > 0)
		;
	sigprocmask(SIG_UNBLOCK, &set, NULL);
}

static void open_sources(struct watcher *watcher)
{
	struct watched *watched = watcher->watched;
	struct smc_err err = { 0 };

	if (!lives_open(&watcher->lives, &err)) {
		watched->source = SOURCE_BPF;
		return;
	}
	snprintf(watched->why_not, sizeof(watched->why_not), "no eBPF: %s", err.text);
	if (!smc_diag_ends_open(&watcher->ends, &err))
		watched->source = SOURCE_ENDS;
	else
		snprintf(watched->why_not, sizeof(watched->why_not), "%s", err.text);
}

static int run(struct watcher *watcher)
{
	int ret = read_lists(watcher);

	if (ret)
		return ret;
	chk_debug(watcher->req, "watching");
	ret = watch_on(watcher);
	if (!ret)
		ret = read_lists(watcher);
	if (!ret)
		ret = drain(watcher);
	if (watcher->lives.programs && lives_lost(&watcher->lives))
		watcher->watched->is_lossy = true;
	watcher->watched->is_blind = watcher->lists.is_blind;
	watcher->watched->duration = now_ms() - watcher->start;
	tally_finish(watcher->lists.tally, now_ms());
	return ret;
}

int watch(struct tally *tally, struct watched *watched, const struct chk_request *req,
	  struct smc_err *err)
{
	struct watcher watcher = { .lists.tally = tally,
				   .watched = watched,
				   .req = req,
				   .err = err,
				   .signals = catch_signals(),
				   .start = now_ms() };
	int ret;

	if (watcher.signals < 0)
		return smc_err_set(err, errno, "cannot catch signals");
	watcher.lives.lists = &watcher.lists;
	open_sources(&watcher);
	ret = run(&watcher);
	smc_diag_ends_close(watcher.ends);
	lives_close(&watcher.lives);
	close(watcher.signals);
	release_signals();
	return ret;
}
