/* SPDX-License-Identifier: MIT */
/*
 * Netlink answers of a recorded host, see host/record.h. A file of netlink/ has one line
 *
 *   smc-tools netlink 1 ORDER ERRNO REQUEST WORDS
 *
 * where ORDER is the machine's byte order, little or big; REQUEST what was asked, as hexadecimal
 * digits, or "-"; WORDS the sentence that came with an error. The messages follow as the kernel
 * sent them, each at NLMSG_ALIGN. Of the other byte order, smc/order.h says what the reader gets.
 */
#pragma once

#include <stddef.h>
#include <linux/netlink.h>

#include "base/err.h"

/**
 * struct replay_request - what is asked
 * @name: of its file, "SMC_PNETID/2"
 * @bytes, @len: what tells one such request from another, may be none
 * @body: bytes that each message has after its header at least, before its attributes
 */
struct replay_request {
	const char *name;
	const void *bytes;
	size_t len, body;
};

/** typedef replay_fn - takes a message. Return: 0 to go on, -errno to end */
typedef int (*replay_fn)(const struct nlmsghdr *nlh, void *arg);

/** struct replay_tape - messages, each at NLMSG_ALIGN; begin with zeros; @bytes are to be freed */
struct replay_tape {
	char *bytes;
	size_t len, size;
};

/** replay_add() - append a message */
void replay_add(struct replay_tape *tape, const struct nlmsghdr *nlh);

/** replay_each() - hand over the messages of a tape. Return: 0, -EBADMSG with @err, @fn's own */
int replay_each(const char *bytes, size_t len, const struct replay_request *request, replay_fn fn,
		void *arg, struct smc_err *err);

/**
 * replay_keep() - put an answer, or the -errno @ret with @err, into the record that is being made
 *
 * An answer that is there already stays if its request asked for as much, bit by bit.
 */
void replay_keep(const struct replay_tape *tape, const struct replay_request *request, int ret,
		 const struct smc_err *err);

/**
 * replay() - answer a request from the record
 *
 * Return: 0; the recorded error, with its sentence; -ENODATA when nobody asked this; -EBADMSG for
 * a record that is damaged; @fn's own.
 */
int replay(const struct replay_request *request, replay_fn fn, void *arg, struct smc_err *err);

/** replay_parse() - the same of a file in memory, of any origin; a NUL is after its @len bytes */
int replay_parse(const char *data, size_t len, const struct replay_request *request, replay_fn fn,
		 void *arg, struct smc_err *err);
