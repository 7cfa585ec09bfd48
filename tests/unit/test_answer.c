// SPDX-License-Identifier: MIT
/* lib/netlink/answer: decode the messages of one buffer, in any order and of any length. */
#include "test.h"

#include "netlink/answer.h"

#define SEQ 77
#define PORT 4711
#define TYPE 0x20

static struct {
	unsigned int count, fail_at; /* 1: the first */
	int result;
	uint16_t types[16];
} seen;
static struct answer answer;

static int note(const struct nlmsghdr *nlh, void *arg)
{
	assert_ptr_equal(arg, &seen);
	assert_true(seen.count < ARRAY_SIZE(seen.types));
	seen.types[seen.count++] = nlh->nlmsg_type;
	return seen.count == seen.fail_at ? seen.result : 0;
}

/* Messages received by one call. */
static struct buffer {
	_Alignas(struct nlmsghdr) uint8_t bytes[4096];
	size_t len;
} buffer;

static void add(const struct message *m)
{
	size_t len = NLMSG_ALIGN(m->nlh.nlmsg_len);

	assert_true(buffer.len + len <= sizeof(buffer.bytes));
	memcpy(buffer.bytes + buffer.len, m->bytes, len);
	buffer.len += len;
}

static struct message begin(uint16_t type, uint16_t flags)
{
	struct message m;

	message_start(&m, type);
	m.nlh.nlmsg_flags = flags;
	m.nlh.nlmsg_seq = SEQ;
	m.nlh.nlmsg_pid = PORT;
	return m;
}

static void add_row(uint16_t type, uint16_t flags)
{
	struct message m = begin(type, flags);

	message_put(&m, "row", 4);
	add(&m);
}

static void add_done(int code, uint16_t flags, const char *text)
{
	struct message m = begin(NLMSG_DONE, flags);

	message_put(&m, &code, sizeof(code));
	if (text)
		message_attr(&m, NLMSGERR_ATTR_MSG, text, strlen(text) + 1);
	add(&m);
}

static int take(void)
{
	answer = (struct answer){ .seq = SEQ, .port = PORT, .fn = note, .arg = &seen };
	answer_take(&answer, buffer.bytes, buffer.len);
	buffer.len = 0;
	return answer.code;
}

TEST(rows)
{
	add_row(TYPE, 0);
	add_row(NLMSG_NOOP, 0);
	add_row(TYPE + 1, 0);
	take();
	assert_int_equal(seen.count, 2);
	assert_true(seen.types[0] == TYPE && seen.types[1] == TYPE + 1);
	assert_false(answer.is_done || answer.is_ended || answer.is_interrupted || answer.code);
	add_row(TYPE, 0);
	add_done(0, 0, NULL);
	take();
	assert_int_equal(seen.count, 3);
	assert_true(answer.is_done && !answer.is_ended && !answer.code);
	assert_string_equal(answer.text, "");
}

/* A positive number is no error; text only belongs to errors. */
TEST(ends)
{
	static const struct {
		int code;
		uint16_t flags;
		const char *text;
		int want;
		const char *words;
	} cases[] = {
		{ 0, 0, NULL, 0, "" },
		{ 5, 0, NULL, 0, "" },
		{ 0, NLM_F_ACK_TLVS, "hint", 0, "" },
		{ -EPERM, 0, NULL, EPERM, "" },
		{ -1, NLM_F_ACK_TLVS, "why", 1, "why" },
		{ -EPERM, 0, "no flag", EPERM, "" },
		{ INT32_MIN, 0, NULL, EBADMSG, "" },
	};

	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		add_done(cases[i].code, cases[i].flags, cases[i].text);
		take();
		assert_true(answer.is_done && !answer.is_ended);
		assert_int_equal(answer.code, cases[i].want);
		assert_string_equal(answer.text, cases[i].words);
		assert_int_equal(seen.count, 0);
	}
}

/* @quoted: bytes of the request in the message; its own length field is @said. */
static void refuse(int error, uint16_t flags, size_t quoted, uint32_t said, const char *text)
{
	struct nlmsgerr msg = { .error = error, .msg.nlmsg_len = said };
	struct message m = begin(NLMSG_ERROR, flags);
	static const uint8_t body[64];

	message_put(&m, &msg, sizeof(msg));
	message_put(&m, body, quoted);
	if (text) {
		message_attr(&m, NLMSGERR_ATTR_OFFS, "\0\0\0", 4);
		message_attr(&m, NLMSGERR_ATTR_MSG, text, strlen(text) + 1);
	}
	add(&m);
	take();
}

TEST(refusals)
{
	static const struct {
		int error;
		uint16_t flags;
		size_t quoted;
		uint32_t said;
		const char *text;
		int code;
		const char *words;
	} cases[] = {
		{ -EPERM, 0, 0, 0, NULL, EPERM, "" },
		{ -1, NLM_F_ACK_TLVS, 0, NLMSG_HDRLEN, "no body", 1, "no body" },
		{ -EPERM, NLM_F_ACK_TLVS, 8, NLMSG_HDRLEN + 8, "quoted", EPERM, "quoted" },
		{ -EPERM, NLM_F_ACK_TLVS, 8, NLMSG_HDRLEN + 5, "padded", EPERM, "padded" },
		{ -EPERM, NLM_F_ACK_TLVS | NLM_F_CAPPED, 0, NLMSG_HDRLEN + 8, "capped", EPERM,
		  "capped" },
		{ -EPERM, 0, 8, NLMSG_HDRLEN + 8, "no flag", EPERM, "" },
		{ -EPERM, NLM_F_ACK_TLVS, 0, 3, "short length", EPERM, "short length" },
		{ -EPERM, NLM_F_ACK_TLVS, 0, 60000, "beyond", EPERM, "" },
		{ -EPERM, NLM_F_ACK_TLVS, 0, UINT32_MAX, "far beyond", EPERM, "" },
		{ 0, NLM_F_ACK_TLVS, 0, NLMSG_HDRLEN, "done", 0, "" },
		{ 7, NLM_F_ACK_TLVS, 0, NLMSG_HDRLEN, "odd", EBADMSG, "odd" },
		{ 1, 0, 0, NLMSG_HDRLEN, NULL, EBADMSG, "" },
	};

	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		refuse(cases[i].error, cases[i].flags, cases[i].quoted, cases[i].said,
		       cases[i].text);
		assert_true(answer.is_done && !answer.is_ended);
		assert_int_equal(answer.code, cases[i].code);
		assert_string_equal(answer.text, cases[i].words);
	}
}

