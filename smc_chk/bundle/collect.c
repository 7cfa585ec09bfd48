// SPDX-License-Identifier: MIT
/* Collect the content of a bundle: answers of the tools, files they read, facts of the system. */
#include "smc_chk/bundle/collect.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>

#include "base/array.h"
#include "base/memory.h"
#include "cli/screen.h"
#include "host/record.h"
#include "out/table.h"

/* No tool needs this long, unless the kernel hangs. */
#define RUN_SECONDS 60
#define MAX_ARGS 8
#define ERRORS_SIZE 4096

/**
 * struct bundle_command - a command whose output is kept
 * @name: of the output file
 * @words: argv; "-N" and a name are inserted after the first word
 * @flags: restrictions, or-ed
 */
static const struct bundle_command {
	const char *name, *words[MAX_ARGS];
	enum { NO_NETNS = 1, NEEDS_SYSTEMD = 2 } flags;
} commands[] = {
	/* First smcss with JSON, which requests the most: repeated answers are not recorded. */
	{ "smcss-json", { "smcss", "-a", "-p", "-j" }, 0 },
	{ "smcss", { "smcss", "-a", "-p", "-W" }, 0 },
	{ "smcss-debug", { "smcss", "-a", "-d" }, 0 },
	{ "smcss-smcd", { "smcss", "-D" }, 0 },
	{ "smcss-smcr", { "smcss", "-R" }, 0 },
	{ "smcss-summary", { "smcss", "-s" }, 0 },
	{ "smcd-info", { "smcd", "info" }, 0 },
	{ "smcd-device", { "smcd", "-d", "device" }, 0 },
	{ "smcd-linkgroup", { "smcd", "-d", "linkgroup" }, 0 },
	{ "smcd-stats", { "smcd", "-a", "-d", "stats" }, 0 },
	{ "smcd-ueid", { "smcd", "ueid" }, 0 },
	{ "smcd-seid", { "smcd", "seid" }, 0 },
	{ "smcd-hs", { "smcd", "hs" }, 0 },
	{ "smcr-info", { "smcr", "info" }, 0 },
	{ "smcr-device", { "smcr", "-d", "device" }, 0 },
	{ "smcr-linkgroup", { "smcr", "-d", "linkgroup" }, 0 },
	{ "smcr-links", { "smcr", "-dd", "linkgroup", "link-show" }, 0 },
	{ "smcr-stats", { "smcr", "-a", "-d", "stats" }, 0 },
	{ "smc_pnet", { "smc_pnet" }, 0 },
	{ "smc_pnet-list", { "smc_pnet", "-l" }, 0 },
	{ "smc_pnet-tree", { "smc_pnet", "--tree" }, 0 },
	{ "smc_rnics", { "smc_rnics", "-a", "-w" }, NO_NETNS },
	{ "smc_conf", { "smc_conf", "export" }, NO_NETNS },
	{ "smc_chk", { "smc_chk" }, 0 },
	{ "smc_unit-status", { "smc_unit", "status" }, NO_NETNS | NEEDS_SYSTEMD },
	{ "smc_bpf-status", { "smc_bpf", "status" }, NO_NETNS },
	{ "smc_chk-static", { "smc_chk", "-s" }, 0 },
};

static int cannot_write(struct collection *b, int code)
{
	return smc_err_set(b->err, code, "cannot write into %s", b->work.path);
}

/* Open for appending: programs write to it, too. Return: descriptor, -errno with @b->err. */
static int open_new(struct collection *b, const char *directory, const char *name, const char *end)
{
	char *path AUTO_FREE = xprintf("%s/%s/%s%s", b->work.path, directory, name, end);
	int fd = open(path, O_WRONLY | O_CREAT | O_EXCL | O_APPEND | O_CLOEXEC, 0600);

	return fd < 0 ? cannot_write(b, errno) : fd;
}

static int flush(struct collection *b, struct out_text *text, int fd)
{
	int ret = out_flush(text, fd);

	return ret ? cannot_write(b, -ret) : 0;
}

static int put_file(struct collection *b, const char *directory, const char *name, const char *end,
		    struct out_text *text)
{
	int fd AUTO_CLOSE = open_new(b, directory, name, end);

	return fd < 0 ? fd : flush(b, text, fd);
}

