// SPDX-License-Identifier: MIT
/* lib/netlink/genl over a socket with all answers that a kernel can give, and worse. */
#include "fake_genl.h"

#include <stdio.h>

#include "host/smc.h"
#include "netlink/genl.h"

struct seen {
	unsigned int count;
	uint8_t cmds[32];
	int result;
};

static int note(const struct nlmsghdr *nlh, void *arg)
{
	struct seen *seen = arg;

	if (seen->count < sizeof(seen->cmds))
		seen->cmds[seen->count] = ((const struct genlmsghdr *)NLMSG_DATA(nlh))->cmd;
	seen->count++;
	return seen->result;
}

static struct smc_genl *open_it(void)
{
	struct smc_genl *nl = NULL;
	struct smc_err err;

	assert_int_equal(smc_genl_open(&nl, "SMC_GEN_NETLINK", &err), 0);
	assert_non_null(nl);
	assert_int_equal(err.code, 0);
	return nl;
}

static int dump(struct seen *seen, struct smc_err *err)
{
	struct smc_genl *nl = open_it();
	int ret = smc_genl_dump(nl, 2, note, seen, err);

	assert_int_equal(err->code, -ret);
	smc_genl_close(nl);
	return ret;
}

static int send_command(struct smc_err *err)
{
	const struct smc_genl_attr attrs[] = {
		{ 1, SMC_GENL_STR, "EID", 0 },
		{ 4, SMC_GENL_U8, NULL, 2 },
	};
	struct smc_genl *nl = open_it();
	int ret = smc_genl_do(nl, 10, attrs, ARRAY_SIZE(attrs), err);

	assert_int_equal(err->code, -ret);
	smc_genl_close(nl);
	return ret;
}

static void add_row(uint8_t cmd, uint16_t flags)
{
	struct message m;

	fake_genl_start(&m, cmd);
	m.nlh.nlmsg_flags |= flags;
	message_attr(&m, 2, "\1\0\0", 4);
	fake_message(&m);
}

static void whole(void **state)
{
	struct seen seen = { 0 };
	struct smc_err err;

	(void)state;
	add_row(2, 0);
	add_row(3, 0);
	fake_done(0);
	assert_int_equal(dump(&seen, &err), 0);
	assert_int_equal(seen.count, 2);
	assert_memory_equal(seen.cmds, "\2\3", 2);
	/* Strict kernels refuse dump requests with attributes. */
	assert_int_equal(fake.request.nlh.nlmsg_len, NLMSG_HDRLEN + GENL_HDRLEN);
	assert_int_equal(fake.request.nlh.nlmsg_type, FAKE_FAMILY);
	assert_int_equal(fake.request.nlh.nlmsg_flags, NLM_F_REQUEST | NLM_F_DUMP);
}

static void empty(void **state)
{
	struct seen seen = { 0 };
	struct smc_err err;

	(void)state;
	fake_done(0);
	assert_int_equal(dump(&seen, &err), 0);
	assert_int_equal(seen.count, 0);
}

static void no_family(void **state)
{
	struct smc_genl *nl;
	struct smc_err err;

	(void)state;
	fake.family_errors[0] = ENOENT;
	fake.module_error = EAFNOSUPPORT;
	assert_int_equal(smc_genl_open(&nl, "SMC_GEN_NETLINK", &err), -ENOENT);
	assert_null(nl);
	assert_string_equal(
		err.text, "this kernel has no SMC (module 'smc' cannot be loaded): run 'smc_chk'");
	assert_int_equal(fake.module_loads, 1);
	assert_int_equal(fake.lookups, 1);
	smc_genl_close(NULL);
}

/* A security module denies the socket that would load it. */
static void denied(void **state)
{
	struct smc_genl *nl;
	struct smc_err err;

	(void)state;
	fake.family_errors[0] = fake.family_errors[1] = ENOENT;
	fake.module_error = EACCES;
	assert_int_equal(smc_genl_open(&nl, "SMC_GEN_NETLINK", &err), -ENOENT);
	assert_string_equal(err.text, SMC_DENIED);
}

