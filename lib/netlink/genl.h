/* SPDX-License-Identifier: MIT */
/* Generic netlink requests. Only this and lib/netlink/diag open netlink sockets. */
#pragma once

#include <linux/netlink.h>

#include "base/err.h"

struct smc_genl;

/**
 * typedef smc_genl_fn - takes a message of a complete dump
 *
 * The attributes start after a struct genlmsghdr (<linux/genetlink.h>), whose cmd is the kind.
 * Return: 0; -errno stops with that result.
 */
typedef int (*smc_genl_fn)(const struct nlmsghdr *nlh, void *arg);

/** struct smc_genl_attr - one attribute of a request; @str is sent with its NUL */
struct smc_genl_attr {
	uint16_t type;
	enum { SMC_GENL_STR, SMC_GENL_U8 } kind;
	const char *str;
	uint8_t u8;
};

/**
 * smc_genl_open() - open a socket and find the family, "SMC_GEN_NETLINK" or "SMC_PNETID"
 *
 * Needs no privilege. All answers are about the calling thread's current network namespace. If the
 * family is missing, the kernel gets one chance to load SMC.
 *
 * Return: 0; -ENOENT if the kernel has no SMC or no such family; another -errno, with @err.
 */
int smc_genl_open(struct smc_genl **nl, const char *family, struct smc_err *err);

/**
 * smc_genl_follow() - reopen the socket in the calling thread's current network namespace
 * @nl: socket of another namespace, or NULL at first; set to NULL on error
 *
 * The family is looked up once: its number is the same in all namespaces. Not for a recorded host.
 * Return: like smc_genl_open().
 */
int smc_genl_follow(struct smc_genl **nl, const char *family, struct smc_err *err);

/** smc_genl_close() - NULL is allowed */
void smc_genl_close(struct smc_genl *nl);

/**
 * smc_genl_dump() - dump a table and pass each message to a function
 *
 * @fn sees a complete table or nothing. A dump that the kernel marks as interrupted is repeated, up
 *	to three attempts in all.
 *
 * Return: 0; -EINTR when the table kept changing; the kernel's -errno, in NLMSG_ERROR or inside
 * NLMSG_DONE; @fn's own, for which @fn writes the sentence.
 */
int smc_genl_dump(struct smc_genl *nl, uint8_t cmd, smc_genl_fn fn, void *arg, struct smc_err *err);

/** smc_genl_read() - smc_genl_dump(), but @err is "cannot read WHAT", even for @fn's -EBADMSG */
int smc_genl_read(struct smc_genl *nl, uint8_t cmd, smc_genl_fn fn, void *arg, const char *what,
		  struct smc_err *err);

/**
 * smc_genl_do() - send a command that makes a change
 *
 * Return: 0, or the kernel's own -errno. @err gets a clause for the caller to complete: the text of
 * the errno with the kernel's words, the missing privilege, or the first kernel that has the
 * command.
 */
int smc_genl_do(struct smc_genl *nl, uint8_t cmd, const struct smc_genl_attr *attrs, size_t n,
		struct smc_err *err);
