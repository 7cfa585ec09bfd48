// SPDX-License-Identifier: MIT
/* Modes of SMC that this host has for each net device, as smc_chk finds them. */
#include "smc_advise/advice.h"

#include <jansson.h>

#include "base/array.h"
#include "net/netns.h"
#include "process/program.h"
#include "process/self.h"

/* Exit status of smc_chk on a kernel without SMC. */
#define STATUS_NO_SMC 3

static void take_modes(struct devices *devices, const char *netdev, json_t *modes, bool is_waiting)
{
	json_t *item;
	size_t i;

	json_array_foreach(modes, i, item) {
		struct device_mode *mode = smc_array_add(&devices->modes, &devices->count);
		const char *name = json_string_value(json_object_get(item, "mode"));

		snprintf(mode->netdev, sizeof(mode->netdev), "%s", netdev);
		snprintf(mode->name, sizeof(mode->name), "%s", name ? name : "");
		mode->version = (unsigned int)json_integer_value(json_object_get(item, "version"));
		mode->is_loopback = json_is_true(json_object_get(item, "is_loopback"));
		mode->is_waiting = is_waiting;
	}
}

bool devices_parse(struct devices *devices, const char *text)
{
	json_t *doc = json_loads(text, JSON_DISABLE_EOF_CHECK, NULL);
	json_t *nets = json_object_get(doc, "net_devices"), *net;
	bool is_valid = json_is_array(nets);
	size_t i;

	json_array_foreach(nets, i, net) {
		const char *name = json_string_value(json_object_get(net, "net_device"));

		if (!name)
			continue;
		take_modes(devices, name, json_object_get(net, "configuration"), false);
		take_modes(devices, name, json_object_get(net, "without_eid"), true);
	}
	json_decref(doc);
	return is_valid;
}

/* smc_chk also exits with 1 if no device is usable, so only the document counts. */
static int ask(struct devices *devices, struct smc_err *err)
{
	char path[PATH_MAX], *text AUTO_FREE = NULL;
	const char *program = self_find("smc_chk", X_OK, path) ? path : "smc_chk";
	const char *const argv[] = { program, "-s", "-j", NULL };
	const char *doc;
	size_t size;
	int status;

	status = program_run((char *const *)argv, &text, &size);
	if (status < 0)
		return smc_err_set(err, -status, "cannot run '%s'", program);
	doc = strchr(text, '{');
	devices->has_smc = status != STATUS_NO_SMC;
	if (doc && devices_parse(devices, doc))
		return 0;
	return smc_err_say(err, EIO, "%.*s", (int)strcspn(text, "\n"), text);
}

int devices_load(struct devices *devices, bool is_entered, struct smc_err *err)
{
	struct netdev_table netdevs AUTO(netdev_free) = { 0 };
	char sys[SYSFS_ROOT_SIZE];
	int fd AUTO_CLOSE = -1, ret = ask(devices, err);

	if (!ret)
		ret = sysfs_here(sys, &fd, is_entered, err);
	if (ret)
		return ret;
	ret = netdev_load(&netdevs, sys);
	if (ret)
		return smc_err_set(err, -ret, "cannot list the net devices");
	netaddr_load(&devices->addrs, &netdevs);
	return 0;
}

void devices_free(struct devices *devices)
{
	netaddr_free(&devices->addrs);
	free(devices->modes);
}
