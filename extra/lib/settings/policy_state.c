// SPDX-License-Identifier: MIT
/* The policy of each namespace. */
#include "settings/settings.h"

#include "host/record.h"
#include "settings/nft.h"

static const struct policy none;

int settings_policy_read(struct settings *host, size_t at, struct smc_err *err)
{
	return record_root() ? 0 : policy_nft_read(&host->now.sections[at].policy, err);
}

const struct policy *settings_policy_wanted(const struct settings_netns *netns)
{
	if (netns->wants)
		return &netns->wants->policy;
	return netns->exclusive & 1U << CONF_POLICY ? &none : NULL;
}

bool settings_policy_differs(const struct settings *host, size_t at)
{
	const struct policy *wanted = settings_policy_wanted(&host->netns[at]);

	return wanted && policy_differs(&host->now.sections[at].policy, wanted);
}

int settings_policy_set(const struct settings *host, size_t at, bool is_back, struct smc_err *err)
{
	return policy_nft_apply(is_back ? &host->now.sections[at].policy :
					  settings_policy_wanted(&host->netns[at]),
				err);
}
