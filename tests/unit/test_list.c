// SPDX-License-Identifier: MIT
/* smcss_list with a faked kernel: output of dumps that are complete, broken, or restarted. */
#include "capture.h"
#include "fake_netlink.h"

#include <jansson.h>

#include "host/smc.h"
#include "smcss/smcss.h"

static struct smc_err err;
static char *printed;
static struct smcss_opts opts;
static const struct smcss_opts kinds[] = { { 0 }, { .is_json = true }, { .is_summary = true } };

/* Result of loading the module; number of attempts. */
static int module_result;
static unsigned int module_calls;

int host_af_smc(void)
{
	module_calls++;
	return module_result;
}

/* Fakes of the other functions in the same file of lib/host. */
int host_ipproto_smc(void)
{
	return module_result;
}

bool host_has_filter(void)
{
	return false;
}

const char *smc_missing(void)
{
	return SMC_MISSING;
}

FIXTURE(reset)
{
	fake_reset();
	module_result = 0;
	module_calls = 0;
	opts = (struct smcss_opts){ 0 };
	return 0;
}

static struct message row(uint16_t port)
{
	struct smc_abi_diag_msg msg = {
		.family = AF_SMC,
		.state = SMC_ABI_ACTIVE,
		.mode = SMC_DIAG_MODE_SMCD,
	};
	struct message m;

	msg.id.sport = htons(port);
	msg.id.dport = htons(9);
	set_words(msg.id.src, AF_INET, "10.0.0.1");
	set_words(msg.id.dst, AF_INET, "10.0.0.2");
	message_sock(&m, &msg);
	return m;
}

/* Sockets with local ports from @first on, many per buffer, as from the kernel. */
static void add_rows(unsigned int first, unsigned int count)
{
	for (unsigned int i = 0; i < count; i++) {
		struct message m = row((uint16_t)(first + i));

		if (i % 300)
			fake_also(&m);
		else
			fake_message(&m);
	}
}

static void add_interrupted(uint16_t port)
{
	struct message m = row(port);

	m.nlh.nlmsg_flags |= NLM_F_DUMP_INTR;
	fake_message(&m);
}

/* Captures the output. */
static void list(int want)
{
	int fd = capture_file(), saved = stdout_to(fd), ret;

	err = (struct smc_err){ 0 };
	ret = smcss_list(&opts, NULL, &err);
	stdout_back(saved);
	assert_int_equal(ret, want);
	assert_int_equal(fake_open(), 0);
	if (ret)
		assert_true(err.text[0]);
	free(printed);
	printed = file_text(fd);
}

static unsigned int count_lines(const char *text)
{
	unsigned int lines = 0;

	for (; *text; text++)
		lines += *text == '\n';
	return lines;
}

static unsigned int count_words(const char *text, const char *word)
{
	unsigned int count = 0;

	while ((text = strstr(text, word))) {
		count++;
		text += strlen(word);
	}
	return count;
}

TEST(few)
{
	add_rows(100, 3);
	fake_done(0);
	list(0);
	assert_int_equal(count_lines(printed), 4);
	assert_int_equal(count_words(printed, "State"), 1);
	assert_non_null(strstr(printed, "10.0.0.1:100 "));
	assert_non_null(strstr(printed, "10.0.0.1:102 "));
}

TEST(none)
{
	fake_done(0);
	list(0);
	assert_int_equal(count_lines(printed), 1);
	opts.no_header = true;
	fake_done(0);
	list(0);
	assert_string_equal(printed, "");
	opts.is_json = true;
	fake_done(0);
	list(0);
	assert_string_equal(printed, "{\"schema\":\"smc-tools/smcss/1\",\"sockets\":[]}\n");
}

/* Bits of optional attributes: only attributes that are shown are requested. */
TEST(request_bits)
{
	static const struct {
		struct smcss_opts opts;
		uint8_t ext;
	} rows[] = {
		{ { 0 }, 0 },
		{ { .is_all = true }, 0 },
		{ { .is_debug = true }, 1 },
		{ { .only_smcr = true }, 2 },
		{ { .only_smcd = true }, 8 },
		{ { .only_smcd = true, .is_debug = true }, 9 },
		{ { .is_json = true }, 11 },
		{ { .columns = "state" }, 11 },
	};

	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		fake_done(0);
		opts = rows[i].opts;
		list(0);
		assert_int_equal(fake.request.bytes[NLMSG_HDRLEN], 43);
		assert_int_equal(fake.request.bytes[NLMSG_HDRLEN + 3], rows[i].ext);
	}
}

