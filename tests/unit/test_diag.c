// SPDX-License-Identifier: MIT
/* lib/netlink/diag over a netlink socket with all answers that a kernel can give, and worse. */
#include "fake_netlink.h"

#include <stdio.h>

#include "netlink/diag.h"
#include "smc/sock.h"

struct seen {
	unsigned int count;
	uint8_t families[64];
	unsigned int fail_at; /* 1: the first message */
	int result;
};

static int note(const struct nlmsghdr *nlh, void *arg)
{
	struct seen *seen = arg;

	if (seen->count < sizeof(seen->families))
		seen->families[seen->count] = *(const uint8_t *)NLMSG_DATA(nlh);
	return ++seen->count == seen->fail_at ? seen->result : 0;
}

static int dump(struct seen *seen, struct smc_err *err)
{
	const struct smc_abi_diag_req req = smc_sock_request(1);
	int ret;

	memset(err, 0xff, sizeof(*err));
	ret = smc_diag_dump(&req, sizeof(req), 0, note, seen, err);
	assert_int_equal(fake.open, 0);
	if (!ret)
		assert_int_equal(err->code, 0);
	else
		assert_int_equal(err->code, -ret);
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
	struct seen seen = { 0 };
	struct message second = row(2), third = row(10);
	struct smc_err err;

	add_row(43);
	fake_also(&second);
	fake_message(&third);
	fake_done(0);
	assert_int_equal(dump(&seen, &err), 0);
	assert_int_equal(seen.count, 3);
	assert_memory_equal(seen.families, "\x2b\x02\x0a", 3);
	assert_int_equal(fake.next, fake.n_steps);
}

TEST(request)
{
	const struct nlmsghdr *nlh = (const struct nlmsghdr *)fake.request;
	uint8_t want[52] = { 43, 0, 0, 1 };
	struct seen seen = { 0 };
	struct smc_err err;

	fake_done(0);
	assert_int_equal(dump(&seen, &err), 0);
	assert_int_equal(fake.request_len, NLMSG_HDRLEN + 52);
	assert_int_equal(nlh->nlmsg_len, fake.request_len);
	assert_int_equal(nlh->nlmsg_type, 20);
	assert_int_equal(nlh->nlmsg_flags, 0x301);
	assert_memory_equal(NLMSG_DATA(nlh), want, sizeof(want));
}

TEST(empty)
{
	struct seen seen = { 0 };
	struct smc_err err;

	fake_done(0);
	assert_int_equal(dump(&seen, &err), 0);
	assert_int_equal(seen.count, 0);
}

/* An error message quotes the request, or only its header, and may have a text. */
static void refuse(int code, bool is_capped, const char *text)
{
	struct nlmsgerr refusal = { .error = -code };
	uint8_t request_body[52] = { 43 };
	struct message m;

	message_start(&m, NLMSG_ERROR);
	m.nlh.nlmsg_flags =
		(uint16_t)((is_capped ? NLM_F_CAPPED : 0) | (text ? NLM_F_ACK_TLVS : 0));
	refusal.msg.nlmsg_len = NLMSG_HDRLEN + sizeof(request_body);
	message_put(&m, &refusal, sizeof(refusal));
	if (!is_capped)
		message_put(&m, request_body, sizeof(request_body));
	if (text) {
		message_attr(&m, NLMSGERR_ATTR_OFFS, "\1\0\0", 4);
		message_attr(&m, NLMSGERR_ATTR_MSG, text, strlen(text) + 1);
	}
	fake_message(&m);
}

#define REFUSED "*kernel refused *: "

TEST(refusals)
{
	static const struct {
		int code;
		bool is_capped;
		const char *text;
		const char *want;
	} rows[] = {
		{ ENOENT, false, NULL, REFUSED "No such file or directory" },
		{ ENOENT, true, NULL, REFUSED "No such file or directory" },
		{ EPERM, false, NULL, REFUSED "Operation not permitted" },
		{ EPERM, false, "not in this namespace",
		  REFUSED "Operation not permitted: not in this namespace" },
		{ EPERM, true, "not in this namespace",
		  REFUSED "Operation not permitted: not in this namespace" },
		{ EINVAL, true, NULL, REFUSED "Invalid argument" },
		/* libmnl's error for an answer to another request: keep them apart. */
		{ ESRCH, true, NULL, REFUSED "No such process" },
		{ EPROTO, true, NULL, REFUSED "Protocol error" },
	};

	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		struct seen seen = { 0 };
		struct smc_err err;

		fake_reset();
		refuse(rows[i].code, rows[i].is_capped, rows[i].text);
		assert_int_equal(dump(&seen, &err), -rows[i].code);
		assert_like(err.text, rows[i].want);
		assert_int_equal(seen.count, 0);
	}
}

