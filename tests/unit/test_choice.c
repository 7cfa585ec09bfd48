// SPDX-License-Identifier: MIT
/* smc_chk/doctor/device_choice: devices that SMC uses for a net device, by the kernel's rules. */
#include "test.h"

#include "smc_chk/doctor/device_choice.h"

/* eth0 with a VLAN, eth1, and lo; mlx5_0 of eth0, rxe0 on eth1, an ISM device. */
static struct netdev nets[] = {
	{ .name = "eth0", .base = "eth0" },
	{ .name = "eth0.7", .base = "eth0" },
	{ .name = "eth1", .base = "eth1" },
	{ .name = "lo", .base = "lo" },
};

static const struct netdev_table net_table = { nets, ARRAY_SIZE(nets) };

/* A host, with a PNET table filled by the test. */
static struct {
	struct rdma_gid gids[2][3];
	struct rdma_dev devs[2];
	struct ism_dev isms[1];
	uint16_t vlans[ARRAY_SIZE(nets)];
	struct netaddr addrs[4];
	struct smc_pnet entries[4];
	size_t n_entries;
	struct pnet_world world;
	struct choices facts;
} host;

static void add_dev(size_t i, const char *name, const char *driver, const char *netdev,
		    size_t n_gids)
{
	struct rdma_dev *dev = &host.devs[i];

	strcpy(dev->name, name);
	strcpy(dev->node_type, "CA");
	strcpy(dev->driver, driver);
	dev->n_ports = 1;
	dev->ports[0].number = 1;
	strcpy(dev->ports[0].state, "ACTIVE");
	strcpy(dev->ports[0].link_layer, "Ethernet");
	strcpy(dev->ports[0].netdev, netdev);
	dev->ports[0].gids = host.gids[i];
	dev->ports[0].n_gids = n_gids;
}

static void add_addr(const char *netdev, const char *text)
{
	struct netaddr *addr = &host.addrs[host.facts.addrs.count++];

	assert_true(netaddr_parse(addr, text));
	strcpy(addr->netdev, netdev);
}

FIXTURE(start)
{
	static const struct rdma_gid mlx5[] = {
		{ 0, "fe80:0000:0000:0000:0000:00ff:fe00:0001", "IB/RoCE v1", "eth0" },
		{ 1, "0000:0000:0000:0000:0000:ffff:0a01:0001", "RoCE v2", "eth0" },
		{ 2, "0000:0000:0000:0000:0000:ffff:0a07:0001", "RoCE v2", "eth0.7" },
	};
	static const struct rdma_gid rxe[] = {
		{ 0, "fe80:0000:0000:0000:0000:00ff:fe00:0002", "RoCE v2", "eth1" },
		{ 1, "0000:0000:0000:0000:0000:ffff:0a02:0001", "RoCE v2", "eth1" },
	};

	memset(&host, 0, sizeof(host));
	memcpy(host.gids[0], mlx5, sizeof(mlx5));
	memcpy(host.gids[1], rxe, sizeof(rxe));
	add_dev(0, "mlx5_0", "mlx5_core", "eth0", ARRAY_SIZE(mlx5));
	add_dev(1, "rxe0", "rxe", "eth1", ARRAY_SIZE(rxe));
	host.vlans[1] = 7;
	host.facts.nets = &net_table;
	host.facts.vlans = host.vlans;
	host.facts.addrs = (struct netaddr_table){ .addrs = host.addrs, .is_known = true };
	host.facts.is_eid_known = true;
	host.facts.n_ueids = 1;
	add_addr("eth0", "10.1.0.1/16");
	add_addr("eth0.7", "10.7.0.1/16");
	add_addr("eth1", "10.2.0.1/16");
	host.world = (struct pnet_world){ net_table, { host.devs, 2, host.isms, 0 } };
	return 0;
}

static void entry(const char *name, const char *eth, const char *ib)
{
	struct smc_pnet *to = &host.entries[host.n_entries++];

	to->has = eth ? SMC_PNET_HAS_NET : SMC_PNET_HAS_IB | SMC_PNET_HAS_PORT;
	to->port = 1;
	strcpy(to->name, name);
	strcpy(eth ? to->eth : to->ib, eth ? eth : ib);
}