static void family_after_loading(void **state)
{
	struct smc_err err;

	(void)state;
	fake.family_errors[0] = ENOENT;
	fake_answer(0, NULL);
	assert_int_equal(send_command(&err), 0);
	assert_int_equal(fake.module_loads, 1);
	assert_int_equal(fake.lookups, 2);
}

static void family_stays_away(void **state)
{
	struct smc_genl *nl;
	struct smc_err err;

	(void)state;
	fake.family_errors[0] = fake.family_errors[1] = ENOENT;
	assert_int_equal(smc_genl_open(&nl, "SMC_GEN_NETLINK", &err), -ENOENT);
	assert_like(err.text, "*no netlink family SMC_GEN_NETLINK, * Linux 5.11");
	assert_int_equal(fake.lookups, 2);
}

static void no_socket(void **state)
{
	struct smc_genl *nl;
	struct smc_err err;

	(void)state;
	fake.socket_error = EMFILE;
	assert_int_equal(smc_genl_open(&nl, "SMC_GEN_NETLINK", &err), -EMFILE);
	assert_like(err.text, "cannot open *socket: *");
	assert_non_null(strstr(err.text, strerror(EMFILE)));
}

static void command(void **state)
{
	static const struct {
		struct nlattr eid;
		char text[4];
		struct nlattr number;
		uint8_t value[4];
	} want = { { 8, 1 }, "EID", { 5, 4 }, { 2 } };
	struct smc_err err;

	(void)state;
	fake_answer(0, NULL);
	assert_int_equal(send_command(&err), 0);
	assert_int_equal(fake.request.nlh.nlmsg_flags, NLM_F_REQUEST | NLM_F_ACK);
	assert_memory_equal(fake.request.bytes + NLMSG_HDRLEN + GENL_HDRLEN, &want, 16);
}

static void refusals(void **state)
{
	static const struct {
		int code;
		const char *text, *want;
	} rows[] = {
		{ EPERM, NULL,
		  "Operation not permitted: needs CAP_NET_ADMIN in the initial user namespace" },
		{ ENOENT, NULL, "No such file or directory" },
		{ EEXIST, NULL, "File exists" },
		{ EAGAIN, NULL, "Resource temporarily unavailable" },
		{ ERANGE, NULL, NULL }, /* in libc's words */
		{ ENOPROTOOPT, NULL, "Protocol not available" },
		{ EINVAL, "Attribute failed policy validation",
		  "Invalid argument: Attribute failed policy validation" },
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		struct seen seen = { 0 };
		const char *want = rows[i].want ? rows[i].want : strerror(rows[i].code);
		struct smc_err err;

		fake_reset();
		fake_answer(rows[i].code, rows[i].text);
		assert_int_equal(send_command(&err), -rows[i].code);
		assert_string_equal(err.text, want);
		fake_reset();
		fake_answer(rows[i].code, rows[i].text);
		assert_int_equal(dump(&seen, &err), -rows[i].code);
		assert_string_equal(err.text, want);
		assert_int_equal(seen.count, 0);
	}
}

/* libnl treats this as success, after reporting the rows. */
static void done_with_error(void **state)
{
	static const int codes[] = { EINVAL, EPERM, ENOMEM, EFAULT };

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(codes); i++) {
		struct seen seen = { 0 };
		struct smc_err err;

		fake_reset();
		add_row(2, 0);
		fake_done(-codes[i]);
		assert_int_equal(dump(&seen, &err), -codes[i]);
		assert_int_equal(seen.count, 0);
	}
}

static void done_short(void **state)
{
	struct seen seen = { 0 };
	struct smc_err err;
	struct message m;

	(void)state;
	message_start(&m, NLMSG_DONE);
	message_put(&m, "\0", 2);
	fake_message(&m);
	assert_int_equal(dump(&seen, &err), -EBADMSG);
}

