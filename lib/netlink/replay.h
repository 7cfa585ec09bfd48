/* SPDX-License-Identifier: MIT */
/*
 * Netlink answers of a recorded host, see host/record.h. A file of netlink/ has one line
 *
 *   smc-tools netlink 1 ORDER ERRNO REQUEST WORDS
 *
 * where ORDER is the machine's byte order, little or big; REQUEST the request in hexadecimal, or
 * "-"; WORDS the sentence of an error. The messages follow as the kernel sent them, each at
 * NLMSG_ALIGN. For the other byte order see smc/attr.h.
 */
#pragma once

#include <linux/netlink.h>

#include "base/err.h"

/**
 * struct replay_request - a request, as recorded
 * @name: name of its file, "SMC_PNETID/2"
 * @bytes, @len: distinguish requests of one name; may be empty
 * @body: minimum size of a message's fixed part, between header and attributes
 */
struct replay_request {
	const char *name;
	const void *bytes;
	size_t len, body;
};

/** typedef replay_fn - takes a message. Return: 0 to go on, -errno to stop */
typedef int (*replay_fn)(const struct nlmsghdr *nlh, void *arg);

/** struct replay_tape - messages, each at NLMSG_ALIGN; zero-initialize; the caller frees @bytes */
struct replay_tape {
	char *bytes;
	size_t len, size;
};

/** replay_add() - append a message */
void replay_add(struct replay_tape *tape, const struct nlmsghdr *nlh);

/** replay_each() - pass on the messages of a tape. Return: 0, -EBADMSG with @err, @fn's own */
int replay_each(const char *bytes, size_t len, const struct replay_request *request, replay_fn fn,
		void *arg, struct smc_err *err);

/**
 * replay_keep() - add an answer, or the error @ret with @err, to the record in progress
 *
 * An existing answer is kept if its request asked for at least the same bits.
 */
void replay_keep(const struct replay_tape *tape, const struct replay_request *request, int ret,
		 const struct smc_err *err);

/**
 * replay() - answer a request from the record
 *
 * Return: 0; the recorded error, with its sentence; -ENODATA when the request was not recorded;
 * -EBADMSG for a damaged record; @fn's own.
 */
int replay(const struct replay_request *request, replay_fn fn, void *arg, struct smc_err *err);

/** replay_parse() - replay a file in memory, from any source; a NUL follows its @len bytes */
int replay_parse(const char *data, size_t len, const struct replay_request *request, replay_fn fn,
		 void *arg, struct smc_err *err);
