// SPDX-License-Identifier: MIT
/*
 * -C --tune --kernel: what the kernel's knobs of SMC-R give. They hold for a link group from its
 * creation, and the kernel creates one for a new connection when no other to that peer has room:
 * so those that there are get filled up with idle connections, until one is in a new group. Each
 * knob that is tried has one measured connection in a group of its own, which it keeps.
 *
 * Groups of ours take 16 connections, the fewest that can be (kernel 6.8, SMC v2.1). That and the
 * knob that is tried are set only while one of those connections is made, and no signal is taken
 * meanwhile: whatever ends this program but SIGKILL finds them as they were.
 */
#include "smc_chk/live/tune_kernel.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <sys/file.h>

#include "base/array.h"
#include "host/file.h"
#include "netlink/genl.h"
#include "smc_chk/live/exchange.h"
#include "smc_chk/live/tune_measure.h"

#define ROOM "smcr_max_conns_per_lgr"
#define ROOM_LEAST 16
#define SMALLEST (16 << 10) /* buffers of connections that only take a place */
#define FILL_MAX 1024	    /* four groups of the usual 255 */
#define WR_MAX 2048

/* ---- knobs ---- */

static int read_knob(struct tune *tune, const char *name, unsigned long *value)
{
	if (host_number(value, "/proc/sys/net/smc/%s", name))
		return 0;
	return smc_err_say(&tune->result.err, ENOENT, "the kernel has no net.smc.%s", name);
}

static int write_knob(struct tune *tune, const char *name, unsigned long value)
{
	char text[32];
	int ret;

	snprintf(text, sizeof(text), "%lu", value);
	ret = host_write(text, "/proc/sys/net/smc/%s", name);
	return ret ? smc_err_set(&tune->result.err, -ret, "cannot set net.smc.%s to %lu", name,
				 value) :
		     0;
}

/* Another one would take what this one sets for what was there. Held until the program ends. */
static int lock_knobs(struct smc_err *err)
{
	int fd = open("/proc/sys/net/smc/" ROOM, O_RDONLY | O_CLOEXEC);

	/* Without the file read_knob() says why. */
	if (fd < 0 || !flock(fd, LOCK_EX | LOCK_NB))
		return 0;
	close(fd);
	return smc_err_say(err, EBUSY,
			   "another smc_chk --tune --kernel is changing net.smc of "
			   "this host");
}

int tune_kernel_ready(struct tune *tune)
{
	struct smc_err *err = &tune->result.err;
	unsigned long room;

	if (tune->result.mode != SMC_MODE_SMCR)
		return smc_err_say(err, EPROTO,
				   "--kernel is for connections over SMC-R, which "
				   "this one is not");
	/* Written as it is, for the error that is sure to come without permission. */
	return lock_knobs(err) || read_knob(tune, ROOM, &room) || write_knob(tune, ROOM, room) ?
		       -1 :
		       0;
}

static void add_row(struct tune *tune, const char *knob, unsigned long value)
{
	struct tune_table *table = &tune->kernel;

	if (table->count < TUNE_ROWS)
		table->rows[table->count++] = (struct tune_row){ .knob = knob, .value = value };
}

/* What this kernel does not have is left out. */
static void choose_rows(struct tune *tune)
{
	static const char *const requests[] = { "smcr_max_send_wr", "smcr_max_recv_wr" };
	unsigned long now;

	add_row(tune, NULL, 0);
	if (host_number(&now, "/proc/sys/net/smc/smcr_buf_type"))
		for (unsigned int type = 0; type <= 2; type++)
			if (type != now)
				add_row(tune, "smcr_buf_type", type);
	if (host_number(&now, "/proc/sys/net/smc/smcr_max_links_per_lgr"))
		add_row(tune, "smcr_max_links_per_lgr", now == 1 ? 2 : 1);
	for (size_t i = 0; i < sizeof(requests) / sizeof(requests[0]); i++) {
		if (!host_number(&now, "/proc/sys/net/smc/%s", requests[i]))
			continue;
		for (unsigned int times = 4; times <= 16 && now * times <= WR_MAX; times *= 4)
			add_row(tune, requests[i], now * times);
	}
}

/* ---- link groups ---- */

/* Those in which this host is the client. */
struct groups {
	struct smc_lgr *lgrs;
	size_t count, size;
};

static int on_group(const struct nlmsghdr *nlh, void *arg)
{
	struct groups *groups = arg;
	struct smc_lgr lgr;

	if (smc_lgr_decode(&lgr, nlh) || !(lgr.has & SMC_LGR_HAS_ID) || lgr.role)
		return 0;
	return smc_array_append(&groups->lgrs, &groups->count, &groups->size, &lgr, sizeof(lgr));
}

