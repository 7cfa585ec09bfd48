// SPDX-License-Identifier: MIT
/*
 * Compare lib/smc/abi.h with the installed headers, mostly at compile time; definitions missing in
 * older headers are skipped.
 */
#include "test.h"

#include <linux/inet_diag.h>
#include <linux/version.h>
#include <netinet/in.h>
#include <rdma/ib_user_verbs.h>

#include "smc/genl_abi.h"

#define SAME(a, b) _Static_assert((a) == (b), #a " is not " #b)
#define SAME_PLACE(ours, member, theirs, other)                                                    \
	SAME(offsetof(struct ours, member), offsetof(struct theirs, other));                       \
	SAME(sizeof(((struct ours *)0)->member), sizeof(((struct theirs *)0)->other))

#ifdef PF_SMC
SAME(AF_SMC, PF_SMC);
#endif
SAME(AF_SMC, 43);
SAME(IPPROTO_SMC, 256);
SAME(SMC_MAX_EID_LEN, 32);
SAME(SMC_IB_NAME_LEN, IB_DEVICE_NAME_MAX);

SAME(SMC_DIAG_EXT(SMC_DIAG_CONNINFO), 1);
SAME(SMC_DIAG_EXT(SMC_DIAG_LGRINFO), 2);
SAME(SMC_DIAG_EXT(SMC_DIAG_DMBINFO), 8);

SAME(sizeof(struct smc_abi_sockid), sizeof(struct inet_diag_sockid));
SAME_PLACE(smc_abi_sockid, sport, inet_diag_sockid, idiag_sport);
SAME_PLACE(smc_abi_sockid, dport, inet_diag_sockid, idiag_dport);
SAME_PLACE(smc_abi_sockid, src, inet_diag_sockid, idiag_src);
SAME_PLACE(smc_abi_sockid, dst, inet_diag_sockid, idiag_dst);
SAME_PLACE(smc_abi_sockid, ifindex, inet_diag_sockid, idiag_if);
SAME_PLACE(smc_abi_sockid, cookie, inet_diag_sockid, idiag_cookie);

SAME(offsetof(struct smc_abi_dmbinfo, peer_gid_ext), SMC_ABI_DMBINFO_OLD_LEN);
SAME(offsetof(struct smc_abi_dmbinfo, my_gid_ext), SMC_ABI_DMBINFO_OLD_LEN + 8);

#pragma GCC diagnostic ignored "-Wshadow"

/* The kernel's header is included in functions, as names there hide those of ours. */
#define OURS(name) our_##name = name
enum {
	OURS(SMC_DIAG_MODE_SMCR),
	OURS(SMC_DIAG_MODE_FALLBACK_TCP),
	OURS(SMC_DIAG_MODE_SMCD),
	OURS(SMC_DIAG_CONNINFO),
	OURS(SMC_DIAG_LGRINFO),
	OURS(SMC_DIAG_SHUTDOWN),
	OURS(SMC_DIAG_DMBINFO),
	OURS(SMC_DIAG_FALLBACK),
	our_cursor = sizeof(struct smc_diag_cursor),
	our_conninfo = sizeof(struct smc_diag_conninfo),
	our_tx_fin = offsetof(struct smc_diag_conninfo, tx_fin),
	our_fallback = sizeof(struct smc_diag_fallback),
};