TEST(interrupted_once)
{
	static const char *const once[] = { "State", "\"schema\"", "Connections" };

	for (size_t i = 0; i < ARRAY_SIZE(kinds); i++) {
		fake_reset();
		add_rows(100, 2);
		add_interrupted(102);
		add_rows(100, 3);
		fake_done(0);
		opts = kinds[i];
		list(0);
		assert_int_equal(fake.requests, 2);
		assert_int_equal(count_words(printed, once[i]), 1);
		if (kinds[i].is_json)
			assert_int_equal(count_words(printed, "\"local\""), 3);
		else if (kinds[i].is_summary)
			assert_non_null(strstr(printed, "       0       3       0\n"));
		else
			assert_int_equal(count_lines(printed), 4);
	}
}

TEST(interrupted_for_ever)
{
	for (size_t i = 0; i < ARRAY_SIZE(kinds); i++) {
		fake_reset();
		for (int try = 0; try < 50; try++)
			add_interrupted(100);
		opts = kinds[i];
		list(-EINTR);
		assert_string_equal(printed, "");
		assert_like(err.text, "the table of sockets changed *");
		assert_true(fake.requests >= 2 && fake.requests <= 10);
	}
}

TEST(refused)
{
	for (size_t i = 0; i < 2 * ARRAY_SIZE(kinds); i++) {
		fake_reset();
		if (i % 2) {
			add_rows(100, 5);
			fake_done(-EPERM);
		} else {
			fake_answer(EPERM, NULL);
		}
		opts = kinds[i / 2];
		list(-EPERM);
		assert_string_equal(printed, "");
		assert_like(err.text, "*refused *: Operation not permitted");
	}
}

/* More than one chunk: printed as it arrives, every row once and in order, one header. */
TEST(streaming)
{
	const unsigned int count = 10000;
	char *line;

	add_rows(1, count);
	fake_done(0);
	list(0);
	assert_int_equal(count_lines(printed), count + 1);
	assert_int_equal(count_words(printed, "State"), 1);
	line = strchr(printed, '\n');
	for (unsigned int port = 1; port <= count; port++) {
		char want[32];

		snprintf(want, sizeof(want), " 10.0.0.1:%u ", port);
		line = strstr(line, want);
		if (!line)
			fail_msg("port %u is missing or out of order", port);
	}
}

/* Printed rows cannot be taken back: no retry, no second header, and a failure. */
TEST(broken_stream)
{
	for (int kind = 0; kind < 2; kind++) {
		fake_reset();
		add_rows(1, 5000);
		if (kind)
			add_interrupted(5001);
		else
			fake_error(ENOBUFS);
		add_rows(1, 5000);
		fake_done(0);
		list(kind ? -EINTR : -ENOBUFS);
		assert_int_equal(fake.requests, 1);
		assert_int_equal(count_words(printed, "State"), 1);
		assert_int_equal(count_words(printed, " 10.0.0.1:1 "), 1);
		assert_int_equal(count_words(printed, " 10.0.0.1:4096 "), 1);
	}
}

/* JSON is complete or nothing, however long the list. */
TEST(broken_json)
{
	opts.is_json = true;
	add_rows(1, 9000);
	fake_error(ENOBUFS);
	list(-ENOBUFS);
	assert_string_equal(printed, "");
}

TEST(long_json)
{
	json_t *doc, *sockets;

	opts.is_json = true;
	add_rows(1, 5000);
	add_interrupted(5001); /* nothing was printed: retry */
	add_rows(1, 5000);
	fake_done(0);
	list(0);
	doc = json_loads(printed, 0, NULL);
	assert_non_null(doc);
	sockets = json_object_get(doc, "sockets");
	assert_int_equal(json_array_size(sockets), 5000);
	json_decref(doc);
}

/* Some valid UTF-8 must not reach a terminal: U+009B begins a sequence like ESC [. */
TEST(plain_json)
{
	const struct smc_abi_lgrinfo lgr = { .ibname = "\xc2\x9b"
						       "31m\x1b]0;" };
	struct message m = row(80);

	opts.is_json = true;
	message_attr(&m, SMC_DIAG_LGRINFO, &lgr, sizeof(lgr));
	fake_message(&m);
	fake_done(0);
	list(0);
	assert_non_null(strstr(printed, "\"\\u009B31m\\u001B]0;\""));
	for (const char *p = printed; *p; p++)
		assert_true(*p == '\n' || (*p >= ' ' && *p < 0x7f));
}

/* A short message ends the list: the table cannot be trusted. */
TEST(short_socket)
{
	struct message m;

	add_rows(1, 2);
	message_start(&m, SOCK_DIAG_BY_FAMILY);
	message_put(&m, "short", 5);
	fake_message(&m);
	fake_done(0);
	list(-EBADMSG);
	assert_string_equal(printed, "");
	assert_like(err.text, "*answer *too short");
}

TEST(no_module)
{
	module_result = -EAFNOSUPPORT;
	fake_answer(ENOENT, NULL);
	list(-ENOENT);
	assert_string_equal(printed, "");
	assert_like(err.text, "*no SMC (module 'smc' *)* 'smc_chk doctor'");
	assert_int_equal(module_calls, 1);
	module_result = -EACCES;
	fake_answer(ENOENT, NULL);
	list(-ENOENT);
	assert_string_equal(err.text, SMC_DENIED);
}

