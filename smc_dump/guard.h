/* SPDX-License-Identifier: MIT */
/*
 * What every capture has: rights that are given up before the first foreign byte, signals that end
 * it, and the file that packets are written to.
 */
#pragma once

#include <stdbool.h>
#include <pcap/pcap.h>

#include "base/err.h"

/** guard_give_up_rights() - root, files, and all else. Return: 0; -errno: nothing may be read */
int guard_give_up_rights(struct smc_err *err);

/**
 * guard_catch_signals() - from now on Ctrl-C ends it in good order
 *
 * That is how what is live ends, and no failure; nor is it one of what is being written. The second
 * one ends it whatever it waits for. @pcap: to be stopped; NULL for none.
 */
void guard_catch_signals(pcap_t *pcap);

/** guard_is_stopped() - has one come? */
bool guard_is_stopped(void);

/** guard_release() - what is captured is about to be closed: signals have nothing to stop */
void guard_release(void);

/** struct output - an open file; @is_replaced: what it has is to go, once nothing is wrong */
struct output {
	int fd;
	bool is_replaced;
};

/**
 * output_open() - a file of mode 0600; "-" is standard output
 * @input: descriptor of the file that is read, which it must not be; -1 for none
 *
 * Refuses a terminal. What a file has is kept until output_empty(). Return: 0, -errno with @err.
 */
int output_open(struct output *output, const char *path, int input, struct smc_err *err);

/** output_empty() - write it from its beginning. Return: 0, -errno with @err */
int output_empty(struct output *output, struct smc_err *err);

/** output_close() - -1 is allowed */
void output_close(struct output *output);
