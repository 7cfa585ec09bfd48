// SPDX-License-Identifier: MIT
/* Read hosts: start smc_chk for each, there or here, and take the facts from its document. */
#include "smc_setup/setup.h"

#include <fcntl.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/wait.h>

#include "base/memory.h"
#include "base/read.h"
#include "base/words.h"
#include "base/write.h"
#include "cli/screen.h"
#include "process/self.h"

/* Time limit for a host: one with very many sockets may take this long. */
#define SECONDS "120"
#define WORKERS 16
/* Limit of what a host sends, on standard output or error: it is not trusted. */
#define SENT_MAX (16 << 20)
#define ERROR_SIZE 2048
#define NETS_MAX 1024

/* ---- from JSON ---- */

/* Copy a string, or "": no control characters, and only ASCII, as it is printed unchanged. */
static void copy(char *to, size_t size, json_t *object, const char *key)
{
	const char *from = json_string_value(json_object_get(object, key));

	snprintf(to, size, "%s", from ? from : "");
	for (; *to; to++)
		if (*to < ' ' || *to > '~')
			*to = '?';
}

#define COPY(to, object, key) copy(to, sizeof(to), object, key)

/* Half a command is worse than none. */
static void copy_command(char to[PREDICT_COMMAND_SIZE], json_t *object)
{
	if (json_string_length(json_object_get(object, "remedy")) < PREDICT_COMMAND_SIZE)
		copy(to, PREDICT_COMMAND_SIZE, object, "remedy");
}

static uint32_t flag_of(json_t *object, const char *key, uint32_t flag)
{
	return json_is_true(json_object_get(object, key)) ? flag : 0;
}

static uint32_t number(json_t *object, const char *key)
{
	return (uint32_t)json_integer_value(json_object_get(object, key));
}

static void add_net(struct predict_host *host, json_t *object)
{
	struct predict_net *net = smc_array_add(&host->nets, &host->n_nets);
	json_t *chid = json_object_get(object, "smcd_v1_chid"), *item;
	const char *text;
	size_t i;

	COPY(net->name, object, "net_device");
	COPY(net->why, object, "why");
	copy_command(net->command, object);
	net->flags = flag_of(object, "smcr_v1", PREDICT_GID_V1) |
		     flag_of(object, "smcr_v2", PREDICT_GID_V2) | (chid ? PREDICT_ISM_V1 : 0);
	net->ism_v1 = (int32_t)json_integer_value(chid);
	json_array_foreach(json_object_get(object, "addresses"), i, item) {
		text = json_string_value(item);
		if (text && net->n_addrs < PREDICT_ADDRS &&
		    netaddr_parse(&net->addrs[net->n_addrs], text))
			net->n_addrs++;
	}
}

static void take_eids(struct predict_host *host, json_t *object)
{
	json_t *ueids = json_object_get(object, "ueids"), *item;
	const char *text;
	size_t i;

	host->traits |= (ueids ? PREDICT_EIDS : 0) | flag_of(object, "seid_enabled", PREDICT_SEID);
	COPY(host->seid, object, "seid");
	json_array_foreach(ueids, i, item) {
		text = json_string_value(item);
		if (text && host->n_ueids < SMC_MAX_UEIDS && strlen(text) < SMC_EID_SIZE)
			strcpy(host->ueids[host->n_ueids++], text);
	}
}

int host_parse(struct predict_host *host, json_t *doc, struct smc_err *err)
{
	json_t *object = json_object_get(doc, "facts"), *item;
	size_t i;

	if (!json_is_object(object))
		return smc_err_say(err, EBADMSG, "smc_chk doctor cannot read all facts there");
	COPY(host->kernel, object, "kernel");
	COPY(host->boot, object, "boot_id");
	COPY(host->why, object, "why");
	copy_command(host->command, object);
	host->release = number(object, "release");
	host->max_links = number(object, "max_links");
	host->traits = flag_of(object, "has_smc", PREDICT_SMC) |
		       flag_of(object, "limits_handshakes", PREDICT_LIMITED) |
		       flag_of(object, "smcd_loopback", PREDICT_LOOPBACK) |
		       flag_of(object, "has_ism", PREDICT_ISM);
	if (!flag_of(object, "shows_loopback_pnetid", true))
		host->traits |= PREDICT_INNER;
	if (number(object, "tcp_syncookies") == 2)
		host->traits |= PREDICT_COOKIES;
	take_eids(host, object);
	json_array_foreach(json_object_get(object, "smcd_v2_chids"), i, item)
		if (host->n_chids < PREDICT_CHIDS)
			host->chids[host->n_chids++] = (int32_t)json_integer_value(item);
	json_array_foreach(json_object_get(object, "net_devices"), i, item)
		if (host->n_nets < NETS_MAX)
			add_net(host, item);
	return 0;
}

/* ---- smc_chk, there or here ---- */