static void interrupted(void **state)
{
	struct seen seen = { 0 };
	struct smc_err err;

	(void)state;
	for (int i = 0; i < 2; i++) {
		add_row(2, NLM_F_DUMP_INTR);
		fake_done(0);
	}
	add_row(3, 0);
	fake_done(0);
	assert_int_equal(dump(&seen, &err), 0);
	assert_int_equal(fake.requests, 3);
	assert_int_equal(seen.count, 1);
	assert_int_equal(seen.cmds[0], 3);
}

static void interrupted_for_ever(void **state)
{
	struct seen seen = { 0 };
	struct smc_err err;

	(void)state;
	for (int i = 0; i < 5; i++) {
		add_row(2, NLM_F_DUMP_INTR);
		fake_done(0);
	}
	assert_int_equal(dump(&seen, &err), -EINTR);
	assert_like(err.text, "the table changed *");
	assert_int_equal(fake.requests, 3);
	assert_int_equal(seen.count, 0);
}

static void foreign_answers(void **state)
{
	struct seen seen = { 0 };
	struct smc_err err;
	struct message m;

	(void)state;
	fake_error_message(&m, EPERM, NULL);
	m.nlh.nlmsg_seq = 0xdead;
	fake_message(&m);
	fake_genl_start(&m, 9);
	m.nlh.nlmsg_seq = 0xdead;
	fake_message(&m);
	add_row(2, 0);
	fake_done(0);
	assert_int_equal(dump(&seen, &err), 0);
	assert_int_equal(seen.count, 1);
	assert_int_equal(seen.cmds[0], 2);
}

static void receive_errors(void **state)
{
	static const struct {
		int error, want;
	} rows[] = {
		{ EAGAIN, ETIMEDOUT },
		{ ENOBUFS, ENOBUFS },
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		struct seen seen = { 0 };
		struct smc_err err;

		fake_reset();
		add_row(2, 0);
		fake_receive_error(rows[i].error);
		assert_int_equal(dump(&seen, &err), -rows[i].want);
		assert_int_equal(seen.count, 0);
	}
}

static void short_messages(void **state)
{
	struct seen seen = { 0 };
	struct smc_err err;
	struct message m;

	(void)state;
	message_start(&m, FAKE_FAMILY);
	fake_message(&m);
	fake_done(0);
	assert_int_equal(dump(&seen, &err), -EBADMSG);
	fake_reset();
	message_start(&m, NLMSG_ERROR);
	message_put(&m, "\377\377", 2);
	fake_message(&m);
	assert_int_equal(dump(&seen, &err), -EBADMSG);
}

static void send_error(void **state)
{
	struct smc_genl *nl;
	struct smc_err err;

	(void)state;
	fake.send_error = EPERM;
	assert_int_equal(smc_genl_open(&nl, "SMC_PNETID", &err), -EPERM);
	assert_like(err.text, "*family SMC_PNETID: Operation not permitted");
}

static void callback_error(void **state)
{
	struct seen seen = { .result = -ENOMEM };
	struct smc_genl *nl = open_it();

	(void)state;
	add_row(2, 0);
	add_row(2, 0);
	fake_done(0);
	assert_int_equal(smc_genl_dump(nl, 2, note, &seen, NULL), -ENOMEM);
	assert_int_equal(seen.count, 1);
	smc_genl_close(nl);
}

/* The family is looked up by its name only. */
static void lookup(void **state)
{
	static const struct {
		struct nlattr attr;
		char name[16];
	} want = { { 20, CTRL_ATTR_FAMILY_NAME }, "SMC_GEN_NETLINK" };

	(void)state;
	smc_genl_close(open_it());
	assert_int_equal(fake.lookups, 1);
	assert_int_equal(fake.lookup.nlh.nlmsg_len, NLMSG_HDRLEN + GENL_HDRLEN + sizeof(want));
	assert_int_equal(fake.lookup.nlh.nlmsg_type, GENL_ID_CTRL);
	assert_int_equal(fake.lookup.nlh.nlmsg_flags, NLM_F_REQUEST | NLM_F_ACK);
	assert_int_equal(fake.lookup.bytes[NLMSG_HDRLEN], CTRL_CMD_GETFAMILY);
	assert_memory_equal(fake.lookup.bytes + NLMSG_HDRLEN + GENL_HDRLEN, &want, sizeof(want));
}

