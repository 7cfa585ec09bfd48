/* SPDX-License-Identifier: MIT */
/* What the matrix knows of each host: read where strangers' bytes are decoded, judged elsewhere. */
#pragma once

#include <sys/types.h>

#include "base/err.h"
#include "smc_chk/matrix/predict.h"

/**
 * matrix_host_write() - the facts of a recorded host, by the doctor's own judgement
 * @name: of the host, of any bytes
 * @fd: receives a struct predict_host, its net devices and its rules
 *
 * SMC_TOOLS_ROOT says which one; its process has given up its rights. Return: 0, -errno with @err.
 */
int matrix_host_write(const char *name, int fd, struct smc_err *err);

/**
 * matrix_host_read() - what matrix_host_write() wrote, @at in @fd
 *
 * A process that was taken over may have written anything: what is read fits the struct.
 *
 * Return: 0, -errno with @err.
 */
int matrix_host_read(struct predict_host *host, int fd, off_t at, struct smc_err *err);

/** matrix_host_set_name() - of any bytes */
void matrix_host_set_name(struct predict_host *host, const char *name);

void matrix_host_free(struct predict_host *host);
