// SPDX-License-Identifier: MIT
/*
 * Watch the TCP connections of this network namespace: with an eBPF program that sees each begin
 * and end, or by polling the sockets.
 */
#include "smc_advise/advice.h"

#include <poll.h>
#include <signal.h>
#include <time.h>
#include <sys/param.h>
#include <sys/socket.h>

#include "base/array.h"
#include "base/clock.h"
#include "base/words.h"
#include "bpf/address.h"
#include "bpf/bpfmap.h"
#include "bpf/programs.h"
#include "bpf/tcplife.h"
#include "cgroup/cgroup.h"
#include "cli/screen.h"
#include "netlink/diag.h"
#include "process/proc.h"
#include "process/signals.h"
#include "smc/inet.h"

/* Time between two polls, in ms. */
#define POLL_ALONE 500
/* With eBPF, polls are only for connections that were open before the watch. */
#define POLL_BPF 5000
/* Time between two reads of eBPF's reports, in ms. */
#define READ_BPF 200
/* Polls may take 1/this of the time. */
#define POLL_SHARE 20
/* Ends to read per call, more than the map holds, so that a flood cannot starve the caller. */
#define ENDS_MAX 65536

#define TRIES 3 /* polls again if the list changed meanwhile */
#define PROCESSES 1024

/** struct process - cached owner of a process */
struct process {
	pid_t pid;
	char comm[16];
	uint32_t owner;
};

/**
 * struct watcher - @last: when the last poll began; @cost: how long it took; in ms
 * @programs: of eBPF, NULL when only polling; @state: map of their state
 * @left: ends that may still be read in this call
 * @inet, @smcs: TCP and SMC sockets of the current poll
 * @processes: cache, indexed by the process id modulo its size
 * @procs: with @has_procs; @procs_ret: 0, or -errno of reading them
 */
struct watcher {
	struct tally *tally;
	struct watched *watched;
	unsigned int seconds;
	bool is_debug;
	struct bpf_programs *programs;
	int state, left;
	int signals;
	uint64_t start, last, cost;
	struct smc_inet_table inet;
	struct smc_sock *smcs;
	size_t n_smcs;
	struct proc_table procs;
	struct process processes[PROCESSES];
	int procs_ret;
	bool has_procs;
	struct smc_err *err;
};

static uint64_t now_ms(void)
{
	return (uint64_t)clock_ns(CLOCK_MONOTONIC) / 1000000;
}

/* ---- SMC sockets ---- */

static int on_smc(const struct nlmsghdr *nlh, void *arg)
{
	struct watcher *watcher = arg;
	struct smc_sock sock;
	int ret = smc_sock_decode(&sock, nlh);

	if (ret || (sock.state != SMC_ABI_LISTEN && !smc_sock_connected(&sock)))
		return ret;
	*smc_array_add(&watcher->smcs, &watcher->n_smcs) = sock;
	return 0;
}

static int read_smcs(struct watcher *watcher)
{
	const struct smc_abi_diag_req req = smc_sock_request(0);
	int ret = -EINTR;

	for (int i = 0; i < TRIES && ret == -EINTR; i++) {
		watcher->n_smcs = 0;
		ret = smc_diag_dump(&req, sizeof(req), sizeof(struct smc_abi_diag_msg), on_smc,
				    watcher, watcher->err);
	}
	return ret == -ENOENT || ret == -EINTR ? 0 : ret;
}

/* The addresses are those of the TCP socket inside. */
static void mark_smcs(struct watcher *watcher)
{
	for (size_t i = 0; i < watcher->n_smcs; i++)
		if (smc_sock_needs_lookup(&watcher->smcs[i]))
			smc_inet_resolve(&watcher->inet, &watcher->smcs[i]);
	tally_smcs(watcher->tally, watcher->smcs, watcher->n_smcs);
}

/* ---- TCP sockets ---- */

static int on_tcp(const struct nlmsghdr *nlh, void *arg)
{
	struct watcher *watcher = arg;
	struct smc_tcp tcp;
	int ret = smc_tcp_decode(&tcp, nlh);

	if (ret)
		return ret;
	tally_see(watcher->tally, &tcp);
	return watcher->n_smcs ? smc_inet_add(nlh, &watcher->inet) : 0;
}