int collect_index(struct collection *b, const char *directory)
{
	struct out_text text AUTO(out_free) = { 0 };
	char *json AUTO_FREE = json_dumps(b->index, JSON_INDENT(2) | JSON_ENSURE_ASCII);

	if (!json)
		return cannot_write(b, ENOMEM);
	out_printf(&text, "%s\n", json);
	return put_file(b, directory, "index", ".json", &text);
}

/* Return: exit status; 127 with a message in @errors if it could not be started; -errno. */
static int run(struct collection *b, char *const argv[], int out, char errors[ERRORS_SIZE])
{
	int fd AUTO_CLOSE = memfd_create("errors", MFD_CLOEXEC), status;
	ssize_t len;

	*errors = '\0';
	if (fd < 0)
		return smc_err_set(b->err, errno, "cannot store the output of a program");
	status = workdir_run(&b->work, argv, out, fd, RUN_SECONDS);
	len = pread(fd, errors, ERRORS_SIZE - 1, 0);
	while (len > 0 && errors[len - 1] == '\n')
		len--;
	errors[len > 0 ? len : 0] = '\0';
	if (status < 0) {
		snprintf(errors, ERRORS_SIZE, "cannot run %s: %s", argv[0], strerror(-status));
		status = 127;
	}
	if (workdir_is_stopped(&b->work))
		return smc_err_set(b->err, EINTR, "stopped");
	return status;
}

/* Write command, output, and errors below. Return: 0, -errno. */
static int keep_command(struct collection *b, const struct bundle_command *command)
{
	int fd AUTO_CLOSE = open_new(b, "text", command->name, ".txt"), status, n = 0;
	char *argv[MAX_ARGS + 3], errors[ERRORS_SIZE];
	struct out_text text AUTO(out_free) = { 0 };

	if (fd < 0)
		return fd;
	argv[n++] = (char *)command->words[0];
	if (b->req->netns) {
		argv[n++] = (char *)"-N";
		argv[n++] = (char *)b->req->netns;
	}
	for (int i = 1; i < MAX_ARGS && command->words[i]; i++)
		argv[n++] = (char *)command->words[i];
	argv[n] = NULL;
	out_char(&text, '$');
	for (int i = 0; argv[i]; i++)
		out_printf(&text, " %s", argv[i]);
	out_char(&text, '\n');
	status = flush(b, &text, fd);
	if (!status)
		status = run(b, argv, fd, errors);
	if (status < 0)
		return status;
	if (*errors)
		out_printf(&text, "[standard error] %s\n", errors);
	if (status)
		out_printf(&text, "[exit status %d]\n", status);
	json_array_append_new(json_object_get(b->index, "commands"),
			      json_pack("{s:s, s:i, s:o*}", "name", command->name, "status", status,
					"errors", chk_json_optional(errors)));
	return flush(b, &text, fd);
}

static int keep_commands(struct collection *b)
{
	int ret = 0;

	for (size_t i = 0; !ret && i < ARRAY_SIZE(commands); i++) {
		/* A tool without -N would report on another namespace. */
		if (b->req->netns && commands[i].flags & NO_NETNS)
			continue;
		/* Same check as sd_booted(3). */
		if (commands[i].flags & NEEDS_SYSTEMD && access("/run/systemd/system", F_OK))
			continue;
		cli_progress("collecting: %zu of %zu, %s", i + 1, ARRAY_SIZE(commands),
			     commands[i].name);
		ret = keep_command(b, &commands[i]);
	}
	cli_progress_end();
	return ret;
}

int collect(struct collection *b)
{
	char *path AUTO_FREE = xprintf("%s/record", b->work.path);
	struct out_text none = { 0 }, text AUTO(out_free) = { 0 };

	if (mkdirat(b->work.fd, "text", 0700) || mkdirat(b->work.fd, "record", 0700))
		return cannot_write(b, errno);
	system_put(&text);
	if (put_file(b, "text", "system", ".txt", &text) ||
	    put_file(b, "record", RECORD_COMPLETE, "", &none))
		return -b->err->code;
	/* From here on the files that tools read are recorded. */
	if (setenv("SMC_TOOLS_RECORD", path, 1))
		return smc_err_set(b->err, ENOMEM, "cannot record");
	if (keep_commands(b))
		return -b->err->code;
	unsetenv("SMC_TOOLS_RECORD");
	if (unlinkat(b->work.fd, "record/" RECORD_COMPLETE, 0))
		return smc_err_say(b->err, ENOSPC, "cannot record into %s: is the disk full?",
				   b->work.path);
	return collect_index(b, ".");
}
