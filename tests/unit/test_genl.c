// SPDX-License-Identifier: MIT
/* lib/netlink/genl over a socket with all answers that a kernel can give, and worse. */
#include "fake_netlink.h"
#include "scratch.h"

#include "host/smc.h"
#include "netlink/genl.h"

static struct {
	unsigned int count;
	uint8_t cmds[32];
	int result;
} seen;
static struct smc_err err;
static struct smc_genl *nl;

static int note(const struct nlmsghdr *nlh, void *arg)
{
	assert_ptr_equal(arg, &seen);
	if (seen.count < sizeof(seen.cmds))
		seen.cmds[seen.count] = ((const struct genlmsghdr *)NLMSG_DATA(nlh))->cmd;
	seen.count++;
	return seen.result;
}

static void open_it(void)
{
	nl = NULL;
	assert_int_equal(smc_genl_open(&nl, "SMC_GEN_NETLINK", &err), 0);
	assert_non_null(nl);
	assert_int_equal(err.code, 0);
}

static int dump(void)
{
	int ret;

	seen.count = 0;
	open_it();
	ret = smc_genl_dump(nl, 2, note, &seen, &err);
	assert_int_equal(err.code, -ret);
	smc_genl_close(nl);
	return ret;
}

static int send_command(void)
{
	const struct smc_genl_attr attrs[] = {
		{ 1, SMC_GENL_STR, "EID", 0 },
		{ 4, SMC_GENL_U8, NULL, 2 },
	};
	int ret;

	open_it();
	ret = smc_genl_do(nl, 10, attrs, ARRAY_SIZE(attrs), &err);
	assert_int_equal(err.code, -ret);
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

TEST(whole)
{
	add_row(2, 0);
	add_row(3, 0);
	fake_done(0);
	assert_int_equal(dump(), 0);
	assert_int_equal(seen.count, 2);
	assert_memory_equal(seen.cmds, "\2\3", 2);
	/* Strict kernels refuse dump requests with attributes. */
	assert_int_equal(fake.request.nlh.nlmsg_len, NLMSG_HDRLEN + GENL_HDRLEN);
	assert_int_equal(fake.request.nlh.nlmsg_type, FAKE_FAMILY);
	assert_int_equal(fake.request.nlh.nlmsg_flags, NLM_F_REQUEST | NLM_F_DUMP);
}

TEST(no_family)
{
	fake.family_errors[0] = ENOENT;
	fake.module_error = EAFNOSUPPORT;
	assert_int_equal(smc_genl_open(&nl, "SMC_GEN_NETLINK", &err), -ENOENT);
	assert_null(nl);
	assert_like(err.text, "*no SMC (module 'smc' *'smc_chk doctor'");
	assert_int_equal(fake.module_loads, 1);
	assert_int_equal(fake.lookups, 1);
	smc_genl_close(NULL);
}

/* A security module denies the socket that would load SMC. */
TEST(denied)
{
	fake.family_errors[0] = fake.family_errors[1] = ENOENT;
	fake.module_error = EACCES;
	assert_int_equal(smc_genl_open(&nl, "SMC_GEN_NETLINK", &err), -ENOENT);
	assert_string_equal(err.text, SMC_DENIED);
}

TEST(family_after_loading)
{
	fake.family_errors[0] = ENOENT;
	fake_answer(0, NULL);
	assert_int_equal(send_command(), 0);
	assert_int_equal(fake.module_loads, 1);
	assert_int_equal(fake.lookups, 2);
}

TEST(family_stays_away)
{
	fake.family_errors[0] = fake.family_errors[1] = ENOENT;
	assert_int_equal(smc_genl_open(&nl, "SMC_GEN_NETLINK", &err), -ENOENT);
	assert_like(err.text, "*no netlink family SMC_GEN_NETLINK, * Linux 5.11");
	assert_int_equal(fake.lookups, 2);
}

TEST(no_socket)
{
	fake.socket_error = EMFILE;
	assert_int_equal(smc_genl_open(&nl, "SMC_GEN_NETLINK", &err), -EMFILE);
	assert_like(err.text, "cannot open *socket: *");
	assert_non_null(strstr(err.text, strerror(EMFILE)));
}

TEST(command)
{
	static const struct {
		struct nlattr eid;
		char text[4];
		struct nlattr number;
		uint8_t value[4];
	} want = { { 8, 1 }, "EID", { 5, 4 }, { 2 } };

	fake_answer(0, NULL);
	assert_int_equal(send_command(), 0);
	assert_int_equal(fake.request.nlh.nlmsg_flags, NLM_F_REQUEST | NLM_F_ACK);
	assert_memory_equal(fake.request.bytes + NLMSG_HDRLEN + GENL_HDRLEN, &want, 16);
}

TEST(refusals)
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
		{ EINVAL, "x", "Invalid argument: x" },
		{ EINVAL, "Attribute failed policy validation",
		  "Invalid argument: Attribute failed policy validation" },
	};

	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		const char *want = rows[i].want ? rows[i].want : strerror(rows[i].code);

		fake_reset();
		fake_answer(rows[i].code, rows[i].text);
		assert_int_equal(send_command(), -rows[i].code);
		assert_string_equal(err.text, want);
		fake_reset();
		fake_answer(rows[i].code, rows[i].text);
		assert_int_equal(dump(), -rows[i].code);
		assert_string_equal(err.text, want);
		assert_int_equal(seen.count, 0);
	}
}

