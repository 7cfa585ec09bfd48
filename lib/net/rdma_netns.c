// SPDX-License-Identifier: MIT
/* Whose net device has an RDMA port: one of this network namespace, or of another? */
#include "net/rdma_netns.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <libmnl/libmnl.h>
#include <rdma/rdma_netlink.h>

#include "host/probe.h"
#include "netlink/diag.h"

/** struct query - @index: of the device, as netlink counts them; @result: see probe() */
struct query {
	const char *dev;
	unsigned int port;
	uint32_t index;
	int result;
};

static bool get_u32(uint32_t *value, const struct nlmsghdr *nlh, uint16_t type)
{
	const struct nlattr *attr;

	mnl_attr_for_each(attr, nlh, 0) {
		if (mnl_attr_get_type(attr) != type || mnl_attr_validate(attr, MNL_TYPE_U32))
			continue;
		*value = mnl_attr_get_u32(attr);
		return true;
	}
	return false;
}

static int on_dev(const struct nlmsghdr *nlh, void *arg)
{
	struct query *query = arg;
	const struct nlattr *attr;

	mnl_attr_for_each(attr, nlh, 0)
		if (mnl_attr_get_type(attr) == RDMA_NLDEV_ATTR_DEV_NAME &&
		    !mnl_attr_validate(attr, MNL_TYPE_NUL_STRING) &&
		    !strcmp(mnl_attr_get_str(attr), query->dev) &&
		    get_u32(&query->index, nlh, RDMA_NLDEV_ATTR_DEV_INDEX))
			query->result = 0;
	return 0;
}

static int on_port(const struct nlmsghdr *nlh, void *arg)
{
	struct query *query = arg;
	uint32_t port, ifindex;

	if (get_u32(&port, nlh, RDMA_NLDEV_ATTR_PORT_INDEX) && port == query->port)
		query->result = get_u32(&ifindex, nlh, RDMA_NLDEV_ATTR_NDEV_INDEX);
	return 0;
}

/* Return: 1 for a net device of this namespace, 0 for none here, -errno. */
static int probe(void *arg, char text[HOST_PROBE_SIZE] __attribute__((unused)))
{
	struct query *query = arg;
	struct {
		struct nlattr attr;
		uint32_t value;
	} index = { { sizeof(index), RDMA_NLDEV_ATTR_DEV_INDEX }, 0 };
	int ret = smc_rdma_dump(RDMA_NLDEV_CMD_GET, NULL, 0, on_dev, query);

	if (ret || query->result)
		return ret ? ret : query->result;
	index.value = query->index;
	query->result = -ENODEV;
	ret = smc_rdma_dump(RDMA_NLDEV_CMD_PORT_GET, &index, sizeof(index), on_port, query);
	return ret ? ret : query->result;
}

static void forget(struct rdma_port *port)
{
	port->is_foreign = true;
	port->netdev[0] = '\0';
	for (size_t i = 0; i < port->n_gids; i++)
		port->gids[i].netdev[0] = '\0';
}

void rdma_check_netns(struct rdma_table *table)
{
	for (size_t i = 0; i < table->count; i++) {
		struct rdma_dev *dev = &table->devs[i];

		for (size_t k = 0; k < dev->n_ports; k++) {
			struct query query = { dev->name, dev->ports[k].number, 0, -ENODEV };

			if (dev->ports[k].netdev[0] &&
			    !host_probe("rdma-netdev-%s-%u", probe, &query, NULL, query.dev,
					query.port))
				forget(&dev->ports[k]);
		}
	}
}