static void family_without_number(void **state)
{
	(void)state;
	for (unsigned int cut = 1; cut <= 3; cut++) {
		struct smc_genl *nl;
		struct smc_err err;

		fake_reset();
		fake.id_cut = cut;
		assert_int_equal(smc_genl_open(&nl, "SMC_GEN_NETLINK", &err), -EBADMSG);
		assert_null(nl);
	}
}

/* In the next network namespace: another socket, but the family is known. */
static void follow(void **state)
{
	struct seen seen = { 0 };
	struct smc_genl *nl = NULL;
	struct smc_err err;

	(void)state;
	for (unsigned int i = 0; i < 3; i++) {
		assert_int_equal(smc_genl_follow(&nl, "SMC_GEN_NETLINK", &err), 0);
		fake_done(0);
		assert_int_equal(smc_genl_dump(nl, 2, note, &seen, &err), 0);
	}
	assert_int_equal(fake.lookups, 1);
	fake.socket_error = EMFILE;
	assert_int_equal(smc_genl_follow(&nl, "SMC_GEN_NETLINK", &err), -EMFILE);
	assert_null(nl);
	smc_genl_close(nl);
}

/* Errors of previous calls are cleared; callers may pass no struct smc_err. */
static void old_errors(void **state)
{
	const struct smc_genl_attr attr = { 1, SMC_GENL_U8, NULL, 2 };
	struct smc_err err = { .code = 99 };
	struct seen seen = { 0 };
	struct smc_genl *nl;

	(void)state;
	assert_int_equal(smc_genl_open(&nl, "SMC_GEN_NETLINK", &err), 0);
	assert_int_equal(err.code, 0);
	err.code = 99;
	fake_done(0);
	assert_int_equal(smc_genl_dump(nl, 2, note, &seen, &err), 0);
	assert_int_equal(err.code, 0);
	err.code = 99;
	fake_answer(0, NULL);
	assert_int_equal(smc_genl_do(nl, 2, &attr, 1, &err), 0);
	assert_int_equal(err.code, 0);
	smc_genl_close(nl);
	assert_int_equal(smc_genl_open(&nl, "SMC_GEN_NETLINK", NULL), 0);
	fake_answer(EPERM, NULL);
	assert_int_equal(smc_genl_do(nl, 2, &attr, 1, NULL), -EPERM);
	smc_genl_close(nl);
}

/* A text of one character counts, too. */
static void short_text(void **state)
{
	struct smc_err err;

	(void)state;
	fake_answer(EINVAL, "x");
	assert_int_equal(send_command(&err), -EINVAL);
	assert_string_equal(err.text, "Invalid argument: x");
}

/* A request that is too long is not sent at all. */
static void too_long(void **state)
{
	struct smc_genl *nl = open_it();
	struct smc_genl_attr attr = { 1, SMC_GENL_STR, NULL, 0 };
	struct smc_err err;
	char *text = calloc(1, 60000);

	(void)state;
	memset(text, 'x', 59999);
	attr.str = text;
	assert_int_equal(smc_genl_do(nl, 2, &attr, 1, &err), -ENOMEM);
	assert_string_equal(err.text, strerror(ENOMEM));
	assert_int_equal(fake.requests, 0);
	free(text);
	smc_genl_close(nl);
}

/* ---- recorded ---- */

static char directory[] = "/tmp/smc-genl.XXXXXX";

static int record_start(void **state)
{
	strcpy(directory + strlen(directory) - 6, "XXXXXX");
	if (!mkdtemp(directory))
		return -1;
	setenv("SMC_TOOLS_RECORD", directory, 1);
	return fake_setup(state);
}

static int record_end(void **state)
{
	char command[64];

	(void)state;
	unsetenv("SMC_TOOLS_RECORD");
	unsetenv("SMC_TOOLS_ROOT");
	snprintf(command, sizeof(command), "rm -rf %s", directory);
	return system(command);
}

