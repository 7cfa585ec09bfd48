// SPDX-License-Identifier: MIT
#include "smc/eid.h"

#include <libmnl/libmnl.h>
#include <linux/genetlink.h>

#include "smc/attr.h"

static const char allowed[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789.-";

static int check(const char *eid, struct smc_err *err)
{
	size_t len = strlen(eid);
	const char *why = NULL;

	if (!len)
		why = "an EID cannot be empty";
	else if (len > SMC_MAX_EID_LEN)
		why = "the EID is longer than 32 characters";
	else if (strspn(eid, allowed) != len)
		why = "an EID may contain only the characters A-Z, 0-9, '.' and '-'";
	else if (strchr(".-", eid[0]))
		why = "an EID must begin with a letter or a digit";
	else if (strstr(eid, ".."))
		why = "an EID must not have two dots in a row";
	return why ? smc_err_say(err, EINVAL, "%s", why) : 0;
}

int smc_eid_check(const char *eid, struct smc_err *err)
{
	char upper[SMC_EID_SIZE] = "";
	int ret = check(eid, err);

	for (size_t i = 0; i < SMC_MAX_EID_LEN && eid[i]; i++)
		upper[i] = eid[i] >= 'a' && eid[i] <= 'z' ? (char)(eid[i] - 'a' + 'A') : eid[i];
	if (!ret || strlen(eid) > SMC_MAX_EID_LEN || check(upper, NULL))
		return ret;
	return smc_err_say(err, EINVAL, "lower case is not allowed: try %s", upper);
}

void smc_eid_pad(char padded[SMC_EID_SIZE], const char *eid)
{
	size_t len = strnlen(eid, SMC_MAX_EID_LEN);

	memset(padded, ' ', SMC_MAX_EID_LEN);
	memcpy(padded, eid, len);
	padded[SMC_MAX_EID_LEN] = '\0';
}

int smc_ueid_decode(char eid[SMC_EID_SIZE], const struct nlmsghdr *nlh)
{
	const struct nlattr *attr = smc_attr_nest(nlh, SMC_NLA_EID_TABLE_ENTRY);

	return attr && smc_attr_str(attr, eid, SMC_EID_SIZE) ? 0 : -EBADMSG;
}

int smc_seid_decode(const struct nlmsghdr *nlh, void *arg)
{
	struct smc_seid *seid = arg;
	const struct nlattr *eid = smc_attr_nest(nlh, SMC_NLA_SEID_ENTRY);
	const struct nlattr *enabled = smc_attr_nest(nlh, SMC_NLA_SEID_ENABLED);

	*seid = (struct smc_seid){ 0 };
	if (mnl_nlmsg_get_payload_len(nlh) < GENL_HDRLEN)
		return -EBADMSG;
	if (eid)
		seid->has_eid = smc_attr_str(eid, seid->eid, sizeof(seid->eid)) && seid->eid[0];
	if (enabled)
		smc_attr_bool(enabled, &seid->is_enabled);
	return 0;
}

int smc_hs_decode(const struct nlmsghdr *nlh, void *arg)
{
	bool *is_enabled = arg;
	const struct nlattr *attr = smc_attr_nest(nlh, SMC_NLA_HS_LIMITATION_ENABLED);

	return attr && smc_attr_bool(attr, is_enabled) ? 0 : -EBADMSG;
}
