// SPDX-License-Identifier: MIT
/* smc_pnet with a table that follows the kernel's rules, and fails on request. */
#include "pnet_text.h"

#include <linux/genetlink.h>

#include "smc/genl_abi.h"

struct smc_genl {
	int unused;
};

/**
 * struct kernel - the table, and its failures
 * @fail_at: number of the failing command, from 1; 0 for none; @fail_from: and all later ones
 * @no_ib: as in network namespaces other than the initial one
 * @code: errno to fail with
 * @commands: number of commands
 */
static struct kernel {
	struct smc_pnet_table table;
	unsigned int fail_at, commands;
	bool fail_from, no_ib;
	int code;
} kernel;

int smc_genl_open(struct smc_genl **nl, const char *family, struct smc_err *err)
{
	static struct smc_genl one;

	*nl = &one;
	return 0;
}

int smc_genl_follow(struct smc_genl **nl, const char *family, struct smc_err *err)
{
	return smc_genl_open(nl, family, err);
}

void smc_genl_close(struct smc_genl *nl)
{
}

static void put_string(struct message *m, uint16_t type, const char *text)
{
	message_attr(m, type, text, strlen(text) + 1);
}

int smc_genl_dump(struct smc_genl *nl, uint8_t cmd, smc_genl_fn fn, void *arg, struct smc_err *err)
{
	const struct genlmsghdr genl = { .cmd = cmd, .version = 1 };
	int ret = 0;

	assert_int_equal(cmd, SMC_PNETID_GET);
	for (size_t i = 0; !ret && i < kernel.table.count; i++) {
		const struct smc_pnet *entry = &kernel.table.entries[i];
		uint8_t port = entry->has & SMC_PNET_HAS_IB ? entry->port : 255;
		struct message m;

		message_start(&m, 0x20);
		message_put(&m, &genl, sizeof(genl));
		put_string(&m, SMC_PNETID_NAME, entry->name);
		put_string(&m, SMC_PNETID_ETHNAME,
			   entry->has & SMC_PNET_HAS_NET ? entry->eth : "n/a");
		put_string(&m, SMC_PNETID_IBNAME, entry->has & SMC_PNET_HAS_IB ? entry->ib : "n/a");
		message_attr(&m, SMC_PNETID_IBPORT, &port, 1);
		ret = fn(&m.nlh, arg);
	}
	return ret;
}

static int keep_part(const struct smc_pnet *entry, uint32_t has)
{
	struct smc_pnet part = *entry;

	part.has &= has;
	if (!part.has || smc_pnet_holder(&kernel.table, &part))
		return -EEXIST;
	smc_pnet_append(&kernel.table, &part);
	return 0;
}

static int add(const struct smc_genl_attr *attrs, size_t n)
{
	struct smc_pnet entry = { .port = 1 };
	int net, ib;

	for (size_t i = 0; i < n; i++) {
		switch (attrs[i].type) {
		case SMC_PNETID_NAME: strcpy(entry.name, attrs[i].str); break;
		case SMC_PNETID_ETHNAME:
			entry.has |= SMC_PNET_HAS_NET;
			strcpy(entry.eth, attrs[i].str);
			break;
		case SMC_PNETID_IBNAME:
			entry.has |= SMC_PNET_HAS_IB | SMC_PNET_HAS_PORT;
			strcpy(entry.ib, attrs[i].str);
			break;
		case SMC_PNETID_IBPORT: entry.port = attrs[i].u8; break;
		default: fail();
		}
	}
	net = keep_part(&entry, SMC_PNET_HAS_NET);
	ib = kernel.no_ib ? -EEXIST : keep_part(&entry, SMC_PNET_HAS_IB | SMC_PNET_HAS_PORT);
	return net && ib ? -EEXIST : 0;
}

/* Compares bytes, as the kernel does. */
static int drop(const char *name)
{
	size_t kept = 0, before = kernel.table.count;

	for (size_t i = 0; i < before; i++)
		if (name && strcmp(kernel.table.entries[i].name, name))
			kernel.table.entries[kept++] = kernel.table.entries[i];
	kernel.table.count = kept;
	return kept == before && name ? -ENOENT : 0;
}