static int read_groups(struct tune *tune, struct groups *groups)
{
	struct smc_genl *nl;
	int ret = smc_genl_open(&nl, SMC_ABI_GEN_FAMILY, &tune->result.err);

	*groups = (struct groups){ 0 };
	if (ret)
		return ret;
	ret = smc_genl_dump(nl, SMC_ABI_GET_LGR_SMCR, on_group, groups, &tune->result.err);
	smc_genl_close(nl);
	if (ret)
		free(groups->lgrs);
	return ret;
}

static const struct smc_lgr *group_by_id(const struct groups *groups, uint32_t id)
{
	for (size_t i = 0; i < groups->count; i++)
		if (groups->lgrs[i].id == id)
			return &groups->lgrs[i];
	return NULL;
}

/* Return: the group of the last connection if that is a new one; NULL. */
static const struct smc_lgr *new_group(const struct groups *before, const struct groups *after)
{
	const struct smc_lgr *found = NULL;

	for (size_t i = 0; i < after->count; i++)
		if (!group_by_id(before, after->lgrs[i].id)) {
			/* Another program's at the same moment: whose is whose is not known. */
			if (found)
				return NULL;
			found = &after->lgrs[i];
		}
	return found && found->conns == 1 ? found : NULL;
}

/* ---- a group for one row ---- */

/**
 * struct trial - while it lasts
 * @control: connection to the server; @measured: the rows', or -1
 * @places: connections that only take a place in a group. The server is done with each at once, as
 *	nothing more is to come; the kernels keep the place until we close it
 * @bytes: size of the measured ones' buffers; @port: the server's for them
 */
struct trial {
	struct tune *tune;
	int control, measured[TUNE_ROWS];
	int *places;
	size_t count, size;
	int bytes;
	uint16_t port;
};

/* A server gives up a client that asks nothing for a minute. */
static int ask(struct trial *trial, int fd)
{
	const int ms = trial->tune->req->timeout_ms;
	const struct stream_limit limit = stream_limit(ms, (uint64_t)ms);

	return fd < 0 ? 0 : exchange_data(&trial->tune->result, fd, PROTO_ECHO, 1, &limit);
}

static int ask_all(struct trial *trial)
{
	int ret = ask(trial, trial->control);

	for (int i = 0; i < TUNE_ROWS && !ret; i++)
		ret = ask(trial, trial->measured[i]);
	return ret;
}

static int take_place(struct trial *trial)
{
	struct tune *tune = trial->tune;
	uint64_t ns;
	int fd;

	endpoint_set_port(&tune->result.peer, tune->port);
	fd = measure_open(&tune->result, true, SMALLEST, tune->req->timeout_ms, &ns, NULL);
	if (fd < 0)
		return -1;
	shutdown(fd, SHUT_WR);
	if (smc_array_append(&trial->places, &trial->count, &trial->size, &fd, sizeof(fd))) {
		close(fd);
		return smc_err_say(&tune->result.err, ENOMEM, "out of memory");
	}
	return 0;
}

/* One more with @row's knob; then everything is as before. */
static int take_place_with(struct trial *trial, const struct tune_row *row)
{
	struct tune *tune = trial->tune;
	unsigned long room, value = 0;
	int ret = read_knob(tune, ROOM, &room), back;
	sigset_t all, old;

	if (!ret && row->knob)
		ret = read_knob(tune, row->knob, &value);
	if (ret)
		return ret;
	sigfillset(&all);
	sigprocmask(SIG_BLOCK, &all, &old);
	ret = write_knob(tune, ROOM, ROOM_LEAST);
	if (!ret && row->knob)
		ret = write_knob(tune, row->knob, row->value);
	if (!ret)
		ret = take_place(trial);
	back = write_knob(tune, ROOM, room);
	if (row->knob)
		back |= write_knob(tune, row->knob, value);
	sigprocmask(SIG_SETMASK, &old, NULL);
	return ret ? ret : back;
}

/* One step to fresh_group(); @before becomes what is there after it. */
static int try_group(struct trial *trial, const struct tune_row *row, struct groups *before,
		     struct smc_lgr *lgr, bool *is_found)
{
	const struct smc_lgr *found;
	struct groups after;
	int ret = take_place_with(trial, row);

	if (!ret)
		ret = read_groups(trial->tune, &after);
	if (ret)
		return ret;
	found = new_group(before, &after);
	*is_found = found;
	if (found)
		*lgr = *found;
	free(before->lgrs);
	*before = after;
	return 0;
}

