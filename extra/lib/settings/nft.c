// SPDX-License-Identifier: MIT
/* Access to nftables by libnftables, loaded on demand. */
#include "settings/policy.h"

#include <dlfcn.h>

#include "base/dlnote.h"
#include "bpf/rights.h"
#include "netlink/diag.h"

#define LIBRARY_SONAME "libnftables.so.1"

DLNOTE(LIBRARY_SONAME, "nftables", "rules for peers: allow and deny in smc.conf", "recommended");

/* From <nftables/libnftables.h>, stable in version 1. */
#define OUTPUT_JSON (1 << 4)

struct nft_ctx;

#define LIBRARY_FUNCTIONS(X)                                                                       \
	X(struct nft_ctx *, nft_ctx_new, (uint32_t))                                               \
	X(void, nft_ctx_free, (struct nft_ctx *))                                                  \
	X(void, nft_ctx_output_set_flags, (struct nft_ctx *, unsigned int))                        \
	X(int, nft_ctx_buffer_output, (struct nft_ctx *))                                          \
	X(const char *, nft_ctx_get_output_buffer, (struct nft_ctx *))                             \
	X(int, nft_ctx_buffer_error, (struct nft_ctx *))                                           \
	X(const char *, nft_ctx_get_error_buffer, (struct nft_ctx *))                              \
	X(int, nft_run_cmd_from_buffer, (struct nft_ctx *, const char *))

struct nft {
#define DECLARE(type, name, arguments) type(*name) arguments;
	LIBRARY_FUNCTIONS(DECLARE)
#undef DECLARE
	struct nft_ctx *ctx;
};

static int open_nft(struct nft *nft, struct smc_err *err)
{
	void *handle = dlopen(LIBRARY_SONAME, RTLD_NOW | RTLD_LOCAL);
	size_t missing = !handle;

	if (handle) {
#define LOOK_UP(type, name, arguments) missing += !(*(void **)&nft->name = dlsym(handle, #name));
		LIBRARY_FUNCTIONS(LOOK_UP)
#undef LOOK_UP
	}
	if (missing)
		return smc_err_say(err, ENOSYS,
				   "a policy by nftables needs %s: install "
				   "libnftables1 (Debian, Ubuntu) or nftables (RPM)",
				   LIBRARY_SONAME);
	nft->ctx = nft->nft_ctx_new(0);
	if (!nft->ctx || nft->nft_ctx_buffer_output(nft->ctx) ||
	    nft->nft_ctx_buffer_error(nft->ctx))
		return smc_err_set(err, ENOMEM, "cannot ask nftables");
	nft->nft_ctx_output_set_flags(nft->ctx, OUTPUT_JSON);
	return 0;
}

/* The first sentence of its message is the reason, the rest quotes lines of the script. */
static int run(struct nft *nft, const char *script, struct smc_err *err)
{
	const char *text, *start;

	if (!nft->nft_run_cmd_from_buffer(nft->ctx, script))
		return 0;
	text = nft->nft_ctx_get_error_buffer(nft->ctx);
	text = text ? text : "";
	start = strstr(text, "Error: ");
	start = start ? start + strlen("Error: ") : text;
	return smc_err_say(err, EIO, "nftables: %.*s", (int)strcspn(start, "\n"), start);
}

/* Run @script, if not NULL, and read the table that it lists into @policy, if not NULL. */
static int ask(const char *script, struct policy *policy, struct smc_err *err)
{
	struct nft nft = { .ctx = NULL };
	int ret = open_nft(&nft, err);

	if (!ret && script)
		ret = run(&nft, script, err);
	if (!ret && policy) {
		ret = policy_nft_parse(policy, nft.nft_ctx_get_output_buffer(nft.ctx));
		if (ret)
			smc_err_set(err, -ret,
				    "table inet " POLICY_TABLE " was changed after it was written");
	}
	if (nft.ctx)
		nft.nft_ctx_free(nft.ctx);
	return ret;
}

/* Checked here: the library would print on stderr, or exit on a kernel without nfnetlink. */
static int has_table(struct smc_err *err)
{
	int ret = bpf_net_right(err);

	if (ret)
		return ret;
	ret = smc_nft_has_table(POLICY_TABLE);
	if (ret == -EINVAL || ret == -EPROTONOSUPPORT)
		return smc_err_say(err, ENOSYS,
				   "a policy by nftables needs a kernel that has it: "
				   "the nf_tables module is missing");
	return ret < 0 ? smc_err_set(err, -ret, "cannot list the tables of nftables") : ret;
}

int policy_nft_run(const char *script, struct smc_err *err)
{
	int ret = has_table(err);

	return ret < 0 ? ret : ask(script, NULL, err);
}

int policy_nft_check(struct smc_err *err)
{
	return policy_nft_run(NULL, err);
}

int policy_nft_apply(const struct policy *policy, struct smc_err *err)
{
	struct out_text script AUTO(out_free) = { 0 };
	int ret = has_table(err);

	if (ret < 0 || (!ret && policy_is_empty(policy)))
		return ret;
	policy_nft_script(&script, policy);
	out_char(&script, '\0');
	return ask(script.data, NULL, err);
}

int policy_nft_read(struct policy *policy, struct smc_err *err)
{
	int ret = has_table(err);

	if (ret <= 0)
		return ret == -ENOSYS ? 0 : ret;
	return ask("list table inet " POLICY_TABLE, policy, err);
}
