// SPDX-License-Identifier: MIT
/* Collecting what goes into a bundle: the tools' answers, what they read meanwhile, the system. */
#include "smc_chk/bundle/collect.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <sys/mman.h>
#include <sys/stat.h>

#include "base/memory.h"
#include "host/record.h"
#include "out/table.h"

/* No tool needs that long, unless the kernel hangs. */
#define RUN_SECONDS 60
#define MAX_ARGS 8
#define ERRORS_SIZE 4096

/**
 * struct bundle_command - a command whose answer is kept
 * @name: of its files
 * @text, @json: its words, NULL for none; "-N" and a name come behind the first one
 * @flags: or-ed, what it cannot do
 */
static const struct bundle_command {
	const char *name;
	const char *text[MAX_ARGS], *json[MAX_ARGS];
	enum { NO_NETNS = 1, NEEDS_SYSTEMD = 2 } flags;
} commands[] = {
	/* First: it asks for all that the others ask for, and the first answer is recorded. */
	{ "smcss", { "smcss", "-a", "-p", "-W" }, { "smcss", "-a", "-p", "-j" }, 0 },
	{ "smcss-debug", { "smcss", "-a", "-d" }, { NULL }, 0 },
	{ "smcss-smcd", { "smcss", "-D" }, { NULL }, 0 },
	{ "smcss-smcr", { "smcss", "-R" }, { NULL }, 0 },
	{ "smcss-summary", { "smcss", "-s" }, { "smcss", "-s", "-j" }, 0 },
	{ "smcd-info", { "smcd", "info" }, { "smcd", "-j", "info" }, 0 },
	{ "smcd-device", { "smcd", "-d", "device" }, { "smcd", "-j", "device" }, 0 },
	{ "smcd-linkgroup", { "smcd", "-d", "linkgroup" }, { "smcd", "-j", "linkgroup" }, 0 },
	{ "smcd-stats", { "smcd", "-a", "-d", "stats" }, { "smcd", "-a", "-j", "stats" }, 0 },
	{ "smcd-ueid", { "smcd", "ueid" }, { "smcd", "-j", "ueid" }, 0 },
	{ "smcd-seid", { "smcd", "seid" }, { "smcd", "-j", "seid" }, 0 },
	{ "smcd-hs", { "smcd", "hs" }, { "smcd", "-j", "hs" }, 0 },
	{ "smcr-info", { "smcr", "info" }, { "smcr", "-j", "info" }, 0 },
	{ "smcr-device", { "smcr", "-d", "device" }, { "smcr", "-j", "device" }, 0 },
	{ "smcr-linkgroup", { "smcr", "-d", "linkgroup" }, { "smcr", "-j", "linkgroup" }, 0 },
	{ "smcr-links",
	  { "smcr", "-dd", "linkgroup", "link-show" },
	  { "smcr", "-j", "linkgroup", "link-show" },
	  0 },
	{ "smcr-stats", { "smcr", "-a", "-d", "stats" }, { "smcr", "-a", "-j", "stats" }, 0 },
	{ "smc_pnet", { "smc_pnet" }, { "smc_pnet", "-j" }, 0 },
	{ "smc_pnet-list", { "smc_pnet", "-l" }, { "smc_pnet", "-l", "-j" }, 0 },
	{ "smc_pnet-tree", { "smc_pnet", "--tree" }, { NULL }, 0 },
	{ "smc_pnet-export", { "smc_pnet", "--export" }, { NULL }, 0 },
	{ "smc_rnics", { "smc_rnics", "-a", "-w" }, { "smc_rnics", "-a", "-j" }, NO_NETNS },
	{ "smc_conf", { "smc_conf", "export" }, { "smc_conf", "export", "-j" }, NO_NETNS },
	{ "smc_chk", { "smc_chk" }, { "smc_chk", "-j" }, 0 },
	{ "smc_unit-status",
	  { "smc_unit", "status" },
	  { "smc_unit", "status", "-j" },
	  NO_NETNS | NEEDS_SYSTEMD },
	{ "smc_bpf-status", { "smc_bpf", "status" }, { "smc_bpf", "status", "-j" }, NO_NETNS },
	{ "smc_chk-static", { "smc_chk", "-s" }, { "smc_chk", "-s", "-j" }, 0 },
};

