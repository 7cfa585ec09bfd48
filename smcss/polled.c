// SPDX-License-Identifier: MIT
/* Lists of all sockets, one after the other: what is new began, what is gone has ended. */
#include "polled.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"

/* While sockets come and go a list may leave out one that is still there. */
#define MISSES_MAX 3

/** struct item - a connection; @born: when it was seen first, 0: it was there before */
struct item {
	struct smc_sock sock;
	int64_t born;
	struct event_process process;
	unsigned int misses;
};

struct items {
	struct item *entries;
	size_t count, size;
};

/** struct polled - @known: by cookie; @listening: the sockets that listen */
struct polled {
	event_fn fn;
	void *arg;
	struct items known, now, listening;
	struct smcss_lookup lookup;
	struct smc_err *err;
};

/* ---- the list ---- */

static int begin(void *arg)
{
	struct polled *polled = arg;

	polled->now.count = 0;
	polled->listening.count = 0;
	return 0;
}

static int on_message(const struct nlmsghdr *nlh, void *arg)
{
	struct polled *polled = arg;
	struct item item = { .born = 0 };
	struct items *list = &polled->now;

	if (smc_sock_decode(&item.sock, nlh))
		return smc_err_say(polled->err, EBADMSG,
				   "the kernel's answer about a socket is too short");
	if (item.sock.state == SMC_ABI_LISTEN)
		list = &polled->listening;
	else if (smc_sock_mode(&item.sock) == SMC_MODE_NONE)
		return 0;
	if (smc_array_append(&list->entries, &list->count, &list->size, &item, sizeof(item)))
		return smc_err_set(polled->err, ENOMEM, "cannot store the list of sockets");
	return 0;
}

static int compare(const void *a, const void *b)
{
	const struct item *x = a, *y = b;

	return (x->sock.cookie > y->sock.cookie) - (x->sock.cookie < y->sock.cookie);
}

static struct item *find(const struct items *list, const struct item *item)
{
	return list->count ? bsearch(item, list->entries, list->count, sizeof(*item), compare) :
			     NULL;
}

static int fetch(struct polled *polled)
{
	const struct smcss_source source = {
		.ext = SMC_DIAG_EXT(SMC_ABI_DIAG_CONNINFO),
		.begin = begin,
		.on_message = on_message,
		.arg = polled,
	};
	int ret = smcss_fetch(&source, polled->err);

	if (!ret && polled->now.count)
		qsort(polled->now.entries, polled->now.count, sizeof(struct item), compare);
	return ret;
}

/* ---- what changed ---- */

static struct event_moved moved(uint64_t bytes)
{
	return (struct event_moved){ .bytes = bytes, .is_least = true };
}

static int tell(struct polled *polled, enum event_kind kind, const struct item *item)
{
	struct event event = {
		.kind = kind,
		.at = event_now(),
		.sock = item->sock,
		.process = item->process,
		.handshake = -1,
		.lived = -1,
	};
	struct smc_sample sample;

	event.side = EVENT_CLIENT;
	for (size_t i = 0; i < polled->listening.count; i++)
		if (polled->listening.entries[i].sock.local.port == item->sock.local.port)
			event.side = EVENT_SERVER;
	smc_addr_unmap(&event.sock.local);
	smc_addr_unmap(&event.sock.peer);
	event.sock.state = SMC_ABI_ACTIVE;
	if (kind == EVENT_CLOSED && item->born)
		event.lived = event.at - item->born;
	if (kind == EVENT_CLOSED && smc_sock_mode(&event.sock) != SMC_MODE_TCP) {
		smc_sample_sock(&sample, &event.sock, event.at);
		event.has_bytes = true;
		event.in = moved(sample.in);
		event.out = moved(sample.out);
	}
	return polled->fn(polled->arg, &event);
}

static int name(struct polled *polled, struct item *item)
{
	const struct proc_fd *holder;
	size_t count;
	int ret = smcss_load_processes(&polled->lookup, polled->err);

	if (!ret && smc_sock_needs_lookup(&item->sock))
		ret = smcss_complete(&polled->lookup, &item->sock, polled->err);
	holder = ret ? NULL : proc_table_find(&polled->lookup.procs, item->sock.inode, &count);
	if (holder) {
		item->process.pid = holder->pid;
		memcpy(item->process.comm, holder->comm, sizeof(holder->comm));
	}
	return ret;
}

/* What stays known of one that was listed before; a new one is named, and told of. */
static int take(struct polled *polled, struct item *item, bool is_first)
{
	const struct item *known = find(&polled->known, item);
	int ret;

	if (known && smc_sock_mode(&known->sock) == smc_sock_mode(&item->sock)) {
		item->born = known->born;
		item->process = known->process;
		item->sock.local = known->sock.local;
		item->sock.peer = known->sock.peer;
		/* Until it is accepted nobody has it. */
		return item->process.pid ? 0 : name(polled, item);
	}
	ret = name(polled, item);
	if (ret || is_first)
		return ret;
	item->born = event_now();
	return tell(polled,
		    smc_sock_mode(&item->sock) == SMC_MODE_TCP ? EVENT_FALLBACK : EVENT_CONNECTED,
		    item);
}

static int compare_lists(struct polled *polled, bool is_first)
{
	size_t count = polled->now.count;
	int ret = 0;

	for (size_t i = 0; !ret && i < count; i++)
		ret = take(polled, &polled->now.entries[i], is_first);
	for (size_t i = 0; !ret && i < polled->known.count; i++) {
		struct item *known = &polled->known.entries[i];
		struct items among = { polled->now.entries, count, 0 };

		if (find(&among, known))
			continue;
		if (++known->misses >= MISSES_MAX)
			ret = tell(polled, EVENT_CLOSED, known);
		else if (smc_array_append(&polled->now.entries, &polled->now.count,
					  &polled->now.size, known, sizeof(*known)))
			ret = smc_err_set(polled->err, ENOMEM, "cannot store the list of sockets");
	}
	return ret;
}

static int read_list(struct polled *polled, bool is_first, struct smc_err *err)
{
	struct items before = polled->known;
	int ret;

	polled->err = err;
	ret = fetch(polled);
	if (!ret)
		ret = compare_lists(polled, is_first);
	smcss_lookup_free(&polled->lookup);
	if (ret)
		return ret;
	if (polled->now.count)
		qsort(polled->now.entries, polled->now.count, sizeof(struct item), compare);
	polled->known = polled->now;
	polled->now = before;
	return 0;
}

int polled_read(struct polled *polled, struct smc_err *err)
{
	return read_list(polled, false, err);
}

int polled_open(struct polled **result, event_fn fn, void *arg, struct smc_err *err)
{
	struct polled *polled = calloc(1, sizeof(*polled));
	int ret;

	if (!polled)
		return smc_err_set(err, ENOMEM, "cannot store the list of sockets");
	polled->fn = fn;
	polled->arg = arg;
	ret = read_list(polled, true, err);
	if (ret)
		polled_close(polled);
	else
		*result = polled;
	return ret;
}

void polled_close(struct polled *polled)
{
	if (!polled)
		return;
	free(polled->known.entries);
	free(polled->now.entries);
	free(polled->listening.entries);
	free(polled);
}