/* The request cannot load smc, a socket can: retry after that, only once. */
TEST(module_loaded)
{
	fake_answer(ENOENT, NULL);
	add_rows(100, 1);
	fake_done(0);
	list(0);
	assert_int_equal(count_lines(printed), 2);
	assert_int_equal(module_calls, 1);
	reset(NULL);
	for (int i = 0; i < 5; i++)
		fake_answer(ENOENT, NULL);
	list(-ENOENT);
	assert_int_equal(fake.requests, 2);
	assert_int_equal(module_calls, 1);
}

/* No addresses from the kernel, and no other source: ports, and n/a. */
TEST(unknown_addresses)
{
	const struct smc_abi_diag_msg msg = {
		.family = AF_INET,
		.state = SMC_ABI_ACTIVE,
		.mode = SMC_DIAG_MODE_SMCR,
		.id = { .sport = htons(80), .dport = htons(4000) },
	};
	struct message m;

	opts.no_header = true;
	message_sock(&m, &msg);
	fake_message(&m);
	fake_done(0);
	list(0);
	assert_non_null(strstr(printed, " n/a:80 "));
	assert_non_null(strstr(printed, " n/a:4000 "));
	assert_null(strstr(printed, "0.0.0.0"));
}

TEST(selection)
{
	static const struct {
		struct smcss_opts opts;
		const char *states; /* letters of the states below */
	} rows[] = {
		{ { 0 }, "SDTcf" },
		{ { .is_all = true }, "SDTcfil" },
		{ { .is_listening = true }, "l" },
		{ { .only_smcr = true }, "S" },
		{ { .only_smcd = true }, "D" },
		{ { .only_smcd = true, .is_all = true }, "Dcil" },
		{ { .only_smcr = true, .is_all = true }, "Scil" },
		{ { .only_smcr = true, .is_debug = true }, "S" },
	};
	static const struct {
		char letter;
		uint8_t state, mode;
	} socks[] = {
		{ 'S', SMC_ABI_ACTIVE, 0 }, { 'D', SMC_ABI_ACTIVE, 2 }, { 'T', SMC_ABI_ACTIVE, 1 },
		{ 'c', SMC_ABI_CLOSED, 0 }, { 'f', SMC_ABI_INIT, 1 },	{ 'i', SMC_ABI_INIT, 0 },
		{ 'l', SMC_ABI_LISTEN, 0 },
	};

	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		for (size_t j = 0; j < ARRAY_SIZE(socks); j++) {
			const struct smc_sock sock = { .state = socks[j].state,
						       .mode = socks[j].mode,
						       .peer.port = 9 };

			if (smcss_selects(&rows[i].opts, &sock) !=
			    !!strchr(rows[i].states, socks[j].letter))
				fail_msg("row %zu, socket %c", i, socks[j].letter);
		}
	}
}

TEST(full_disk)
{
	for (size_t i = 0; i < 2; i++) {
		int fd = open("/dev/full", O_WRONLY | O_CLOEXEC), saved, ret;

		assert_true(fd >= 0);
		fake_reset();
		add_rows(1, 5000);
		fake_done(0);
		saved = stdout_to(fd);
		ret = smcss_list(&kinds[i], NULL, &err);
		stdout_back(saved);
		close(fd);
		assert_int_equal(ret, -ENOSPC);
		assert_string_equal(err.text,
				    "cannot write to standard output: No space left on device");
	}
}

TEST(bad_columns)
{
	static const char *const bad[] = { "",		 ",",		"state,", ",state",
					   "state,,uid", "State",	"stat",	  "states",
					   "state uid",	 "peer_reason", "schema" };

	for (size_t i = 0; i < ARRAY_SIZE(bad); i++) {
		opts.columns = bad[i];
		list(-EINVAL);
		assert_string_equal(printed, "");
		assert_int_equal(strncmp(err.text, "unknown column '", 16), 0);
		assert_int_equal(fake.requests, 0);
	}
}

/* A missing module for TCP sockets is fine; any other error hides the addresses. */
TEST(addresses_refused)
{
	const struct smc_abi_diag_msg msg = {
		.family = AF_SMC,
		.state = SMC_ABI_ACTIVE,
		.mode = SMC_DIAG_MODE_SMCD,
		.id.sport = htons(7001),
	};
	struct message m;

	for (int interrupted = 0; interrupted < 2; interrupted++) {
		fake_reset();
		fake.inet_error = interrupted ? EINTR : ENOBUFS;
		for (int tries = 0; tries < 3; tries++) {
			message_sock(&m, &msg);
			fake_message(&m);
			fake_done(0);
		}
		list(-fake.inet_error);
		assert_string_equal(printed, "");
		assert_int_equal(fake.requests, interrupted ? 3 : 1);
	}
}

static struct fixture fixture = { .setup = reset, .last = fake_setup };
