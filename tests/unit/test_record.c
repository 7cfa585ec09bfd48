// SPDX-License-Identifier: MIT
/* Record a host; the record answers like the host: files, probes, netlink. */
#include "fake_netlink.h"
#include "scratch.h"
#include "test.h"

#include "host/file.h"
#include "host/probe.h"
#include "host/record.h"
#include "host/smc.h"
#include "net/netns.h"
#include "netlink/diag.h"
#include "netlink/genl.h"
#include "netlink/replay.h"
#include "process/proc.h"

/* A directory with "host", the source, and "record". */
static char directory[] = "/tmp/smc-record.XXXXXX";
static char host[64], record[64];

FIXTURE(start)
{
	assert_true(scratch_make(directory));
	snprintf(host, sizeof(host), "%s/host", directory);
	snprintf(record, sizeof(record), "%s/record", directory);
	assert_int_equal(mkdir(host, 0700) | mkdir(record, 0700), 0);
	unsetenv("SMC_TOOLS_ROOT");
	setenv("SMC_TOOLS_RECORD", record, 1);
	fake_reset();
	record_set(RECORD_COMPLETE, "", 0);
	return 0;
}

FIXTURE(end)
{
	unsetenv("SMC_TOOLS_RECORD");
	unsetenv("SMC_TOOLS_ROOT");
	return scratch_remove(directory);
}

static void replay_it(void)
{
	unsetenv("SMC_TOOLS_RECORD");
	setenv("SMC_TOOLS_ROOT", record, 1);
}

static bool is_complete(void)
{
	char path[96];

	snprintf(path, sizeof(path), "%s/" RECORD_COMPLETE, record);
	return !access(path, F_OK);
}

static void put(const char *name, const char *text)
{
	char path[128];
	FILE *file;

	snprintf(path, sizeof(path), "%s/%s", host, name);
	file = fopen(path, "w");
	assert_non_null(file);
	fputs(text, file);
	assert_int_equal(fclose(file), 0);
}

/* ---- paths ---- */

TEST(paths)
{
	char path[PATH_MAX];

	assert_true(record_path(path, "/sys/a/b/../../c/./d"));
	assert_string_equal(path, "sys/c/d");
	assert_true(record_path(path, "/../../etc/passwd"));
	assert_string_equal(path, "etc/passwd");
	assert_true(record_path(path, "/proc/self/fd/12/class/net"));
	assert_string_equal(path, "sys/class/net");
}

/* ---- files ---- */

static void check_files(const char *root)
{
	struct host_names names;
	unsigned long number = 0;
	char text[64];
	uint8_t bytes[4];

	assert_true(host_text(text, sizeof(text), "%s/state", root));
	assert_string_equal(text, "up");
	assert_true(host_number(&number, "%s/dev/../mtu", root));
	assert_int_equal(number, 1500);
	assert_int_equal(host_bytes(bytes, sizeof(bytes), "%s/state", root), 3);
	assert_true(host_link(text, sizeof(text), "%s/device", root));
	assert_string_equal(text, "0000:01:00.0");
	assert_true(host_exists("%s/dev", root) && host_exists("%s/empty", root));
	assert_false(host_exists("%s/none", root));
	assert_false(host_text(text, sizeof(text), "%s/none", root));
	assert_int_equal(host_list(&names, "%s", root), 0);
	assert_int_equal(names.count, 5);
	assert_string_equal(names.names[0], "dev");
	assert_string_equal(names.names[1], "device");
	host_names_free(&names);
	assert_int_equal(host_list(&names, "%s/dev", root), 0);
	assert_int_equal(names.count, 0);
}

TEST(files)
{
	char path[192];
	struct stat st;

	put("state", "up\n");
	put("mtu", "1500\n");
	put("empty", "");
	snprintf(path, sizeof(path), "%s/dev", host);
	assert_int_equal(mkdir(path, 0700), 0);
	snprintf(path, sizeof(path), "%s/device", host);
	assert_int_equal(symlink("../../pci/0000:01:00.0", path), 0);
	check_files(host);
	assert_true(is_complete());
	snprintf(path, sizeof(path), "%s%s/state", record, host);
	assert_int_equal(stat(path, &st), 0);
	assert_int_equal(st.st_mode & 07777, 0600);
	replay_it();
	check_files(host);
	assert_int_equal(host_write("x", "%s/state", host), -EROFS);
}

