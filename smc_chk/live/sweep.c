// SPDX-License-Identifier: MIT
/* tune --shape sweep: which sizes of messages, and how many clients, gain over SMC. */
#include "smc_chk/live/sweep.h"

#include <pthread.h>

#include "cli/screen.h"
#include "out/list.h"
#include "out/units.h"

void sweep_points(struct sweep *sweep)
{
	static const uint32_t sizes[SWEEP_SIZES] = { 64, 1 << 10, 8 << 10, 64 << 10 };
	static const uint32_t counts[SWEEP_COUNTS] = { 1, 4, SWEEP_CLIENTS };

	for (int i = 0; i < SWEEP_POINTS; i++) {
		sweep->points[i].bytes = sizes[i / SWEEP_COUNTS];
		sweep->points[i].clients = counts[i % SWEEP_COUNTS];
	}
}

void sweep_judge(struct sweep *sweep)
{
	for (int i = 0; i < SWEEP_POINTS; i++) {
		struct sweep_point *point = &sweep->points[i];

		numbers_compare(&point->numbers, point->tcp, point->smc, TUNE_ROUNDS, true);
	}
}

/* ---- measuring ---- */

/* struct sweep_client - a thread that exchanges messages; @rate: how many a second, 0: failed */
struct sweep_client {
	pthread_t thread;
	int fd;
	size_t bytes;
	double rate;
	struct client_result result;
	struct stream_limit limit;
};

static void *exchange(void *arg)
{
	struct sweep_client *client = arg;

	if (measure_rpc(&client->result, client->fd, client->bytes, &client->limit, &client->rate))
		client->rate = 0;
	return NULL;
}

/* Return: exchanges per second of all clients; 0 with a message in @err. */
static double measure_clients(const int *fds, const struct sweep_point *point, int timeout_ms,
			      struct smc_err *err)
{
	struct sweep_client clients[SWEEP_CLIENTS] = { 0 };
	uint32_t started = 0;
	double sum = 0;
	int ret = 0;

	for (; !ret && started < point->clients; started += !ret) {
		struct sweep_client *client = &clients[started];

		client->fd = fds[started];
		client->bytes = point->bytes;
		client->limit = measure_limit(timeout_ms);
		ret = pthread_create(&client->thread, NULL, exchange, client);
	}
	for (uint32_t i = 0; i < started; i++) {
		pthread_join(clients[i].thread, NULL);
		sum += clients[i].rate;
		if (!clients[i].rate)
			*err = clients[i].result.err;
	}
	if (ret)
		smc_err_set(err, ret, "cannot start a client");
	return err->code ? 0 : sum;
}

static int measure_point(struct sweep *sweep, struct sweep_point *point, int round, const int *smc,
			 const int *tcp)
{
	const int ms = sweep->req->timeout_ms;
	struct smc_err *err = &sweep->result.err;

	point->smc[round] = measure_clients(smc, point, ms, err);
	if (!err->code)
		point->tcp[round] = measure_clients(tcp, point, ms, err);
	return err->code ? -1 : 0;
}

/* Every round measures each point once: other load disturbs all of them alike. */
static int measure_rounds(struct sweep *sweep, const int *smc, const int *tcp)
{
	char size[OUT_UNITS];
	int ret = 0;

	for (int i = 0; !ret && i < TUNE_ROUNDS * SWEEP_POINTS; i++) {
		struct sweep_point *point = &sweep->points[i % SWEEP_POINTS];

		cli_progress("step %d of %d: %s, clients: %" PRIu32, i + 1,
			     TUNE_ROUNDS * SWEEP_POINTS, out_size(size, point->bytes),
			     point->clients);
		ret = measure_point(sweep, point, i / SWEEP_POINTS, smc, tcp);
	}
	cli_progress_end();
	return ret;
}

/* Connect a client; the server drops one that is silent for its first 10 seconds. */
static int open_client(struct sweep *sweep, bool is_smc)
{
	const int ms = sweep->req->timeout_ms;
	const struct stream_limit limit = measure_limit(ms);
	uint64_t ns;
	int fd = measure_open(&sweep->result, is_smc, 0, ms, &ns);

	if (fd < 0)
		return -1;
	if (is_smc && endpoint_is_tcp(fd))
		smc_err_say(&sweep->result.err, EPROTO, "one of %d connections fell back to TCP",
			    SWEEP_CLIENTS);
	if (!sweep->result.err.code && !exchange_data(&sweep->result, fd, PROTO_ECHO, 1, &limit))
		return fd;
	endpoint_abort(fd);
	return -1;
}

