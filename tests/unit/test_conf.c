// SPDX-License-Identifier: MIT
/* extra/lib/settings/conf: lines of smc.conf, errors, and included files. */
#include "said.h"

#include "base/words.h"
#include "scratch.h"
#include "settings/conf.h"

static int read_lines(struct conf *conf, const char *lines, struct smc_err *err)
{
	char *text = strdup(lines);
	int ret;

	assert_non_null(text);
	ret = conf_read_text(conf, text, strlen(text), "x.conf", err);
	free(text);
	return ret;
}

static struct smc_err err;

static struct conf conf;

/* Parse @lines and write them again. */
static void becomes(const char *lines, const char *expected)
{
	struct out_text out = { 0 };

	assert_int_equal(read_lines(&conf, lines, &err), 0);
	conf_write(&out, &conf);
	assert_string_equal(said(&out), expected);
	conf_free(&conf);
}

TEST(good)
{
	becomes("", "");
	becomes("# only this\n\n \t\r\n", "");
	becomes("eid B A # two\neid B\nseid off\n", "eid B\neid A\nseid off\n");
	becomes("handshake-limit on", "handshake-limit on\n");
	becomes("net.smc.rmem=131072\n \tnet.smc.wmem =\t16384#=\n",
		"net.smc.rmem 131072\nnet.smc.wmem 16384\n");
	becomes("net.smc.rmem = 0131072\nnet.smc.wmem 16384\n",
		"net.smc.rmem 131072\nnet.smc.wmem 16384\n");
	becomes("pnetid net1 net eth0 device mlx5_0 port 2 device ism0\n",
		"pnetid NET1 net eth0\npnetid NET1 device mlx5_0 port 2\n"
		"pnetid NET1 device ism0 port 1\n");
	becomes("pnetid A bus 0000:3B:00.0 mac 02:00:00:00:00:Ff",
		"pnetid A bus 0000:3b:00.0\npnetid A mac 02:00:00:00:00:ff\n");
	becomes("pnetid A bus 10000:e1:1f.7 bus 0.0.F500",
		"pnetid A bus 10000:e1:1f.7\npnetid A bus 0.0.f500\n");
	becomes("pnetid A net e\\x23\\xc4", "pnetid A net e\\x23\\xc4\n");
	becomes("scope /sys/fs/cgroup/a exclude-comm c\\x20#\nscope /\nscope /.b/..c "
		"exclude-comm b exclude-comm a only ipv4 exclude-comm b only ipv4\n",
		"scope /a exclude-comm c\\x20\nscope /\n"
		"scope /.b/..c only ipv4 exclude-comm a exclude-comm b\n");
	becomes("scope /sys/fs/cgroup\nscope /sys/fs/cgroup/sys/fs/cgroup\n"
		"scope /sys/fs/cgroup/sys/fs/cgroup/a\nscope /sys/fs/cgroups\n",
		"scope /\nscope /sys/fs/cgroup/sys/fs/cgroup\n"
		"scope /sys/fs/cgroup/sys/fs/cgroup/a\nscope /sys/fs/cgroups\n");
	becomes("scope /a only none\n", "scope /a only none\n");
	becomes("scope /a mptcp keep only ipv6\nscope /a only ipv6 mptcp keep",
		"scope /a only ipv6 mptcp keep\n");
	becomes("allow 10.0.0.0/8\nallow 10.1.0.0/16\nnetns a\ndeny port 22\n",
		"allow 10.0.0.0/8\nallow 10.1.0.0/16\n\nnetns a\ndeny port 22\n\nhost\n");
}