/* A kernel without IPv6 has no such sockets. */
static int read_tcps(struct watcher *watcher)
{
	static const uint8_t families[] = { AF_INET, AF_INET6 };

	for (size_t i = 0; i < sizeof(families); i++) {
		const struct inet_diag_req_v2 req = smc_tcp_request(families[i]);
		int ret = smc_diag_dump(&req, sizeof(req), sizeof(struct inet_diag_msg), on_tcp,
					watcher, watcher->err);

		if (ret == -ENOENT && families[i] == AF_INET)
			return smc_err_say(watcher->err, ENOENT,
					   "the kernel cannot list TCP sockets: "
					   "module tcp_diag (CONFIG_INET_TCP_DIAG) is missing");
		if (ret && ret != -ENOENT && ret != -EINTR)
			return ret;
	}
	return 0;
}

/* ---- processes ---- */

static void find_unit(struct tally_owner *owner, pid_t pid, const char *known)
{
	char path[PATH_MAX];

	if (!proc_cgroup(pid, path)) {
		if (!cgroup_unit(path, owner->unit, &owner->is_user))
			*owner->unit = '\0';
	} else if (word_ends_with(known, ".service")) {
		snprintf(owner->unit, sizeof(owner->unit), "%s", known);
	}
}

static uint32_t find_owner(struct watcher *watcher, pid_t pid, const char *comm, const char *unit)
{
	struct process *process = &watcher->processes[(size_t)pid % PROCESSES];
	struct tally_owner owner = { .comm = "" };

	snprintf(owner.comm, sizeof(owner.comm), "%s", comm);
	if (process->pid == pid && !strcmp(process->comm, owner.comm))
		return process->owner;
	find_unit(&owner, pid, unit);
	process->pid = pid;
	memcpy(process->comm, owner.comm, sizeof(process->comm));
	process->owner = tally_owner(watcher->tally, &owner);
	return process->owner;
}

/* Read the processes when the first socket needs them. */
static uint32_t on_nameless(void *arg, uint64_t inode)
{
	struct watcher *watcher = arg;
	const struct proc_fd *holder;
	size_t count;

	if (!watcher->has_procs)
		watcher->procs_ret = proc_table_load(&watcher->procs);
	watcher->has_procs = true;
	holder = proc_table_find(&watcher->procs, inode, &count);
	if (holder)
		return find_owner(watcher, holder->pid, holder->comm, "");
	watcher->watched->is_blind |= geteuid() != 0;
	return 0;
}

static int find_names(struct watcher *watcher)
{
	watcher->has_procs = false;
	watcher->procs_ret = 0;
	tally_name(watcher->tally, on_nameless, watcher);
	proc_table_free(&watcher->procs);
	return watcher->procs_ret ? smc_err_set(watcher->err, -watcher->procs_ret,
						"cannot read which processes hold sockets") :
				    0;
}

static int read_sockets(struct watcher *watcher)
{
	int ret = read_smcs(watcher);

	if (!ret)
		ret = read_tcps(watcher);
	if (!ret) {
		mark_smcs(watcher);
		ret = find_names(watcher);
	}
	smc_inet_free(&watcher->inet);
	if (!ret)
		tally_end(watcher->tally);
	return ret;
}

/* ---- eBPF ---- */

static void copy_socket(struct smc_tcp *tcp, const struct tcplife_end *end)
{
	*tcp = (struct smc_tcp){
		.local = bpf_ends_local(&end->ends),
		.peer = bpf_ends_peer(&end->ends),
		.cookie = end->cookie,
		.has_info = true,
		.sent = end->sent,
		.received = end->received,
		.segs_sent = end->segs_sent,
		.segs_received = end->segs_received,
		.mss = end->mss,
		.is_signed = end->is_signed,
		.is_fast_open = end->is_fast_open,
	};
	snprintf(tcp->ulp, sizeof(tcp->ulp), "%.*s", (int)sizeof(end->ulp), end->ulp);
}

static int on_end(void *arg, void *record, size_t len)
{
	struct watcher *watcher = arg;
	struct tally_death death = { .owner = 0 };
	const struct tcplife_end *end = record;

	if (len < sizeof(*end))
		return -EBADMSG;
	copy_socket(&death.tcp, end);
	if (end->side == TCPLIFE_CLIENT)
		death.side = SIDE_CLIENT;
	else if (end->side == TCPLIFE_SERVER)
		death.side = SIDE_SERVER;
	death.is_smc = end->is_smc;
	death.born = end->born / 1000000;
	/* Kernel threads of SMC connect and close for the program. */
	if (end->process.pid && !end->is_smc)
		death.owner = find_owner(watcher, (pid_t)end->process.pid, end->process.comm,
					 end->process.unit);
	tally_die(watcher->tally, &death, end->died / 1000000);
	return --watcher->left > 0 ? 0 : BPF_ENOUGH;
}