TEST(interrupted_for_ever)
{
	for (int i = 0; i < 5; i++) {
		add_row(2, NLM_F_DUMP_INTR);
		fake_done(0);
	}
	assert_int_equal(dump(), -EINTR);
	assert_like(err.text, "the table changed *");
	assert_int_equal(fake.requests, 3);
	assert_int_equal(seen.count, 0);
}

TEST(receive_errors)
{
	static const struct {
		int error, want;
	} rows[] = {
		{ EAGAIN, ETIMEDOUT },
		{ ENOBUFS, ENOBUFS },
	};

	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		fake_reset();
		add_row(2, 0);
		fake_error(rows[i].error);
		assert_int_equal(dump(), -rows[i].want);
		assert_int_equal(seen.count, 0);
	}
}

/* Without the header of generic netlink. */
TEST(short_message)
{
	struct message m;

	message_start(&m, FAKE_FAMILY);
	fake_message(&m);
	fake_done(0);
	assert_int_equal(dump(), -EBADMSG);
}

TEST(send_error)
{
	fake.send_error = EPERM;
	assert_int_equal(smc_genl_open(&nl, "SMC_PNETID", &err), -EPERM);
	assert_like(err.text, "*family SMC_PNETID: Operation not permitted");
}

/* The family is looked up by its name only. */
TEST(lookup)
{
	static const struct {
		struct nlattr attr;
		char name[16];
	} want = { { 20, CTRL_ATTR_FAMILY_NAME }, "SMC_GEN_NETLINK" };

	open_it();
	smc_genl_close(nl);
	assert_int_equal(fake.lookups, 1);
	assert_int_equal(fake.lookup.nlh.nlmsg_len, NLMSG_HDRLEN + GENL_HDRLEN + sizeof(want));
	assert_int_equal(fake.lookup.nlh.nlmsg_type, GENL_ID_CTRL);
	assert_int_equal(fake.lookup.nlh.nlmsg_flags, NLM_F_REQUEST | NLM_F_ACK);
	assert_int_equal(fake.lookup.bytes[NLMSG_HDRLEN], CTRL_CMD_GETFAMILY);
	assert_memory_equal(fake.lookup.bytes + NLMSG_HDRLEN + GENL_HDRLEN, &want, sizeof(want));
}

TEST(family_without_number)
{
	for (unsigned int cut = 1; cut <= 3; cut++) {
		fake_reset();
		fake.id_cut = cut;
		assert_int_equal(smc_genl_open(&nl, "SMC_GEN_NETLINK", &err), -EBADMSG);
		assert_null(nl);
	}
}

/* In the next network namespace: another socket, but the family is known. */
TEST(follow)
{
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
TEST(old_errors)
{
	const struct smc_genl_attr attr = { 1, SMC_GENL_U8, NULL, 2 };

	err.code = 99;
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

/* A request that is too long is not sent at all. */
TEST(too_long)
{
	struct smc_genl_attr attr = { 1, SMC_GENL_STR, NULL, 0 };
	char *text = calloc(1, 60000);

	open_it();
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

static void record_start(void)
{
	assert_true(scratch_make(directory));
	setenv("SMC_TOOLS_RECORD", directory, 1);
}

static void record_end(void)
{
	unsetenv("SMC_TOOLS_RECORD");
	unsetenv("SMC_TOOLS_ROOT");
	assert_int_equal(scratch_remove(directory), 0);
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
TEST(recording)
{
	size_t rest;

	record_start();
	open_it();
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
	record_end();
}

/* The record answers without a socket, and refuses changes. */
TEST(replaying)
{
	const struct smc_genl_attr attr = { 1, SMC_GENL_U8, NULL, 2 };

	record_start();
	open_it();
	add_row(2, 0);
	fake_done(0);
	assert_int_equal(smc_genl_dump(nl, 2, note, &seen, &err), 0);
	smc_genl_close(nl);
	setenv("SMC_TOOLS_ROOT", directory, 1);
	fake.socket_error = EMFILE;
	open_it();
	seen.count = 0;
	assert_int_equal(smc_genl_dump(nl, 2, note, &seen, &err), 0);
	assert_int_equal(seen.count, 1);
	assert_int_equal(smc_genl_dump(nl, 3, note, &seen, &err), -ENODATA);
	assert_like(err.text, "*no answer to netlink/SMC_GEN_NETLINK/3");
	assert_int_equal(smc_genl_do(nl, 2, &attr, 1, &err), -EROFS);
	assert_int_equal(err.code, EROFS);
	smc_genl_close(nl);
	assert_int_equal(fake.requests, 1);
	record_end();
}

FIXTURE(reset)
{
	nl = NULL;
	memset(&seen, 0, sizeof(seen));
	return fake_setup(state);
}

static struct fixture fixture = { .setup = reset };
