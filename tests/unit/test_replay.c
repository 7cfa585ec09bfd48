// SPDX-License-Identifier: MIT
/* lib/netlink/replay: tapes of messages, and the first line of their files. */
#include "test.h"

#include "host/record.h"
#include "netlink/replay.h"

#if __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__
#define OWN "smc-tools netlink 1 big "
#define OTHER_ORDER "smc-tools netlink 1 little "
#else
#define OWN "smc-tools netlink 1 little "
#define OTHER_ORDER "smc-tools netlink 1 big "
#endif

struct seen {
	unsigned int count, fail_at; /* 1: the first */
	int result;
	size_t bytes;
};

static int note(const struct nlmsghdr *nlh, void *arg)
{
	struct seen *seen = arg;

	seen->count++;
	seen->bytes += nlh->nlmsg_len;
	return seen->count == seen->fail_at ? seen->result : 0;
}

/* ---- tapes ---- */

static void add(struct replay_tape *tape, size_t len, char fill)
{
	struct message m;

	message_start(&m, 0x20);
	memset(m.bytes + NLMSG_HDRLEN, fill, sizeof(m.bytes) - NLMSG_HDRLEN);
	m.nlh.nlmsg_len = (uint32_t)(NLMSG_HDRLEN + len);
	replay_add(tape, &m.nlh);
}

/* Sum of message lengths that fill the memory exactly, or by a byte more or less. */
TEST(tapes)
{
	for (size_t first = 0; first < 9; first++) {
		const struct replay_request request = { .name = "x" };
		struct replay_tape tape = { 0 };
		struct seen seen = { 0 };
		size_t bytes = 0;

		for (size_t i = 0; i < 200; i++) {
			add(&tape, first + i % 61, 'x');
			bytes += NLMSG_HDRLEN + first + i % 61;
		}
		assert_true(tape.len <= tape.size && tape.len % NLMSG_ALIGNTO == 0);
		assert_int_equal(replay_each(tape.bytes, tape.len, &request, note, &seen, NULL), 0);
		assert_int_equal(seen.count, 200);
		assert_int_equal(seen.bytes, bytes);
		free(tape.bytes);
	}
}

TEST(padding)
{
	struct replay_tape tape = { .bytes = malloc(64), .size = 64 };

	memset(tape.bytes, 'p', 64);
	add(&tape, 5, 'x');
	assert_int_equal(tape.len, 24);
	assert_memory_equal(tape.bytes + NLMSG_HDRLEN, "xxxxx\0\0\0p", 9);
	assert_int_equal(tape.size, 64); /* it had room */
	free(tape.bytes);
}

/* A message larger than all before it, and one of only a header. */
TEST(large_and_small)
{
	const struct replay_request request = { .name = "x" };
	const struct nlmsghdr small = { .nlmsg_len = NLMSG_HDRLEN };
	struct nlmsghdr *large = calloc(1, 60000);
	struct replay_tape tape = { 0 };
	struct seen seen = { 0 };

	large->nlmsg_len = 60000;
	replay_add(&tape, &small);
	replay_add(&tape, large);
	replay_add(&tape, &small);
	assert_int_equal(tape.len, 60000 + 2 * NLMSG_HDRLEN);
	assert_true(tape.size >= tape.len);
	assert_int_equal(replay_each(tape.bytes, tape.len, &request, note, &seen, NULL), 0);
	assert_int_equal(seen.count, 3);
	assert_int_equal(seen.bytes, 60000 + 2 * NLMSG_HDRLEN);
	free(large);
	free(tape.bytes);
}

/* Each message has its header and the request's content; the last must have its padding. */
TEST(each)
{
	struct replay_request request = { .name = "a/b", .body = 4 };
	struct seen seen = { .fail_at = 2, .result = -ENOMEM };
	struct replay_tape tape = { 0 };
	struct smc_err err = { 0 };
	int ret;

	add(&tape, 4, 'x');
	add(&tape, 5, 'x');
	add(&tape, 6, 'x');
	assert_int_equal(replay_each(tape.bytes, tape.len, &request, note, &seen, &err), -ENOMEM);
	assert_int_equal(seen.count, 2);
	seen = (struct seen){ 0 };
	assert_int_equal(replay_each(tape.bytes, tape.len, &request, note, &seen, &err), 0);
	assert_int_equal(seen.count, 3);
	assert_int_equal(err.code, 0);
	seen = (struct seen){ 0 };
	for (size_t cut = 1; cut < 24; cut++) {
		seen.count = 0;
		ret = replay_each(tape.bytes, tape.len - cut, &request, note, &seen, &err);
		assert_int_equal(ret, -EBADMSG);
		assert_int_equal(seen.count, 2);
	}
	assert_like(err.text, "*netlink/a/b is damaged");
	request.body = 5;
	seen.count = 0;
	assert_int_equal(replay_each(tape.bytes, tape.len, &request, note, &seen, &err), -EBADMSG);
	assert_int_equal(seen.count, 0);
	assert_int_equal(replay_each(NULL, 0, &request, note, &seen, &err), 0);
	free(tape.bytes);
}

