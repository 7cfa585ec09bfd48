// SPDX-License-Identifier: MIT
#include "settings/enforce.h"

int policy_read(struct policy *policy, struct smc_err *err)
{
	int ret = policy_hsctrl_read(policy, err);

	return ret || policy->by ? ret : policy_nft_read(policy, err);
}

static int put(const struct policy *policy, enum policy_by by, struct smc_err *err)
{
	return by == POLICY_BY_BPF ? policy_hsctrl_apply(policy, err) :
				     policy_nft_apply(policy, err);
}

/* Apply the new policy, then remove the enforcer of the old one, @old, if it is another. */
static int apply_by(const struct policy *policy, enum policy_by by, enum policy_by old,
		    struct smc_err *err)
{
	static const struct policy none;
	int ret = put(policy, by, err);

	return ret || !old || old == by ? ret : put(&none, old, err);
}

static int first_choice(const struct policy *policy, enum policy_by *by, struct smc_err *err)
{
	*by = policy->by;
	if (!*by)
		*by = !policy_hsctrl_exists() ? POLICY_BY_NFT : POLICY_BY_BPF;
	if (*by == POLICY_BY_BPF && !policy_hsctrl_exists())
		return smc_err_say(err, ENOTSUP,
				   "the kernel has no smc_hs_ctrl (Linux 6.19 with "
				   "CONFIG_SMC_HS_CTRL_BPF), or SMC is not loaded");
	return 0;
}

static int choose(const struct policy *policy, enum policy_by *by, enum policy_by old,
		  struct smc_err *err)
{
	int ret = first_choice(policy, by, err);

	if (!ret)
		ret = apply_by(policy, *by, old, err);
	if (policy->by || *by == POLICY_BY_NFT || (ret != -ENOSYS && ret != -ENOTSUP))
		return ret;
	*by = POLICY_BY_NFT;
	return apply_by(policy, *by, old, err);
}

int policy_check(const struct policy *policy, struct smc_err *err)
{
	enum policy_by by = POLICY_BY_ANY;
	int ret = policy_is_empty(policy) ? 0 : first_choice(policy, &by, err);

	return ret || policy_is_empty(policy) || by != POLICY_BY_NFT ? ret : policy_nft_check(err);
}

int policy_apply(const struct policy *policy, enum policy_by *by, struct smc_err *err)
{
	struct policy now AUTO(policy_free) = { 0 };
	int ret = policy_read(&now, err);
	enum policy_by chosen = now.by;

	/* An unreadable policy is replaced; missing rights show up then. */
	if (policy_is_empty(policy))
		ret = now.by ? put(policy, now.by, err) : ret;
	else if (ret || policy_differs(&now, policy))
		ret = choose(policy, &chosen, now.by, err);
	if (by)
		*by = policy_is_empty(policy) ? POLICY_BY_ANY : chosen;
	return ret;
}
