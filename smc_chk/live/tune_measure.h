/* SPDX-License-Identifier: MIT */
/* -C --tune: a connection with buffers of a size, and one round of the shape on it. */
#pragma once

#include "smc_chk/live/tune_report.h"

/** tune_port() - where the server listens with this size. Return: 0, or < 0 with a sentence */
int tune_port(struct tune *tune, int control, int bytes, uint16_t *port);

/**
 * tune_open() - a connection with buffers of a size
 * @port: as the server has told; without @tune->has_server the usual one
 *
 * Return: descriptor; -1 with a sentence in @tune->result, also if it fell back to TCP.
 */
int tune_open(struct tune *tune, int bytes, uint16_t port);

/** tune_measure() - one round of the shape on a connection. Return: 0, or < 0 with a sentence */
int tune_measure(struct tune *tune, int fd, int bytes, double *value);
