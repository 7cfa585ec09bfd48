// SPDX-License-Identifier: MIT
/* What forbids loading a module: modprobe.d(5), the kernel's command line, two switches. */
#include "sys/modprobe.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "host/file.h"
#include "host/probe.h"

#define MAX_FILE (64 * 1024)

static const char *const directories[] = {
	"/etc/modprobe.d",
	"/run/modprobe.d",
	"/usr/local/lib/modprobe.d",
	"/usr/lib/modprobe.d",
	"/lib/modprobe.d",
};

#define N_DIRECTORIES (sizeof(directories) / sizeof(directories[0]))

/* Next word of a line: its length, with @text moved to its start. */
static size_t next_word(const char **text)
{
	*text += strspn(*text, " \t");
	return strcspn(*text, " \t\n");
}

/* '-' and '_' are the same in names of modules. */
static bool is_module(const char *word, size_t len, const char *name)
{
	size_t i;

	for (i = 0; i < len && name[i]; i++)
		if (word[i] != name[i] && !(word[i] == '-' && name[i] == '_'))
			return false;
	return i == len && !name[i];
}

static bool is_word(const char *word, size_t len, const char *name)
{
	return strlen(name) == len && !memcmp(word, name, len);
}

static enum modprobe_rule parse_line(const char *line, const char *module, const char *alias)
{
	size_t verb_len = next_word(&line), len;
	const char *verb = line, *name;

	name = verb + verb_len;
	len = next_word(&name);
	line = name + len;
	if (is_word(verb, verb_len, "blacklist") && is_module(name, len, module))
		return MODPROBE_BLACKLIST;
	if (is_word(verb, verb_len, "install") && is_module(name, len, module)) {
		len = strcspn(line, "\n");
		return memmem(line, len, "modprobe", 8) || memmem(line, len, "insmod", 6) ?
			       MODPROBE_NO_RULE : MODPROBE_INSTALL;
	}
	if (is_word(verb, verb_len, "alias") && alias && is_word(name, len, alias)) {
		len = next_word(&line);
		return is_word(line, len, "off") ? MODPROBE_NO_ALIAS : MODPROBE_NO_RULE;
	}
	return MODPROBE_NO_RULE;
}

enum modprobe_rule modprobe_parse(const char *text, const char *module, const char *alias)
{
	enum modprobe_rule rule, found = MODPROBE_NO_RULE;

	for (const char *line = text; line; line = strchr(line, '\n')) {
		line += *line == '\n';
		rule = parse_line(line, module, alias);
		/* The stronger one counts: it stops "modprobe smc" as well. */
		if (rule == MODPROBE_INSTALL)
			return rule;
		if (rule)
			found = rule;
	}
	return found;
}

/* The value is a list of names with commas between them. */
static bool is_listed(const char *list, size_t len, const char *module)
{
	size_t part;

	for (const char *end = list + len; list < end; list += part + 1) {
		part = strcspn(list, ", \t\n");
		if (is_module(list, part, module))
			return true;
	}
	return false;
}

bool modprobe_cmdline(const char *cmdline, const char *module)
{
	static const char *const keys[] = { "module_blacklist=", "modprobe.blacklist=" };
	size_t len, key_len;

	for (; (len = next_word(&cmdline)); cmdline += len)
		for (size_t i = 0; i < 2; i++) {
			key_len = strlen(keys[i]);
			if (len > key_len && !memcmp(cmdline, keys[i], key_len) &&
			    is_listed(cmdline + key_len, len - key_len, module))
				return true;
		}
	return false;
}

static bool is_hidden(const char *name, size_t directory)
{
	while (directory--)
		if (host_exists("%s/%s", directories[directory], name))
			return true;
	return false;
}

static bool look_at_file(struct modprobe_block *block, size_t directory, const char *name,
			 const char *module, const char *alias)
{
	char text[MAX_FILE];
	enum modprobe_rule rule;
	size_t len = strlen(name);

	if (len < 5 || strcmp(name + len - 5, ".conf") || is_hidden(name, directory) ||
	    !host_text(text, sizeof(text), "%s/%s", directories[directory], name))
		return false;
	rule = modprobe_parse(text, module, alias);
	if (!rule)
		return false;
	block->rule = rule;
	snprintf(block->file, sizeof(block->file), "%s/%s", directories[directory], name);
	return true;
}

static bool look_at_directories(struct modprobe_block *block, const char *module, const char *alias)
{
	struct host_names names;
	bool found = false;

	for (size_t i = 0; !found && i < N_DIRECTORIES; i++) {
		if (host_list(&names, "%s", directories[i]))
			continue;
		for (size_t n = 0; !found && n < names.count; n++)
			found = look_at_file(block, i, names.names[n], module, alias);
		host_names_free(&names);
	}
	return found;
}

/* The kernel's command line may have passwords, for disks in the network: no record gets it. */
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

bool modprobe_blocked(struct modprobe_block *block, const char *module, const char *alias)
{
	unsigned long disabled = 0;
	char text[4096];

	*block = (struct modprobe_block){ 0 };
	if (look_at_directories(block, module, alias))
		return true;
	strcpy(block->file, "/proc/cmdline");
	if (host_probe("cmdline-%s", probe_cmdline, (void *)module, NULL, module) > 0)
		return true;
	strcpy(block->file, "/proc/sys/kernel/modules_disabled");
	host_number(&disabled, "%s", block->file);
	if (disabled)
		return true;
	strcpy(block->file, "/proc/sys/kernel/modprobe");
	return host_exists("%s", block->file) && !host_text(text, sizeof(text), "%s", block->file);
}