TEST(sections)
{
	becomes("netns blue\nhandshake-limit on\nnetns *\nexclusive sysctl\nnetns blue\n"
		"pnetid N net eth0\n",
		"\nnetns blue\nhandshake-limit on\npnetid N net eth0\n"
		"\nnetns *\nexclusive sysctl\n\nhost\n");
	becomes("netns none\nnetns a\\x20b\ndeny port 1\n",
		"\nnetns a\\x20b\ndeny port 1\n\nhost\n");
	/* Unreleased versions wrote such lines. */
	becomes("learn 1h\nby bpf\neid A\nnetns a\nby nft\n", "eid A\n");
	becomes("exclusive\n", "exclusive\n");
	becomes("exclusive eid\nexclusive seid pnetid\n", "exclusive eid seid pnetid\n");
	/* A setting may differ between namespaces. */
	becomes("net.smc.rmem 16384\nnetns a\nnet.smc.rmem 16385\n",
		"net.smc.rmem 16384\n\nnetns a\nnet.smc.rmem 16385\n\nhost\n");
	/* Settings after "host" belong to the host. */
	becomes("netns a\ndeny port 1\n\nhost\neid A\nnetns a\ndeny port 3\nhost\ndeny port 2\n",
		"eid A\ndeny port 2\n\nnetns a\ndeny port 1\ndeny port 3\n\nhost\n");
}

static const struct {
	const char *lines, *error;
} wrong[] = {
	{ "ueid A", "x.conf:1: ueid: expected eid, seid, " },
	{ "eid A\nallow nowhere", "x.conf:2: nowhere: 'nowhere' is not a filter here" },
	{ "allow 10.0.0.0/8 nowhere", "x.conf:1: nowhere: expected a network" },
	{ "\n\neid", "x.conf:3: end of line: expected an EID" },
	{ "eid A my_eid", "x.conf:1: my_eid: an EID may contain only" },
	{ "seid yes", "x.conf:1: yes: expected on or off" },
	{ "seid", "x.conf:1: end of line: expected on or off" },
	{ "seid on off", "x.conf:1: off: expected the end" },
	{ "seid on\nseid off", "x.conf:2: off: contradicts x.conf:1" },
	{ "net.smc.rmen 1", "x.conf:1: net.smc.rmen: not a known sysctl" },
	{ "net.smc.limit_smc_hs 1",
	  "x.conf:1: net.smc.limit_smc_hs: expected 'handshake-limit on'" },
	{ "net.smc.rmem", "x.conf:1: end of line: expected a number from 1638" },
	{ "net.smc.rmem = ", "x.conf:1: end of line: expected a number" },
	{ "net.smc.rmem==20000", "x.conf:1: =20000: expected a number" },
	{ "net.smc.rmem 20000=", "x.conf:1: 20000=: expected a number" },
	{ "net.smc.rmem 16383", "x.conf:1: 16383: expected a number from 1638" },
	{ "net.smc.smcr_buf_type 3", "x.conf:1: 3: expected a number" },
	{ "net.smc.rmem 99999999999999999999", "x.conf:1: 99999999999999999999: expected" },
	{ "net.smc.rmem 64K", "x.conf:1: 64K: expected a number" },
	{ "net.smc.rmem 65536 x", "x.conf:1: x: expected the end" },
	{ "pnetid", "x.conf:1: end of line: expected a PNET ID" },
	{ "pnetid A-B net x", "x.conf:1: A-B: 'A-B' is not a PNET ID" },
	{ "pnetid A", "x.conf:1: end of line: expected net, bus" },
	{ "pnetid A eth0", "x.conf:1: eth0: expected net, bus" },
	{ "pnetid A net", "x.conf:1: end of line: expected a device" },
	{ "pnetid A net abcdefghijklmnop", "x.conf:1: abcdefghijklmnop: " },
	{ "pnetid A mac 02:00", "x.conf:1: 02:00: expected a MAC address" },
	{ "pnetid A mac 02-00-00-00-00-01", "x.conf:1: 02-00-00-00-00-01: expected a MAC" },
	{ "pnetid A bus xyz", "x.conf:1: xyz: expected a PCI function, 0000:3b:00.0, or a CCW" },
	{ "pnetid A bus 3b:00.0", "x.conf:1: 3b:00.0: expected a PCI function" },
	{ "pnetid A bus 0000:3b:00", "x.conf:1: 0000:3b:00: expected a PCI function" },
	{ "pnetid A bus 0000:3b:00.0.1", "x.conf:1: 0000:3b:00.0.1: expected a PCI function" },
	{ "pnetid A bus 000:3b:00.0", "x.conf:1: 000:3b:00.0: expected a PCI function" },
	{ "pnetid A bus 123456789:3b:00.0", "x.conf:1: 123456789:3b:00.0: expected a PCI" },
	{ "pnetid A bus 0.0.f50g", "x.conf:1: 0.0.f50g: expected a PCI function" },
	{ "pnetid A bus 0.0.f500:", "x.conf:1: 0.0.f500:: expected a PCI function" },
	{ "pnetid A device", "x.conf:1: end of line: expected a device" },
	{ "pnetid A device 0123456789012345678901234567890123456789012345678901234567890123",
	  "x.conf:1: 012345678901234567890123456789012345678901234567890123456789" },
	{ "pnetid A device x port 3", "x.conf:1: 3: expected port" },
	{ "pnetid A device x port", "x.conf:1: end of line: expected port" },
	{ "pnetid A net x port 1", "x.conf:1: port: expected net, bus" },
	{ "pnetid A net x\npnetid B net x", "x.conf:2: x: contradicts x.conf:1" },
	{ "pnetid A device x port 1 device x port 2", "x.conf:1: x: contradicts x.conf:1" },
	{ "netns", "x.conf:1: end of line: expected the name of a network namespace" },
	{ "netns a/b", "x.conf:1: a/b: expected the name" },
	{ "netns ..", "x.conf:1: ..: expected the name" },
	{ "netns 123", "x.conf:1: 123: expected the name" },
	{ "netns a\neid A",
	  "x.conf:2: eid: is the same in all network namespaces: put it before the first netns, "
	  "or after host" },
	{ "host a", "x.conf:1: a: expected the end" },
	{ "netns a\npnetid A device x", "x.conf:2: x: PNET IDs of RDMA and ISM devices" },
	{ "exclusive policy-x", "x.conf:1: policy-x: expected eid, seid" },
	{ "scope", "x.conf:1: end of line: expected the path of a control group" },
	{ "scope a", "x.conf:1: a: expected the path of a control group" },
	{ "scope /a/../b", "x.conf:1: /a/../b: expected the path" },
	{ "scope /a/.", "x.conf:1: /a/.: expected the path" },
	{ "scope /a//b", "x.conf:1: /a//b: expected the path" },
	{ "scope /a/", "x.conf:1: /a/: expected the path" },
	{ "scope /a ipv4", "x.conf:1: ipv4: expected only, mptcp" },
	{ "scope /a only", "x.conf:1: end of line: expected a value" },
	{ "scope /a only ipv5", "x.conf:1: ipv5: expected ipv4" },
	{ "scope /a only ipv4 only ipv6", "x.conf:1: ipv6: a different one" },
	{ "scope /a exclude-comm 0123456789abcdef", "x.conf:1: 0123456789abcdef: expected a c" },
	{ "scope /a exclude-comm a exclude-comm b exclude-comm c exclude-comm d exclude-comm e "
	  "exclude-comm f exclude-comm g exclude-comm h exclude-comm i",
	  "x.conf:1: i: more than 8 names to exclude" },
	{ "scope /a\nscope /a mptcp keep", "x.conf:2: /a: contradicts x.conf:1" },
	{ "netns n\nscope /a", "x.conf:2: scope: is the same in all network namespaces" },
};