static const _Alignas(8) unsigned char elf[] = {
#include "bpf/tcplife.bytes.h"
};

/* Start eBPF; without it the sockets are only polled. */
static void start_bpf(struct watcher *watcher)
{
	struct tcplife_state state = { 0 };
	const struct bpf_watch watch = {
		.elf = elf,
		.len = sizeof(elf),
		.state = TCPLIFE_STATE,
		.value = &state,
		.ring = TCPLIFE_EVENTS,
		.fn = on_end,
		.arg = watcher,
	};
	struct watched *watched = watcher->watched;
	struct smc_err err = { 0 };

	watcher->state = bpf_programs_start(&watcher->programs, &watch, &err);
	watched->has_bpf = watcher->state >= 0;
	if (!watched->has_bpf)
		snprintf(watched->why_not, sizeof(watched->why_not), "no eBPF: %s", err.text);
}

static int read_ends(struct watcher *watcher)
{
	int ret;

	if (!watcher->programs)
		return 0;
	watcher->left = ENDS_MAX;
	ret = bpf_programs_read(watcher->programs, watcher->err);
	return ret < 0 ? ret : 0;
}

/* ---- polls ---- */

static int poll_sockets(struct watcher *watcher)
{
	uint64_t begin = now_ms(), gap = watcher->last ? begin - watcher->last : 0;
	int ret;

	tally_begin(watcher->tally, begin);
	ret = read_sockets(watcher);
	watcher->watched->interval = MAX(watcher->watched->interval, gap);
	watcher->last = begin;
	watcher->cost = now_ms() - begin;
	return ret;
}

static uint64_t next_poll(const struct watcher *watcher)
{
	uint64_t least = watcher->programs ? POLL_BPF : POLL_ALONE;

	return watcher->last + MAX(watcher->cost * POLL_SHARE, least);
}

static int watch_on(struct watcher *watcher)
{
	uint64_t end = watcher->start + (uint64_t)watcher->seconds * 1000, now, next;
	struct pollfd fd = { .fd = watcher->signals, .events = POLLIN };
	int ret = 0;

	while (!ret && (now = now_ms()) < end) {
		cli_progress("watching TCP: %u s left; Ctrl-C ends it",
			     (unsigned int)((end - now + 999) / 1000));
		next = MIN(end, next_poll(watcher));
		if (watcher->programs)
			next = MIN(next, now + READ_BPF);
		ret = poll(&fd, 1, next > now ? (int)(next - now) : 0);
		if (ret < 0 && errno != EINTR) {
			ret = smc_err_set(watcher->err, errno, "cannot wait");
			break;
		}
		ret = ret > 0; /* a signal ends it */
		if (read_ends(watcher))
			ret = -watcher->err->code;
		if (!ret && now_ms() >= next_poll(watcher))
			ret = poll_sockets(watcher);
	}
	cli_progress_end();
	return ret < 0 ? ret : 0;
}

/* ---- beginning and end ---- */

/* Signals end this process again. A signal that ended the watch is dropped. */
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
	struct tcplife_state state = { .lost = 0 };
	const uint32_t first = 0;
	int ret = poll_sockets(watcher);

	if (ret)
		return ret;
	if (watcher->is_debug)
		cli_say("[DEBUG] watching");
	ret = watch_on(watcher);
	if (!ret)
		ret = poll_sockets(watcher);
	if (!ret)
		ret = read_ends(watcher);
	/* Ends may have been lost for lack of room. */
	watcher->watched->is_lossy =
		watcher->programs && (bpfmap_lookup(watcher->state, &first, &state) || state.lost);
	watcher->watched->duration = now_ms() - watcher->start;
	tally_finish(watcher->tally, now_ms());
	return ret;
}

int advise_watch(struct tally *tally, struct watched *watched, unsigned int seconds, bool is_debug,
		 struct smc_err *err)
{
	struct watcher watcher = { .tally = tally,
				   .watched = watched,
				   .seconds = seconds,
				   .is_debug = is_debug,
				   .err = err,
				   .signals = signals_catch(),
				   .start = now_ms() };
	int ret;

	if (watcher.signals < 0)
		return smc_err_set(err, errno, "cannot catch signals");
	start_bpf(&watcher);
	ret = run(&watcher);
	free(watcher.smcs);
	bpf_programs_close(watcher.programs);
	close(watcher.signals);
	release_signals();
	return ret;
}