static int fresh_group(struct trial *trial, const struct tune_row *row, struct smc_lgr *lgr)
{
	struct tune *tune = trial->tune;
	bool is_found = false;
	struct groups before;
	int ret = read_groups(tune, &before);

	if (ret)
		return ret;
	for (int i = 0; i < FILL_MAX && !ret && !is_found; i++) {
		ret = i % ROOM_LEAST ? 0 : ask_all(trial);
		if (!ret)
			ret = try_group(trial, row, &before, lgr, &is_found);
	}
	free(before.lgrs);
	if (!ret && !is_found)
		ret = smc_err_say(&tune->result.err, EBUSY,
				  "no new link group after %d "
				  "connections",
				  FILL_MAX);
	if (!ret)
		chk_debug(tune->req, "%s=%lu: link group %08x, %zu places taken",
			  row->knob ? row->knob : "as it is", row->value, lgr->id, trial->count);
	return ret;
}

/* Did the group get what was tried? What the kernel does not tell of one counts as got. */
static void check_group(struct tune_row *row, const struct smc_lgr *lgr)
{
	if (!row->knob)
		return;
	if (!strcmp(row->knob, "smcr_buf_type") &&
	    (!(lgr->has & SMC_LGR_HAS_BUF_TYPE) || lgr->buf_type != row->value))
		snprintf(row->why, sizeof(row->why), "the link group has another type");
	if (!strcmp(row->knob, "smcr_max_links_per_lgr") &&
	    (!(lgr->has & SMC_LGR_HAS_MAX_LINKS) || lgr->max_links != row->value))
		snprintf(row->why, sizeof(row->why), "the server agrees to another number");
}

/* The measured one goes into the new group, which has room. */
static int open_in(struct trial *trial, const struct smc_lgr *lgr)
{
	struct tune *tune = trial->tune;
	const struct smc_lgr *now;
	struct groups groups;
	int fd = tune_open(tune, trial->bytes, trial->port);
	bool is_in;

	if (fd < 0)
		return -1;
	if (read_groups(tune, &groups)) {
		endpoint_abort(fd);
		return -1;
	}
	now = group_by_id(&groups, lgr->id);
	is_in = now && now->conns == 2;
	free(groups.lgrs);
	if (is_in)
		return fd;
	endpoint_abort(fd);
	smc_err_say(&tune->result.err, EBUSY,
		    "connections of other programs come between; try "
		    "again when there are fewer");
	return -1;
}

static int open_row(struct trial *trial, int n)
{
	struct tune_row *row = &trial->tune->kernel.rows[n];
	struct smc_lgr lgr = { 0 };
	int ret = fresh_group(trial, row, &lgr);

	if (ret)
		return ret;
	if (!(lgr.has & SMC_LGR_HAS_MAX_CONNS) || lgr.max_conns != ROOM_LEAST)
		return smc_err_say(&trial->tune->result.err, EPROTO,
				   "a new link group does not go "
				   "by net.smc of this host: that takes SMC v2.1, kernel 6.8 at "
				   "both ends, and the RDMA device in this network namespace");
	check_group(row, &lgr);
	if (*row->why)
		return 0;
	trial->measured[n] = open_in(trial, &lgr);
	return trial->measured[n] < 0 ? -1 : ask(trial, trial->measured[n]);
}

/* ---- all of them ---- */

static int measure_round(struct trial *trial, int round)
{
	struct tune_table *table = &trial->tune->kernel;

	for (int i = 0; i < table->count; i++) {
		int n = (i + round) % table->count;
		struct tune_row *row = &table->rows[n];

		if (*row->why)
			continue;
		if (tune_measure(trial->tune, trial->measured[n], trial->bytes,
				 &row->values[round]))
			return -1;
		chk_debug(trial->tune->req, "round %d, %s=%lu: %g", round + 1,
			  row->knob ? row->knob : "as it is", row->value, row->values[round]);
	}
	return ask_all(trial);
}

static void end_trial(struct trial *trial)
{
	for (int i = 0; i < TUNE_ROWS; i++)
		if (trial->measured[i] >= 0)
			endpoint_abort(trial->measured[i]);
	for (size_t i = 0; i < trial->count; i++)
		close(trial->places[i]);
	free(trial->places);
	endpoint_set_port(&trial->tune->result.peer, trial->tune->port);
}

int tune_kernel(struct tune *tune, int control)
{
	struct trial trial = { .tune = tune,
			       .control = control,
			       .bytes = tune->sizes.rows[tune->sizes.enough].asked };
	int ret = tune_port(tune, control, trial.bytes, &trial.port);

	choose_rows(tune);
	for (int i = 0; i < TUNE_ROWS; i++)
		trial.measured[i] = -1;
	for (int i = 0; i < tune->kernel.count && !ret; i++)
		ret = open_row(&trial, i);
	for (int i = 0; i < TUNE_ROUNDS && !ret; i++)
		ret = measure_round(&trial, i);
	if (!ret && tune_judge(&tune->kernel))
		ret = smc_err_say(&tune->result.err, ENOMEM, "out of memory");
	end_trial(&trial);
	return ret;
}
