// SPDX-License-Identifier: MIT
/* verbs_fill(): complete the data of sysfs with libibverbs, which is faked. */
#include "test.h"

#include <infiniband/verbs.h>

#include "net/verbs.h"

static struct {
	bool has_list, may_open;
	int status;
	struct ibv_port_attr attr;
	unsigned int n_lists, n_open;
} fake;

static struct ibv_device other = { .name = "other" }, rxe = { .name = "rxe0" };
static struct ibv_device *devices[] = { &other, &rxe, NULL };
static struct ibv_context context;

struct ibv_device **ibv_get_device_list(int *count)
{
	fake.n_lists++;
	return fake.has_list ? devices : NULL;
}

void ibv_free_device_list(struct ibv_device **list)
{
	assert_ptr_equal(list, devices);
	fake.n_lists--;
}

const char *ibv_get_device_name(struct ibv_device *device)
{
	return device->name;
}

struct ibv_context *ibv_open_device(struct ibv_device *device)
{
	assert_ptr_equal(device, &rxe);
	if (!fake.may_open) {
		errno = EACCES;
		return NULL;
	}
	fake.n_open++;
	return &context;
}

int ibv_close_device(struct ibv_context *opened)
{
	assert_ptr_equal(opened, &context);
	fake.n_open--;
	return 0;
}

/* The header's inline function calls it for a context without a table of its own. */
#undef ibv_query_port
int ibv_query_port(struct ibv_context *opened, uint8_t port, struct _compat_ibv_port_attr *attr)
{
	assert_ptr_equal(opened, &context);
	assert_int_equal(port, 1);
	if (!fake.status)
		memcpy(attr, &fake.attr, sizeof(fake.attr));
	return fake.status;
}

static struct rdma_port fill(const char *state, const char *layer)
{
	struct rdma_dev dev = { .name = "rxe0", .n_ports = 1 };
	struct rdma_table table = { .devs = &dev, .count = 1 };

	dev.ports[0].number = 1;
	strcpy(dev.ports[0].state, state);
	strcpy(dev.ports[0].link_layer, layer);
	verbs_fill(&table);
	assert_int_equal(fake.n_open, 0);
	assert_int_equal(fake.n_lists, fake.has_list ? 0 : 1);
	fake.n_lists = 0;
	return dev.ports[0];
}

FIXTURE(reset)
{
	memset(&fake, 0, sizeof(fake));
	fake.has_list = fake.may_open = true;
	fake.attr.active_mtu = IBV_MTU_1024;
	fake.attr.state = IBV_PORT_ARMED;
	fake.attr.link_layer = IBV_LINK_LAYER_ETHERNET;
	return 0;
}

TEST(fills)
{
	static const uint32_t bytes[] = { 0, 256, 512, 1024, 2048, 4096, 0 };
	struct rdma_port port = fill("", "");

	assert_string_equal(port.state, "ARMED");
	assert_string_equal(port.link_layer, "Ethernet");
	port = fill("DOWN", "InfiniBand");
	assert_string_equal(port.state, "DOWN");
	assert_string_equal(port.link_layer, "InfiniBand");
	for (size_t i = 0; i < ARRAY_SIZE(bytes); i++) {
		fake.attr.active_mtu = (enum ibv_mtu)i;
		assert_int_equal(fill("", "").active_mtu, bytes[i]);
	}
	fake.attr.state = (enum ibv_port_state)99;
	fake.attr.link_layer = 99;
	port = fill("", "");
	assert_string_equal(port.state, "");
	assert_string_equal(port.link_layer, "");
}

TEST(never_fatal)
{
	fake.status = EINVAL;
	assert_int_equal(fill("", "").active_mtu, 0);
	fake.may_open = false;
	assert_string_equal(fill("ACTIVE", "").state, "ACTIVE");
	fake.has_list = false;
	assert_int_equal(fill("", "").active_mtu, 0);
}

TEST(no_devices)
{
	struct rdma_table table = { 0 };

	verbs_fill(&table);
	assert_int_equal(fake.n_lists, 0);
}

static struct fixture fixture = { .setup = reset };
