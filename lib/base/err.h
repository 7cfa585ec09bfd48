/* SPDX-License-Identifier: MIT */
/*
 * One error on its way up: filled where the facts are known, printed once by the tool. A function
 * that takes one returns 0, or -errno with @err filled in, unless its comment differs.
 */
#pragma once

#include "base/libc.h"

/** struct smc_err - @code: errno, 0 for no error; @text: a sentence without the tool's name */
struct smc_err {
	int code;
	char text[400];
};

/** smc_err_say() - set a positive errno and a sentence. Return: -code */
int smc_err_say(struct smc_err *err, int code, const char *fmt, ...)
	__attribute__((format(printf, 3, 4)));

/** smc_err_set() - as smc_err_say(), with the text of the errno after the sentence */
#define smc_err_set(err, code, fmt, ...)                                                           \
	smc_err_say(err, code, fmt ": %s", ##__VA_ARGS__, strerror(code))