/* ---- first lines ---- */

static void is_parsed(const char *data, const struct replay_request *request, int want,
		      const char *words)
{
	struct smc_err err = { 0 };
	struct seen seen = { 0 };
	int ret = replay_parse(data, strlen(data), request, note, &seen, &err);

	if (ret != want || err.code != -want || (want && !is_like(err.text, words)))
		fail_msg("%.60s: %d, '%s'", data, ret, err.text);
}

#define DAMAGED "*netlink/x is damaged"
#define OTHER "*no answer to this *netlink/x"

TEST(lines)
{
	static const struct {
		const char *line;
		int want;
		const char *words;
	} cases[] = {
		{ OWN "0 2b07 \n", 0, NULL },
		{ OWN "0 2b0f \n", 0, NULL },
		{ OWN "0 ff07 \n", 0, NULL },
		{ OWN "0 2b08 \n", -ENODATA, OTHER },
		{ OWN "0 2a07 \n", -ENODATA, OTHER },
		{ OWN "0 2b \n", -ENODATA, OTHER },
		{ OWN "0 2b0700 \n", -ENODATA, OTHER },
		{ OWN "0 - \n", -ENODATA, OTHER },
		{ OWN "1 2b07 not for you: go\n", -1, "not for you: go" },
		{ OWN "4095 2b07 last\n", -4095, "last" },
		{ OWN "4096 2b07 beyond\n", -EBADMSG, DAMAGED },
		{ OWN "-1 2b07 negative\n", -EBADMSG, DAMAGED },
		{ OWN "1 2b07\n", -EBADMSG, DAMAGED },
		{ OWN "1 2b07", -EBADMSG, DAMAGED },
		{ OWN "1\n", -EBADMSG, DAMAGED },
		{ OWN "0 2b0 \n", -EBADMSG, DAMAGED },
		{ OWN "0 2bxx \n", -EBADMSG, DAMAGED },
		{ OWN "0 xx \n", -EBADMSG, DAMAGED },
		{ OTHER_ORDER "0 2b0f \n", 0, NULL },
		{ OTHER_ORDER "2 2b07 not here\n", -2, "not here" },
		{ "smc-tools netlink 1 middle 0 2b07 \n", -EBADMSG, DAMAGED },
		{ "smc-tools netlink 2 little 0 2b07 \n", -EBADMSG, DAMAGED },
		{ "", -EBADMSG, DAMAGED },
	};
	const struct replay_request request = { .name = "x", .bytes = "\x2b\x07", .len = 2 };

	for (size_t i = 0; i < ARRAY_SIZE(cases); i++)
		is_parsed(cases[i].line, &request, cases[i].want, cases[i].words);
}

/* The longest request and the longest line; anything longer is no record of these tools. */
TEST(long_lines)
{
	uint8_t bytes[129] = { 0 };
	struct replay_request request = { .name = "x", .bytes = bytes, .len = 128 };
	char line[1200], words[400];

	snprintf(line, sizeof(line), OWN "0 %0256d \n", 0);
	is_parsed(line, &request, 0, NULL);
	bytes[127] = 1;
	is_parsed(line, &request, -ENODATA, OTHER);
	bytes[127] = 0;
	snprintf(line, sizeof(line), OWN "0 %0258d \n", 0);
	request.len = 129;
	is_parsed(line, &request, -ENODATA, OTHER);
	request.len = 0;
	memset(line, 'w', sizeof(line));
	memcpy(line, OWN "5 - ", strlen(OWN "5 - "));
	memset(words, 'w', sizeof(words));
	words[399] = '\0'; /* the maximum of a message */
	strcpy(line + 1023, "\n");
	is_parsed(line, &request, -5, words);
	strcpy(line + 1023, "w\n");
	is_parsed(line, &request, -EBADMSG, DAMAGED);
}