/** struct reader - a process that reads a host; its output goes to files in memory */
struct reader {
	pid_t pid;
	int out, errors;
};

static struct reader readers[WORKERS];

/* Called at an early exit, so that readers of bundles remove what they have unpacked. */
static void end_readers(void)
{
	for_each(reader, readers, WORKERS)
		if (reader->pid > 0)
			kill(reader->pid, SIGTERM);
	for_each(reader, readers, WORKERS)
		if (reader->pid > 0)
			waitpid(reader->pid, NULL, 0);
}

bool host_is_bundle(const char *name)
{
	return strchr(name, '/') || word_ends_with(name, ".tar.gz") || word_ends_with(name, ".tgz");
}

/* @argv is not started by a shell; the host's shell gets its words after the name. */
static void __attribute__((noreturn))
be_reader(const struct reader *reader, char *const argv[], int input, pid_t parent)
{
	const struct rlimit sent = { SENT_MAX, SENT_MAX };

	/* smc_chk limits itself, and unpacks larger files. */
	if (!strcmp(argv[0], "ssh"))
		setrlimit(RLIMIT_FSIZE, &sent);
	prctl(PR_SET_PDEATHSIG, SIGTERM);
	if (getppid() == parent && dup2(reader->out, STDOUT_FILENO) >= 0 &&
	    dup2(reader->errors, STDERR_FILENO) >= 0 &&
	    (input < 0 || dup2(input, STDIN_FILENO) >= 0))
		execvp(argv[0], argv);
	_exit(127);
}

static int spawn(struct reader *reader, char *const argv[], int input, struct smc_err *err)
{
	const pid_t parent = getpid();

	reader->out = memfd_create("document", MFD_CLOEXEC);
	reader->errors = memfd_create("errors", MFD_CLOEXEC);
	reader->pid = reader->out < 0 || reader->errors < 0 ? -1 : fork();
	if (!reader->pid)
		be_reader(reader, argv, input, parent);
	return reader->pid < 0 ? smc_err_set(err, errno, "cannot start a process") : 0;
}

/* Lets ssh notice that a host has died. */
#define SSH                                                                                        \
	"ssh", "-o", "BatchMode=yes", "-o", "ConnectTimeout=10", "-o", "ServerAliveInterval=5", "--"

static int start(struct reader *reader, const char *name, struct smc_err *err)
{
	char path[PATH_MAX];
	const char *const there[] = {
		SSH, name, "timeout", SECONDS, "smc_chk", "doctor", "-j", NULL
	};
	const char *smc_chk = self_find("smc_chk", X_OK, path) ? path : "smc_chk";
	const char *const here[] = { smc_chk, "doctor", "-j", NULL };
	const char *const bundle[] = { smc_chk, "from", name, "doctor", "-j", NULL };
	const char *const *argv = there;
	int nothing AUTO_CLOSE = open("/dev/null", O_RDONLY | O_CLOEXEC);

	if (!name || host_is_bundle(name))
		argv = name ? bundle : here;
	return spawn(reader, (char *const *)argv, nothing, err);
}

/* Last line of standard error: lines before it may be a banner. */
static const char *last_line(char text[ERROR_SIZE], int fd)
{
	off_t size = lseek(fd, 0, SEEK_END), from = size < ERROR_SIZE ? 0 : size - ERROR_SIZE + 1;
	ssize_t len = pread(fd, text, ERROR_SIZE - 1, from);
	char *line;

	for (; len > 0 && (text[len - 1] == '\n' || text[len - 1] == '\r'); len--)
		;
	text[len > 0 ? len : 0] = '\0';
	line = strrchr(text, '\n');
	return line ? line + 1 : text;
}

