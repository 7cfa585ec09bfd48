/* SPDX-License-Identifier: MIT */
/* Sizes of SMC's buffers: the kernel's default, and a size at which SMC is faster than TCP. */
#pragma once

/* Bytes: default of net.smc.wmem and net.smc.rmem, net/smc/smc_sysctl.c. */
#define SMC_KERNEL_BUFFER 65536

/*
 * Bytes: the smallest size with which "make bench" finds bulk data over SMC-D clearly faster than
 * over TCP, even on a busy machine; SMC-R of Linux 6.1 allows no larger ones.
 */
#define SMC_GOOD_BUFFER (512 * 1024)

/* A connection has a buffer to send and one to receive; over loopback, only the latter. */
#define SMC_BUFFERS_PER_CONNECTION 2

/**
 * smc_good_buffer() - the size for a machine with @memory bytes: SMC_GOOD_BUFFER from 2 GB on
 *
 * Buffers of 1000 connections take at most half of the memory, because they are kernel memory,
 * which no limit of a program counts.
 *
 * Return: bytes, a power of two; SMC_KERNEL_BUFFER if there is no room for more.
 */
int smc_good_buffer(unsigned long long memory);

/**
 * smc_good_sockets() - number of a program's sockets that may have buffers of @size
 * @memory: bytes of the machine; the buffers may take an eighth; each is a power of two
 *
 * At least 256, which is 1/SMC_LISTENER_SHARE of the usual descriptor limit.
 */
int smc_good_sockets(unsigned long long memory, int size);
