// SPDX-License-Identifier: MIT
/* Who denies SMC sockets, and the line that allows them, on recorded hosts. */
#include "scratch.h"
#include "test.h"

#include "host/smc.h"
#include "process/confined.h"
#include "process/selinux.h"

#define DOMAIN(module, name)                                                                       \
	"echo '(typeattributeset smc_domain " name ")' >smc_" name ".cil && semodule " module      \
	"-i smc_" name ".cil"
#define WITH_MODULE(name)                                                                          \
	DOMAIN("-i /usr/share/smc-tools/smc_tools.cil ", name)                                     \
	" && restorecon /usr/libexec/smc-tools/smc_keep"
#define PROFILE(name)                                                                              \
	"add 'include <abstractions/smc-tools>' to profile " name                                  \
	", then: systemctl reload apparmor"

static char root[] = "/tmp/smc-confined.XXXXXX";

FIXTURE(start)
{
	return !scratch_make(root) || setenv("SMC_TOOLS_ROOT", root, 1);
}

FIXTURE(end)
{
	unsetenv("SMC_TOOLS_ROOT");
	return scratch_remove(root);
}

static void put(const char *path, const char *text)
{
	assert_true(scratch_put(root, path, text, strlen(text)));
}

TEST(modules)
{
	assert_null(confined_module());
	put("/sys/module/apparmor/parameters/enabled", "N\n");
	assert_null(confined_module());
	put("/sys/module/apparmor/parameters/enabled", "Y\n");
	assert_string_equal(confined_module(), "apparmor");
	put(SELINUX_ENFORCE, "0");
	assert_string_equal(confined_module(), "apparmor");
	put(SELINUX_ENFORCE, "1");
	assert_string_equal(confined_module(), "selinux");
}

/* Answer to the probe, and the remedy: the module of the policy is not loaded, or is. */
static const struct {
	const char *answer;
	int ret;
	bool is_bpf;
	enum confined_by by;
	const char *name, *remedy, *loaded;
} cases[] = {
	{ "0\n", 0, false, BY_NOBODY, "", "", "" },
	{ "-3\n", -ESRCH, false, BY_NOBODY, "", "", "" },
	{ "1\nmysqld", 1, false, BY_APPARMOR, "mysqld", PROFILE("mysqld"), PROFILE("mysqld") },
	{ "1\n/usr/bin/a-b//c", 1, true, BY_APPARMOR, "/usr/bin/a-b//c", PROFILE("/usr/bin/a-b//c"),
	  PROFILE("/usr/bin/a-b//c") },
	/* A line in it would be lost. */
	{ "1\nsnap.lab.app", 1, false, BY_APPARMOR, "snap.lab.app", "", "" },
	{ "1\nsnapper", 1, false, BY_APPARMOR, "snapper", PROFILE("snapper"), PROFILE("snapper") },
	{ "1\na'; b", 1, false, BY_APPARMOR, "a'; b", "", "" },
	{ "2\nredis_t", 1, false, BY_SELINUX, "redis_t", WITH_MODULE("redis_t"),
	  DOMAIN("", "redis_t") },
	{ "2\n../redis_t", 1, false, BY_SELINUX, "../redis_t", "", "" },
	{ "2\n", 1, false, BY_SELINUX, "", "", "" },
	/* The module does not allow what eBPF needs. */
	{ "2\nredis_t", 1, true, BY_SELINUX, "redis_t", "", "" },
};

TEST(answers)
{
	char text[CONFINED_TEXT_SIZE], line[CONFINED_TEXT_SIZE];
	struct confined confined;

	for (size_t i = 0; i < 2 * ARRAY_SIZE(cases); i++) {
		size_t at = i % ARRAY_SIZE(cases);
		const char *remedy = i == at ? cases[at].remedy : cases[at].loaded;

		if (i == ARRAY_SIZE(cases))
			put(SELINUX_MODULE_LOADED, "0 0");
		put("/probes/confined-x_service", cases[at].answer);
		put("/probes/confined-_usr_bin_x", cases[at].answer);
		put("/probes/confined-77", cases[at].answer);
		assert_int_equal(confined_program(&confined, "/usr/bin/x", cases[at].is_bpf),
				 cases[at].ret);
		assert_int_equal(confined_find(&confined, 77, cases[at].is_bpf), cases[at].ret);
		assert_int_equal(confined_unit(&confined, "x.service", NULL, cases[at].is_bpf),
				 cases[at].ret);
		if (cases[at].ret <= 0)
			continue;
		assert_string_equal(confined.name, cases[at].name);
		assert_int_equal(confined.by, cases[at].by);
		assert_int_equal(confined.is_bpf, cases[at].is_bpf);
		assert_string_equal(confined_remedy(&confined, text), remedy);
		/* The line ends with it, and has the name. */
		confined_line(&confined, line);
		assert_non_null(strstr(line, cases[at].name));
		assert_int_equal(!!strstr(line, "snapd"), !strncmp(cases[at].name, "snap.", 5));
		assert_string_equal(line + strlen(line) - strlen(remedy), remedy);
	}
}

/* The line for a drop-in, if the name can be typed. */
TEST(families)
{
	char text[CONFINED_TEXT_SIZE];
	struct confined confined;

	put("/probes/confined-x_service", "3\nx.service");
	assert_int_equal(confined_unit(&confined, "x.service", NULL, false), 1);
	assert_int_equal(confined.by, BY_FAMILIES);
	assert_non_null(strstr(confined_text(&confined, text), "x.service"));
	confined_remedy(&confined, text);
	assert_non_null(strstr(text, "RestrictAddressFamilies=AF_SMC"));
	assert_non_null(strstr(text, "restart x.service"));
	put("/probes/confined-x_service", "3\nx y.service");
	assert_int_equal(confined_unit(&confined, "x.service", NULL, false), 1);
	assert_string_equal(confined_remedy(&confined, text), "");
}

/* A long name does not end the program, nor the text in the middle of nowhere. */
TEST(long_name)
{
	char answer[600] = "1\n", text[CONFINED_TEXT_SIZE];
	struct confined confined;

	memset(answer + 2, 'a', 500);
	put("/probes/confined-77", answer);
	assert_int_equal(confined_find(&confined, 77, false), 1);
	assert_int_equal(strlen(confined.name), APPARMOR_NAME_SIZE - 1);
	assert_non_null(strstr(confined_line(&confined, text), "systemctl reload apparmor"));
}

TEST(why_not)
{
	char text[CONFINED_TEXT_SIZE];

	put("/probes/socket-af_smc", "-97\n");
	assert_string_equal(smc_why_not(-EAFNOSUPPORT, text), SMC_MISSING);
	assert_string_equal(smc_missing(), SMC_MISSING);
	assert_non_null(strstr(smc_why_not(-EMFILE, text), strerror(EMFILE)));
	/* EACCES never means a kernel without SMC. */
	assert_string_equal(smc_why_not(-EACCES, text), SMC_DENIED);
	put("/probes/confined", "2\nuser_t");
	assert_non_null(strstr(smc_why_not(-EACCES, text), WITH_MODULE("user_t")));
}

static struct fixture fixture = { .setup = start, .teardown = end };
