// SPDX-License-Identifier: MIT
/* smc_rnics: rows of recorded trees; names from the PCI ids database; slot power. */
#include "trees.h"
#include "said.h"

#include "host/file.h"
#include "net/pciids.h"
#include "smc_rnics/smc_rnics.h"

static char root[] = "/tmp/smc-tools-rnics-XXXXXX";

FIXTURE(build)
{
	char command[PATH_MAX];

	if (!mkdtemp(root))
		return -1;
	snprintf(command, sizeof(command), "cp -r '%s'/* %s", trees_root(), root);
	return system(command);
}

FIXTURE(wipe)
{
	char command[512];

	snprintf(command, sizeof(command), "rm -rf %s", root);
	return system(command);
}

/* From here on read from that host. */
static void visit(const char *tree)
{
	char path[64];

	snprintf(path, sizeof(path), "%s/%s", root, tree);
	setenv("SMC_TOOLS_ROOT", path, 1);
}

static void check(const char *tree, const struct smc_pnet_table *pnet, const char *names,
		  const char *want)
{
	struct out_text out = { 0 };
	struct out_view view = { 0 };
	struct rnic_table table;
	struct smc_err err;

	visit(tree);
	assert_int_equal(rnics_load(&table, "/sys", pnet, &err), 0);
	assert_null(out_view_add(&view, rnic_columns, names));
	memset(view.widths, 0, sizeof(view.widths));
	for (size_t i = 0; i < table.count; i++)
		out_row(&out, &view, &table.rnics[i]);
	assert_string_equal(said(&out), want);
	rnics_free(&table);
}

TEST(s390_rows)
{
	const struct smc_pnet_table none = { 0 };

	check("s390", &none, "fid,power,pciid,pchid,type,pft,vf,pport,pnetid,netdev",
	      "11 1 0001:00:00.0 0100 RoCE_Express ROC n 1 NET1 eno1\n"
	      "11 1 0001:00:00.0 0100 RoCE_Express ROC n 2 NET2 eno1d1\n"
	      "12 1 0002:00:00.0 0140 RoCE_Express3 ROC2 n 1 ABCDEFGHIJKLSTU9 eno2\n"
	      "13 0 n/a n/a n/a n/a n/a n/a n/a n/a\n"
	      "14 1 0003:00:00.0 0180 nvme 0x0b n n/a n/a n/a\n"
	      "15 1 0004:00:00.0 07c1 ISM ISM n n/a NET2 n/a\n"
	      "1000 1 0000:00:00.0 07c0 ISM ISM n n/a NET1 n/a\n");
	check("s390", &none, "fid,ids,vfn,iport,ibdev,state,layer,mtu,driver",
	      "11 15b3:1004 0000 1 mlx4_0 ACTIVE Ethernet 1500 mlx4_core\n"
	      "11 15b3:1004 0000 2 mlx4_0 DOWN Ethernet 1500 mlx4_core\n"
	      "12 15b3:101e 0000 1 mlx5_0 ACTIVE Ethernet 1500 mlx5_core\n"
	      "13 n/a n/a n/a n/a n/a n/a n/a n/a\n"
	      "14 1014:0400 0000 n/a n/a n/a n/a n/a nvme\n"
	      "15 1014:04ed 0000 n/a n/a n/a n/a n/a vfio-pci\n"
	      "1000 1014:04ed 0000 n/a n/a n/a n/a n/a ism\n");
}

TEST(x86_rows)
{
	struct smc_pnet entries[] = {
		{ SMC_PNET_HAS_NET, "A", "ens1f1", "", 0 },
		{ SMC_PNET_HAS_IB | SMC_PNET_HAS_PORT, "B", "", "0000:3b:00.0", 1 },
		{ SMC_PNET_HAS_IB | SMC_PNET_HAS_PORT, "C", "", "siw0", 1 },
		{ SMC_PNET_HAS_IB | SMC_PNET_HAS_PORT, "D", "", "erdma_0", 2 },
	};
	const struct smc_pnet_table pnet = { entries, ARRAY_SIZE(entries) };

	check("x86", &pnet, "fid,power,pciid,type,vf,pport,pnetid,netdev,ibdev",
	      "n/a n/a 0000:00:07.0 Elastic_RDMA_Adapter n 1 n/a eth1 erdma_0\n"
	      "n/a n/a 0000:3b:00.0 ConnectX-5 n 1 B* ens1f0 mlx5_0\n"
	      "n/a n/a 0000:3b:00.1 ConnectX-5 n 1 A* ens1f1 mlx5_1\n"
	      "n/a n/a 0000:5e:00.0 ConnectX-6 n 1 n/a n/a ibp94s0\n"
	      "n/a n/a n/a Soft-RoCE n/a 1 n/a lo rxelo\n"
	      "n/a n/a n/a Soft-iWARP n/a 1 C* n/a siw0\n");
	check("none", &pnet, "fid", "");
}

TEST(database)
{
	struct pciids_name name;

	visit("x86");
	assert_true(pciids_find(&name, 0x15b3, 0x1017));
	assert_string_equal(name.vendor, "Mellanox Technologies");
	assert_string_equal(name.device, "MT27800 Family [ConnectX-5]");
	assert_true(pciids_find(&name, 0x15b3, 0x1014));
	assert_string_equal(name.device, "");
	assert_false(pciids_find(&name, 0x15b4, 0x1017));
	assert_false(pciids_find(&name, 0xc, 0x1017));
	assert_string_equal(name.vendor, "");
	assert_false(pciids_search(&name, fopen("/no/such/file", "r"), 0x15b3, 0x1017));
	assert_false(pciids_search(&name, fopen("/dev/null", "r"), 0x15b3, 0x1017));
	assert_string_equal(name.vendor, "");
}

/* A record has the found name, not the database. */
TEST(recorded_name)
{
	struct pciids_name name;
	char command[256];

	snprintf(command, sizeof(command),
		 "mkdir -p %s/bare/probes && cd %s/bare/probes && "
		 "printf '1\\nVendor\\nDevice [X]\\n' >pci-ids-1234:0056 && "
		 "printf '0\\n\\n\\n' >pci-ids-1234:0057",
		 root, root);
	assert_int_equal(system(command), 0);
	visit("bare");
	assert_true(pciids_find(&name, 0x1234, 0x56));
	assert_string_equal(name.vendor, "Vendor");
	assert_string_equal(name.device, "Device [X]");
	assert_false(pciids_find(&name, 0x1234, 0x57));
	assert_string_equal(name.device, "");
	assert_false(pciids_find(&name, 0x1234, 0x58));
}

static void check_power(const char *path, char want)
{
	char text[8];

	assert_true(host_text(text, sizeof(text), "%s/bus/pci/slots/00000013/power", path));
	assert_int_equal(text[0], want);
}

TEST(power)
{
	struct smc_err err;
	char path[64];

	unsetenv("SMC_TOOLS_ROOT");
	snprintf(path, sizeof(path), "%s/s390/sys", root);
	assert_int_equal(rnics_power(path, 0x13, true, &err), 0);
	check_power(path, '1');
	assert_int_equal(rnics_power(path, 0x13, true, &err), -EALREADY);
	assert_string_equal(err.text, "FID 13 is already powered on");
	assert_int_equal(rnics_power(path, 0x13, false, &err), 0);
	check_power(path, '0');
	assert_int_equal(rnics_power(path, 0x99, false, &err), -ENOENT);
	assert_string_equal(err.text, "no FID 99");
}

static struct fixture fixture = { .first = build, .last = wipe };
