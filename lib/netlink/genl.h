/* SPDX-License-Identifier: MIT */
/* Generic netlink requests. With lib/netlink/diag the only code that opens a netlink socket. */
#pragma once

#include <stddef.h>
#include <stdint.h>
#include <linux/netlink.h>

#include "base/err.h"

struct smc_genl;

/**
 * typedef smc_genl_fn - takes a message of a finished dump
 *
 * The attributes start after a struct genlmsghdr (<linux/genetlink.h>), whose cmd tells the kind.
 * Return: 0; -errno ends it with that result.
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
 * Needs no privilege. All answers are of the network namespace that the calling thread is in now.
 * When the family is not there, the kernel gets one chance to load SMC.
 *
 * Return: 0; -ENOENT when this kernel has no SMC, or one without the family; another -errno. A
 * sentence in @err.
 */
int smc_genl_open(struct smc_genl **nl, const char *family, struct smc_err *err);

/**
 * smc_genl_follow() - ask the network namespace that the calling thread is in now
 * @nl: of another one, or NULL for the first; NULL again after an error
 *
 * The family is looked up once: it has one number in all of them. Not for a recorded host.
 * Return: as above.
 */
int smc_genl_follow(struct smc_genl **nl, const char *family, struct smc_err *err);

/** smc_genl_close() - NULL is allowed */
void smc_genl_close(struct smc_genl *nl);

/**
 * smc_genl_dump() - ask for a table and hand each message to a function
 *
 * @fn sees a whole table or nothing. A dump that the kernel calls interrupted is asked for again,
 * three times in all.
 *
 * Return: 0; -EINTR when the table never stood still; the kernel's -errno, in NLMSG_ERROR or inside
 * NLMSG_DONE; @fn's own, for which @fn writes the sentence.
 */
int smc_genl_dump(struct smc_genl *nl, uint8_t cmd, smc_genl_fn fn, void *arg, struct smc_err *err);

/**
 * smc_genl_read() - smc_genl_dump() with "cannot read WHAT" before the error's text
 *
 * Messages that cannot be decoded (-EBADMSG of @fn) end it.
 */
int smc_genl_read(struct smc_genl *nl, uint8_t cmd, smc_genl_fn fn, void *arg, const char *what,
		  struct smc_err *err);

/**
 * smc_genl_do() - send a command that changes something
 *
 * Return: 0, or the kernel's own -errno. @err gets a clause for the caller to complete: the errno's
 * text with the kernel's words, the missing privilege, or the first kernel with that command.
 */
int smc_genl_do(struct smc_genl *nl, uint8_t cmd, const struct smc_genl_attr *attrs, size_t n,
		struct smc_err *err);
