// SPDX-License-Identifier: MIT
/* Commands of smcd and smcr with a scripted kernel. */
#include "fake_netlink.h"
#include "said.h"
#include "genl_message.h"

#include "smcdr/cmd.h"

static const struct cli_opt no_opts[] = { { 0 } };
static const struct cli_tool tool = { .name = "smcd", .opts = no_opts, .error_status = 1 };
static const struct smc_variant smcd = { &tool, "SMC-D", "SMCD", true, SMC_TECH_D };
static const struct smc_variant smcr = { &tool, "SMC-R", "SMCR", false, SMC_TECH_R };

static struct smc_err err;

/* Run a command; its output is to be freed. */
static int run(int (*fn)(struct cmd *), struct cmd *cmd, const char *words, char **out)
{
	static char copy[200];
	char *argv[8], *save = NULL;
	int ret;

	snprintf(copy, sizeof(copy), "%s", words);
	for (char *w = strtok_r(copy, " ", &save); w; w = strtok_r(NULL, " ", &save))
		argv[cmd->argc++] = w;
	cmd->argv = argv;
	cmd->err = &err;
	err = (struct smc_err){ 0 };
	ret = fn(cmd);
	assert_int_equal(err.code, -ret);
	smc_genl_close(cmd->nl);
	out_char(&cmd->text, '\0');
	if (out)
		*out = cmd->text.data;
	else
		out_free(&cmd->text);
	return ret;
}

FIXTURE(reset)
{
	fake_reset();
	return 0;
}

TEST(ueid_answers)
{
	static const struct {
		const char *words;
		int code, want;
		const char *text;
	} rows[] = {
		{ "add A", 0, 0, "" },
		{ "add A", EEXIST, -EEXIST, "EID 'A' is already" },
		{ "add A", ERANGE, -ERANGE, "table is full" },
		{ "add A", EPERM, -EPERM, "cannot add EID 'A': Operation not permitted: needs" },
		{ "add A", EINVAL, -EINVAL, "cannot add EID 'A': Invalid argument" },
		{ "del A", 0, 0, "" },
		{ "del A", ENOENT, -ENOENT, "EID 'A' is not defined" },
		{ "del A", EPERM, -EPERM, "cannot delete EID 'A': Operation not permitted" },
		{ "del A", EAGAIN, 0, "" }, /* deleted, and the system EID is back */
		{ "flush", EPERM, -EPERM, "user EIDs: Operation not permitted" },
		{ "f", 0, 0, "" },
	};

	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		struct cmd cmd = { .variant = &smcd };

		fake_reset();
		fake_answer(rows[i].code, NULL);
		assert_int_equal(run(cmd_run_ueid, &cmd, rows[i].words, NULL), rows[i].want);
		assert_int_equal(fake.requests, 1);
		if (rows[i].want)
			assert_non_null(strstr(err.text, rows[i].text));
	}
}

/* The kernel takes exactly 33 bytes. */
TEST(ueid_bytes)
{
	const struct nlattr attr = { NLA_HDRLEN + 33, SMC_NLA_EID_TABLE_ENTRY };
	struct cmd cmd = { .variant = &smcr };

	fake_answer(0, NULL);
	assert_int_equal(run(cmd_run_ueid, &cmd, "add AB.C", NULL), 0);
	assert_int_equal(fake.request.nlh.nlmsg_len, NLMSG_HDRLEN + GENL_HDRLEN + 4 + 36);
	assert_memory_equal(fake.request.bytes + 20, &attr, NLA_HDRLEN);
	assert_memory_equal(fake.request.bytes + 24, "AB.C                            ", 33);
}

TEST(ueid_refused_unsent)
{
	static const char *const words[] = { "add a", "add A..B", "add .A", "del a_b",
					     "add",   "foo",	  "show A" };

	for (size_t i = 0; i < ARRAY_SIZE(words); i++) {
		struct cmd cmd = { .variant = &smcd };

		fake_reset();
		assert_int_equal(run(cmd_run_ueid, &cmd, words[i], NULL), -EINVAL);
		assert_int_equal(fake.requests, 0);
	}
}