static int carry_out(uint8_t cmd, const struct smc_genl_attr *attrs, size_t n)
{
	kernel.commands++;
	if (kernel.fail_at && (kernel.commands == kernel.fail_at ||
			       (kernel.fail_from && kernel.commands > kernel.fail_at)))
		return -kernel.code;
	switch (cmd) {
	case SMC_PNETID_ADD: return add(attrs, n);
	case SMC_PNETID_DEL: return drop(attrs[0].str);
	case SMC_PNETID_FLUSH: return drop(NULL);
	default: return -EOPNOTSUPP;
	}
}

int smc_genl_do(struct smc_genl *nl, uint8_t cmd, const struct smc_genl_attr *attrs, size_t n,
		struct smc_err *err)
{
	int ret = carry_out(cmd, attrs, n);

	return ret ? smc_err_say(err, -ret, "%s", strerror(-ret)) : 0;
}

/* ---- tests ---- */

static void begin(const char *text)
{
	smc_pnet_free(&kernel.table);
	kernel = (struct kernel){ .code = EPERM };
	from_text(&kernel.table, text);
}

static void begin_failing(const char *text, unsigned int fail_at, int code)
{
	begin(text);
	kernel.fail_at = fail_at;
	kernel.code = code;
}

/* true if the kernel's table equals this, in any order */
static bool table_is(const char *text)
{
	struct smc_pnet_table want;
	bool is_same;

	from_text(&want, text);
	is_same = want.count == kernel.table.count;
	for (size_t i = 0; i < want.count; i++) {
		const struct smc_pnet *holder = smc_pnet_holder(&kernel.table, &want.entries[i]);

		is_same = is_same && holder && smc_pnet_same(holder, &want.entries[i]);
	}
	smc_pnet_free(&want);
	return is_same;
}

static struct smc_err err;
static struct smc_genl netlink;
static struct pnet_tool tool = { &netlink, "/no/such/sysfs", &err };

static int import(const char *text)
{
	struct smc_pnet_table from, to;
	int ret = pnet_fetch(&netlink, &from, &err);

	from_text(&to, text);
	if (!ret)
		ret = pnet_change(&tool, &from, &to);
	smc_pnet_free(&from);
	smc_pnet_free(&to);
	return ret;
}

static int add_text(const char *text)
{
	struct smc_pnet_table entries;
	struct smc_pnet entry;

	from_text(&entries, text);
	entry = entries.entries[0];
	for (size_t i = 1; i < entries.count; i++) { /* both parts as one request */
		entry.has |= entries.entries[i].has;
		strcpy(entry.ib, entries.entries[i].ib);
		entry.port = entries.entries[i].port;
	}
	smc_pnet_free(&entries);
	return pnet_add(&tool, &entry);
}

TEST(flush)
{
	begin("A eth0 rxe0 1");
	assert_int_equal(pnet_flush(&tool), 0);
	assert_true(table_is(""));
	begin_failing("A eth0 n/a", 1, EPERM);
	assert_int_equal(pnet_flush(&tool), -EPERM);
	assert_like(err.text, "*flush *: Operation not permitted");
	begin_failing("", 1, ENOENT); /* old kernels return this for an empty table */
	assert_int_equal(pnet_flush(&tool), 0);
}

TEST(delete)
{
	begin("A eth0 rxe0 1\nB eth1 n/a");
	assert_int_equal(pnet_delete(&tool, "A"), 0);
	assert_true(table_is("B eth1 n/a"));
	assert_int_equal(pnet_delete(&tool, "A"), -ENOENT);
	assert_like(err.text, "no entry *A: Object not found");
	begin_failing("A eth0 n/a", 1, EPERM);
	assert_int_equal(pnet_delete(&tool, "A"), -EPERM);
	assert_string_equal(err.text, "cannot delete PNET ID A: Operation not permitted");
}

TEST(add_and_exists)
{
	begin("");
	assert_int_equal(add_text("A eth0 rxe0 2"), 0);
	assert_true(table_is("A eth0 rxe0 2"));
	assert_int_equal(add_text("A eth0 n/a"), -EEXIST);
	assert_like(err.text, "'eth0' already *A, *table: Object exists");
	assert_int_equal(add_text("B n/a rxe0 1"), -EEXIST);
	assert_like(err.text, "'rxe0' already *A for port 2, *per device: Object exists");
	kernel.commands = 0;
	/* The kernel would store the new half and report success. */
	assert_int_equal(add_text("B eth1 rxe0 2"), -EEXIST);
	assert_int_equal(kernel.commands, 0);
	assert_int_equal(add_text("A eth0 rxe1 1"), 0);
	begin_failing("", 1, EEXIST);
	assert_int_equal(add_text("A eth0 n/a"), -EEXIST);
	assert_like(err.text, "the kernel already *'eth0': Object exists");
	begin_failing("", 1, EPERM);
	assert_int_equal(add_text("A eth0 n/a"), -EPERM);
	assert_string_equal(err.text, "cannot add PNET ID A: Operation not permitted");
}