/* A short read does not replace a long one, and large files are not recorded. */
TEST(longer_wins)
{
	static char large[1024 * 1024];
	char text[64];

	put("slaves", "eth0 eth1 eth2\n");
	assert_true(host_text(text, sizeof(text), "%s/slaves", host));
	assert_true(host_text(text, 5, "%s/slaves", host));
	memset(large, 'x', sizeof(large) - 1);
	put("large", large);
	assert_int_equal(host_bytes(large, sizeof(large), "%s/large", host), sizeof(large) - 1);
	replay_it();
	assert_true(host_text(text, sizeof(text), "%s/slaves", host));
	assert_string_equal(text, "eth0 eth1 eth2");
	assert_true(host_exists("%s/large", host));
	assert_int_equal(host_bytes(large, sizeof(large), "%s/large", host), 0);
}

/* A file is complete or missing in a record. */
TEST(whole_file)
{
	static char text[600 * 1024];
	size_t len;
	char *data;

	memset(text, 'x', sizeof(text) - 1);
	put("large", text);
	put("small", "y\n");
	put("empty", "");
	data = host_whole(&len, 1024 * 1024, "%s/large", host);
	assert_non_null(data);
	assert_int_equal(len, sizeof(text) - 1);
	assert_string_equal(data, text);
	free(data);
	for (int i = 0; i < 2; i++) {
		data = host_whole(&len, 1024 * 1024, "%s/small", host);
		assert_non_null(data);
		assert_int_equal(len, 2);
		assert_string_equal(data, "y\n");
		free(data);
		assert_null(host_whole(&len, 1024 * 1024, "%s/empty", host));
		assert_null(host_whole(&len, 1024 * 1024, "%s/none", host));
		replay_it();
	}
	assert_true(host_exists("%s/large", host));
	assert_null(host_whole(&len, 1024 * 1024, "%s/large", host));
}

/* Files too private for a record. */
TEST(not_copied)
{
	char line[8];
	FILE *file;

	put("secret", "word");
	file = host_open("%s/secret", host);
	assert_non_null(file);
	assert_non_null(fgets(line, sizeof(line), file));
	fclose(file);
	replay_it();
	assert_null(host_open("%s/secret", host));
	assert_false(host_exists("%s/secret", host));
}

/* Recording does not change the output; an incomplete record is reported at the end. */
TEST(no_room)
{
	char text[64], path[192];

	put("state", "up\n");
	snprintf(path, sizeof(path), "%s/tmp", record);
	/* A file where a directory must be. */
	assert_int_equal(close(open(path, O_CREAT | O_WRONLY, 0600)), 0);
	assert_true(host_text(text, sizeof(text), "%s/state", host));
	assert_string_equal(text, "up");
	assert_false(is_complete());
}

/* ---- probes ---- */

static int calls;

static int probe(void *arg, char text[HOST_PROBE_SIZE])
{
	calls++;
	snprintf(text, HOST_PROBE_SIZE, "two\nlines");
	return *(const int *)arg;
}

TEST(probes)
{
	int result = -ENOTTY, done;
	char text[HOST_PROBE_SIZE], path[192];

	assert_int_equal(host_probe("../a b", probe, &result, text), -ENOTTY);
	snprintf(path, sizeof(path), "%s/probes/___a_b", record);
	assert_int_equal(access(path, F_OK), 0);
	done = calls;
	replay_it();
	assert_int_equal(host_probe("../a b", probe, &result, text), -ENOTTY);
	assert_string_equal(text, "two\nlines");
	assert_int_equal(host_probe("other", probe, &result, text), -ENODATA);
	assert_string_equal(text, "");
	assert_int_equal(calls, done);
	assert_int_equal(host_probe_parse("x\n", text), -EBADMSG);
	assert_int_equal(host_probe_parse("1 \n", text), -EBADMSG);
	assert_int_equal(host_probe_parse("99999999999\n", text), -EBADMSG);
}