static int cannot_write(struct collection *b, int code)
{
	return smc_err_set(b->err, code, "cannot write into %s", b->work.path);
}

/* Programs will write at its end, too. Return: NULL with @b->err. */
static FILE *open_new(struct collection *b, const char *directory, const char *name,
		      const char *end)
{
	char *path = xprintf("%s/%s/%s%s", b->work.path, directory, name, end);
	FILE *file = fopen(path, "axe");

	if (!file)
		cannot_write(b, errno);
	free(path);
	return file;
}

static int close_new(struct collection *b, FILE *file, bool is_written)
{
	int code = is_written ? EIO : errno;

	is_written = is_written && !ferror(file);
	errno = 0; /* what could not be written is tried once more */
	if (!fclose(file) && is_written)
		return 0;
	return cannot_write(b, errno ? errno : code);
}

static bool put_json(FILE *file, const json_t *json, size_t layout)
{
	return !json_dumpf(json, file, layout) && fputc('\n', file) != EOF;
}

int collect_json(struct collection *b, const char *directory, const char *name, const json_t *json)
{
	FILE *file = open_new(b, directory, name, ".json");

	if (!file)
		return -b->err->code;
	return close_new(b, file, put_json(file, json, JSON_INDENT(2) | JSON_ENSURE_ASCII));
}

/* The words, with the namespace. */
static void make_argv(char *argv[MAX_ARGS + 3], const struct collection *b,
		      const char *const *words)
{
	int n = 0;

	argv[n++] = (char *)words[0];
	if (b->req->netns) {
		argv[n++] = (char *)"-N";
		argv[n++] = (char *)b->req->netns;
	}
	for (int i = 1; i < MAX_ARGS && words[i]; i++)
		argv[n++] = (char *)words[i];
	argv[n] = NULL;
}

/* Return: exit status; 127 with words in @errors when it could not be started; -errno. */
static int run(struct collection *b, char *const argv[], FILE *out, char errors[ERRORS_SIZE])
{
	int fd = memfd_create("errors", MFD_CLOEXEC), status;
	ssize_t len;

	if (fd < 0)
		return smc_err_set(b->err, errno, "cannot store what a program prints");
	fflush(out);
	status = workdir_run(&b->work, argv, fileno(out), fd, RUN_SECONDS);
	len = pread(fd, errors, ERRORS_SIZE - 1, 0);
	while (len > 0 && errors[len - 1] == '\n')
		len--;
	errors[len > 0 ? len : 0] = '\0';
	close(fd);
	if (status < 0) {
		snprintf(errors, ERRORS_SIZE, "cannot run %s: %s", argv[0], strerror(-status));
		status = 127;
	}
	if (workdir_is_stopped(&b->work))
		return smc_err_set(b->err, EINTR, "stopped");
	return status;
}

/* The command, what it wrote, and below that what went wrong. Return: exit status, -errno. */
static int keep_text(struct collection *b, const struct bundle_command *command,
		     char errors[ERRORS_SIZE])
{
	FILE *file = open_new(b, "text", command->name, ".txt");
	char *argv[MAX_ARGS + 3];
	int status, ret;

	if (!file)
		return -b->err->code;
	make_argv(argv, b, command->text);
	fputc('$', file);
	for (int i = 0; argv[i]; i++)
		fprintf(file, " %s", argv[i]);
	fputc('\n', file);
	status = run(b, argv, file, errors);
	if (*errors)
		fprintf(file, "[standard error] %s\n", errors);
	if (status > 0)
		fprintf(file, "[exit status %d]\n", status);
	ret = close_new(b, file, true);
	return status < 0 || !ret ? status : ret;
}

/* The tool's own document, or one that says how it failed. Return: exit status, -errno. */
static int keep_json(struct collection *b, const struct bundle_command *command)
{
	FILE *file = open_new(b, "json", command->name, ".json");
	char *argv[MAX_ARGS + 3], errors[ERRORS_SIZE];
	bool is_written = true;
	int status, ret;
	struct stat st;
	json_t *json;

	if (!file)
		return -b->err->code;
	make_argv(argv, b, command->json);
	status = run(b, argv, file, errors);
	if (status > 0 && !fstat(fileno(file), &st) && !st.st_size) {
		json = json_pack("{s:i, s:o*}", "status", status, "error", out_json_str(errors));
		is_written = put_json(file, json, JSON_COMPACT);
		json_decref(json);
	}
	ret = close_new(b, file, is_written);
	return status < 0 || !ret ? status : ret;
}

