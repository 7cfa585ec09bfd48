// SPDX-License-Identifier: MIT
/* lib/net: PNET IDs in EBCDIC, net, RDMA and ISM devices of recorded sysfs trees. */
#include "trees.h"

#include "host/file.h"
#include "net/netdev.h"
#include "net/rdma.h"

static char s390[PATH_MAX], x86[PATH_MAX], empty[PATH_MAX];

FIXTURE(find)
{
	strcpy(s390, tree_path("s390"));
	strcpy(x86, tree_path("x86"));
	strcpy(empty, tree_path("empty"));
	return 0;
}

/* "NET1", blanks; "aZ9"; zeros; sixteen characters, one of which is no letter. */
#define UTIL                                                                                       \
	"d5c5e3f1 40404040 40404040 40404040 81e9f900 00000000 00000000 00000000"                  \
	"00000000 00000000 00000000 00000000 c1c2c3c4 c5c6c7c8 c9d1d9e2 e9f06c91"

TEST(ebcdic)
{
	char id[PNETID_SIZE];
	uint8_t util[64], back[64];

	assert_int_equal(hex(util, sizeof(util), UTIL), 64);
	assert_true(pnetid_decode(id, util, 64, 0));
	assert_string_equal(id, "NET1");
	pnetid_encode(back, id, 0);
	assert_memory_equal(back, util, 16);
	assert_true(pnetid_decode(id, util, 64, 1));
	assert_string_equal(id, "aZ9");
	assert_false(pnetid_decode(id, util, 64, 2));
	assert_string_equal(id, "");
	assert_true(pnetid_decode(id, util, 64, 3));
	assert_string_equal(id, "ABCDEFGHIJRSZ0?j");
}

TEST(ebcdic_short)
{
	char id[PNETID_SIZE];
	uint8_t util[64];

	hex(util, sizeof(util), UTIL);
	assert_false(pnetid_decode(id, util, 0, 0));
	assert_false(pnetid_decode(id, util, 15, 0));
	assert_true(pnetid_decode(id, util, 16, 0));
	assert_false(pnetid_decode(id, util, 31, 1));
	assert_false(pnetid_decode(id, util, 64, 4));
	assert_false(pnetid_decode(id, util, 64, 0xffffffff));
	assert_string_equal(id, "");
}

/* Every byte gives a letter, a digit, a blank or the mark for other characters. */
TEST(ebcdic_all)
{
	uint8_t util[16];
	char id[PNETID_SIZE];
	size_t marks = 0;

	for (int c = 0; c < 256; c++) {
		memset(util, c, sizeof(util));
		pnetid_decode(id, util, sizeof(util), 0);
		marks += id[0] == '?';
	}
	assert_int_equal(marks, 256 - 26 - 26 - 10 - 2);
}

static struct netdev_table nets;

TEST(netdevs_s390)
{
	const struct netdev *dev;

	assert_int_equal(netdev_load(&nets, s390), 0);
	assert_int_equal(nets.count, 7); /* bonding_masters is no device */
	assert_string_equal(nets.devs[0].name, "bond0");
	dev = netdev_find(&nets, "eno1d1");
	assert_non_null(dev);
	assert_int_equal(dev->ifindex, 3);
	assert_int_equal(dev->dev_port, 1);
	assert_int_equal(dev->mtu, 1500);
	assert_string_equal(dev->state, "up");
	assert_string_equal(dev->bus, "pci");
	assert_string_equal(dev->bus_id, "0001:00:00.0");
	assert_string_equal(dev->driver, "mlx4_core");
	assert_string_equal(dev->hw_pnetid, "NET2");
	assert_string_equal(dev->base, "eno1d1");
	dev = netdev_find(&nets, "eno1");
	assert_string_equal(dev->hw_pnetid, "NET1");
	dev = netdev_find(&nets, "encbdf0");
	assert_string_equal(dev->bus, "ccw");
	assert_string_equal(dev->bus_id, "0.0.bdf0");
	assert_string_equal(dev->hw_pnetid, "NET1");
	dev = netdev_find(&nets, "encbdf0.5");
	assert_string_equal(dev->base, "encbdf0");
	assert_string_equal(dev->hw_pnetid, "");
	assert_string_equal(dev->bus, "");
	dev = netdev_find(&nets, "bond0");
	assert_string_equal(dev->base, "eno2"); /* the first slave, not the first name */
	assert_null(netdev_find(&nets, "eth9"));
	netdev_free(&nets);
}

