// SPDX-License-Identifier: MIT
/* smc_chk/doctor: kernel configuration, modules, rules against loading them, free memory. */
#include "test.h"

#include <zlib.h>

#include "smc_chk/doctor/findings.h"
#include "smc_chk/doctor/kmodule.h"

/* ---- configuration ---- */

/* From /boot/config-6.12.107+deb13-amd64. */
#define CONFIG                                                                                     \
	"#\n# Automatically generated file; DO NOT EDIT.\n"                                        \
	"# Linux/x86 6.12.107 Kernel Configuration\n#\n"                                           \
	"CONFIG_CC_VERSION_TEXT=\"x86_64-linux-gnu-gcc-14\"\n"                                     \
	"CONFIG_SMC=m\nCONFIG_SMC_DIAG=m\n# CONFIG_SMC_LO is not set\n"                            \
	"CONFIG_LOG_BUF_SHIFT=17\nCONFIG_MPTCP=y\n"

TEST(options)
{
	assert_int_equal(kconfig_get(CONFIG, "CONFIG_SMC"), 'm');
	assert_int_equal(kconfig_get(CONFIG, "CONFIG_SMC_DIAG"), 'm');
	assert_int_equal(kconfig_get(CONFIG, "CONFIG_MPTCP"), 'y');
	assert_int_equal(kconfig_get(CONFIG, "CONFIG_SMC_LO"), 'n');
	assert_int_equal(kconfig_get(CONFIG, "CONFIG_DIBS"), 'n');
	assert_int_equal(kconfig_get(CONFIG, "SMC"), 'n');
	assert_int_equal(kconfig_get(CONFIG, "CONFIG_LOG_BUF_SHIFT"), 'n');
	assert_int_equal(kconfig_get("CONFIG_SMC=y", "CONFIG_SMC"), 'y');
	assert_int_equal(kconfig_get("CONFIG_SMC", "CONFIG_SMC"), 'n');
	assert_int_equal(kconfig_get("", "CONFIG_SMC"), 'n');
}

static size_t pack(unsigned char *packed, size_t size, const char *text, size_t len)
{
	z_stream stream = { 0 };

	assert_int_equal(
		deflateInit2(&stream, 9, Z_DEFLATED, 16 + MAX_WBITS, 9, Z_DEFAULT_STRATEGY), Z_OK);
	stream.next_in = (unsigned char *)text;
	stream.avail_in = (unsigned int)len;
	stream.next_out = packed;
	stream.avail_out = (unsigned int)size;
	assert_int_equal(deflate(&stream, Z_FINISH), Z_STREAM_END);
	deflateEnd(&stream);
	return stream.total_out;
}

TEST(packed_config)
{
	static unsigned char packed[64 * 1024];
	const size_t big = 17 * 1024 * 1024;
	size_t len = pack(packed, sizeof(packed), CONFIG, strlen(CONFIG));
	char *text = kconfig_inflate(packed, len), *zeros = calloc(big, 1);

	assert_string_equal(text, CONFIG);
	free(text);
	assert_null(kconfig_inflate(packed, len - 9));
	assert_null(kconfig_inflate(packed, 0));
	packed[20] ^= 0xff;
	assert_null(kconfig_inflate(packed, len));
	assert_null(kconfig_inflate("no gzip at all", 14));
	assert_non_null(zeros);
	memset(zeros, 'x', big);
	assert_null(kconfig_inflate(packed, pack(packed, sizeof(packed), zeros, big)));
	text = kconfig_inflate(packed, pack(packed, sizeof(packed), zeros, big / 2));
	assert_int_equal(strlen(text), big / 2);
	free(text);
	free(zeros);
}