/* The kernel reports success. */
TEST(dropped)
{
	begin("");
	kernel.no_ib = true;
	assert_int_equal(add_text("A eth0 rxe0 1"), -EEXIST);
	assert_like(err.text, "'eth0' *A now, *not keep 'rxe0': *initial *");
	assert_true(table_is("A eth0 n/a"));
}

TEST(exists_by_hardware)
{
	struct netdev nets[] = { { .name = "eth0", .hw_pnetid = "HW" } };
	struct ism_dev isms[] = { { .name = "0000:00:00.0", .hw_pnetid = "HW" } };
	struct rdma_dev devs[] = { { .name = "mlx4_0", .n_ports = 2 } };
	const struct pnet_world world = { { nets, 1 }, { devs, 1, isms, 1 } };
	const struct smc_pnet_table table = { 0 };
	const struct smc_pnet net = { SMC_PNET_HAS_NET, "A", "eth0", "", 0 };
	const struct smc_pnet ism = { SMC_PNET_HAS_IB, "A", "", "0000:00:00.0", 1 };
	const struct smc_pnet ib = { SMC_PNET_HAS_IB, "A", "", "mlx4_0", 2 };

	devs[0].ports[1] = (struct rdma_port){ .number = 2, .hw_pnetid = "HW2" };
	pnet_say_exists(&table, &world, &net, &err);
	assert_like(err.text, "'eth0' *HW from its hardware*");
	pnet_say_exists(&table, &world, &ism, &err);
	assert_non_null(strstr(err.text, "PNET ID HW from its hardware"));
	pnet_say_exists(&table, &world, &ib, &err);
	assert_non_null(strstr(err.text, "PNET ID HW2 from its hardware"));
	devs[0].ports[1].hw_pnetid[0] = '\0';
	pnet_say_exists(&table, &world, &ib, &err);
	assert_non_null(strstr(err.text, "initial network namespace"));
}

#define BEFORE "A eth0 rxe0 1\nB eth1 rxe1 2\nC eth2 n/a"
#define AFTER "B eth0 rxe1 1\nA eth1 n/a\nD eth3 rxe3 1\nC eth2 n/a"

TEST(import_works)
{
	begin(BEFORE);
	assert_int_equal(import(AFTER), 0);
	assert_true(table_is(AFTER));
	kernel.commands = 0;
	assert_int_equal(import(AFTER), 0); /* repeated: nothing is sent */
	assert_int_equal(kernel.commands, 0);
	assert_int_equal(import(""), 0);
	assert_true(table_is(""));
}

/* Whichever command fails, the table is restored. */
TEST(import_all_or_nothing)
{
	unsigned int all, at;

	begin(BEFORE);
	assert_int_equal(import(AFTER), 0);
	all = kernel.commands;
	assert_true(all > 5);
	for (at = 1; at <= all; at++) {
		begin_failing(BEFORE, at, ENOMEM);
		assert_int_equal(import(AFTER), -ENOMEM);
		assert_true(table_is(BEFORE));
		assert_non_null(strstr(err.text, "; the table is as it was"));
		assert_non_null(strstr(err.text, strerror(ENOMEM)));
	}
}

TEST(import_cannot_restore)
{
	begin_failing(BEFORE, 3, EPERM);
	kernel.fail_from = true;
	assert_int_equal(import(AFTER), -EPERM);
	assert_non_null(strstr(err.text, "; the table is not as it was: "));
	/* Nothing was changed, so there is nothing to restore. */
	begin_failing(BEFORE, 1, EPERM);
	kernel.fail_from = true;
	assert_int_equal(import(AFTER), -EPERM);
	assert_true(table_is(BEFORE));
	assert_non_null(strstr(err.text, "; the table is as it was"));
}

/* For sanitizers: without warnings nothing is written, not even from NULL. */
TEST(list_without_warnings)
{
	begin("");
	assert_int_equal(pnet_list(&tool, false, false), 0);
}

FIXTURE(wipe)
{
	begin("");
	return 0;
}

static struct fixture fixture = { .last = wipe };