/* The text must end inside its attribute, and the quoted request inside the message. */
TEST(lying_refusals)
{
	struct nlmsgerr refusal = { .error = -EPERM };
	struct seen seen = { 0 };
	struct smc_err err;
	struct message m;

	message_start(&m, NLMSG_ERROR);
	m.nlh.nlmsg_flags = NLM_F_CAPPED | NLM_F_ACK_TLVS;
	message_put(&m, &refusal, sizeof(refusal));
	message_attr(&m, NLMSGERR_ATTR_MSG, "no end", 6);
	fake_message(&m);
	assert_int_equal(dump(&seen, &err), -EPERM);
	assert_null(strstr(err.text, "no end"));

	for (uint32_t len = 0xffffffff; len >= 17; len /= 3) {
		fake_reset();
		refusal.msg.nlmsg_len = len;
		message_start(&m, NLMSG_ERROR);
		m.nlh.nlmsg_flags = NLM_F_ACK_TLVS;
		message_put(&m, &refusal, sizeof(refusal));
		fake_message(&m);
		assert_int_equal(dump(&seen, &err), -EPERM);
	}
}

TEST(short_refusals)
{
	const struct nlmsgerr refusal = { .error = -EPERM };

	for (size_t len = 0; len < sizeof(refusal); len += 3) {
		struct seen seen = { 0 };
		struct smc_err err;
		struct message m;

		fake_reset();
		message_start(&m, NLMSG_ERROR);
		message_put(&m, &refusal, len);
		fake_message(&m);
		assert_int_equal(dump(&seen, &err), -EBADMSG);
		assert_non_null(strstr(err.text, "short error message"));
	}
}

/* Both netlink libraries treat this as success. */
TEST(done_with_error)
{
	static const int codes[] = { EINVAL, EPERM, ENOMEM, ESRCH, EPROTO };

	for (size_t i = 0; i < ARRAY_SIZE(codes); i++) {
		struct seen seen = { 0 };
		struct smc_err err;

		fake_reset();
		add_row(43);
		fake_done(-codes[i]);
		assert_int_equal(dump(&seen, &err), -codes[i]);
		assert_int_equal(seen.count, 1);
		assert_like(err.text, REFUSED "*");
	}
}

TEST(done_with_text)
{
	const int code = -EINVAL;
	struct seen seen = { 0 };
	struct smc_err err;
	struct message m;

	message_start(&m, NLMSG_DONE);
	m.nlh.nlmsg_flags |= NLM_F_ACK_TLVS;
	message_put(&m, &code, sizeof(code));
	message_attr(&m, NLMSGERR_ATTR_MSG, "bad filter", 11);
	fake_message(&m);
	assert_int_equal(dump(&seen, &err), -EINVAL);
	assert_non_null(strstr(err.text, "Invalid argument: bad filter"));
}

TEST(done_short)
{
	for (size_t len = 0; len < sizeof(int); len++) {
		struct seen seen = { 0 };
		struct smc_err err;
		struct message m;

		fake_reset();
		message_start(&m, NLMSG_DONE);
		message_put(&m, "\0\0\0", len);
		fake_message(&m);
		assert_int_equal(dump(&seen, &err), -EBADMSG);
	}
}

/* The flag may be on any message, including the last; 0: row 1, 1: row 2, 2: DONE. */
TEST(interrupted)
{
	for (int where = 0; where < 3; where++) {
		const int code = 0;
		struct seen seen = { 0 };
		struct smc_err err;
		struct message m;

		fake_reset();
		for (int i = 0; i < 2; i++) {
			m = row(43);
			if (i == where)
				m.nlh.nlmsg_flags |= NLM_F_DUMP_INTR;
			fake_message(&m);
		}
		message_start(&m, NLMSG_DONE);
		if (where == 2)
			m.nlh.nlmsg_flags |= NLM_F_DUMP_INTR;
		message_put(&m, &code, sizeof(code));
		fake_message(&m);
		assert_int_equal(dump(&seen, &err), -EINTR);
		assert_non_null(strstr(err.text, "changed while it was being read"));
	}
}

TEST(foreign_answers)
{
	struct nlmsgerr refusal = { .error = -EPERM };
	struct seen seen = { 0 };
	struct smc_err err;
	struct message m = row(1);

	m.nlh.nlmsg_seq = 0xdead;
	fake_message(&m);
	m = row(1);
	m.nlh.nlmsg_pid = FAKE_PORTID + 1;
	fake_message(&m);
	message_start(&m, NLMSG_ERROR);
	message_put(&m, &refusal, sizeof(refusal));
	m.nlh.nlmsg_seq = 0xdead;
	fake_message(&m);
	add_row(43);
	fake_done(0);
	assert_int_equal(dump(&seen, &err), 0);
	assert_int_equal(seen.count, 1);
	assert_int_equal(seen.families[0], 43);
}