TEST(seid)
{
	struct cmd cmd = { .variant = &smcd }, again = { .variant = &smcd };
	struct message m;
	char *out;

	genl_make(&m, 13, "1'IBM-SYSZ-ISMSEID000000002964    ' 2:1=0");
	m.nlh.nlmsg_type = FAKE_FAMILY;
	fake_message(&m);
	fake_done(0);
	assert_int_equal(run(cmd_run_seid, &cmd, "", &out), 0);
	assert_string_equal(out, "IBM-SYSZ-ISMSEID000000002964 [disabled]\n");
	free(out);
	fake_reset();
	fake_message(&m);
	fake_done(0);
	fake_answer(ENOENT, NULL);
	assert_int_equal(run(cmd_run_seid, &again, "disable", NULL), -ENOENT);
	assert_non_null(strstr(err.text, "add a user EID first"));
}

/* @sndbuf: bytes, 0: unknown */
static void add_group_with(uint32_t id, const char *host, const char *pnetid, uint32_t conns,
			   uint64_t sndbuf)
{
	char text[256], size[32] = "", common[64] = "";
	struct message m;

	if (sndbuf)
		snprintf(size, sizeof(size), "%d:8=%llu", SMC_ABI_LGR_R_SNDBUF_ALLOC,
			 (unsigned long long)sndbuf);
	if (host)
		snprintf(common, sizeof(common), "7{0:1=2 4'%s'}", host);
	snprintf(text, sizeof(text), "2{1:4=%u 2:1=0 3:1=1 5:1=0x64 6:4=%u 4'%s' %s %s}", id, conns,
		 pnetid, size, common);
	genl_make(&m, 2, text);
	m.nlh.nlmsg_type = FAKE_FAMILY;
	fake_message(&m);
}

static void add_group(uint32_t id, const char *host, const char *pnetid)
{
	add_group_with(id, host, pnetid, 12, 0);
}

/* On a terminal only: scripts get the rows of 1.8.5. */
TEST(groups_that_wait)
{
	struct cmd cmd = { .variant = &smcr, .width = 80 }, script = { .variant = &smcr };
	char *out;

	add_group_with(0x100, NULL, "A", 0, 3 << 19);
	add_group_with(0x200, NULL, "B", 0, 1 << 19);
	add_group_with(0x300, NULL, "C", 1, 1 << 19);
	fake_done(0);
	assert_int_equal(run(cmd_run_linkgroup, &cmd, "", &out), 0);
	assert_non_null(strstr(out, "\nWithout connections: 2, with 2 MiB of buffers. The kernel "
				    "frees a group ten\n    minutes after its last connection.\n"));
	free(out);
	fake_reset();
	add_group_with(0x100, NULL, "A", 0, 3 << 19);
	fake_done(0);
	assert_int_equal(run(cmd_run_linkgroup, &script, "", &out), 0);
	assert_null(strstr(out, "Without"));
	free(out);
}

TEST(groups)
{
	struct cmd cmd = { .variant = &smcr }, details = { .variant = &smcr, .details = 1 };
	char *out;

	add_group(0x100, NULL, "ABCDEFGHIJKLMNOP");
	add_group(0x200, NULL, "");
	fake_done(0);
	assert_int_equal(run(cmd_run_linkgroup, &cmd, "", &out), 0);
	assert_string_equal(out, "LG-ID    LG-Role  LG-Type  VLAN  #Conns  PNET-ID\n"
				 "00000100 CLNT     SINGLE   0x64      12  ABCDEFGHIJKLMNOP\n"
				 "00000200 CLNT     SINGLE   0x64      12\n");
	free(out);
	fake_reset();
	add_group(0x100, "evil\033[2J", "A");
	add_group(0x200, NULL, "B");
	fake_done(0);
	assert_int_equal(run(cmd_run_linkgroup, &details, "all", &out), 0);
	assert_non_null(strstr(out, "Peer-Host: evil\\x1b[2J\n"));
	assert_null(strchr(out, '\033'));
	/* Version 1 has no peer; nothing of the previous group may appear. */
	assert_null(strstr(strstr(out, "00000200"), "Peer-Host"));
	assert_non_null(strstr(strstr(out, "00000200"), "Version  : 1\n"));
	free(out);
}