TEST(diag)
{
#if LINUX_VERSION_CODE < KERNEL_VERSION(4, 19, 0)
	skip();
#else
#include <linux/smc_diag.h>
#define SAME_NUMBER(name) SAME((int)our_##name, (int)name)
	SAME_NUMBER(SMC_DIAG_MODE_SMCR);
	SAME_NUMBER(SMC_DIAG_MODE_FALLBACK_TCP);
	SAME_NUMBER(SMC_DIAG_MODE_SMCD);
	SAME_NUMBER(SMC_DIAG_CONNINFO);
	SAME_NUMBER(SMC_DIAG_LGRINFO);
	SAME_NUMBER(SMC_DIAG_SHUTDOWN);
	SAME_NUMBER(SMC_DIAG_DMBINFO);
	SAME_NUMBER(SMC_DIAG_FALLBACK);
	SAME(our_cursor, sizeof(struct smc_diag_cursor));
	SAME(our_conninfo, sizeof(struct smc_diag_conninfo));
	SAME(our_tx_fin, offsetof(struct smc_diag_conninfo, tx_fin));
	SAME(our_fallback, sizeof(struct smc_diag_fallback));

	SAME(sizeof(struct smc_abi_diag_req), sizeof(struct smc_diag_req));
	SAME_PLACE(smc_abi_diag_req, family, smc_diag_req, diag_family);
	SAME_PLACE(smc_abi_diag_req, ext, smc_diag_req, diag_ext);
	SAME_PLACE(smc_abi_diag_req, id, smc_diag_req, id);

	SAME(sizeof(struct smc_abi_diag_msg), sizeof(struct smc_diag_msg));
	SAME_PLACE(smc_abi_diag_msg, family, smc_diag_msg, diag_family);
	SAME_PLACE(smc_abi_diag_msg, state, smc_diag_msg, diag_state);
	SAME_PLACE(smc_abi_diag_msg, mode, smc_diag_msg, diag_fallback);
	SAME_PLACE(smc_abi_diag_msg, shutdown, smc_diag_msg, diag_shutdown);
	SAME_PLACE(smc_abi_diag_msg, id, smc_diag_msg, id);
	SAME_PLACE(smc_abi_diag_msg, uid, smc_diag_msg, diag_uid);
	SAME_PLACE(smc_abi_diag_msg, inode, smc_diag_msg, diag_inode);

	SAME(sizeof(struct smc_abi_lgrinfo), sizeof(struct smc_diag_lgrinfo));
	SAME_PLACE(smc_abi_lgrinfo, link_id, smc_diag_lgrinfo, lnk[0].link_id);
	SAME_PLACE(smc_abi_lgrinfo, ibname, smc_diag_lgrinfo, lnk[0].ibname);
	SAME_PLACE(smc_abi_lgrinfo, ibport, smc_diag_lgrinfo, lnk[0].ibport);
	SAME_PLACE(smc_abi_lgrinfo, gid, smc_diag_lgrinfo, lnk[0].gid);
	SAME_PLACE(smc_abi_lgrinfo, peer_gid, smc_diag_lgrinfo, lnk[0].peer_gid);
	SAME_PLACE(smc_abi_lgrinfo, role, smc_diag_lgrinfo, role);

	/* Headers before 6.8 end after peer_token. */
	_Static_assert(sizeof(struct smcd_diag_dmbinfo) == SMC_ABI_DMBINFO_OLD_LEN ||
			       sizeof(struct smcd_diag_dmbinfo) == sizeof(struct smc_abi_dmbinfo),
		       "DMBINFO has grown again");
	SAME_PLACE(smc_abi_dmbinfo, linkid, smcd_diag_dmbinfo, linkid);
	SAME_PLACE(smc_abi_dmbinfo, peer_gid, smcd_diag_dmbinfo, peer_gid);
	SAME_PLACE(smc_abi_dmbinfo, my_gid, smcd_diag_dmbinfo, my_gid);
	SAME_PLACE(smc_abi_dmbinfo, token, smcd_diag_dmbinfo, token);
	SAME_PLACE(smc_abi_dmbinfo, peer_token, smcd_diag_dmbinfo, peer_token);

	/* The header has no attribute unknown to this project. */
	if (SMC_DIAG_MAX > our_SMC_DIAG_FALLBACK)
		print_message("# <linux/smc_diag.h> has newer attributes, up to %d\n",
			      SMC_DIAG_MAX);
#endif
}

TEST(genl)
{
#if LINUX_VERSION_CODE < KERNEL_VERSION(6, 0, 0)
	skip();
#else
#include <linux/smc.h>
	static const struct {
		const char *name;
		int ours, kernels;
	} numbers[] = {
#define NUMBER(name, number) { #name, number, name },
#include "smc/genl_numbers.def"
	};

	for (size_t i = 0; i < sizeof(numbers) / sizeof(*numbers); i++)
		if (numbers[i].ours != numbers[i].kernels)
			fail_msg("%s is %d, not %d", numbers[i].name, numbers[i].kernels,
				 numbers[i].ours);
#endif
}