/* The devices for a net device; the GIDs stay in the host. */
static struct choice find(const char *netdev)
{
	const struct smc_pnet_table table = { host.entries, host.n_entries };
	struct choice choice = { 0 };
	size_t found = 0;

	pnet_rows_make(&host.facts.rows, &table, &host.world);
	for (size_t i = 0; i < host.facts.rows.count; i++) {
		const struct pnet_row *row = &host.facts.rows.rows[i];

		if (!row->net || strcmp(row->name, netdev))
			continue;
		found++;
		/* USABLE is 0: every member must be set. */
		memset(&choice, 0xff, sizeof(choice));
		choice_make(&choice, &host.facts, row);
	}
	assert_int_equal(found, 1);
	/* The rows are freed, so tests must not use them. */
	pnet_rows_free(&host.facts.rows);
	return choice;
}

static struct choice choice;

TEST(test_own_device)
{
	choice = find("eth0");
	assert_int_equal(choice.smcr, USABLE);
	assert_ptr_equal(choice.gid_v1, &host.gids[0][0]);
	assert_ptr_equal(choice.gid_v2, &host.gids[0][1]);
	choice = find("eth1");
	assert_int_equal(choice.smcr, USABLE);
	assert_null(choice.gid_v1);
	assert_ptr_equal(choice.gid_v2, &host.gids[1][1]);
	choice = find("lo");
	assert_int_equal(choice.smcr, UNUSABLE_NO_DEVICE);
	assert_int_equal(choice.smcd, UNUSABLE_NO_DEVICE);
}

TEST(test_vlan)
{
	choice = find("eth0.7");
	assert_int_equal(choice.smcr, USABLE);
	assert_null(choice.gid_v1);
	assert_ptr_equal(choice.gid_v2, &host.gids[0][2]);
	host.vlans[1] = 8;
	host.gids[0][2].netdev[4] = '\0'; /* now of eth0 */
	assert_int_equal(find("eth0.7").smcr, UNUSABLE_NO_VLAN);
}

TEST(test_eid)
{
	host.facts.n_ueids = 0;
	assert_int_equal(find("eth0").smcr, USABLE);
	assert_int_equal(find("eth1").smcr, UNUSABLE_NO_EID);
	host.facts.seid = (struct smc_seid){ true, false, "SEID" };
	assert_int_equal(find("eth1").smcr, UNUSABLE_NO_EID);
	host.facts.seid.is_enabled = true;
	assert_int_equal(find("eth1").smcr, USABLE);
	host.facts.seid.is_enabled = false;
	host.facts.is_eid_known = false;
	assert_int_equal(find("eth1").smcr, USABLE);
}

/* With a PNET ID, the net device of a port does not count. */
TEST(test_pnetid)
{
	entry("NET", "eth0", NULL);
	assert_int_equal(find("eth0").smcr, UNUSABLE_NO_DEVICE);
	entry("NET", NULL, "rxe0");
	assert_int_equal(find("eth0").smcr, UNUSABLE_NO_SUBNET);
	add_addr("eth0", "10.2.0.9/24");
	choice = find("eth0");
	assert_int_equal(choice.smcr, USABLE);
	assert_ptr_equal(choice.gid_v2, &host.gids[1][1]);
	/* A port with a PNET ID still serves its own net device. */
	assert_int_equal(find("eth1").smcr, USABLE);
	/* The VLAN inherits the PNET ID. */
	assert_int_equal(find("eth0.7").smcr, UNUSABLE_NO_VLAN);
}

