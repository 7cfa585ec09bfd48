// SPDX-License-Identifier: MIT
/* lib/netlink/diag over a netlink socket with all answers that a kernel can give, and worse. */
#include "fake_netlink.h"

#include "netlink/diag.h"
#include "smc/sock.h"

static struct {
	unsigned int count;
	uint8_t families[64];
	unsigned int fail_at; /* 1: the first message */
	int result;
} seen;
static struct smc_err err;

static int note(const struct nlmsghdr *nlh, void *arg)
{
	assert_ptr_equal(arg, &seen);
	if (seen.count < sizeof(seen.families))
		seen.families[seen.count] = *(const uint8_t *)NLMSG_DATA(nlh);
	return ++seen.count == seen.fail_at ? seen.result : 0;
}

static int dump(void)
{
	const struct smc_abi_diag_req req = smc_sock_request(1);
	int ret;

	seen.count = 0;
	memset(&err, 0xff, sizeof(err));
	ret = smc_diag_dump(&req, sizeof(req), 0, note, &seen, &err);
	assert_int_equal(fake_open(), 0);
	assert_int_equal(err.code, -ret);
	return ret;
}

static struct message row(uint8_t family)
{
	const struct smc_abi_diag_msg msg = { .family = family };
	struct message m;

	message_sock(&m, &msg);
	return m;
}

static void add_row(uint8_t family)
{
	struct message m = row(family);

	fake_message(&m);
}

TEST(whole)
{
	struct message second = row(2), third = row(10);

	add_row(43);
	fake_also(&second);
	fake_message(&third);
	fake_done(0);
	assert_int_equal(dump(), 0);
	assert_int_equal(seen.count, 3);
	assert_memory_equal(seen.families, "\x2b\x02\x0a", 3);
	assert_int_equal(fake.next, fake.n_steps);
}

TEST(request)
{
	const struct nlmsghdr *nlh = &fake.request.nlh;
	uint8_t want[52] = { 43, 0, 0, 1 };

	fake_done(0);
	assert_int_equal(dump(), 0);
	assert_int_equal(nlh->nlmsg_len, NLMSG_HDRLEN + 52);
	assert_int_equal(nlh->nlmsg_type, 20);
	assert_int_equal(nlh->nlmsg_flags, 0x301);
	assert_memory_equal(NLMSG_DATA(nlh), want, sizeof(want));
}

#define REFUSED "*kernel refused *: "

TEST(refusals)
{
	static const struct {
		int code;
		const char *text, *want;
	} rows[] = {
		{ EPERM, NULL, REFUSED "Operation not permitted" },
		{ EPERM, "not here", REFUSED "Operation not permitted: not here" },
		/* libmnl's error for an answer to another request: keep them apart. */
		{ ESRCH, NULL, REFUSED "No such process" },
		{ EPROTO, NULL, REFUSED "Protocol error" },
	};

	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		fake_reset();
		fake_answer(rows[i].code, rows[i].text);
		assert_int_equal(dump(), -rows[i].code);
		assert_like(err.text, rows[i].want);
		assert_int_equal(seen.count, 0);
	}
}

TEST(interrupted)
{
	struct message m = row(43);

	m.nlh.nlmsg_flags |= NLM_F_DUMP_INTR;
	fake_message(&m);
	fake_done(0);
	assert_int_equal(dump(), -EINTR);
	assert_non_null(strstr(err.text, "changed while it was being read"));
}

/* errno is stale after a skipped answer or an interrupted call. */
TEST(stale_errno)
{
	seen.fail_at = 1;
	seen.result = -ENOMEM;
	struct message m = row(1);

	m.nlh.nlmsg_seq = 0xdead;
	fake_message(&m);
	fake_answer(EPERM, NULL);
	assert_int_equal(dump(), -EPERM);
	fake_error(EINTR);
	fake_answer(EPERM, NULL);
	assert_int_equal(dump(), -EPERM);
	fake_error(EINTR);
	add_row(43);
	assert_int_equal(dump(), -ENOMEM);
}

/* A thread receives the parts after the first ones: same rows, same order. */
static void add_rows(unsigned int count)
{
	for (unsigned int i = 0; i < count; i++)
		add_row((uint8_t)i);
}

TEST(long_list)
{
	for (unsigned int count = 2; count <= ARRAY_SIZE(seen.families); count += 3) {
		fake_reset();
		add_rows(count);
		fake_error(EINTR);
		fake_done(0);
		assert_int_equal(dump(), 0);
		assert_int_equal(seen.count, count);
		for (unsigned int i = 0; i < count; i++)
			assert_int_equal(seen.families[i], i);
		assert_int_equal(fake.next, fake.n_steps);
	}
}

/* The thread ends with the list, with data still pending. */
TEST(long_list_left)
{
	for (unsigned int end = 1; end <= 60; end++) {
		seen.fail_at = end;
		seen.result = -ENOMEM;

		fake_reset();
		add_rows(60);
		fake_done(0);
		assert_int_equal(dump(), -ENOMEM);
		assert_int_equal(seen.count, end);
	}
}

static void receive_error(unsigned int before, int error, int want)
{
	fake_reset();
	add_rows(before);
	fake_error(error);
	assert_int_equal(dump(), -want);
	assert_int_equal(seen.count, before);
	assert_like(err.text, "cannot receive *: *");
	assert_non_null(strstr(err.text, strerror(want)));
}

TEST(receive_errors)
{
	static const struct {
		int error, want;
	} rows[] = {
		{ ENOBUFS, ENOBUFS },
		{ EAGAIN, ETIMEDOUT },
		{ ENOSPC, ENOSPC }, /* libmnl: the message did not fit */
		{ ENOMEM, ENOMEM },
	};

	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		receive_error(1, rows[i].error, rows[i].want);
		receive_error(40, rows[i].error, rows[i].want);
	}
}

TEST(signals)
{
	fake_error(EINTR);
	add_row(43);
	fake_error(EINTR);
	fake_error(EINTR);
	fake_done(0);
	assert_int_equal(dump(), 0);
	assert_int_equal(seen.count, 1);
}

TEST(set_up_errors)
{
	fake.socket_error = EMFILE;
	assert_int_equal(dump(), -EMFILE);
	fake_reset();
	fake.bind_error = EADDRINUSE;
	assert_int_equal(dump(), -EADDRINUSE);
	fake_reset();
	fake.send_error = EPERM;
	assert_int_equal(dump(), -EPERM);
	assert_like(err.text, "cannot ask *: Operation not permitted");
}

/* Callers may pass no struct smc_err. */
TEST(without_err)
{
	const struct smc_abi_diag_req req = smc_sock_request(0);
	seen.fail_at = 1;
	seen.result = -ENOMEM;

	fake_answer(EPERM, NULL);
	assert_int_equal(smc_diag_dump(&req, sizeof(req), 0, note, &seen, NULL), -EPERM);
	add_row(43);
	assert_int_equal(smc_diag_dump(&req, sizeof(req), 0, note, &seen, NULL), -ENOMEM);
	assert_int_equal(smc_diag_dump(&req, sizeof(req), 0, note, &seen, NULL), -ETIMEDOUT);
}

FIXTURE(reset)
{
	memset(&seen, 0, sizeof(seen));
	fake_reset();
	return 0;
}

static struct fixture fixture = { .setup = reset, .last = reset };