/* The first line of a recorded file, after the byte order; @rest: the bytes that follow. */
static const char *recorded(const char *name, size_t *rest)
{
	static char line[512];
	char path[128], *order;
	FILE *file;

	snprintf(path, sizeof(path), "%s/netlink/SMC_GEN_NETLINK/%s", directory, name);
	file = fopen(path, "r");
	assert_non_null(file);
	assert_non_null(fgets(line, sizeof(line), file));
	for (*rest = 0; getc(file) != EOF;)
		++*rest;
	fclose(file);
	order = strstr(line, "le ");
	order = order ? order : strstr(line, "ig ");
	assert_non_null(order);
	return order + 3;
}

/* Each command has a file, and so has the family; errors are recorded without rows. */
static void recording(void **state)
{
	struct smc_genl *nl = open_it();
	struct seen seen = { 0 };
	struct smc_err err;
	size_t rest;

	(void)state;
	add_row(2, 0);
	add_row(3, 0);
	fake_done(0);
	assert_int_equal(smc_genl_dump(nl, 2, note, &seen, &err), 0);
	add_row(2, 0);
	fake_done(-EINVAL);
	assert_int_equal(smc_genl_dump(nl, 13, note, &seen, &err), -EINVAL);
	smc_genl_close(nl);
	assert_string_equal(recorded("family", &rest), "0 - \n");
	assert_int_equal(rest, 0);
	assert_string_equal(recorded("2", &rest), "0 - \n");
	assert_int_equal(rest, 2 * (NLMSG_HDRLEN + GENL_HDRLEN + 8));
	assert_string_equal(recorded("13", &rest), "22 - Invalid argument\n");
	assert_int_equal(rest, 0);
}

/* The record answers without a socket, and refuses changes. */
static void replaying(void **state)
{
	const struct smc_genl_attr attr = { 1, SMC_GENL_U8, NULL, 2 };
	struct smc_genl *nl = open_it();
	struct seen seen = { 0 };
	struct smc_err err;

	(void)state;
	add_row(2, 0);
	fake_done(0);
	assert_int_equal(smc_genl_dump(nl, 2, note, &seen, &err), 0);
	smc_genl_close(nl);
	setenv("SMC_TOOLS_ROOT", directory, 1);
	fake.socket_error = EMFILE;
	nl = open_it();
	seen.count = 0;
	assert_int_equal(smc_genl_dump(nl, 2, note, &seen, &err), 0);
	assert_int_equal(seen.count, 1);
	assert_int_equal(smc_genl_dump(nl, 3, note, &seen, &err), -ENODATA);
	assert_like(err.text, "*no answer to netlink/SMC_GEN_NETLINK/3");
	assert_int_equal(smc_genl_do(nl, 2, &attr, 1, &err), -EROFS);
	assert_int_equal(err.code, EROFS);
	smc_genl_close(nl);
	assert_int_equal(fake.requests, 1);
}

#define TEST(name) cmocka_unit_test_setup(name, fake_setup)
#define RECORD_TEST(name) cmocka_unit_test_setup_teardown(name, record_start, record_end)

int main(void)
{
	static const struct CMUnitTest tests[] = {
		TEST(whole),
		TEST(empty),
		TEST(no_family),
		TEST(denied),
		TEST(family_after_loading),
		TEST(family_stays_away),
		TEST(no_socket),
		TEST(command),
		TEST(refusals),
		TEST(done_with_error),
		TEST(done_short),
		TEST(interrupted),
		TEST(interrupted_for_ever),
		TEST(foreign_answers),
		TEST(receive_errors),
		TEST(short_messages),
		TEST(send_error),
		TEST(callback_error),
		TEST(lookup),
		TEST(family_without_number),
		TEST(follow),
		TEST(old_errors),
		TEST(too_long),
		TEST(short_text),
		RECORD_TEST(recording),
		RECORD_TEST(replaying),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
