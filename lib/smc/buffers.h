/* SPDX-License-Identifier: MIT */
/* Sizes of SMC's buffers: the kernel's default, and what makes SMC faster than TCP. */
#pragma once

/* Bytes: net.smc.wmem and net.smc.rmem where nobody has set them, net/smc/smc_sysctl.c. */
#define SMC_KERNEL_BUFFER 65536

/*
 * Bytes: the smallest size with which bulk data over SMC-D is clearly faster than over TCP, on a
 * busy machine, too, as "make bench" shows; SMC-R of Linux 6.1 has no larger ones.
 */
#define SMC_GOOD_BUFFER (512 * 1024)

/* A connection has one to send and one to receive, but for loopback, which only receives. */
#define SMC_BUFFERS_PER_CONNECTION 2

/**
 * smc_good_buffer() - the size for a machine with @memory bytes: SMC_GOOD_BUFFER from 2 GB on
 *
 * Buffers of 1000 connections take half of the memory at most: they are memory of the kernel, which
 * no program's limit counts.
 *
 * Return: bytes, a power of two; SMC_KERNEL_BUFFER where there is no room for more.
 */
int smc_good_buffer(unsigned long long memory);

/**
 * smc_good_sockets() - how many sockets of a program may have buffers of @size
 * @memory: bytes that the machine has, of which they take an eighth; each buffer is a power of two
 *
 * At least 256: a quarter of the descriptors that programs usually may have, SMC_LISTENER_SHARE.
 */
int smc_good_sockets(unsigned long long memory, int size);
