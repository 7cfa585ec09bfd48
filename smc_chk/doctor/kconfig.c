// SPDX-License-Identifier: MIT
/* What a kernel was built with: its configuration, and the lists of its modules. */
#include "smc_chk/doctor/kconfig.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <zlib.h>

#include "base/memory.h"
#include "host/file.h"
#include "host/probe.h"

/* A distribution's configuration has 300 KiB, its modules.dep 800 KiB. */
#define MAX_TEXT (16U * 1024 * 1024)

char kconfig_get(const char *text, const char *option)
{
	size_t len = strlen(option);

	for (const char *line = text; line; line = strchr(line, '\n')) {
		line += *line == '\n';
		if (!strncmp(line, option, len) && line[len] == '=')
			return line[len + 1] == 'm' || line[len + 1] == 'y' ? line[len + 1] : 'n';
	}
	return 'n';
}

bool kconfig_is_about(const char *line, const char *const *words)
{
	static const char prefix[] = "CONFIG_";
	const char *option = strstr(line, prefix);

	for (; option && *words; words++)
		for (const char *found = option + sizeof(prefix) - 1;
		     (found = strstr(found, *words)); found++)
			if (found[-1] == '_')
				return true;
	return false;
}

/* With a NUL at the end. Return: NULL if it is damaged or too large. */
static char *inflate_all(z_stream *stream)
{
	size_t size = 64 * 1024;
	char *text = NULL;
	int ret = Z_OK;

	while (ret == Z_OK && size < MAX_TEXT) {
		size *= 2;
		text = xrealloc(text, size, 1);
		stream->next_out = (unsigned char *)text + stream->total_out;
		stream->avail_out = (unsigned int)(size - 1 - stream->total_out);
		ret = inflate(stream, Z_NO_FLUSH);
	}
	if (ret == Z_STREAM_END) {
		text[stream->total_out] = '\0';
		return text;
	}
	free(text);
	return NULL;
}

char *kconfig_inflate(const void *data, size_t len)
{
	z_stream stream = { 0 };
	char *text;

	/* 16 more than the largest window: with the header of gzip. */
	if (len > MAX_TEXT || inflateInit2(&stream, 16 + MAX_WBITS) != Z_OK)
		return NULL;
	stream.next_in = (unsigned char *)data;
	stream.avail_in = (unsigned int)len;
	text = inflate_all(&stream);
	inflateEnd(&stream);
	return text;
}

void kconfig_deflate(struct out_text *packed, const void *data, size_t len)
{
	z_stream stream = { 0 };
	unsigned char block[16384];
	int ret = deflateInit2(&stream, Z_DEFAULT_COMPRESSION, Z_DEFLATED, 16 + MAX_WBITS, 8,
			       Z_DEFAULT_STRATEGY);

	stream.next_in = (unsigned char *)data;
	stream.avail_in = (unsigned int)len;
	if (ret == Z_MEM_ERROR)
		memory_end();
	while (ret == Z_OK) {
		stream.next_out = block;
		stream.avail_out = sizeof(block);
		ret = deflate(&stream, Z_FINISH);
		out_mem(packed, (char *)block, sizeof(block) - stream.avail_out);
	}
	deflateEnd(&stream);
}

static char *load_packed(void)
{
	size_t len;
	char *packed = host_whole(&len, MAX_TEXT, "/proc/config.gz");
	char *text = packed ? kconfig_inflate(packed, len) : NULL;

	free(packed);
	return text;
}

bool kconfig_load(struct kconfig *config, const char *release)
{
	static const char *const places[][2] = {
		{ "/boot/config-", "" },
		{ "/lib/modules/", "/config" },
		{ "/lib/modules/", "/build/.config" },
	};
	size_t len;

	strcpy(config->file, "/proc/config.gz");
	config->text = load_packed();
	for (size_t i = 0; !config->text && i < sizeof(places) / sizeof(places[0]); i++) {
		snprintf(config->file, sizeof(config->file), "%s%s%s", places[i][0], release,
			 places[i][1]);
		config->text = host_whole(&len, MAX_TEXT, "%s", config->file);
	}
	return config->text;
}

void kconfig_free(struct kconfig *config)
{
	free(config->text);
	config->text = NULL;
}

static char same(char c)
{
	return c == '-' ? '_' : c;
}

/* A line is a path, "kernel/net/smc/smc.ko.xz", and in modules.dep a colon and more. */
static bool names_module(const char *line, size_t len, const char *name)
{
	const char *end = memchr(line, ':', len), *base = line, *slash;
	size_t i;

	if (end)
		len = (size_t)(end - line);
	slash = memrchr(line, '/', len);
	if (slash)
		base = slash + 1;
	len -= (size_t)(base - line);
	for (i = 0; name[i]; i++)
		if (i >= len || same(base[i]) != same(name[i]))
			return false;
	return len - i >= 3 && !memcmp(base + i, ".ko", 3);
}

bool kmodule_listed(const char *text, const char *name)
{
	size_t len;

	for (; *text; text += len + (text[len] == '\n')) {
		len = strcspn(text, "\n");
		if (names_module(text, len, name))
			return true;
	}
	return false;
}

struct module_query {
	const char *release, *name;
};

static int query_list(const struct module_query *query, const char *list)
{
	size_t len;
	char *text = host_whole(&len, MAX_TEXT, "/lib/modules/%s/%s", query->release, list);
	int ret;

	if (!text)
		return -ENOENT;
	ret = kmodule_listed(text, query->name);
	free(text);
	return ret;
}

static int probe_module(void *arg, char text[HOST_PROBE_SIZE] __attribute__((unused)))
{
	int builtin = query_list(arg, "modules.builtin"), file = query_list(arg, "modules.dep");

	if (builtin > 0)
		return KMODULE_BUILTIN;
	if (file > 0)
		return KMODULE_FILE;
	return file < 0 ? KMODULE_UNKNOWN : KMODULE_ABSENT;
}

/* The lists are long and the answer is short: a record has the answer. */
enum kmodule kmodule_find(const char *release, const char *name)
{
	struct module_query query = { release, name };
	int ret = host_probe("module-%s", probe_module, &query, NULL, name);

	return ret < 0 ? KMODULE_UNKNOWN : (enum kmodule)ret;
}