/* The last byte of SMC-R ids is ignored; an id of it alone matches no group. */
TEST(groups_by_id)
{
	static const struct {
		const char *words;
		bool has_first, has_second;
	} rows[] = {
		{ "0", true, true },	{ "100", true, false }, { "0x1ff", true, false },
		{ "200", false, true }, { "99", false, false }, { "link-show 99", false, false },
	};

	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		struct cmd cmd = { .variant = &smcr };
		char *out;

		fake_reset();
		add_group(0x100, NULL, "A");
		add_group(0x200, NULL, "B");
		fake_done(0);
		assert_int_equal(run(cmd_run_linkgroup, &cmd, rows[i].words, &out), 0);
		assert_int_equal(!!strstr(out, "00000100"), rows[i].has_first);
		assert_int_equal(!!strstr(out, "00000200"), rows[i].has_second);
		free(out);
	}
}

TEST(half_a_table)
{
	struct cmd cmd = { .variant = &smcr };
	char *out;

	add_group(0x100, NULL, "A");
	fake_done(-ENOMEM);
	assert_int_equal(run(cmd_run_linkgroup, &cmd, "", &out), -ENOMEM);
	assert_string_equal(out, "");
	assert_ptr_equal(strstr(err.text, "cannot read the link groups: "), err.text);
	assert_string_equal(err.text + strlen("cannot read the link groups: "), strerror(ENOMEM));
	free(out);
}

TEST(old_kernel)
{
	struct cmd cmd = { .variant = &smcr };

	fake_answer(EOPNOTSUPP, NULL);
	assert_int_equal(run(cmd_run_hs, &cmd, "show", NULL), -EOPNOTSUPP);
	assert_string_equal(err.text, "cannot read the handshake limitation: "
				      "this kernel does not support the request, which came with "
				      "Linux 5.18");
}

static void check_type(uint16_t device, const struct pciids_name *name, const char *want)
{
	struct out_text text = { 0 };

	cmd_pci_type(&text, 0x15b3, device, name);
	assert_string_equal(said(&text), want);
}

TEST(pci_names)
{
	static const char database[] = "# comment\n15b3  Mellanox Technologies\n"
				       "\t1017  MT27800 Family [ConnectX-5 Ex]\n"
				       "\t\t15b3 0006  a card\n"
				       "1af4  Red Hat\n\t1017  wrong\n";
	char path[] = "/tmp/pci-ids-XXXXXX";
	int fd = mkstemp(path);
	struct pciids_name name;

	assert_int_equal(write(fd, database, sizeof(database) - 1), sizeof(database) - 1);
	close(fd);
	assert_true(pciids_search(&name, fopen(path, "r"), 0x15b3, 0x1017));
	assert_string_equal(name.vendor, "Mellanox Technologies");
	assert_string_equal(name.device, "MT27800 Family [ConnectX-5 Ex]");
	check_type(0x1017, &name, "ConnectX-5_Ex");
	assert_true(pciids_search(&name, fopen(path, "r"), 0x15b3, 0x9999));
	assert_string_equal(name.device, "");
	check_type(0x9999, &name, "0x9999");
	check_type(0x1016, &name, "RoCE_Express2");
	assert_false(pciids_search(&name, fopen(path, "r"), 0x1234, 1));
	unlink(path);
}

static struct fixture fixture = { .setup = reset };
