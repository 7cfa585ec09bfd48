/* SPDX-License-Identifier: MIT */
/* The handshakes of a capture, or on an interface: read, decoded, shown; or packets into a file. */
#pragma once

#include "smc_dump/request.h"

/** handshakes_run() - until the file's end, a signal, or enough. Return: 0, -errno with @err */
int handshakes_run(const struct request *request, struct smc_err *err);

/** handshakes_list() - print the names of interfaces. Return: 0, -errno with @err */
int handshakes_list(struct smc_err *err);