/* errno is stale after a skipped answer or an interrupted call. */
TEST(stale_errno)
{
	struct seen seen = { .fail_at = 1, .result = -ENOMEM };
	struct smc_err err;
	struct message m = row(1);

	m.nlh.nlmsg_seq = 0xdead;
	fake_message(&m);
	fake_refusal(EPERM);
	assert_int_equal(dump(&seen, &err), -EPERM);
	fake_error(EINTR);
	fake_refusal(EPERM);
	assert_int_equal(dump(&seen, &err), -EPERM);
	fake_error(EINTR);
	add_row(43);
	assert_int_equal(dump(&seen, &err), -ENOMEM);
}

/* A thread receives the parts after the first ones: same rows, same order. */
static void add_rows(unsigned int count)
{
	for (unsigned int i = 0; i < count; i++)
		add_row((uint8_t)i);
}

TEST(long_list)
{
	for (unsigned int count = 2; count <= ARRAY_SIZE((struct seen){ 0 }.families); count += 3) {
		struct seen seen = { 0 };
		struct smc_err err;

		fake_reset();
		add_rows(count);
		fake_error(EINTR);
		fake_done(0);
		assert_int_equal(dump(&seen, &err), 0);
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
		struct seen seen = { .fail_at = end, .result = -ENOMEM };
		struct smc_err err;

		fake_reset();
		add_rows(60);
		fake_done(0);
		assert_int_equal(dump(&seen, &err), -ENOMEM);
		assert_int_equal(seen.count, end);
	}
}

static void receive_error(unsigned int before, int error, int want)
{
	struct seen seen = { 0 };
	struct smc_err err;

	fake_reset();
	add_rows(before);
	fake_error(error);
	assert_int_equal(dump(&seen, &err), -want);
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
	struct seen seen = { 0 };
	struct smc_err err;

	fake_error(EINTR);
	add_row(43);
	fake_error(EINTR);
	fake_error(EINTR);
	fake_done(0);
	assert_int_equal(dump(&seen, &err), 0);
	assert_int_equal(seen.count, 1);
}

TEST(overrun)
{
	struct seen seen = { 0 };
	struct smc_err err;
	struct message m;

	message_start(&m, NLMSG_OVERRUN);
	fake_message(&m);
	assert_int_equal(dump(&seen, &err), -ENOBUFS);
	assert_non_null(strstr(err.text, "messages were lost"));
}

TEST(callback_errors)
{
	static const int codes[] = { ENOMEM, EBADMSG, ESRCH, EPROTO, EINTR };

	for (size_t i = 0; i < ARRAY_SIZE(codes); i++) {
		struct seen seen = { .fail_at = 2, .result = -codes[i] };
		struct smc_err err;

		fake_reset();
		add_row(43);
		add_row(43);
		add_row(43);
		fake_done(0);
		assert_int_equal(dump(&seen, &err), -codes[i]);
		assert_int_equal(seen.count, 2);
	}
}

TEST(other_messages)
{
	static const uint16_t types[] = { NLMSG_NOOP, 5, 15, 16, 19, 21, 0x7fff };
	struct seen seen = { 0 };
	struct smc_err err;
	struct message m;

	for (size_t i = 0; i < ARRAY_SIZE(types); i++) {
		message_start(&m, types[i]);
		message_put(&m, "other", 6);
		fake_message(&m);
	}
	add_row(43);
	fake_done(0);
	assert_int_equal(dump(&seen, &err), 0);
	assert_int_equal(seen.count, 1);
}

TEST(set_up_errors)
{
	struct seen seen = { 0 };
	struct smc_err err;

	fake.open_error = EMFILE;
	assert_int_equal(dump(&seen, &err), -EMFILE);
	fake_reset();
	fake.bind_error = EADDRINUSE;
	assert_int_equal(dump(&seen, &err), -EADDRINUSE);
	fake_reset();
	fake.send_error = EPERM;
	assert_int_equal(dump(&seen, &err), -EPERM);
	assert_like(err.text, "cannot ask *: Operation not permitted");
}

/* Callers may pass no struct smc_err. */
TEST(without_err)
{
	const struct smc_abi_diag_req req = smc_sock_request(0);
	struct seen seen = { .fail_at = 1, .result = -ENOMEM };

	fake_refusal(EPERM);
	assert_int_equal(smc_diag_dump(&req, sizeof(req), 0, note, &seen, NULL), -EPERM);
	add_row(43);
	assert_int_equal(smc_diag_dump(&req, sizeof(req), 0, note, &seen, NULL), -ENOMEM);
	assert_int_equal(smc_diag_dump(&req, sizeof(req), 0, note, &seen, NULL), -ETIMEDOUT);
}

static struct fixture fixture = { .setup = fake_setup, .last = fake_setup };