TEST(test_port)
{
	struct rdma_port *port;

	port = &host.devs[0].ports[0];
	strcpy(port->state, "DOWN");
	assert_int_equal(find("eth0").smcr, UNUSABLE_PORT_DOWN);
	strcpy(port->state, "ACTIVE");
	strcpy(port->link_layer, "InfiniBand");
	assert_int_equal(find("eth0").smcr, UNUSABLE_NOT_ROCE);
	strcpy(port->link_layer, "Ethernet");
	strcpy(host.devs[0].node_type, "RNIC");
	assert_int_equal(find("eth0").smcr, UNUSABLE_NOT_ROCE);
	host.facts.is_rxe_broken = true;
	assert_int_equal(find("eth1").smcr, UNUSABLE_HANGS);
	host.facts.is_rxe_broken = false;
	host.facts.is_v1_only = true;
	assert_int_equal(find("eth1").smcr, UNUSABLE_V2_ONLY);
	host.facts.is_v1_only = false;
	host.devs[1].ports[0].n_gids = 1; /* of IPv6 only */
	assert_int_equal(find("eth1").smcr, UNUSABLE_NO_GID);
}

TEST(test_addresses)
{
	host.facts.addrs.count--; /* of eth1; the GID is still there */
	assert_int_equal(find("eth1").smcr, UNUSABLE_NO_GID);
	add_addr("eth1", "10.2.0.2/16"); /* another address */
	assert_int_equal(find("eth1").smcr, UNUSABLE_NO_GID);
	host.facts.addrs.count--;
	host.facts.addrs.is_known = false;
	assert_int_equal(find("eth1").smcr, USABLE);
}

TEST(test_ism)
{
	strcpy(host.isms[0].name, "0000:00:00.0");
	host.isms[0].chid = 0x7c0;
	host.world.rdma.n_isms = 1;
	assert_int_equal(find("lo").smcd, UNUSABLE_NO_DEVICE); /* version 1, no PNET ID */
	host.facts.is_ism_v2 = true;
	choice = find("lo");
	assert_int_equal(choice.smcd, USABLE);
	assert_true(!choice.ism_v1 && choice.ism_v2);
	strcpy(host.isms[0].hw_pnetid, "NET");
	assert_int_equal(find("lo").smcd, UNUSABLE_NO_DEVICE);
	entry("NET", "eth0", NULL); /* not from hardware */
	choice = find("eth0");
	assert_int_equal(choice.smcd, USABLE);
	assert_true(choice.ism_v1 && !choice.ism_v2);
	host.facts.n_ueids = 0;
	assert_int_equal(find("eth0").smcd, USABLE);
}

TEST(test_loopback)
{
	host.facts.is_ism_v2 = host.facts.has_loopback = true;
	choice = find("lo");
	assert_true(choice.is_loopback && !choice.ism_v2);
	assert_int_equal(choice.smcd, USABLE);
	host.facts.n_ueids = 0;
	assert_int_equal(find("lo").smcd, UNUSABLE_NO_EID);
	host.facts.n_ueids = 1;
	entry("LO", NULL, "loopback-ism");
	choice = find("lo");
	assert_false(choice.is_loopback);
	assert_int_equal(choice.smcd, UNUSABLE_NO_DEVICE);
}

TEST(test_netaddr)
{
	static const char *const bad[] = { "",	      "10.0.0.1", "10.0.0.1/",	 "10.0.0.1/33",
					   "::1/129", "10.0.0/8", "10.0.0.1/-1", "10.0.0.1/8x",
					   "x/8" };
	struct netaddr one, other;
	char text[NETADDR_TEXT_SIZE];

	assert_true(netaddr_parse(&one, "192.168.9.130/25"));
	netaddr_text(text, &one, true);
	assert_string_equal(text, "192.168.9.128/25");
	assert_true(netaddr_parse(&other, "192.168.9.255/32") && netaddr_covers(&one, &other));
	assert_true(netaddr_parse(&other, "192.168.9.1/32") && !netaddr_covers(&one, &other));
	assert_true(netaddr_parse(&other, "fe80::1/64") && !netaddr_covers(&one, &other));
	netaddr_text(text, &other, true);
	assert_string_equal(text, "fe80::/64");
	assert_true(netaddr_parse(&one, "0.0.0.0/0"));
	assert_true(netaddr_parse(&other, "255.1.2.3/8") && netaddr_covers(&one, &other));
	for (size_t i = 0; i < ARRAY_SIZE(bad); i++)
		assert_false(netaddr_parse(&one, bad[i]));
}

static struct fixture fixture = { .setup = start };