/* Each answer is a byte too short for its type. */
TEST(short_messages)
{
	static const uint8_t bytes[sizeof(struct nlmsgerr)] = { 0 };
	struct message m = begin(NLMSG_ERROR, 0);

	message_put(&m, bytes, sizeof(struct nlmsgerr) - 1);
	add(&m);
	assert_int_equal(take(), EBADMSG);
	assert_string_equal(answer.text, "short error message");
	m = begin(NLMSG_DONE, 0);
	message_put(&m, bytes, sizeof(int) - 1);
	add(&m);
	assert_int_equal(take(), EBADMSG);
	assert_string_equal(answer.text, "short end of dump");
	add_row(NLMSG_OVERRUN, 0);
	take();
	assert_true(answer.is_done);
	assert_int_equal(answer.code, ENOBUFS);
	assert_string_equal(answer.text, "messages were lost");
	assert_int_equal(seen.count, 0);
}

/* After a change of the table no row is reported; the end is still expected. */
TEST(interruption)
{
	add_row(TYPE, 0);
	add_row(TYPE, NLM_F_DUMP_INTR);
	add_row(TYPE, 0);
	take();
	assert_int_equal(seen.count, 1);
	assert_true(answer.is_interrupted && !answer.is_done && !answer.code);
	add_row(TYPE, 0);
	add_done(0, NLM_F_DUMP_INTR, NULL);
	take();
	assert_int_equal(seen.count, 2);
	assert_true(answer.is_interrupted && answer.is_done && !answer.code);
}

TEST(callback)
{
	seen.fail_at = 2;
	seen.result = -ENOMEM;
	for (int i = 0; i < 3; i++)
		add_row(TYPE, 0);
	take();
	assert_int_equal(seen.count, 2);
	assert_true(answer.is_done && answer.is_ended);
	assert_int_equal(answer.code, ENOMEM);
	assert_string_equal(answer.text, "");
}

/* Answers to another request, or for another socket: no row, flag or end counts. */
TEST(others)
{
	const struct message kinds[] = { begin(TYPE, NLM_F_DUMP_INTR), begin(NLMSG_DONE, 0),
					 begin(NLMSG_ERROR, 0), begin(NLMSG_OVERRUN, 0) };

	for (size_t i = 0; i < 2 * ARRAY_SIZE(kinds); i++) {
		struct message m = kinds[i / 2];

		m.nlh.nlmsg_seq += i % 2;
		m.nlh.nlmsg_pid += !(i % 2);
		add(&m);
	}
	take();
	assert_int_equal(seen.count, 0);
	assert_false(answer.is_done || answer.is_interrupted || answer.code);
}

/* Bytes that are no message: they may have been a row. */
TEST(half_messages)
{
	for (size_t cut = 4; cut <= NLMSG_HDRLEN; cut += 4) {
		add_row(TYPE, 0);
		add_row(TYPE, 0);
		buffer.len -= cut;
		take();
		assert_true(answer.is_done);
		assert_int_equal(answer.code, EBADMSG);
		assert_string_equal(answer.text, "half a message");
	}
	add_row(TYPE, 0);
	((struct nlmsghdr *)(void *)buffer.bytes)->nlmsg_len |= 1U << 31;
	assert_int_equal(take(), EBADMSG);
	assert_int_equal(seen.count, NLMSG_HDRLEN / 4);
	take();
	assert_false(answer.is_done);
	assert_int_equal(answer.code, 0);
}

/* Loops over attributes read up to the padding's end. */
TEST(padding)
{
	struct message m = begin(TYPE, 0);

	message_put(&m, "row", 3);
	add(&m);
	assert_int_equal(take(), 0);
	assert_int_equal(seen.count, 1);
	add(&m);
	buffer.len--;
	assert_int_equal(take(), EBADMSG);
	assert_string_equal(answer.text, "half a message");
	assert_int_equal(seen.count, 1);
}

/* After the end, messages for this request are an error; an earlier error is kept. */
TEST(after_the_end)
{
	struct message other = begin(TYPE, 0);

	other.nlh.nlmsg_seq++;
	add_done(0, 0, NULL);
	add(&other);
	other.nlh.nlmsg_seq--;
	other.nlh.nlmsg_pid++;
	add(&other);
	assert_int_equal(take(), 0);
	add_done(0, 0, NULL);
	add(&other);
	add_row(TYPE, 0);
	take();
	assert_true(answer.is_done);
	assert_int_equal(answer.code, EBADMSG);
	assert_like(answer.text, "messages after *");
	add_done(-EIO, 0, NULL);
	add_row(TYPE, 0);
	assert_int_equal(take(), EIO);
	assert_int_equal(seen.count, 0);
}

FIXTURE(reset)
{
	memset(&seen, 0, sizeof(seen));
	return 0;
}

static struct fixture fixture = { .setup = reset };