static int keep_command(struct collection *b, const struct bundle_command *command)
{
	char errors[ERRORS_SIZE] = "";
	json_t *answer = json_pack("{s:s}", "name", command->name);
	int status = 0;

	json_array_append_new(json_object_get(b->index, "commands"), answer);
	if (command->json[0]) {
		status = keep_json(b, command);
		json_object_set_new(answer, "json_status", json_integer(status));
	}
	if (status >= 0) {
		status = keep_text(b, command, errors);
		json_object_set_new(answer, "status", json_integer(status));
		if (*errors)
			json_object_set_new(answer, "errors", out_json_str(errors));
	}
	return status < 0 ? status : 0;
}

/* From here on what the tools read is kept. */
static int start_record(struct collection *b)
{
	FILE *file = open_new(b, "record", RECORD_COMPLETE, "");
	char *path = xprintf("%s/record", b->work.path);
	int ret = !file ? -b->err->code : 0;

	if (file)
		fclose(file);
	if (!ret && setenv("SMC_TOOLS_RECORD", path, 1))
		ret = smc_err_set(b->err, ENOMEM, "cannot record");
	free(path);
	return ret;
}

static int end_record(struct collection *b)
{
	unsetenv("SMC_TOOLS_RECORD");
	if (!unlinkat(b->work.fd, "record/" RECORD_COMPLETE, 0))
		return 0;
	return smc_err_say(b->err, ENOSPC, "cannot record into %s: is the disk full?",
			   b->work.path);
}

static void print_value(FILE *file, const json_t *value, int depth)
{
	const char *key;
	json_t *inner;
	size_t i;

	if (json_is_object(value)) {
		json_object_foreach((json_t *)value, key, inner) {
			bool is_leaf = !json_is_object(inner) && !json_is_array(inner);

			fprintf(file, "%*s%s:%s", 2 * depth, "", key, is_leaf ? " " : "\n");
			print_value(file, inner, depth + 1);
		}
	} else if (json_is_array(value)) {
		json_array_foreach(value, i, inner) {
			fprintf(file, "%*s-%s", 2 * depth, "", json_is_object(inner) ? "\n" : " ");
			print_value(file, inner, depth + 1);
		}
	} else if (json_is_string(value)) {
		fprintf(file, "%s\n", json_string_value(value));
	} else {
		fprintf(file, "%lld\n", (long long)json_integer_value(value));
	}
}

static int keep_facts(struct collection *b)
{
	json_t *json = system_read(b->req->netns);
	int ret = collect_json(b, "json", "system", json);
	FILE *file = ret ? NULL : open_new(b, "text", "system", ".txt");

	if (file) {
		print_value(file, json, 0);
		ret = close_new(b, file, true);
	}
	json_decref(json);
	return file ? ret : -b->err->code;
}

#define COMMANDS (sizeof(commands) / sizeof(commands[0]))

#define CLEAR_LINE "\r\033[K"

static int keep_commands(struct collection *b)
{
	bool is_seen = isatty(STDERR_FILENO);
	int ret = 0;

	for (size_t i = 0; !ret && i < COMMANDS; i++) {
		/* What cannot look into the namespace would tell of another one. */
		if (b->req->netns && commands[i].flags & NO_NETNS)
			continue;
		/* As in sd_booted(3). */
		if (commands[i].flags & NEEDS_SYSTEMD && access("/run/systemd/system", F_OK))
			continue;
		/* For who waits at a terminal: one line, which goes again at the end. */
		if (is_seen)
			fprintf(stderr, CLEAR_LINE "collecting: %zu of %zu, %s", i + 1, COMMANDS,
				commands[i].name);
		ret = keep_command(b, &commands[i]);
	}
	if (is_seen)
		fputs(CLEAR_LINE, stderr);
	return ret;
}

int collect(struct collection *b)
{
	if (mkdirat(b->work.fd, "text", 0700) || mkdirat(b->work.fd, "json", 0700) ||
	    mkdirat(b->work.fd, "record", 0700))
		return cannot_write(b, errno);
	return keep_facts(b) || start_record(b) || keep_commands(b) || end_record(b) ||
			       collect_json(b, ".", "index", b->index) ?
		       -b->err->code :
		       0;
}
