// SPDX-License-Identifier: MIT
#include "net/verbs.h"

#include <infiniband/verbs.h>

#include "base/array.h"
#include "host/probe.h"
#include "host/record.h"

static const uint32_t mtu_bytes[] = {
	[IBV_MTU_256] = 256,   [IBV_MTU_512] = 512,   [IBV_MTU_1024] = 1024,
	[IBV_MTU_2048] = 2048, [IBV_MTU_4096] = 4096,
};

/* Same words as sysfs. */
static const char *const states[] = {
	[IBV_PORT_NOP] = "NOP",	      [IBV_PORT_DOWN] = "DOWN",
	[IBV_PORT_INIT] = "INIT",     [IBV_PORT_ARMED] = "ARMED",
	[IBV_PORT_ACTIVE] = "ACTIVE", [IBV_PORT_ACTIVE_DEFER] = "ACTIVE_DEFER",
};

static const char *const layers[] = {
	[IBV_LINK_LAYER_UNSPECIFIED] = "",
	[IBV_LINK_LAYER_INFINIBAND] = "InfiniBand",
	[IBV_LINK_LAYER_ETHERNET] = "Ethernet",
};

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
	char text[HOST_PROBE_SIZE];
	unsigned int mtu, state, layer;

	if (host_probe("verbs-%s-%u", query_port, &query, text, name, port->number) ||
	    sscanf(text, "%u %u %u", &mtu, &state, &layer) != 3)
		return;
	/* Numbers that libibverbs does not define mean unknown. */
	port->active_mtu = mtu < ARRAY_SIZE(mtu_bytes) ? mtu_bytes[mtu] : 0;
	if (!port->state[0] && state < ARRAY_SIZE(states))
		strcpy(port->state, states[state]);
	if (!port->link_layer[0] && layer < ARRAY_SIZE(layers))
		strcpy(port->link_layer, layers[layer]);
}

void verbs_fill(struct rdma_table *table)
{
	struct ibv_device **list = NULL;

	if (!record_root() && table->count)
		list = ibv_get_device_list(NULL);
	for (size_t i = 0; i < table->count; i++) {
		struct rdma_dev *dev = &table->devs[i];
		struct ibv_context *context = NULL;

		for (size_t k = 0; list && list[k] && !context; k++) {
			const char *name = ibv_get_device_name(list[k]);

			if (name && !strcmp(dev->name, name))
				context = ibv_open_device(list[k]);
		}
		/* Skip the devices of this machine when a record is read. */
		for (size_t k = 0; (context || record_root()) && k < dev->n_ports; k++)
			fill_port(&dev->ports[k], dev->name, context);
		if (context)
			ibv_close_device(context);
	}
	if (list)
		ibv_free_device_list(list);
}
