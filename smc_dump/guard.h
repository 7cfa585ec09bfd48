/* SPDX-License-Identifier: MIT */
/* Giving up rights before the first foreign byte, and the end of a capture. */
#pragma once

#include <stdbool.h>
#include <pcap/pcap.h>

#include "base/err.h"

/**
 * guard_give_up_rights() - what is needed is open: give up root, files, and all else
 *
 * Return: 0; -errno with @err: then nothing may be read.
 */
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