/* A tool that goes on to use SMC queries the running kernel, whatever the record says. */
TEST(smc_is_here)
{
	int here, fd = socket(AF_SMC, SOCK_STREAM, 0);
	char path[192];
	FILE *file;

	here = host_af_smc();
	assert_int_equal(here == 0, fd >= 0);
	if (fd >= 0)
		close(fd);
	replay_it();
	assert_int_equal(host_af_smc(), here);
	assert_int_equal(host_ipproto_smc(), -ENODATA);
	snprintf(path, sizeof(path), "%s/probes/socket-af_smc", record);
	file = fopen(path, "w");
	assert_non_null(file);
	fputs("-1234\n", file);
	fclose(file);
	assert_int_equal(host_af_smc(), -1234);
	assert_int_equal(kernel_af_smc(), here);
}

TEST(no_other_namespace)
{
	struct smc_err err;

	replay_it();
	assert_int_equal(smc_netns_enter("1", &err), -EROFS);
}

/* ---- processes ---- */

TEST(holders)
{
	struct proc_table table = { 0 };
	const struct proc_fd *found;
	size_t count;

	assert_int_equal(proc_table_parse(&table, "7 1 3 init\n8 2 4 a b\nnonsense\n"
						  "7 1 3 init\n9 3 5\n"),
			 0);
	assert_int_equal(table.count, 3);
	found = proc_table_find(&table, 8, &count);
	assert_int_equal(count, 1);
	assert_string_equal(found->comm, "a b");
	proc_table_free(&table);
	assert_int_equal(proc_table_parse(&table, "7\n1\n3 init\n8 2\n4 a\n"
						  "9 3 5 a name of many letters\n"),
			 0);
	assert_int_equal(table.count, 1);
	found = proc_table_find(&table, 9, &count);
	assert_string_equal(found->comm, "a name of many ");
	proc_table_free(&table);
}

/* ---- netlink ---- */

struct seen {
	unsigned int count;
	uint8_t states[4];
	int result;
};

static int note(const struct nlmsghdr *nlh, void *arg)
{
	const struct smc_abi_diag_msg *msg = NLMSG_DATA(nlh);
	struct seen *seen = arg;

	if (seen->count < sizeof(seen->states))
		seen->states[seen->count] = msg->state;
	seen->count++;
	return seen->result;
}

static int dump(uint8_t ext, struct seen *seen, struct smc_err *err)
{
	const struct smc_abi_diag_req req = { .family = AF_SMC, .ext = ext };

	*seen = (struct seen){ .result = seen->result };
	return smc_diag_dump(&req, sizeof(req), 0, note, seen, err);
}

static void add_sock(uint8_t sock_state, void (*add)(const struct message *m))
{
	const struct smc_abi_diag_msg msg = { .state = sock_state };
	struct message m;

	message_sock(&m, &msg);
	add(&m);
}

TEST(sockets)
{
	struct seen seen = { 0 };
	struct smc_err err;
	unsigned int asked;

	add_sock(1, fake_message);
	add_sock(10, fake_also);
	fake_done(0);
	assert_int_equal(dump(7, &seen, &err), 0);
	/* Fewer attributes requested: the first answer stays. */
	fake_done(0);
	assert_int_equal(dump(1, &seen, &err), 0);
	assert_int_equal(seen.count, 0);
	/* Ended by the caller: an incomplete answer. */
	add_sock(3, fake_message);
	seen.result = -ECANCELED;
	assert_int_equal(dump(15, &seen, &err), -ECANCELED);
	seen.result = 0;
	asked = fake.requests;
	replay_it();
	assert_int_equal(dump(7, &seen, &err), 0);
	assert_int_equal(seen.count, 2);
	assert_memory_equal(seen.states, "\1\12", 2);
	assert_int_equal(dump(2, &seen, &err), 0);
	assert_int_equal(seen.count, 2);
	assert_int_equal(dump(15, &seen, &err), -ENODATA);
	assert_non_null(strstr(err.text, "the record has no answer"));
	assert_int_equal(fake.requests, asked);
}

/* One file per requested family. */
TEST(files_of_families)
{
	static const struct smc_abi_diag_req requests[] = { { .family = AF_SMC }, { .family = 2 } };
	struct seen seen = { 0 };
	struct smc_err err;

	for (size_t i = 0; i < ARRAY_SIZE(requests); i++) {
		char path[128];

		fake_answer(ENOENT, NULL);
		smc_diag_dump(&requests[i], sizeof(requests[i]), 0, note, &seen, &err);
		snprintf(path, sizeof(path), "%s/netlink/sock_diag/%u", record, requests[i].family);
		assert_int_equal(access(path, F_OK), 0);
	}
}

