// SPDX-License-Identifier: MIT
#include "netlink/replay.h"

#include <endian.h>

#include "base/memory.h"
#include "host/record.h"
#include "netlink/answer.h"
#include "smc/attr.h"

#define MAGIC "smc-tools netlink 1"
#define REQUEST_MAX 128
#define HEAD_MAX 1024
/* A hundred thousand sockets need 40 MiB. */
#define ANSWER_MAX (64 * 1024 * 1024)
#define MESSAGES_MAX 250000

#if __BYTE_ORDER == __BIG_ENDIAN
static const char own_order[] = "big", other_order[] = "little";
#else
static const char own_order[] = "little", other_order[] = "big";
#endif

/** struct head - first line of a file; @size: length of the line */
struct head {
	char order[8];
	int code;
	unsigned char request[REQUEST_MAX];
	size_t request_len, size;
	char words[sizeof(((struct smc_err *)NULL)->text)];
};

/* ---- recording ---- */

void replay_add(struct replay_tape *tape, const struct nlmsghdr *nlh)
{
	size_t step = NLMSG_ALIGN(nlh->nlmsg_len);

	if (tape->len + step > tape->size) {
		tape->size = 2 * tape->size + step + 4096;
		tape->bytes = xrealloc(tape->bytes, tape->size, 1);
	}
	memset(tape->bytes + tape->len, 0, step);
	memcpy(tape->bytes + tape->len, nlh, nlh->nlmsg_len);
	tape->len += step;
}

static int write_head(char line[HEAD_MAX], const struct replay_request *request, int ret,
		      const struct smc_err *err)
{
	const unsigned char *bytes = request->bytes;
	int len = snprintf(line, HEAD_MAX, MAGIC " %s %d ", own_order, -ret);

	for (size_t i = 0; i < request->len && i < REQUEST_MAX; i++)
		len += snprintf(line + len, HEAD_MAX - (size_t)len, "%02x", bytes[i]);
	len += snprintf(line + len, HEAD_MAX - (size_t)len, "%s %s", request->len ? "" : "-",
			ret && err && err->code ? err->text : "");
	for (char *c = line; *c; c++)
		if (*c == '\n')
			*c = ' ';
	line[len] = '\n';
	return len + 1;
}

static bool read_head(struct head *head, const char *data)
{
	const char *end = strchr(data, '\n');
	char hex[2 * REQUEST_MAX + 1];
	int used = 0;

	*head = (struct head){ .code = 0 };
	if (!end || end - data >= HEAD_MAX ||
	    sscanf(data, MAGIC " %7s %d %256s%n", head->order, &head->code, hex, &used) != 3 ||
	    data + used >= end || head->code < 0 || head->code > 4095)
		return false;
	head->size = (size_t)(end - data) + 1;
	snprintf(head->words, sizeof(head->words), "%.*s", (int)(end - data - used - 1),
		 data + used + 1);
	for (; strcmp(hex, "-") && hex[2 * head->request_len]; head->request_len++)
		if (sscanf(hex + 2 * head->request_len, "%2hhx",
			   &head->request[head->request_len]) != 1 ||
		    !hex[2 * head->request_len + 1])
			return false;
	return true;
}

/* True if the recorded request has every bit of this request. */
static bool covers(const struct head *head, const struct replay_request *request)
{
	const unsigned char *bytes = request->bytes;

	if (head->request_len != request->len)
		return false;
	for (size_t i = 0; i < request->len; i++)
		if ((head->request[i] & bytes[i]) != bytes[i])
			return false;
	return true;
}

/* True if an existing answer serves this request, too. */
static bool is_kept(const char *name, const struct replay_request *request)
{
	char line[HEAD_MAX + 1];
	struct head head;
	int fd AUTO_CLOSE = record_open(name, 0);
	ssize_t len = fd < 0 ? 0 : read(fd, line, HEAD_MAX);

	line[len > 0 ? len : 0] = '\0';
	return read_head(&head, line) && !head.code && covers(&head, request);
}