/* ---- files ---- */

static char directory[] = "/tmp/smc-replay.XXXXXX";

FIXTURE(start)
{
	if (!mkdtemp(directory))
		return -1;
	setenv("SMC_TOOLS_RECORD", directory, 1);
	unsetenv("SMC_TOOLS_ROOT");
	return 0;
}

FIXTURE(end)
{
	char command[64];

	snprintf(command, sizeof(command), "rm -rf %s", directory);
	return system(command);
}

/* A recorded file as a string; "" for none. */
static const char *kept(const char *name)
{
	static char text[2048];
	char path[128];
	FILE *file;

	snprintf(path, sizeof(path), "%s/%s", directory, name);
	memset(text, 0, sizeof(text));
	file = fopen(path, "r");
	if (file) {
		assert_true(fread(text, 1, sizeof(text) - 1, file) < sizeof(text) - 1);
		fclose(file);
	}
	return text;
}

static void keep(const char *name, const char *bytes, const char *data, int ret, const char *words)
{
	const struct replay_request request = { name, bytes, strlen(bytes), 0 };
	struct replay_tape tape = { .bytes = (char *)(uintptr_t)data, .len = strlen(data) };
	struct smc_err err = { .code = 0 };

	if (words)
		smc_err_say(&err, 1, "%s", words);
	errno = EDOM;
	replay_keep(&tape, &request, ret, words ? &err : NULL);
	assert_int_equal(errno, EDOM);
}

TEST(files)
{
	keep("a", "", "rows", 0, NULL);
	assert_string_equal(kept("netlink/a"), OWN "0 - \nrows");
	keep("a", "", "other", 0, NULL); /* the first answer stays */
	assert_string_equal(kept("netlink/a"), OWN "0 - \nrows");
	keep("b", "\x2b\x07", "rows", 0, "not an error");
	assert_string_equal(kept("netlink/b"), OWN "0 2b07 \nrows");
	keep("b", "\x2b\x03", "less", 0, NULL);
	assert_string_equal(kept("netlink/b"), OWN "0 2b07 \nrows");
	keep("b", "\x2b\x08", "", 0, NULL);
	assert_string_equal(kept("netlink/b"), OWN "0 2b08 \n");
	keep("c/d", "\xff", "", -2, "two\nlines\n");
	assert_string_equal(kept("netlink/c/d"), OWN "2 ff two lines \n");
	keep("c/d", "\xff", "", -3, NULL); /* an error is replaced */
	assert_string_equal(kept("netlink/c/d"), OWN "3 ff \n");
}

/* The part of a request that fits into a line. */
TEST(long_request)
{
	char bytes[131] = "", want[320] = OWN "0 ";

	memset(bytes, 'a', 130);
	for (size_t i = 0; i < 128; i++)
		strcat(want, "61");
	strcat(want, " \n");
	keep("long", bytes, "", 0, NULL);
	assert_string_equal(kept("netlink/long"), want);
}

/* A kept answer is returned for the same request: rows, or the error with its message. */
TEST(back)
{
	struct replay_request request = { .name = "back", .bytes = "\x01", .len = 1 };
	struct replay_tape tape = { 0 };
	struct seen seen = { 0 };
	struct smc_err err;

	add(&tape, 4, '\n');
	add(&tape, 7, 'x');
	replay_keep(&tape, &request, 0, NULL);
	keep("error", "\x01", "", -ENOENT, "why it failed");
	free(tape.bytes);
	setenv("SMC_TOOLS_ROOT", directory, 1);
	assert_int_equal(replay(&request, note, &seen, &err), 0);
	assert_int_equal(seen.count, 2);
	assert_int_equal(seen.bytes, 2 * NLMSG_HDRLEN + 11);
	request.name = "error";
	assert_int_equal(replay(&request, note, &seen, &err), -ENOENT);
	assert_int_equal(err.code, ENOENT);
	assert_string_equal(err.text, "why it failed");
	request.name = "nothing";
	assert_int_equal(replay(&request, note, &seen, &err), -ENODATA);
	assert_like(err.text, "*no answer to netlink/nothing");
	assert_int_equal(seen.count, 2);
	keep("late", "\x01", "", 0, NULL); /* a host that is itself replayed is not recorded */
	assert_string_equal(kept("netlink/late"), "");
	unsetenv("SMC_TOOLS_ROOT");
}

static struct fixture fixture = { .first = start, .last = end };
