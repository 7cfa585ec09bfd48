/* SPDX-License-Identifier: MIT */
/* Reading sysfs: small attributes, links, sorted directories. Every path starts with a root. */
#ifndef SMC_SYS_SYSFS_H
#define SMC_SYS_SYSFS_H

#include <stdbool.h>
#include <stddef.h>

#include "base/err.h"

#define SYSFS_ROOT "/sys"
#define SYSFS_ROOT_SIZE 64

/** struct sysfs_names - entries of a directory, sorted; numbers in names count as numbers */
struct sysfs_names {
	char **names;
	size_t count;
};

/**
 * sysfs_text() - an attribute as text, without the blanks and newlines at its end
 * @size: of @buf; what does not fit is cut
 * @fmt: the path
 *
 * Return: true; false with an empty @buf when the attribute is absent, unreadable or empty.
 */
bool sysfs_text(char *buf, size_t size, const char *fmt, ...) __attribute__((format(printf, 3, 4)));

/** sysfs_bytes() - an attribute as it is. Return: bytes read, 0 when there are none */
size_t sysfs_bytes(void *buf, size_t size, const char *fmt, ...)
	__attribute__((format(printf, 3, 4)));

/** sysfs_number() - decimal, or hexadecimal with 0x. Return: false, leaving @value, if none */
bool sysfs_number(unsigned long *value, const char *fmt, ...) __attribute__((format(printf, 2, 3)));

/** sysfs_link() - last part of a link's target ("0000:01:00.0"). Return: false with empty @buf */
bool sysfs_link(char *buf, size_t size, const char *fmt, ...) __attribute__((format(printf, 3, 4)));

/** sysfs_exists() - is there such a file? */
bool sysfs_exists(const char *fmt, ...) __attribute__((format(printf, 1, 2)));

/** sysfs_write() - write a text into an attribute. Return: 0, -errno */
int sysfs_write(const char *text, const char *fmt, ...) __attribute__((format(printf, 2, 3)));

/**
 * sysfs_list() - what is in a directory, without hidden entries
 *
 * A directory that does not exist is empty. Return: 0, -ENOMEM, another -errno of opendir(3).
 */
int sysfs_list(struct sysfs_names *names, const char *fmt, ...)
	__attribute__((format(printf, 2, 3)));

void sysfs_names_free(struct sysfs_names *names);

/** sysfs_compare() - order of names: eth2 before eth10 */
int sysfs_compare(const char *a, const char *b);

/**
 * sysfs_here() - the sysfs of the network namespace that the calling thread is in
 * @root: receives its path
 * @fd: receives a descriptor that keeps it alive, negative where none is needed
 * @is_entered: /sys is surely another namespace's, see smc_netns_enter()
 *
 * /sys shows the namespace in which it was mounted, also after "nsenter -n" and "unshare -n". Where
 * that is another one, this makes a sysfs that is mounted nowhere. Without CAP_SYS_ADMIN it is
 * taken to be /sys.
 *
 * Return: 0; only if @is_entered -errno with @err (-ENOSYS before kernel 5.2).
 */
int sysfs_here(char root[SYSFS_ROOT_SIZE], int *fd, bool is_entered, struct smc_err *err);

#endif
