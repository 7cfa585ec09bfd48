// SPDX-License-Identifier: MIT
/* ld_pre_smc/state/repair: repairs that the kernel or the user has switched off. */
#include "fake_below.h"

#include <netinet/tcp.h>
#include <sys/utsname.h>
#include <sys/wait.h>

#include "child.h"
#include "ld_pre_smc/state/repair.h"

#define BIT(name) (1ULL << REPAIR_##name)

static int asked, uname_fails;
static const char *text = "";

int uname(struct utsname *host)
{
	asked++;
	snprintf(host->release, sizeof(host->release), "%s", text);
	return uname_fails;
}

static const struct kernel {
	const char *text;
	int release;
	bool is_unknown, is_in_sandbox;
} kernels[] = {
	{ "6.12.107+deb13-amd64", SHIM_RELEASE(6, 12) },
	{ "7.1.99", SHIM_RELEASE(7, 1) },
	{ "7.2.13", SHIM_RELEASE(7, 2) },
	{ "7.2-rc1", SHIM_RELEASE(7, 2) },
	{ "10.0", SHIM_RELEASE(10, 0) },
	{ "5", SHIM_RELEASE(5, 0) },
	{ "unnamed", 0 },
	{ "7.2", 0, .is_unknown = true },
	{ "7.2", 0, .is_in_sandbox = true },
};

/* The release is asked once, only for a row with an end, and not in a sandbox. */
static int look(const void *arg)
{
	const struct kernel *kernel = arg;
	bool is_needed = kernel->release < SHIM_RELEASE(7, 2);

	text = kernel->text;
	uname_fails = kernel->is_unknown ? -1 : 0;
	shim_in_sandbox = kernel->is_in_sandbox;
	errno = ERRNO_BEFORE;
	if (!shim_needs(REPAIR_IDENTITY) || asked || shim_needs(REPAIR_LATE_ERROR) != is_needed ||
	    shim_needs(REPAIR_LATE_ERROR) != is_needed || shim_release() != kernel->release)
		return CHILD_WRONG;
	return (kernel->release && asked != 1) || (kernel->is_in_sandbox && asked) ||
			       errno != ERRNO_BEFORE ?
		       CHILD_WRONG :
		       CHILD_RIGHT;
}

TEST(a_kernel_ends_repairs)
{
	fake.on = false;
	for (int fn = 0; fn < SHIM_FNS; fn++)
		shim_resolve(fn);
	for (size_t i = 0; next_row(i, kernels); i++)
		in_child(look, &kernels[i]);
}

TEST(names_of_repairs)
{
	static const struct {
		const char *list;
		unsigned long long bits;
		bool is_wrong;
	} rows[] = {
		{ "", 0 },
		{ " ,", 0 },
		{ "identity", BIT(IDENTITY) },
		{ " late_error,,unsent ", BIT(LATE_ERROR) | BIT(UNSENT) },
		{ "more whole", BIT(MORE) | BIT(WHOLE) },
		{ "whol", 0, true },
		{ "more2", 0, true },
		{ "more,identity,Unsent,whole", BIT(MORE) | BIT(IDENTITY), true },
	};
	unsigned long long bits;

	for (size_t i = 0; next_row(i, rows); i++) {
		bits = 0;
		assert_int_equal(shim_repairs_find(rows[i].list, &bits), !rows[i].is_wrong);
		assert_int_equal(bits, rows[i].bits);
	}
}

TEST(a_repair_that_is_off_does_nothing)
{
	static const int on = 1;

	fake.config.off = BIT(CORK);
	assert_int_equal(setsockopt(5, IPPROTO_TCP, TCP_CORK, &on, sizeof(on)), 0);
	assert_int_equal(*(const int *)fake_option_of(5, IPPROTO_TCP, TCP_CORK)->value, 1);
	assert_false(shim_mends(5, REPAIR_CORK));
	assert_true(shim_mends(5, REPAIR_CONTROL));
	fake.config.off = 0;
	assert_int_equal(setsockopt(5, IPPROTO_TCP, TCP_CORK, &on, sizeof(on)), 0);
	assert_int_equal(*(const int *)fake_option_of(5, IPPROTO_TCP, TCP_CORK)->value, 0);
	fake.config.raw = true;
	assert_false(shim_needs(REPAIR_CORK));
	fake.config.raw = false;
	shim_is_locked = true;
	assert_false(shim_needs(REPAIR_CORK));
}

static struct fixture fixture = { .setup = fake_setup, .teardown = fake_teardown };
