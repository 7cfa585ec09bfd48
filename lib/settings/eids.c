// SPDX-License-Identifier: MIT
#include "settings/eids.h"

#include "base/array.h"

static int do_it(struct smc_genl *nl, uint8_t request, const char *str, const char *doing,
		 struct smc_err *err)
{
	const struct smc_genl_attr attr = { SMC_NLA_EID_TABLE_ENTRY, SMC_GENL_STR, str, 0 };
	struct smc_err inner = { 0 };
	int ret = smc_genl_do(nl, request, &attr, str ? 1 : 0, &inner);

	return ret ? smc_err_say(err, -ret, "cannot %s: %s", doing, inner.text) : 0;
}

static int on_ueid(const struct nlmsghdr *nlh, void *arg)
{
	struct smc_eids *eids = arg;

	if (eids->count == ARRAY_SIZE(eids->eids))
		return 0;
	return smc_ueid_decode(eids->eids[eids->count++], nlh);
}

int smc_eids_read(struct smc_eids *eids, struct smc_genl *nl, struct smc_err *err)
{
	eids->count = 0;
	return smc_genl_read(nl, SMC_NETLINK_DUMP_UEID, on_ueid, eids, "the user EIDs", err);
}

int smc_eid_add(struct smc_genl *nl, const char *eid, struct smc_err *err)
{
	char padded[SMC_EID_SIZE], doing[64];
	int ret;

	smc_eid_pad(padded, eid);
	snprintf(doing, sizeof(doing), "add EID '%s'", eid);
	ret = do_it(nl, SMC_NETLINK_ADD_UEID, padded, doing, err);
	switch (ret) {
	case -EEXIST: return smc_err_say(err, EEXIST, "EID '%s' is already defined", eid);
	case -ERANGE:
		return smc_err_say(err, ERANGE,
				   "cannot add EID '%s': the kernel's table is full (%d EIDs)", eid,
				   SMC_MAX_UEIDS);
	default: return ret;
	}
}

int smc_eid_remove(struct smc_genl *nl, const char *eid, bool *has_seid, struct smc_err *err)
{
	char padded[SMC_EID_SIZE], doing[64];
	int ret;

	smc_eid_pad(padded, eid);
	snprintf(doing, sizeof(doing), "delete EID '%s'", eid);
	ret = do_it(nl, SMC_NETLINK_REMOVE_UEID, padded, doing, err);
	if (ret == -ENOENT)
		return smc_err_say(err, ENOENT, "EID '%s' is not defined", eid);
	/* The EID is removed: by -EAGAIN the kernel reports that this enabled the system EID. */
	*has_seid = ret == -EAGAIN;
	if (*has_seid)
		*err = (struct smc_err){ 0 };
	return *has_seid ? 0 : ret;
}

int smc_eids_flush(struct smc_genl *nl, struct smc_err *err)
{
	return do_it(nl, SMC_NETLINK_FLUSH_UEID, NULL, "delete all user EIDs", err);
}

int smc_seid_read(struct smc_seid *seid, struct smc_genl *nl, struct smc_err *err)
{
	*seid = (struct smc_seid){ 0 };
	return smc_genl_read(nl, SMC_NETLINK_DUMP_SEID, smc_seid_decode, seid, "the system EID",
			     err);
}

int smc_seid_switch(struct smc_genl *nl, bool is_enable, struct smc_err *err)
{
	struct smc_seid seid;
	int ret = smc_seid_read(&seid, nl, err);

	if (ret)
		return ret;
	if (!seid.has_eid)
		return smc_err_say(err, EOPNOTSUPP,
				   "this system has no system EID: only IBM Z has one");
	if (is_enable)
		return do_it(nl, SMC_NETLINK_ENABLE_SEID, NULL, "enable the system EID", err);
	ret = do_it(nl, SMC_NETLINK_DISABLE_SEID, NULL, "disable the system EID", err);
	if (ret == -ENOENT)
		return smc_err_say(
			err, ENOENT,
			"cannot disable the system EID: it is the only one, add a user EID first");
	return ret;
}

int smc_hs_read(bool *is_enabled, struct smc_genl *nl, struct smc_err *err)
{
	*is_enabled = false;
	return smc_genl_read(nl, SMC_NETLINK_DUMP_HS_LIMITATION, smc_hs_decode, is_enabled,
			     "the handshake limitation", err);
}

int smc_hs_switch(struct smc_genl *nl, bool is_enable, struct smc_err *err)
{
	return do_it(
		nl,
		is_enable ? SMC_NETLINK_ENABLE_HS_LIMITATION : SMC_NETLINK_DISABLE_HS_LIMITATION,
		NULL, is_enable ? "enable handshake limitation" : "disable handshake limitation",
		err);
}
