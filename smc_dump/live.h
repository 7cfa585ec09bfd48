/* SPDX-License-Identifier: MIT */
/* What comes before the first foreign byte, and what ends it all. */
#pragma once

#include "smc_dump/capture.h"

/**
 * live_give_up_rights() - what is needed is open: give up root, files, and all else
 *
 * Return: 0; -errno with @err: then nothing may be read.
 */
int live_give_up_rights(struct smc_err *err);

/**
 * live_catch_signals() - from now on Ctrl-C ends it in good order
 *
 * That is how what is live ends, and no failure; nor is it one of what is being written. The second
 * one ends it whatever it waits for. @capture: to be stopped; NULL for none.
 */
void live_catch_signals(struct capture *capture);

/** live_is_stopped() - has one come? */
bool live_is_stopped(void);

/** live_release() - the capture is about to be closed: signals have nothing to stop */
void live_release(void);
