// SPDX-License-Identifier: MIT
/* Watches the TCP connections of this network namespace for a while, by what is allowed. */
#include "smc_chk/advise/watch.h"

#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <sys/signalfd.h>
#include <time.h>
#include <unistd.h>

#include "base/clock.h"
#include "process/signals.h"
#include "smc_chk/advise/lists.h"
#include "smc_chk/advise/lives.h"

/* Time between two lists, in ms. */
#define POLL_ALONE 500
/* Where eBPF tells of each connection, a list is for those that were there before. */
#define POLL_BPF 5000
/* Time between two looks at what eBPF tells. */
#define READ_BPF 200
/* A list takes at most this part of the time. */
#define POLL_SHARE 20

/* struct watcher - @last: when the last list began; @cost: how long it took; in ms */
struct watcher {
	struct watched *watched;
	const struct chk_request *req;
	struct lists lists;
	struct lives lives;
	int signals;
	uint64_t start, last, cost;
	struct smc_err *err;
};

static uint64_t now_ms(void)
{
	return (uint64_t)clock_ns(CLOCK_MONOTONIC) / 1000000;
}

/* What ended, if eBPF tells. */
static int read_ends(struct watcher *watcher)
{
	return watcher->lives.programs ? lives_read(&watcher->lives, watcher->err) : 0;
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
	uint64_t least = watcher->lives.programs ? POLL_BPF : POLL_ALONE;
	uint64_t share = watcher->cost * POLL_SHARE;

	return watcher->last + (share > least ? share : least);
}

/* ---- the time ---- */

/* Return: 1 when a signal came, 0 after @until; -errno. */
static int wait_until(struct watcher *watcher, uint64_t until)
{
	struct pollfd fd = { .fd = watcher->signals, .events = POLLIN };
	uint64_t now = now_ms();
	int ret = poll(&fd, 1, until > now ? (int)(until - now) : 0);

	if (ret < 0 && errno != EINTR)
		return smc_err_set(watcher->err, errno, "cannot wait");
	return ret > 0;
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
		ret = read_ends(watcher);
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
	struct smc_err why_not = { 0 };
	int ret;

	if (watcher.signals < 0)
		return smc_err_set(err, errno, "cannot catch signals");
	watcher.lives.lists = &watcher.lists;
	watched->has_bpf = !lives_open(&watcher.lives, &why_not);
	if (!watched->has_bpf)
		snprintf(watched->why_not, sizeof(watched->why_not), "no eBPF: %s", why_not.text);
	ret = run(&watcher);
	lives_close(&watcher.lives);
	close(watcher.signals);
	release_signals();
	return ret;
}
