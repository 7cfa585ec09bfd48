// SPDX-License-Identifier: MIT
/* info: capabilities of the kernel and its devices. */
#include "smcdr/cmd.h"

#include "host/file.h"

#define MAX_GIDS 256

/** struct info - @roce_v1, @roce_v2: a port has a GID of that RoCE version */
struct info {
	struct smc_sysinfo sys;
	struct cmd_ism ism;
	bool has_roce, roce_v1, roce_v2;
};

/* The GIDs of a port decide: SMC-R version 1 needs RoCE v1, version 2 needs RoCE v2. */
static void look_at_port(struct info *info, const char *ib_name, unsigned int port)
{
	char type[32];

	for (unsigned int i = 0; i < MAX_GIDS && !strchr(ib_name, '/'); i++) {
		if (!host_text(type, sizeof(type),
			       "/sys/class/infiniband/%s/ports/%u/gid_attrs/types/%u", ib_name,
			       port, i))
			continue;
		info->roce_v1 |= !strcmp(type, "IB/RoCE v1");
		info->roce_v2 |= !strcmp(type, "RoCE v2");
	}
}

static int load_roce(struct cmd *cmd, struct info *info)
{
	struct cmd_list list AUTO(cmd_list_free) = { 0 };
	int ret = cmd_rdma_load(cmd, &list);

	for (size_t i = 0; !ret && i < list.count; i++) {
		const struct smc_device *device = cmd_list_at(&list, i);

		info->has_roce = true;
		for (unsigned int p = 0; p < SMC_DEVICE_PORTS; p++)
			if (device->ports[p].is_there)
				look_at_port(info, device->ib_name, p + 1);
	}
	return ret;
}

static void line(struct out_text *text, const char *label, const char *value)
{
	out_printf(text, "%-18s", label);
	out_escaped(text, value, strlen(value));
	out_str(text, "\n");
}

static const char *versions(bool v1, bool v2)
{
	if (v1)
		return v2 ? "v1 v2" : "v1";
	return v2 ? "v2" : "n/a";
}

static const char *ism_text(const struct info *info)
{
	bool v2 = info->sys.is_ism_v2;

	if (info->ism.devices.count)
		return info->ism.has_loopback ? "v1 v2 loopback" : versions(true, v2);
	return info->ism.has_loopback ? "v2 loopback" : "n/a";
}

static void print_text(struct out_text *text, const struct info *info)
{
	const struct smc_sysinfo *sys = &info->sys;
	bool has_version = sys->has & SMC_SYSINFO_HAS_VERSION;
	char version[16] = "n/a";

	if (has_version)
		snprintf(version, sizeof(version), "%u.%u", sys->version, sys->release);
	out_str(text, "Kernel Capabilities\n");
	line(text, "SMC Version:", version);
	line(text, "SMC Hostname:", sys->host[0] ? sys->host : "n/a");
	line(text, "SMC-D Features:", versions(true, sys->version >= 2));
	line(text, "SMC-R Features:", versions(true, sys->is_smcr_v2));
	out_str(text, "\nHardware Capabilities\n");
	line(text, "SEID:", sys->seid[0] ? sys->seid : "n/a");
	line(text, "ISM:", ism_text(info));
	line(text, "RoCE:",
	     info->has_roce && !info->roce_v1 && !info->roce_v2 ?
		     "unknown" :
		     versions(info->roce_v1, info->roce_v2));
}

static json_t *json_versions(bool v1, bool v2)
{
	return json_pack("[o*, o*]", v1 ? json_integer(1) : NULL, v2 ? json_integer(2) : NULL);
}

static int print_json(struct cmd *cmd, const struct info *info)
{
	const struct smc_sysinfo *sys = &info->sys;
	json_t *version = sys->has & SMC_SYSINFO_HAS_VERSION ? json_integer(sys->version) : NULL;
	json_t *release = sys->has & SMC_SYSINFO_HAS_RELEASE ? json_integer(sys->release) : NULL;
	json_t *host = sys->has & SMC_SYSINFO_HAS_HOST ? out_json_str(sys->host) : NULL;
	json_t *seid = sys->seid[0] ? out_json_str(sys->seid) : NULL;

	return cmd_document(
		cmd, "info",
		json_pack("{s:o*, s:o*, s:o*, s:o*, s:o, s:o, s:I, s:b, s:b, s:b, s:o}", "version",
			  version, "release", release, "hostname", host, "seid", seid,
			  "smcd_versions", json_versions(true, sys->version >= 2), "smcr_versions",
			  json_versions(true, sys->is_smcr_v2), "ism_devices",
			  (json_int_t)info->ism.devices.count, "ism_v2", sys->is_ism_v2, "loopback",
			  info->ism.has_loopback, "roce", info->has_roce, "roce_versions",
			  json_versions(info->roce_v1, info->roce_v2)));
}

int cmd_run_info(struct cmd *cmd)
{
	struct info info = { 0 };
	int ret;

	if (!cmd_is_show(cmd))
		return cmd_usage(cmd, "info: expected show");
	ret = cmd_ism_load(cmd, &info.ism, &info.sys) ?: load_roce(cmd, &info);
	if (!ret && cmd->is_json)
		ret = print_json(cmd, &info);
	else if (!ret)
		print_text(&cmd->text, &info);
	cmd_list_free(&info.ism.devices);
	return ret;
}
