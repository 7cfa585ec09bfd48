/* SPDX-License-Identifier: MIT */
/*
 * Files of the host: the only way to them for all that shows the state of a host. Every path is
 * absolute and the host's own, "/proc/sys/net/smc/rmem": with SMC_TOOLS_ROOT it is looked up in
 * that recorded host, with SMC_TOOLS_RECORD what is found is recorded. Callers do nothing for
 * either. What changes this host, or runs a program on it, opens files by itself.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

/** struct host_names - entries of a directory, sorted; numbers in names count as numbers */
struct host_names {
	char **names;
	size_t count, size;
};

/**
 * host_text() - a small file as text, cut to @size, without the blanks and newlines at its end
 *
 * Return: true; false with an empty @buf when the file is absent, unreadable or empty.
 */
bool host_text(char *buf, size_t size, const char *fmt, ...) __attribute__((format(printf, 3, 4)));

/** host_bytes() - a file as it is. Return: bytes read, 0 when there are none */
size_t host_bytes(void *buf, size_t size, const char *fmt, ...)
	__attribute__((format(printf, 3, 4)));

/**
 * host_whole() - a whole file of @len bytes in memory, to be freed, with a NUL after it
 * @max: the most that is read, in bytes, rounded up to a buffer's size
 *
 * Return: NULL if the file is absent, unreadable, empty or larger.
 */
char *host_whole(size_t *len, size_t max, const char *fmt, ...)
	__attribute__((format(printf, 3, 4)));

/** host_number() - decimal, or hexadecimal with 0x. Return: false, leaving @value, if none */
bool host_number(unsigned long *value, const char *fmt, ...) __attribute__((format(printf, 2, 3)));

/** host_link() - last part of a link's target ("0000:01:00.0"). Return: false with empty @buf */
bool host_link(char *buf, size_t size, const char *fmt, ...) __attribute__((format(printf, 3, 4)));

/** host_exists() - is there such a file? */
bool host_exists(const char *fmt, ...) __attribute__((format(printf, 1, 2)));

/**
 * host_open() - as fopen(3) with "r", for a file too large or too private for a record
 *
 * The only one that records nothing: host_probe() keeps what is found.
 */
FILE *host_open(const char *fmt, ...) __attribute__((format(printf, 1, 2)));

/** host_write() - write a text into a file that is there. Return: 0, -EROFS in a record, -errno */
int host_write(const char *text, const char *fmt, ...) __attribute__((format(printf, 2, 3)));

/**
 * host_list() - what is in a directory, without hidden entries; nothing if there is none
 *
 * Return: 0, -EFBIG for more names than any real directory has in a record, -errno of opendir(3).
 */
int host_list(struct host_names *names, const char *fmt, ...) __attribute__((format(printf, 2, 3)));

void host_names_free(struct host_names *names);