TEST(bad)
{
	for (size_t i = 0; i < ARRAY_SIZE(wrong); i++) {
		assert_int_equal(read_lines(&conf, wrong[i].lines, &err), -EINVAL);
		if (strncmp(err.text, wrong[i].error, strlen(wrong[i].error)))
			fail_msg("%s: %s", wrong[i].lines, err.text);
		assert_null(conf.items);
		assert_null(conf.strings);
	}
}

TEST(no_text)
{
	char text[] = "eid A\n\0eid B\n";

	assert_int_equal(conf_read_text(&conf, text, sizeof(text) - 1, "x.conf", &err), -EINVAL);
	assert_string_equal(err.text, "x.conf:2: this is not text");
}

TEST(too_many_words)
{
	static char text[4096] = "eid";

	for (int i = 0; i < 1025; i++)
		strcat(text, " A");
	assert_int_equal(read_lines(&conf, text, &err), -EINVAL);
	assert_like(err.text, "x.conf:1: A: too many words *");
}

/* ---- files ---- */

static char directory[] = "/tmp/smc-conf-XXXXXX";

/* Files below /tmp are not accepted from root. */
FIXTURE(set_up)
{
	if (!geteuid() && seteuid(65534))
		return -1;
	return scratch_make(directory) ? 0 : -1;
}

