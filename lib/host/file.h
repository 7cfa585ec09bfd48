/* SPDX-License-Identifier: MIT */
/*
 * Files of the host: all code that shows the state of a host uses these functions. Paths are
 * absolute and the host's own, "/proc/sys/net/smc/rmem": with SMC_TOOLS_ROOT they are looked up in
 * that recorded host, with SMC_TOOLS_RECORD the results are recorded. Callers need not know about
 * either. Code that changes this host, or runs a program on it, opens files by itself.
 */
#pragma once

#include "base/libc.h"

/** struct host_names - entries of a directory, sorted by strverscmp(3) */
struct host_names {
	char **names;
	size_t count;
};

/**
 * host_text() - read a small file as text, truncated to @size, without trailing white space
 *
 * Return: true; false with an empty @buf if the file is absent, unreadable or empty.
 */
bool host_text(char *buf, size_t size, const char *fmt, ...) __attribute__((format(printf, 3, 4)));

/** host_bytes() - read a file as it is. Return: bytes read, 0 if there are none */
size_t host_bytes(void *buf, size_t size, const char *fmt, ...)
	__attribute__((format(printf, 3, 4)));

/**
 * host_whole() - read a whole file of @len bytes, NUL added; the caller frees it
 * @max: limit in bytes, rounded up to a buffer's size
 *
 * Return: NULL if the file is absent, unreadable, empty or larger.
 */
char *host_whole(size_t *len, size_t max, const char *fmt, ...)
	__attribute__((format(printf, 3, 4)));

/** host_number() - decimal, or hexadecimal with 0x. Return: false, @value unchanged, if none */
bool host_number(unsigned long *value, const char *fmt, ...) __attribute__((format(printf, 2, 3)));

/** host_link() - last part of a link's target ("0000:01:00.0"). Return: false with an empty @buf */
bool host_link(char *buf, size_t size, const char *fmt, ...) __attribute__((format(printf, 3, 4)));

/** host_exists() - true if the file exists */
bool host_exists(const char *fmt, ...) __attribute__((format(printf, 1, 2)));

/** host_open() - fopen(3) with "r", for large or private files; not recorded, see host_probe() */
FILE *host_open(const char *fmt, ...) __attribute__((format(printf, 1, 2)));

/** host_write() - write a text into an existing file. Return: 0, -EROFS in a record, -errno */
int host_write(const char *text, const char *fmt, ...) __attribute__((format(printf, 2, 3)));

/**
 * host_list() - list a directory, without hidden entries; empty if it does not exist
 *
 * Return: 0, -EFBIG for a recorded list longer than any real directory, -errno of opendir(3).
 */
int host_list(struct host_names *names, const char *fmt, ...) __attribute__((format(printf, 2, 3)));

void host_names_free(struct host_names *names);