void replay_keep(const struct replay_tape *tape, const struct replay_request *request, int ret,
		 const struct smc_err *err)
{
	char name[PATH_MAX], line[HEAD_MAX];
	char *data;
	int len;

	AUTO_ERRNO();
	snprintf(name, sizeof(name), "netlink/%s", request->name);
	if (record_dir() && !is_kept(name, request)) {
		len = write_head(line, request, ret, err);
		data = xcalloc((size_t)len + tape->len, 1);
		memcpy(data, line, (size_t)len);
		if (tape->len)
			memcpy(data + len, tape->bytes, tape->len);
		record_set(name, data, (size_t)len + tape->len);
		free(data);
	}
}

/* ---- replaying ---- */

/* @code: EBADMSG or EFBIG */
static int refuse(const struct replay_request *request, int code, struct smc_err *err)
{
	return smc_err_say(err, code, "the record's answer to netlink/%s is %s", request->name,
			   code == EFBIG ? "too large" : "damaged");
}

int replay_each(const char *bytes, size_t len, const struct replay_request *request, replay_fn fn,
		void *arg, struct smc_err *err)
{
	int ret = 0;

	while (!ret && len >= NLMSG_HDRLEN) {
		const struct nlmsghdr *nlh = (const void *)bytes;
		size_t step;

		if (!answer_has_message(nlh, len) || nlh->nlmsg_len < NLMSG_HDRLEN + request->body)
			return refuse(request, EBADMSG, err);
		step = NLMSG_ALIGN(nlh->nlmsg_len);
		ret = fn(nlh, arg);
		bytes += step;
		len -= step;
	}
	return ret || !len ? ret : refuse(request, EBADMSG, err);
}

/* The record may come from anybody, and each message takes more memory than its bytes. */
static bool has_too_many(const char *bytes, size_t len)
{
	size_t count = 0, step;

	for (; len >= NLMSG_HDRLEN && count <= MESSAGES_MAX; count++) {
		step = NLMSG_ALIGN(((const struct nlmsghdr *)(const void *)bytes)->nlmsg_len);
		if (step < NLMSG_HDRLEN || step > len)
			break;
		bytes += step;
		len -= step;
	}
	return count > MESSAGES_MAX;
}

int replay_parse(const char *data, size_t len, const struct replay_request *request, replay_fn fn,
		 void *arg, struct smc_err *err)
{
	struct head head;
	char *bytes AUTO_FREE = NULL;

	if (!read_head(&head, data) || head.size > len ||
	    (strcmp(head.order, own_order) && strcmp(head.order, other_order)))
		return refuse(request, EBADMSG, err);
	if (!covers(&head, request))
		return smc_err_say(err, ENODATA,
				   "the record has no answer to this request of netlink/%s",
				   request->name);
	if (head.code)
		return smc_err_say(err, head.code, "%s", head.words);
	len -= head.size;
	bytes = xcalloc(len, 1);
	memcpy(bytes, data + head.size, len);
	if (!strcmp(head.order, other_order))
		smc_order_headers(bytes, len, request->body);
	if (has_too_many(bytes, len))
		return refuse(request, EFBIG, err);
	return replay_each(bytes, len, request, fn, arg, err);
}

int replay(const struct replay_request *request, replay_fn fn, void *arg, struct smc_err *err)
{
	char name[PATH_MAX], *data AUTO_FREE = NULL;
	size_t len;

	snprintf(name, sizeof(name), "netlink/%s", request->name);
	data = record_get(name, ANSWER_MAX, &len);
	if (!data && errno == EFBIG)
		return refuse(request, EFBIG, err);
	if (!data)
		return smc_err_say(err, ENODATA, "the record has no answer to netlink/%s",
				   request->name);
	return replay_parse(data, len, request, fn, arg, err);
}