TEST(rdma_s390)
{
	struct rdma_table rdma;
	const struct rdma_dev *dev;

	assert_int_equal(netdev_load(&nets, s390), 0);
	assert_int_equal(rdma_load(&rdma, s390, &nets), 0);
	assert_int_equal(rdma.count, 2);
	assert_int_equal(rdma.n_isms, 1); /* not the one that vfio-pci has */
	assert_string_equal(rdma.isms[0].name, "0000:00:00.0");
	assert_string_equal(rdma.isms[0].hw_pnetid, "NET1");
	assert_ptr_equal(ism_find(&rdma, "0000:00:00.0"), &rdma.isms[0]);
	dev = rdma_find(&rdma, "mlx4_0");
	assert_ptr_equal(dev, rdma_find(&rdma, "0001:00:00.0"));
	assert_int_equal(dev->n_ports, 2);
	assert_string_equal(dev->node_type, "CA");
	assert_string_equal(dev->ports[0].state, "ACTIVE");
	assert_string_equal(dev->ports[1].state, "DOWN");
	assert_string_equal(dev->ports[0].hw_pnetid, "NET1");
	assert_string_equal(dev->ports[1].hw_pnetid, "NET2");
	assert_string_equal(dev->ports[0].netdev, "eno1");
	assert_string_equal(dev->ports[1].netdev, "eno1d1");
	assert_int_equal(dev->ports[0].n_gids, 2); /* the third is empty */
	assert_int_equal(dev->ports[0].gids[1].index, 1);
	assert_string_equal(dev->ports[0].gids[1].type, "RoCE v2");
	dev = rdma_find(&rdma, "mlx5_0"); /* no GIDs: by PCI function and port */
	assert_string_equal(dev->ports[0].netdev, "eno2");
	assert_string_equal(dev->ports[0].hw_pnetid, "ABCDEFGHIJKLSTU9");
	rdma_free(&rdma);
	netdev_free(&nets);
}

TEST(rdma_x86)
{
	struct rdma_table rdma;
	const struct rdma_dev *dev;

	assert_int_equal(netdev_load(&nets, x86), 0);
	assert_int_equal(rdma_load(&rdma, x86, &nets), 0);
	assert_int_equal(rdma.n_isms, 0);
	dev = rdma_find(&rdma, "rxelo");
	assert_string_equal(dev->driver, "rxe");
	assert_string_equal(dev->bus, "");
	assert_string_equal(dev->ports[0].netdev, "lo");
	dev = rdma_find(&rdma, "siw0");
	assert_string_equal(dev->node_type, "RNIC");
	assert_string_equal(dev->ports[0].netdev, "");
	dev = rdma_find(&rdma, "mlx5_0");
	assert_int_equal(dev->ports[0].n_gids, 3);
	assert_string_equal(dev->ports[0].netdev, "ens1f0");
	dev = rdma_find(&rdma, "erdma_0");
	assert_string_equal(dev->ports[0].netdev, "eth1");
	assert_string_equal(dev->driver, "erdma");
	dev = rdma_find(&rdma, "ibp94s0");
	assert_string_equal(dev->ports[0].link_layer, "InfiniBand");
	assert_null(rdma_find(&rdma, ""));
	assert_null(rdma_find(&rdma, "mlx9"));
	rdma_free(&rdma);
	netdev_free(&nets);
}

TEST(nothing_there)
{
	struct rdma_table rdma;

	assert_int_equal(netdev_load(&nets, empty), 0);
	assert_int_equal(nets.count, 0);
	assert_int_equal(rdma_load(&rdma, empty, &nets), 0);
	assert_int_equal(rdma.count + rdma.n_isms, 0);
	rdma_free(&rdma);
	netdev_free(&nets);
}

TEST(attributes)
{
	unsigned long number = 7;
	char text[4];

	assert_false(host_text(text, sizeof(text), "%s/none", trees_root()));
	assert_string_equal(text, "");
	assert_true(host_text(text, sizeof(text),
			      "%s/class/net/eno1/device/driver/../../../pci/"
			      "devices/0000:00:00.0/vendor",
			      s390));
	assert_string_equal(text, "0x1");
	assert_false(host_number(&number, "%s/class/net/eno1/operstate", s390));
	assert_int_equal(number, 7);
	assert_true(host_number(&number, "%s/bus/pci/devices/0000:00:00.0/vendor", s390));
	assert_int_equal(number, 0x1014);
	assert_false(host_link(text, sizeof(text), "%s/class/net/eno1/device", s390));
	assert_true(strverscmp("eth2", "eth10") < 0);
}

static struct fixture fixture = { .first = find };