/* Wait for the end. Return: exit status. On failure, @err has the reason, or else @otherwise */
static int finish(struct reader *reader, const char *otherwise, struct smc_err *err)
{
	char text[ERROR_SIZE];
	const char *line;
	int status;

	while (waitpid(reader->pid, &status, 0) < 0 && errno == EINTR)
		;
	reader->pid = 0;
	line = last_line(text, reader->errors);
	close(reader->errors);
	if (WIFSIGNALED(status) && WTERMSIG(status) == SIGXFSZ)
		smc_err_say(err, EFBIG, "it sends too much");
	else if (WIFEXITED(status) && WEXITSTATUS(status) == 124)
		smc_err_say(err, ETIMEDOUT, "no answer within " SECONDS " seconds");
	else
		smc_err_say(err, EIO, "%s", *line ? line : otherwise);
	return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

static void take(struct setup_host *host, struct reader *reader)
{
	/* For hosts that sent no document: the exit status is the doctor's verdict. */
	finish(reader, "sent no document of smc_chk doctor", &host->err);
	free(host->sent);
	lseek(reader->out, 0, SEEK_SET);
	host->sent = smc_read_fd(reader->out, SENT_MAX, &host->sent_len);
}

/* The name is what the user typed, without the ending of a bundle. */
static void set_name(struct setup_host *host, const char *source)
{
	struct out_text text AUTO(out_free) = { 0 };
	char here[HOST_NAME_MAX + 1] = "here";
	size_t len;

	host->source = source;
	if (!source)
		gethostname(here, sizeof(here) - 1);
	source = source ? source : here;
	len = strlen(source);
	if (word_ends_with(source, ".tar.gz"))
		len -= strlen(".tar.gz");
	else if (word_ends_with(source, ".tgz"))
		len -= strlen(".tgz");
	out_escaped(&text, source, len);
	snprintf(host->facts.name, PREDICT_NAME_SIZE, "%.*s", (int)text.len, text.data);
}

void hosts_name(struct setup_host *hosts, char *const *names, size_t count)
{
	for (size_t i = 0; i < count; i++)
		set_name(&hosts[i], names[i]);
}

int hosts_read(struct setup_host *hosts, char *const *names, size_t count, struct smc_err *err)
{
	atexit(end_readers);
	for (size_t first = 0; first < count && !err->code; first += WORKERS) {
		size_t some = count - first < WORKERS ? count - first : WORKERS;
		size_t started = 0;

		while (started < some && !start(&readers[started], names[first + started], err))
			started++;
		for (size_t i = 0; i < started; i++) {
			cli_progress("reading hosts: %zu of %zu, waiting for %s", first + i, count,
				     names[first + i] ? names[first + i] : "this host");
			take(&hosts[first + i], &readers[i]);
			set_name(&hosts[first + i], names[first + i]);
		}
		cli_progress_end();
	}
	return -err->code;
}

/* ---- commands ---- */

static int command(struct reader *reader, const char *source, const char *script, int input,
		   struct smc_err *err)
{
	const char *const there[] = { "timeout", SECONDS, SSH, source, script, NULL };
	const char *const here[] = { "timeout", SECONDS, "sh", "-c", script, NULL };

	return spawn(reader, (char *const *)(source ? there : here), input, err);
}

int host_run(const char *source, const char *script, const char *input, char answer[ANSWER_SIZE],
	     struct smc_err *err)
{
	struct reader reader = { .pid = 0 };
	struct smc_err why = { 0 };
	int in AUTO_CLOSE = memfd_create("input", MFD_CLOEXEC), status;
	ssize_t len;

	if (in < 0 || !smc_write_all(in, input, strlen(input)) || lseek(in, 0, SEEK_SET))
		return smc_err_set(err, errno, "cannot start a process");
	status = command(&reader, source, script, in, err);
	if (status)
		return status;
	status = finish(&reader, "a command failed there", &why);
	len = pread(reader.out, answer, ANSWER_SIZE - 1, 0);
	answer[len > 0 ? len : 0] = '\0';
	close(reader.out);
	if (!status)
		return 0;
	*err = why;
	return status == 124 || status == 255 ? -EHOSTDOWN : -EIO;
}

int server_start(struct server *server, const char *source, const char *address,
		 struct smc_err *err)
{
	struct reader *reader = &readers[0];
	char *script AUTO_FREE = xprintf("smc_chk serve --bind %s & p=$!; read -r end; "
					 "kill $p 2>/dev/null; wait $p",
					 address);
	char line[128] = "";
	int ends[2], ret;

	if (pipe2(ends, O_CLOEXEC))
		return smc_err_set(err, errno, "cannot start a process");
	ret = command(reader, source, script, ends[0], err);
	close(ends[0]);
	server->input = ends[1];
	/* "Server started on port 37373" */
	for (int i = 0; !ret && i < 300 && !strchr(line, '\n'); i++) {
		cli_wait(0.1);
		if (pread(reader->out, line, sizeof(line) - 1, 0) < 0)
			break;
	}
	server->port = strstr(line, "port ") ? atoi(strstr(line, "port ") + 5) : 0;
	if (ret || server->port)
		return ret;
	server_end(server);
	return smc_err_say(err, EIO, "smc_chk serve does not start");
}

void server_end(struct server *server)
{
	struct smc_err err;

	close(server->input);
	finish(&readers[0], "", &err);
	close(readers[0].out);
}

static void decode(struct setup_host *host)
{
	json_auto_t *doc = host->sent ? json_loadb(host->sent, host->sent_len, 0, NULL) : NULL;

	free(host->sent);
	host->sent = NULL;
	if (!doc)
		return;
	host->err = (struct smc_err){ 0 };
	host_parse(&host->facts, doc, &host->err);
}

void hosts_decode(struct setup_host *hosts, size_t count)
{
	for (size_t i = 0; i < count; i++)
		decode(&hosts[i]);
}

void hosts_free(struct setup_host *hosts, size_t count)
{
	for (size_t i = 0; i < count; i++)
		free(hosts[i].facts.nets);
	free(hosts);
}
