// SPDX-License-Identifier: MIT
/* What forbids loading a module: modprobe.d(5), the kernel's command line, two switches. */
#include "smc_chk/doctor/modprobe.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "host/file.h"
#include "host/probe.h"

#define MAX_FILE (64 * 1024)

static const char *const directories[] = {
	"/etc/modprobe.d",     "/run/modprobe.d", "/usr/local/lib/modprobe.d",
	"/usr/lib/modprobe.d", "/lib/modprobe.d",
};

#define N_DIRECTORIES (sizeof(directories) / sizeof(directories[0]))

/* The next word of a line, which goes on behind it; "" at the end of the line. */
static char *next_word(char **line)
{
	char *word = *line + strspn(*line, " \t");
	size_t len = strcspn(word, " \t\n");

	*line = word + len + (word[len] != '\0');
	word[len] = '\0';
	return word;
}

/* '-' and '_' are the same in names of modules. */
static bool is_module(const char *word, const char *name)
{
	while (*word && (*word == *name || (*word == '-' && *name == '_'))) {
		word++;
		name++;
	}
	return !*word && !*name;
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
	char *copy = xstrdup(text), *rest = copy, *line;

	/* The stronger one counts: it stops "modprobe smc" as well. */
	while (found != MODPROBE_INSTALL && (line = strsep(&rest, "\n"))) {
		rule = parse_line(line, module, alias);
		if (rule)
			found = rule;
	}
	free(copy);
	return found;
}

/* The value is a list of names with commas between them. */
static bool is_listed(char *list, const char *module)
{
	const char *name;

	while ((name = strsep(&list, ",")))
		if (is_module(name, module))
			return true;
	return false;
}

bool modprobe_cmdline(const char *cmdline, const char *module)
{
	static const char *const keys[] = { "module_blacklist=", "modprobe.blacklist=" };
	char *copy = xstrdup(cmdline), *rest = copy, *word;
	bool is_found = false;

	while (!is_found && *(word = next_word(&rest)))
		for (size_t i = 0; i < 2; i++)
			if (!strncmp(word, keys[i], strlen(keys[i])))
				is_found |= is_listed(word + strlen(keys[i]), module);
	free(copy);
	return is_found;
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
