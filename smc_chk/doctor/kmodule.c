// SPDX-License-Identifier: MIT
#include "smc_chk/doctor/kmodule.h"

#include <zlib.h>

#include "base/array.h"
#include "base/memory.h"
#include "base/words.h"
#include "host/file.h"
#include "host/probe.h"

/* Sizes in distributions: configuration 300 KiB, modules.dep 800 KiB. */
#define MAX_TEXT (16U * 1024 * 1024)
#define MAX_FILE (64 * 1024) /* size of a file in modprobe.d */

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

char *kconfig_inflate(const void *data, size_t len)
{
	/* Pages that are never written take no memory. */
	char *text = xcalloc(MAX_TEXT, 1);
	z_stream stream = { .next_in = (unsigned char *)data,
			    .avail_in = (unsigned int)len,
			    .next_out = (unsigned char *)text,
			    .avail_out = MAX_TEXT - 1 };
	int ret = Z_DATA_ERROR;

	/* Window bits plus 16: expect a gzip header. */
	if (len <= MAX_TEXT && inflateInit2(&stream, 16 + MAX_WBITS) == Z_OK) {
		ret = inflate(&stream, Z_FINISH);
		inflateEnd(&stream);
	}
	if (ret == Z_STREAM_END)
		return xrealloc(text, stream.total_out + 1, 1);
	free(text);
	return NULL;
}

bool kconfig_load(struct kconfig *config, const char *release)
{
	static const char *const places[][2] = {
		{ "/boot/config-", "" },
		{ "/lib/modules/", "/config" },
		{ "/lib/modules/", "/build/.config" },
	};
	size_t len;
	char *packed AUTO_FREE = host_whole(&len, MAX_TEXT, "/proc/config.gz");

	strcpy(config->file, "/proc/config.gz");
	config->text = packed ? kconfig_inflate(packed, len) : NULL;
	for (size_t i = 0; !config->text && i < ARRAY_SIZE(places); i++) {
		snprintf(config->file, sizeof(config->file), "%s%s%s", places[i][0], release,
			 places[i][1]);
		config->text = host_whole(&len, MAX_TEXT, "%s", config->file);
	}
	return config->text;
}

/* '-' equals '_'. Return: text after the module's name, NULL for another word. */
static const char *after_name(const char *word, const char *name)
{
	while (*name && (*word == *name || (*word == '-' && *name == '_'))) {
		word++;
		name++;
	}
	return *name ? NULL : word;
}

static bool is_module(const char *word, const char *name)
{
	const char *end = after_name(word, name);

	return end && !*end;
}

bool kmodule_listed(const char *text, const char *name)
{
	for (const char *line = text; line; line = strchr(line, '\n')) {
		const char *slash, *end;

		/* A path, "kernel/net/smc/smc.ko.xz"; in modules.dep a colon and more follow. */
		line += *line == '\n';
		slash = memrchr(line, '/', strcspn(line, ":\n"));
		end = after_name(slash ? slash + 1 : line, name);
		if (end && !strncmp(end, ".ko", 3))
			return true;
	}
	return false;
}

/* @query: release and module. Return: KMODULE_UNKNOWN without the list. */
static enum kmodule query_list(const char *const query[2], const char *list, enum kmodule found)
{
	size_t len;
	char *text AUTO_FREE = host_whole(&len, MAX_TEXT, "/lib/modules/%s/%s", query[0], list);

	if (!text)
		return KMODULE_UNKNOWN;
	return kmodule_listed(text, query[1]) ? found : KMODULE_ABSENT;
}

static int probe_module(void *arg, char text[HOST_PROBE_SIZE] __attribute__((unused)))
{
	if (query_list(arg, "modules.builtin", KMODULE_BUILTIN) == KMODULE_BUILTIN)
		return KMODULE_BUILTIN;
	return (int)query_list(arg, "modules.dep", KMODULE_FILE);
}

/* ---- what forbids loading ---- */

static const char *const directories[] = {
	"/etc/modprobe.d",     "/run/modprobe.d", "/usr/local/lib/modprobe.d",
	"/usr/lib/modprobe.d", "/lib/modprobe.d",
};

/* Cut off the next word and advance *@line; "" at the end of the line. */
static char *next_word(char **line)
{
	char *word = *line + strspn(*line, " \t");
	size_t len = strcspn(word, " \t\n");

	*line = word + len + (word[len] != '\0');
	word[len] = '\0';
	return word;
}

