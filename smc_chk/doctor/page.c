// SPDX-License-Identifier: MIT
/* --html: a template with a script that shows the JSON of the doctor and of other tools. */
#include <fcntl.h>
#include <sys/stat.h>

#include "base/array.h"
#include "base/memory.h"
#include "base/write.h"
#include "process/ask.h"
#include "process/program.h"
#include "smc_chk/smc_chk.h"
#include "version.h"

static const char template[] = {
#include "page.html.h"
};

/* Elements with data: the name for the script, and a command. The doctor is the first. */
static const char *const elements[][4] = {
	{ "doctor", "smc_chk", "doctor", "-j" },
	{ "sockets", "smcss", "-a", "-ostate,inode,local,peer,mode,reason,process" },
	{ "devices", "smc_pnet", "-l", "-j" },
	{ "links", "smcr", "linkgroup", "link-show" },
	{ "groups", "smcd", "linkgroup", "show" },
	{ "ueids", "smcr", "ueid", "show" },
	{ "info", "smcr", "info", "show" },
};

/*
 * Append an element: JSON, or messages of a tool that fails. Content without '<' cannot end it.
 * Return: exit status of the tool; -1 after a message, only for the doctor.
 */
static int put(struct out_text *page, const char *const *element, const struct chk_request *req)
{
	const bool is_doctor = element == elements[0];
	const char *level = is_doctor && req->is_brief ? "--problems" : "-j";
	char *iface AUTO_FREE = is_doctor && req->iface ? xprintf("-i%s", req->iface) : NULL;
	char *netns AUTO_FREE = req->netns ? xprintf("-N%s", req->netns) : NULL;
	char path[PATH_MAX], *said AUTO_FREE = NULL;
	const char *argv[] = { path,	      element[2],    element[3], level,
			       netns ?: "-j", iface ?: "-j", NULL };
	size_t len = 0;
	int status;

	tool_find(element[1], path);
	status = program_run((char *const *)argv, &said, &len);
	if (is_doctor && (!said || !strstr(said, "{\"schema\""))) {
		fputs(len ? said : "smc_chk: the doctor ended without a result\n", stderr);
		return -1;
	}
	out_printf(page, "<script type=\"application/json\" id=\"%s\">", element[0]);
	for (size_t i = 0; i < len; i++)
		out_str(page, said[i] == '<' ? "\\u003c" : (char[]){ said[i], '\0' });
	out_str(page, "</script>\n");
	return status;
}

/* Replace only a regular file: a link could lead to a file that somebody else has chosen. */
static int save(const char *file, const struct out_text *page, struct smc_err *err)
{
	const char *slash = strrchr(file, '/'), *name = slash ? slash + 1 : file;
	char *path AUTO_FREE = xprintf("%.*s.", (int)(name - file), file);
	int dir AUTO_CLOSE = open(path, O_PATH | O_DIRECTORY | O_CLOEXEC);
	int ret = dir < 0 ? -errno : 0;
	struct stat st = { .st_mode = S_IFREG | 0600 };

	if (!ret && !fstatat(dir, name, &st, AT_SYMLINK_NOFOLLOW) && !S_ISREG(st.st_mode))
		return smc_err_say(err, EINVAL, "cannot write %s: not a regular file", file);
	if (!ret)
		ret = smc_replace_file(dir, name, page->data, page->len, st.st_mode & 0777);
	return ret ? smc_err_set(err, -ret, "cannot write %s", file) : 0;
}

int chk_page(const struct chk_request *req)
{
	struct out_text page AUTO(out_free) = { 0 };
	struct smc_err err = { 0 };
	int status;

	out_mem(&page, template, sizeof(template));
	status = put(&page, elements[0], req);
	if (status < 0)
		return CHK_ERROR;
	for (size_t i = 1; i < ARRAY_SIZE(elements); i++)
		put(&page, elements[i], req);
	out_str(&page, "<footer>Written by smc_chk of smc-tools " SMC_TOOLS_VERSION ".</footer>\n");
	if (strcmp(req->html, "-") ? save(req->html, &page, &err) : out_print(&page, &err))
		return cli_error(&chk_tool, "%s", err.text);
	if (strcmp(req->html, "-"))
		printf("%s: a page for any browser\n", req->html);
	return status;
}
