// SPDX-License-Identifier: MIT
/* Run other tools of smc-tools. */
#include "process/ask.h"

#include "process/program.h"
#include "process/self.h"

bool tool_find(const char *name, char path[PATH_MAX])
{
	if (self_find(name, X_OK, path))
		return true;
	snprintf(path, PATH_MAX, SMC_BINDIR "/%s", name);
	if (!access(path, X_OK))
		return true;
	snprintf(path, PATH_MAX, SMC_LIBEXECDIR "/%s", name);
	return !access(path, X_OK);
}

static int find(const char *name, char path[PATH_MAX], struct smc_err *err)
{
	return tool_find(name, path) ?
		       0 :
		       smc_err_say(err, ENOENT, "cannot find %s: " EXTRA_MISSING, name);
}

int extra_exec(const char *name, char *const *argv, struct smc_err *err)
{
	char path[PATH_MAX];
	int ret = find(name, path, err);

	if (ret)
		return ret;
	execv(path, argv);
	return smc_err_set(err, errno, "cannot run '%s'", path);
}

/* Return: one line, without its newline and without "smc_bpf: ". */
static const char *sentence(char *text, const char *name)
{
	size_t len = strlen(name);

	text[strcspn(text, "\n")] = '\0';
	return text + (strncmp(text, name, len) || strncmp(text + len, ": ", 2) ? 0 : len + 2);
}

int tool_ask(const char *name, const char *command, const char *option, const char *value,
	     char **text, struct smc_err *err)
{
	char path[PATH_MAX], *said = NULL;
	const char *argv[] = { path, command, option, value, NULL };
	size_t size;
	int ret = find(name, path, err);

	if (ret)
		return ret;
	ret = program_run((char *const *)argv, &said, &size);
	if (ret < 0)
		smc_err_set(err, -ret, "cannot run '%s'", path);
	else if (ret && *said)
		smc_err_say(err, EIO, "%s", sentence(said, name));
	else if (ret)
		smc_err_say(err, EIO, "%s failed", name);
	if (text && !ret)
		*text = said;
	else
		free(said);
	return ret > 0 ? -EIO : ret;
}

int bpf_ask(const char *command, const char *option, const char *value, struct smc_err *err)
{
	return tool_ask("smc_bpf", command, option, value, NULL, err);
}
