// SPDX-License-Identifier: MIT
#include "host/probe.h"

#include <ctype.h>
#include <stdarg.h>

#include "host/record.h"

#define PROBE_FILE_SIZE 128

/* The name may contain that of a device: escape every character that could leave the directory. */
static void probe_file(char file[PROBE_FILE_SIZE], const char *name)
{
	size_t len = (size_t)snprintf(file, PROBE_FILE_SIZE, "probes/");

	for (; *name && len < PROBE_FILE_SIZE - 1; name++)
		file[len++] = isalnum((unsigned char)*name) || strchr("-_:", *name) ? *name : '_';
	file[len] = '\0';
}

int host_probe_parse(const char *data, char text[HOST_PROBE_SIZE])
{
	char *end;
	long result;

	text[0] = '\0';
	errno = 0;
	result = strtol(data, &end, 10);
	if (errno || end == data || *end != '\n' || result < INT_MIN || result > INT_MAX)
		return -EBADMSG;
	snprintf(text, HOST_PROBE_SIZE, "%s", end + 1);
	return (int)result;
}

int host_probe(const char *fmt, host_probe_fn fn, void *arg, char *text, ...)
{
	char name[PROBE_FILE_SIZE], file[PROBE_FILE_SIZE], data[HOST_PROBE_SIZE + 16];
	char unused[HOST_PROBE_SIZE], *recorded AUTO_FREE = NULL;
	size_t size;
	int ret, len;
	va_list ap;

	va_start(ap, text);
	vsnprintf(name, sizeof(name), fmt, ap);
	va_end(ap);
	text = text ? text : unused;
	text[0] = '\0';
	probe_file(file, name);
	if (record_root()) {
		recorded = record_get(file, 2 * HOST_PROBE_SIZE, &size);
		return recorded ? host_probe_parse(recorded, text) : -ENODATA;
	}
	ret = fn(arg, text);
	len = snprintf(data, sizeof(data), "%d\n%s", ret, text);
	record_set(file, data, (size_t)len);
	return ret;
}

static int call(void *fn, char text[HOST_PROBE_SIZE])
{
	*text = '\0';
	return (*(int (**)(void))fn)();
}

int host_probe_number(const char *name, int (*fn)(void))
{
	return host_probe("%s", call, &fn, NULL, name);
}

static int probe_ifname(void *arg, char text[HOST_PROBE_SIZE])
{
	return if_indextoname(*(const uint32_t *)arg, text) ? 0 : -errno;
}

bool host_ifname(char name[IF_NAMESIZE], uint32_t ifindex)
{
	char text[HOST_PROBE_SIZE];

	name[0] = '\0';
	if (host_probe("ifindex-%u", probe_ifname, &ifindex, text, ifindex))
		return false;
	snprintf(name, IF_NAMESIZE, "%.*s", IF_NAMESIZE - 1, text);
	return true;
}
