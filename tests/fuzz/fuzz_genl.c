// SPDX-License-Identifier: MIT
/* All decoders of SMC_GEN_NETLINK with one message, and baselines of statistics. */
#include "fuzz.h"

#include "smcdr/cmd.h"
#include "smc/gen.h"
#include "smc/eid.h"
#include "smc/stats.h"

static bool is_string(const char *text, size_t size)
{
	return memchr(text, '\0', size);
}

static void decode(const struct nlmsghdr *nlh)
{
	struct smc_device device;
	struct smc_sysinfo info;
	struct smc_link link;
	struct smc_seid seid;
	struct smc_lgr lgr;
	char eid[SMC_EID_SIZE];
	bool is_enabled;

	smc_device_decode(&device, nlh);
	MUST(is_string(device.ib_name, sizeof(device.ib_name)));
	MUST(is_string(device.pci_id, sizeof(device.pci_id)));
	MUST(is_string(device.ports[0].pnetid, sizeof(device.ports[0].pnetid)));
	smc_sysinfo_decode(nlh, &info);
	MUST(is_string(info.host, sizeof(info.host)) && is_string(info.seid, sizeof(info.seid)));
	smc_link_decode(&link, nlh);
	MUST(is_string(link.gid, sizeof(link.gid)) && is_string(link.ib_dev, sizeof(link.ib_dev)));
	smc_lgr_decode(&lgr, nlh);
	MUST(is_string(lgr.eid, sizeof(lgr.eid)) && is_string(lgr.pnetid, sizeof(lgr.pnetid)));
	if (!smc_ueid_decode(eid, nlh))
		MUST(is_string(eid, sizeof(eid)));
	smc_seid_decode(nlh, &seid);
	MUST(is_string(seid.eid, sizeof(seid.eid)));
	smc_hs_decode(nlh, &is_enabled);
}

static void count(const struct nlmsghdr *nlh)
{
	static struct smc_stats stats, base;

	memset(&stats, 0, sizeof(stats));
	smc_stats_decode(nlh, &stats);
	smc_fback_decode(nlh, &stats);
	base = stats;
	MUST(!smc_stats_since(&stats, &base));
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static struct smc_stats base;
	struct nlmsghdr *nlh;

	if (size > 65535)
		return 0;
	nlh = fuzz_message(data, size);
	decode(nlh);
	count(nlh);
	free(nlh);
	if (!baseline_read(&base, data, size, "boot"))
		MUST(base.side[0].n_reasons <= SMC_STAT_REASONS &&
		     base.side[1].n_reasons <= SMC_STAT_REASONS);
	return 0;
}