static enum modprobe_rule parse_line(char *line, const char *module, const char *alias)
{
	const char *verb = next_word(&line), *name = next_word(&line);

	if (!strcmp(verb, "blacklist") && is_module(name, module))
		return MODPROBE_BLACKLIST;
	if (!strcmp(verb, "install") && is_module(name, module))
		return strstr(line, "modprobe") || strstr(line, "insmod") ? MODPROBE_NO_RULE :
									    MODPROBE_INSTALL;
	if (!strcmp(verb, "alias") && alias && !strcmp(name, alias) &&
	    !strcmp(next_word(&line), "off"))
		return MODPROBE_NO_ALIAS;
	return MODPROBE_NO_RULE;
}

enum modprobe_rule modprobe_parse(const char *text, const char *module, const char *alias)
{
	enum modprobe_rule rule, found = MODPROBE_NO_RULE;
	char *copy AUTO_FREE = xstrdup(text), *rest = copy, *line;

	/* The stronger rule counts: "install" also stops "modprobe smc". */
	while (found != MODPROBE_INSTALL && (line = strsep(&rest, "\n"))) {
		rule = parse_line(line, module, alias);
		if (rule)
			found = rule;
	}
	return found;
}

bool modprobe_cmdline(const char *cmdline, const char *module)
{
	char *copy AUTO_FREE = xstrdup(cmdline), *rest = copy, *list;

	while (*(list = next_word(&rest))) {
		const char *key = strsep(&list, "="), *name;

		if (strcmp(key, "module_blacklist") && strcmp(key, "modprobe.blacklist"))
			continue;
		while ((name = strsep(&list, ",")))
			if (is_module(name, module))
				return true;
	}
	return false;
}

/* Files in earlier directories hide files of the same name in later ones. */
static bool is_configuration(const char *name, size_t directory)
{
	if (!word_ends_with(name, ".conf"))
		return false;
	for (size_t i = 0; i < directory; i++)
		if (host_exists("%s/%s", directories[i], name))
			return false;
	return true;
}

static bool has_rule(struct module_facts *module)
{
	char text[MAX_FILE];

	for (size_t i = 0; i < ARRAY_SIZE(directories); i++) {
		struct host_names names AUTO(host_names_free) = { 0 };

		if (host_list(&names, "%s", directories[i]))
			continue;
		for (size_t n = 0; n < names.count; n++) {
			snprintf(module->file, sizeof(module->file), "%s/%s", directories[i],
				 names.names[n]);
			if (is_configuration(names.names[n], i) &&
			    host_text(text, sizeof(text), "%s", module->file))
				module->rule = modprobe_parse(text, module->name, module->alias);
			if (module->rule)
				return true;
		}
	}
	return false;
}

/* Do not record the kernel's command line: it may have passwords, such as for network disks. */
static int probe_cmdline(void *arg, char out[HOST_PROBE_SIZE] __attribute__((unused)))
{
	FILE *file = host_open("/proc/cmdline");
	char text[4096];
	bool is_found;

	if (!file)
		return -errno;
	is_found = fgets(text, sizeof(text), file) && modprobe_cmdline(text, arg);
	fclose(file);
	return is_found;
}

static bool is_blocked(struct module_facts *module)
{
	unsigned long disabled = 0;
	char text[4096];

	if (has_rule(module))
		return true;
	strcpy(module->file, "/proc/cmdline");
	if (host_probe("cmdline-%s", probe_cmdline, (void *)module->name, NULL, module->name) > 0)
		return true;
	strcpy(module->file, "/proc/sys/kernel/modules_disabled");
	host_number(&disabled, "%s", module->file);
	if (disabled)
		return true;
	strcpy(module->file, "/proc/sys/kernel/modprobe");
	return host_exists("%s", module->file) &&
	       !host_text(text, sizeof(text), "%s", module->file);
}

void module_load(struct module_facts *module, const char *release, const char *name,
		 const char *alias)
{
	const char *query[] = { release, name };
	int ret;

	*module = (struct module_facts){ .name = name, .alias = alias };
	/* Record only the answer: the lists are long. */
	ret = host_probe("module-%s", probe_module, query, NULL, name);
	module->how = ret < 0 ? KMODULE_UNKNOWN : (enum kmodule)ret;
	module->is_blocked = is_blocked(module);
}
