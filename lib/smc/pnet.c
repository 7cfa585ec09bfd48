// SPDX-License-Identifier: MIT
#include "smc/pnet.h"

#include <ctype.h>
#include <libmnl/libmnl.h>
#include <linux/genetlink.h>

#include "smc/genl_abi.h"
#include "base/array.h"

/* Get a terminated string that fits; an empty one and "n/a" count as missing. */
static bool get_string(const struct nlattr *attr, char *dst, size_t size)
{
	const char *text = mnl_attr_get_payload(attr);
	size_t len = strnlen(text, mnl_attr_get_payload_len(attr));

	if (!len || len >= size || len == mnl_attr_get_payload_len(attr))
		return false;
	memcpy(dst, text, len + 1);
	return strcmp(dst, SMC_PNET_NONE);
}

static void decode_attr(struct smc_pnet *entry, const struct nlattr *attr)
{
	switch (mnl_attr_get_type(attr)) {
	case SMC_PNETID_NAME:
		if (!get_string(attr, entry->name, sizeof(entry->name)))
			entry->name[0] = '\0';
		break;
	case SMC_PNETID_ETHNAME:
		if (get_string(attr, entry->eth, sizeof(entry->eth)))
			entry->has |= SMC_PNET_HAS_NET;
		break;
	case SMC_PNETID_IBNAME:
		if (get_string(attr, entry->ib, sizeof(entry->ib)))
			entry->has |= SMC_PNET_HAS_IB;
		break;
	case SMC_PNETID_IBPORT:
		if (mnl_attr_get_payload_len(attr) < 1)
			break;
		entry->port = *(const uint8_t *)mnl_attr_get_payload(attr);
		if (entry->port != SMC_PNET_NO_PORT)
			entry->has |= SMC_PNET_HAS_PORT;
		break;
	default: break;
	}
}

int smc_pnet_decode(struct smc_pnet *entry, const struct nlmsghdr *nlh)
{
	const struct nlattr *attr;

	*entry = (struct smc_pnet){ 0 };
	if (mnl_nlmsg_get_payload_len(nlh) < GENL_HDRLEN)
		return -EBADMSG;
	mnl_attr_for_each(attr, nlh, GENL_HDRLEN)
		decode_attr(entry, attr);
	if (!entry->name[0] || !(entry->has & (SMC_PNET_HAS_NET | SMC_PNET_HAS_IB)))
		return -EBADMSG;
	return 0;
}

int smc_pnet_name(char name[SMC_PNET_NAME_SIZE], const char *text, struct smc_err *err)
{
	static const char blanks[] = " \t\n\v\f\r";
	const char *start = text + strspn(text, blanks);
	size_t len = strlen(start);

	while (len && strchr(blanks, start[len - 1]))
		len--;
	if (!len || len >= SMC_PNET_NAME_SIZE)
		return smc_err_say(err, EINVAL,
				   "'%.40s' is not a PNET ID: it must have 1 to 16 characters",
				   text);
	for (size_t i = 0; i < len; i++) {
		if (!isalnum((unsigned char)start[i]))
			return smc_err_say(err, EINVAL,
					   "'%.40s' is not a PNET ID: "
					   "only letters and digits are allowed",
					   text);
		name[i] = (char)toupper((unsigned char)start[i]);
	}
	name[len] = '\0';
	return 0;
}

/* Blanks and control characters would make the table ambiguous. */
static int check_device(char *dst, size_t size, const char *text, const char *kind,
			struct smc_err *err)
{
	size_t len = strlen(text);
	bool is_good = len && len < size && strcmp(text, SMC_PNET_NONE);

	for (size_t i = 0; i < len; i++)
		is_good = is_good && (unsigned char)text[i] > ' ' && text[i] != 0x7f &&
			  text[i] != '/';
	if (!is_good)
		return smc_err_say(err, EINVAL, "'%.40s' is not the name of %s", text, kind);
	memcpy(dst, text, len + 1);
	return 0;
}

int smc_pnet_eth(char eth[SMC_PNET_ETH_SIZE], const char *text, struct smc_err *err)
{
	return check_device(eth, SMC_PNET_ETH_SIZE, text, "a net device", err);
}

int smc_pnet_ib(char ib[SMC_PNET_IB_SIZE], const char *text, struct smc_err *err)
{
	return check_device(ib, SMC_PNET_IB_SIZE, text, "an RDMA or ISM device", err);
}

int smc_pnet_port(const char *text, struct smc_err *err)
{
	unsigned long port;
	char *end;

	if (!*text)
		return 1;
	errno = 0;
	port = strtoul(text, &end, 0);
	if (errno || *end || *text == '-' || port > SMC_PNET_MAX_PORT)
		return smc_err_say(err, EINVAL, "'%.40s' is not an RDMA port: give 1 or 2", text);
	return port ? (int)port : 1;
}

void smc_pnet_append(struct smc_pnet_table *table, const struct smc_pnet *entry)
{
	*smc_array_add(&table->entries, &table->count) = *entry;
}

int smc_pnet_add(const struct nlmsghdr *nlh, void *table)
{
	struct smc_pnet entry;

	if (!smc_pnet_decode(&entry, nlh))
		smc_pnet_append(table, &entry);
	return 0;
}

static bool same_device(const struct smc_pnet *a, const struct smc_pnet *b)
{
	if (a->has & b->has & SMC_PNET_HAS_NET && !strcmp(a->eth, b->eth))
		return true;
	return a->has & b->has & SMC_PNET_HAS_IB && !strcmp(a->ib, b->ib);
}

bool smc_pnet_same(const struct smc_pnet *a, const struct smc_pnet *b)
{
	const uint32_t kinds = SMC_PNET_HAS_NET | SMC_PNET_HAS_IB;

	return !strcmp(a->name, b->name) && (a->has & kinds) == (b->has & kinds) &&
	       same_device(a, b) && (!(a->has & SMC_PNET_HAS_IB) || a->port == b->port);
}

const struct smc_pnet *smc_pnet_holder(const struct smc_pnet_table *table,
				       const struct smc_pnet *entry)
{
	for (size_t i = 0; i < table->count; i++)
		if (same_device(&table->entries[i], entry))
			return &table->entries[i];
	return NULL;
}