TEST(modules)
{
	static const char dep[] =
		"kernel/drivers/infiniband/core/ib_core.ko.xz:\n"
		"kernel/net/smc/smc.ko.xz: kernel/drivers/infiniband/core/ib_core.ko.xz\n"
		"kernel/net/smc/smc_diag.ko.xz: kernel/net/smc/smc.ko.xz\n"
		"kernel/sound/snd-pcm.ko";

	assert_true(kmodule_listed(dep, "smc"));
	assert_true(kmodule_listed(dep, "smc_diag"));
	assert_true(kmodule_listed(dep, "snd_pcm"));
	assert_false(kmodule_listed(dep, "snd"));
	assert_false(kmodule_listed(dep, "core"));
	assert_false(kmodule_listed(dep, "kernel"));
	assert_false(kmodule_listed("", "smc"));
	assert_false(kmodule_listed("kernel/net/smc/", "smc"));
	assert_true(kmodule_listed("smc.ko\n", "smc"));
}

/* ---- modprobe.d ---- */

TEST(rules)
{
	static const struct {
		const char *text;
		enum modprobe_rule rule;
	} cases[] = {
		{ "", MODPROBE_NO_RULE },
		{ "blacklist smc", MODPROBE_BLACKLIST },
		{ "# one\n\n  blacklist\tsmc  \n", MODPROBE_BLACKLIST },
		{ "#blacklist smc\n", MODPROBE_NO_RULE },
		{ "# blacklist smc\n", MODPROBE_NO_RULE },
		{ "blacklist smc_diag\nblacklist smc911x\n", MODPROBE_NO_RULE },
		{ "blacklist\nsmc\n", MODPROBE_NO_RULE },
		{ "install smc /bin/false\n", MODPROBE_INSTALL },
		{ "install smc /bin/true", MODPROBE_INSTALL },
		{ "blacklist smc\ninstall smc /bin/false\n", MODPROBE_INSTALL },
		{ "install smc /bin/false\nblacklist smc\n", MODPROBE_INSTALL },
		{ "install smc\n/sbin/modprobe x\n", MODPROBE_INSTALL },
		{ "install smc /sbin/modprobe --ignore-install smc && sysctl -p\n",
		  MODPROBE_NO_RULE },
		{ "install smc_diag /bin/false\n", MODPROBE_NO_RULE },
		{ "alias net-pf-43 off\n", MODPROBE_NO_ALIAS },
		{ "alias net-pf-43 smc\n", MODPROBE_NO_RULE },
		{ "alias net-pf-4 off\n", MODPROBE_NO_RULE },
		{ "options smc blacklist=smc\n", MODPROBE_NO_RULE },
	};

	for (size_t i = 0; i < ARRAY_SIZE(cases); i++)
		if (modprobe_parse(cases[i].text, "smc", "net-pf-43") != cases[i].rule)
			fail_msg("%s: not %d", cases[i].text, (int)cases[i].rule);
	assert_int_equal(modprobe_parse("blacklist smc-diag", "smc_diag", NULL),
			 MODPROBE_BLACKLIST);
	assert_int_equal(modprobe_parse("alias net-pf-43 off", "smc", NULL), MODPROBE_NO_RULE);
}

TEST(command_lines)
{
	assert_true(modprobe_cmdline("quiet module_blacklist=smc", "smc"));
	assert_true(modprobe_cmdline("modprobe.blacklist=floppy,smc ro\n", "smc"));
	assert_true(modprobe_cmdline("module_blacklist=a,smc-diag", "smc_diag"));
	assert_false(modprobe_cmdline("module_blacklist=smc_diag,smc911x ro", "smc"));
	assert_false(modprobe_cmdline("root=smc module_blacklist= smc", "smc"));
	assert_false(modprobe_cmdline("", "smc"));
}

/* ---- memory ---- */

TEST(blocks)
{
	assert_int_equal(
		buddy_orders("Node 0, zone   DMA   0   0   0   0   0   0   0   1   0   1   3 \n"
			     "Node 0, zone   DMA32   2   3 \n"),
		11);
	assert_int_equal(buddy_orders("Node 0, zone      DMA      0      3 \n"), 2);
	assert_int_equal(buddy_orders(""), 0);
	assert_int_equal(buddy_orders("Node 0, zone DMA32\n"), 0);
	assert_int_equal(buddy_orders("Node 0, zone DMA\nNode 0, zone Normal 1 2 3\n"), 0);
	assert_int_equal(buddy_orders("Linux version 6.12\n"), 0);
}