TEST(refusal)
{
	struct seen seen = { 0 };
	struct smc_err live, err;

	fake_error(ENOBUFS); /* an error is replaced by later answers */
	assert_int_equal(dump(0, &seen, &live), -ENOBUFS);
	fake_answer(ENOENT, NULL);
	assert_int_equal(dump(0, &seen, &live), -ENOENT);
	replay_it();
	assert_int_equal(dump(0, &seen, &err), -ENOENT);
	assert_string_equal(err.text, live.text);
	assert_int_equal(err.code, live.code);
}

TEST(not_recorded)
{
	struct smc_genl *nl;
	struct smc_err err;
	struct seen seen = { 0 };

	replay_it();
	assert_int_equal(dump(0, &seen, &err), -ENODATA);
	assert_int_equal(smc_genl_open(&nl, "SMC_PNETID", &err), -ENODATA);
	assert_null(nl);
	assert_like(err.text, "*no answer to netlink/SMC_PNETID/family");
}

static int parse(const char *line, const void *bytes, size_t len, struct smc_err *err)
{
	const struct replay_request request = { .name = "x", .body = 4 };
	struct seen seen = { 0 };
	char data[512];
	size_t head = strlen(line);

	memcpy(data, line, head);
	if (len)
		memcpy(data + head, bytes, len);
	data[head + len] = '\0';
	return replay_parse(data, head + len, &request, note, &seen, err);
}

TEST(damaged)
{
	const bool is_big = *(const uint16_t *)"\0\1" == 1;
	const char *big = "smc-tools netlink 1 big 0 - \n";
	const char *little = "smc-tools netlink 1 little 0 - \n";
	const char *own = is_big ? big : little, *other = is_big ? little : big;
	struct message m;
	struct smc_err err;

	message_start(&m, 1);
	message_put(&m, "\1\2\3\4\5\6\7\10\1\2\3\4\5\6\7\10", 16);
	assert_int_equal(parse(own, NULL, 0, &err), 0);
	assert_int_equal(parse(own, m.bytes, 32, &err), 0);
	assert_int_equal(parse(own, m.bytes, 31, &err), -EBADMSG);
	assert_int_equal(parse(own, m.bytes, 15, &err), -EBADMSG);
	m.nlh.nlmsg_len = 17;
	assert_int_equal(parse(own, m.bytes, 32, &err), -EBADMSG);
	m.nlh.nlmsg_len = UINT32_MAX;
	assert_int_equal(parse(own, m.bytes, 32, &err), -EBADMSG);
	assert_int_equal(parse(other, NULL, 0, &err), 0);
	m.nlh.nlmsg_len = 32;
	assert_int_equal(parse(other, m.bytes, 32, &err), -EBADMSG); /* a length of 536870912 */
	m.nlh.nlmsg_len = __builtin_bswap32(32);
	assert_int_equal(parse(other, m.bytes, 32, &err), 0);
	assert_int_equal(parse(other, m.bytes, 31, &err), -EBADMSG);
	assert_int_equal(parse(own, m.bytes, 32, &err), -EBADMSG);
	assert_int_equal(parse("", NULL, 0, &err), -EBADMSG);
	assert_int_equal(parse("smc-tools netlink 2 little 0 - \n", NULL, 0, &err), -EBADMSG);
	assert_int_equal(parse("smc-tools netlink 1 little 0 -", NULL, 0, &err), -EBADMSG);
	assert_int_equal(parse("smc-tools netlink 1 little -5 - \n", NULL, 0, &err), -EBADMSG);
	assert_int_equal(parse("smc-tools netlink 1 little 0 abc \n", NULL, 0, &err), -EBADMSG);
	assert_int_equal(parse("smc-tools netlink 1 little 0 zz \n", NULL, 0, &err), -EBADMSG);
	assert_int_equal(parse("smc-tools netlink 1 little 0\n- \n", NULL, 0, &err), -EBADMSG);
}

static struct fixture fixture = { .setup = start, .teardown = end };