FIXTURE(tear_down)
{
	int ret = scratch_remove(directory);

	return !getuid() && seteuid(0) ? -1 : ret;
}

static const char *put(const char *name, const char *text)
{
	static char path[4096];
	FILE *file;

	snprintf(path, sizeof(path), "%s/%s", directory, name);
	file = fopen(path, "w");
	assert_non_null(file);
	fputs(text, file);
	assert_int_equal(fclose(file), 0);
	return path;
}

static void make_directory(const char *name)
{
	char path[128];

	snprintf(path, sizeof(path), "%s/%s", directory, name);
	assert_int_equal(mkdir(path, 0700), 0);
}

static const char *path_of(const char *name)
{
	static char path[128];

	snprintf(path, sizeof(path), "%s/%s", directory, name);
	return path;
}

TEST(directories)
{
	struct out_text out = { 0 };
	const char *top;

	make_directory("conf.d");
	put("conf.d/20.conf", "eid C\nnetns x\nhandshake-limit on\n");
	put("conf.d/10.conf", "eid B # first\n");
	put("conf.d/15.conf", "eid J\n");
	put("conf.d/30.conf~", "nonsense\n");
	put("conf.d/.hidden.conf", "nonsense\n");
	top = put("top.conf", "eid A\nnetns y\nhandshake-limit off\n");
	assert_int_equal(conf_read(&conf, top, true, &err), 0);
	assert_int_equal(conf_read_directory(&conf, path_of("conf.d"), true, &err), 0);
	conf_write(&out, &conf);
	out_char(&out, '\0');
	assert_string_equal(out.data, "eid A\neid B\neid J\neid C\n"
				      "\nnetns y\nhandshake-limit off\n"
				      "\nnetns x\nhandshake-limit on\n\nhost\n");
	assert_string_equal(strrchr(conf.items[2].place.file, '/'), "/10.conf");
	assert_int_equal(conf.items[4].place.line, 1);
	out_free(&out);
	conf_free(&conf);
}

TEST(bad_directories)
{
	make_directory("d");
	put("d/a.conf", "eid A\n");
	put("d/b.conf", "\neid b\n");
	assert_int_equal(conf_read_directory(&conf, path_of("d"), true, &err), -EINVAL);
	assert_non_null(strstr(err.text, "/d/b.conf:2: b: lower case"));
	assert_int_equal(conf_read_directory(&conf, path_of("nothing"), true, &err), -ENOENT);
	assert_like(err.text, "cannot read */nothing: No such *");
	assert_int_equal(conf_read(&conf, "/no/such/file", true, &err), -ENOENT);
	assert_string_equal(err.text, "cannot open /no/such/file: No such file or directory");
}

TEST(owner)
{
	const char *top = put("top.conf", "eid A\n");

	if (getuid())
		skip();
	assert_int_equal(conf_read(&conf, top, true, &err), 0);
	conf_free(&conf);
	assert_int_equal(seteuid(0), 0);
	assert_int_equal(conf_read(&conf, top, false, &err), 0);
	conf_free(&conf);
	assert_int_equal(conf_read(&conf, top, true, &err), -EPERM);
	assert_like(err.text, "refusing to read /tmp/*top.conf as root: other users * /tmp");
	assert_int_equal(seteuid(65534), 0);
}

TEST(words)
{
	char line[] = " a\tb\\x41\\x00 c#d", *found[4];

	assert_int_equal(words_split(line, found, 4), 3);
	assert_string_equal(found[0], "a");
	assert_string_equal(found[1], "bA\\x00");
	assert_string_equal(found[2], "c");
	strcpy(line, "a b c");
	assert_int_equal(words_split(line, found, 2), 2);
}

static struct fixture fixture = { .setup = set_up, .teardown = tear_down };
