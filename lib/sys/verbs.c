// SPDX-License-Identifier: MIT
/* What libibverbs knows of RDMA ports and sysfs does not. */
#include "sys/verbs.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <infiniband/verbs.h>

#include "host/probe.h"
#include "host/record.h"

/* Return: 0 for a number that libibverbs does not define. */
static uint32_t mtu_bytes(enum ibv_mtu mtu)
{
	switch (mtu) {
	case IBV_MTU_256: return 256;
	case IBV_MTU_512: return 512;
	case IBV_MTU_1024: return 1024;
	case IBV_MTU_2048: return 2048;
	case IBV_MTU_4096: return 4096;
	default: return 0;
	}
}

/* The words of sysfs. */
static const char *state_name(enum ibv_port_state state)
{
	switch (state) {
	case IBV_PORT_NOP: return "NOP";
	case IBV_PORT_DOWN: return "DOWN";
	case IBV_PORT_INIT: return "INIT";
	case IBV_PORT_ARMED: return "ARMED";
	case IBV_PORT_ACTIVE: return "ACTIVE";
	case IBV_PORT_ACTIVE_DEFER: return "ACTIVE_DEFER";
	default: return "";
	}
}

static const char *layer_name(uint8_t layer)
{
	switch (layer) {
	case IBV_LINK_LAYER_INFINIBAND: return "InfiniBand";
	case IBV_LINK_LAYER_ETHERNET: return "Ethernet";
	default: return "";
	}
}

struct query {
	struct ibv_context *context;
	unsigned int port;
};

static int query_port(void *arg, char text[HOST_PROBE_SIZE])
{
	const struct query *query = arg;
	struct ibv_port_attr attr = { 0 };
	int ret = ibv_query_port(query->context, (uint8_t)query->port, &attr);

	if (!ret)
		snprintf(text, HOST_PROBE_SIZE, "%d %d %u", attr.active_mtu, attr.state,
			 attr.link_layer);
	return ret ? -EIO : 0;
}

static void fill_port(struct rdma_port *port, const char *name, struct ibv_context *context)
{
	struct query query = { context, port->number };
	char probe[RDMA_NAME_SIZE + 32], text[HOST_PROBE_SIZE];
	unsigned int mtu, state, layer;

	snprintf(probe, sizeof(probe), "verbs-%s-%u", name, port->number);
	if (host_probe(probe, query_port, &query, text) ||
	    sscanf(text, "%u %u %u", &mtu, &state, &layer) != 3)
		return;
	port->active_mtu = mtu_bytes((enum ibv_mtu)mtu);
	if (!port->state[0])
		strcpy(port->state, state_name((enum ibv_port_state)state));
	if (!port->link_layer[0])
		strcpy(port->link_layer, layer_name((uint8_t)layer));
}

static void fill_ports(struct rdma_dev *dev, struct ibv_context *context)
{
	for (size_t i = 0; i < dev->n_ports; i++)
		fill_port(&dev->ports[i], dev->name, context);
}

static void fill_dev(struct rdma_dev *dev, struct ibv_device *device)
{
	struct ibv_context *context = ibv_open_device(device);

	if (!context)
		return;
	fill_ports(dev, context);
	ibv_close_device(context);
}

/* Those of this machine are not asked then. */
static void fill_recorded(struct rdma_table *table)
{
	for (size_t i = 0; i < table->count; i++)
		fill_ports(&table->devs[i], NULL);
}

void verbs_fill(struct rdma_table *table)
{
	struct ibv_device **list;

	if (record_root()) {
		fill_recorded(table);
		return;
	}
	list = table->count ? ibv_get_device_list(NULL) : NULL;
	for (size_t i = 0; list && list[i]; i++) {
		const char *name = ibv_get_device_name(list[i]);

		for (size_t k = 0; name && k < table->count; k++)
			if (!strcmp(table->devs[k].name, name))
				fill_dev(&table->devs[k], list[i]);
	}
	if (list)
		ibv_free_device_list(list);
}