int sweep_measure(struct sweep *sweep)
{
	struct client_result *result = &sweep->result;
	const union endpoint_addr peer = result->peer;
	int fds[2 * SWEEP_CLIENTS], count = 0, ret = -1;
	int *const smc = fds, *const tcp = fds + SWEEP_CLIENTS;

	/* The first connection holds the server's port of plain TCP open. */
	for (; count < SWEEP_CLIENTS; count++)
		if ((smc[count] = open_client(sweep, true)) < 0)
			goto out;
	tcp[0] = measure_open_tcp(result, smc[0], sweep->req->timeout_ms);
	if (tcp[0] < 0)
		goto out;
	for (count++; count < 2 * SWEEP_CLIENTS; count++)
		if ((fds[count] = open_client(sweep, false)) < 0)
			goto out;
	ret = measure_rounds(sweep, smc, tcp);
	if (!ret)
		sweep_judge(sweep);
out:
	result->peer = peer;
	while (count--)
		endpoint_abort(fds[count]);
	return ret;
}

/* ---- text ---- */

/** struct sweep_row - a point as text */
struct sweep_row {
	char size[OUT_UNITS], tcp[24], smc[24], ratio[16], interval[32];
	uint32_t clients;
	const char *mark;
};

static const struct out_col columns[] = {
	{ "size", "message", NULL, 8, OUT_RIGHT, OUT_STR(sweep_row, size) },
	{ "clients", "clients", NULL, 7, OUT_RIGHT, OUT_DEC(sweep_row, clients, 0) },
	{ "smc", "SMC 1/s", NULL, 9, OUT_RIGHT, OUT_STR(sweep_row, smc), OUT_RANK(1) },
	{ "tcp", "TCP 1/s", NULL, 9, OUT_RIGHT, OUT_STR(sweep_row, tcp), OUT_RANK(2) },
	{ "ratio", "SMC/TCP", NULL, 7, OUT_RIGHT, OUT_STR(sweep_row, ratio) },
	{ "interval", "95 %", NULL, 10, OUT_RIGHT, OUT_GAP, OUT_STR(sweep_row, interval),
	  OUT_RANK(3) },
	{ "mark", "", NULL, 0, OUT_PTR(sweep_row, mark) },
	{ 0 },
};

/* Return: 1: SMC is faster, -1: TCP is, 0: neither is shown to be. */
static int winner(const struct numbers *numbers)
{
	if (!numbers->has_interval)
		return 0;
	return numbers->low > 1 ? 1 : numbers->high < 1 ? -1 : 0;
}

static void put_point(struct out_list *list, const struct sweep_point *point)
{
	static const char *const marks[] = { "<- TCP", "", "SMC" };
	const struct numbers *numbers = &point->numbers;
	struct sweep_row row = { .clients = point->clients };

	out_size(row.size, point->bytes);
	snprintf(row.smc, sizeof(row.smc), "%.0f", numbers->other);
	snprintf(row.tcp, sizeof(row.tcp), "%.0f", numbers->one);
	snprintf(row.ratio, sizeof(row.ratio), "%.2f", numbers->ratio);
	if (numbers->has_interval)
		snprintf(row.interval, sizeof(row.interval), "%.2f-%.2f", numbers->low,
			 numbers->high);
	row.mark = marks[1 + winner(numbers)];
	out_list_row(list, &row);
}

void sweep_text(struct out_text *text, const struct sweep *sweep)
{
	struct out_view view = { .count = 0 };
	char peer[ENDPOINT_TEXT_SIZE];
	struct out_list list;
	int wins[3] = { 0 };

	out_printf(text, "Shape sweep, %s port %u, %s and TCP, medians of %d rounds\n",
		   endpoint_text(peer, &sweep->result.peer), endpoint_port(&sweep->result.peer),
		   smc_mode_name(sweep->result.mode), TUNE_ROUNDS);
	out_view_add(&view, columns, "size,clients,smc,tcp,ratio,interval,mark");
	out_list_begin(&list, &view, text, sweep->req->width, true);
	for (int i = 0; i < SWEEP_POINTS; i++) {
		put_point(&list, &sweep->points[i]);
		wins[1 + winner(&sweep->points[i].numbers)]++;
	}
	out_list_end(&list);
	out_printf(text, "SMC is faster in %d rows, TCP in %d, neither measurably in %d.\n",
		   wins[2], wins[0], wins[1]);
}

/* ---- JSON ---- */

static json_t *json_point(const struct sweep_point *point)
{
	const struct numbers *numbers = &point->numbers;
	json_t *interval =
		numbers->has_interval ? json_pack("[f, f]", numbers->low, numbers->high) : NULL;

	return json_pack("{s:i, s:i, s:f, s:o*, s:o, s:o}", "bytes", point->bytes, "clients",
			 point->clients, "ratio", numbers->ratio, "interval", interval, "smc",
			 tune_json_values(point->smc), "tcp", tune_json_values(point->tcp));
}

json_t *sweep_json(const struct sweep *sweep)
{
	json_t *points = json_array();

	for (int i = 0; i < SWEEP_POINTS; i++)
		json_array_append_new(points, json_point(&sweep->points[i]));
	return json_pack("{s:s, s:o, s:s, s:s, s:s, s:o}", "schema", "smc-tools/check-tune/1",
			 "host", out_json_str(sweep->req->object), "mode",
			 smc_mode_name(sweep->result.mode), "shape", "sweep", "unit", "1/s",
			 "points", points);
}
