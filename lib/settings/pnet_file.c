// SPDX-License-Identifier: MIT
/* Files of entries: written by smc_pnet --export, read by --import. */
#include "settings/pnet_file.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "base/read.h"
#include "base/words.h"

#define MAX_FILE (4U << 20) /* bytes; a line of the longest names has about 100 */

#define MAX_WORDS 5 /* one too many */

static int bad_line(struct smc_err *err, const char *name, size_t number, const char *why)
{
	return smc_err_say(err, EINVAL, "%.80s:%zu: %.200s", name, number, why);
}

static const char *device(const char *word)
{
	return strcmp(word, SMC_PNET_NONE) ? word : NULL;
}

static int read_words(struct smc_pnet *entry, char *words[MAX_WORDS], size_t count,
		      struct smc_err *err)
{
	const char *ib;
	int ret;

	if (count < 3 || count == MAX_WORDS)
		return smc_err_say(err, EINVAL,
				   "not an entry: give PNET ID, net device, RDMA device and port, "
				   "with n/a for none");
	ib = device(words[2]);
	ret = pnet_make(entry, words[0], device(words[1]), ib, ib && count > 3 ? words[3] : NULL,
			err);
	if (!ret && !entry->has)
		ret = smc_err_say(err, EINVAL, "the entry names no device");
	return ret;
}

/* One part of an entry, unless the table has it already. */
static int append_part(struct smc_pnet_table *table, const struct smc_pnet *entry, uint32_t has,
		       struct smc_err *err)
{
	struct smc_pnet part = *entry;
	const struct smc_pnet *holder;

	part.has &= has;
	holder = smc_pnet_holder(table, &part);
	if (!part.has || (holder && smc_pnet_same(holder, &part)))
		return 0;
	if (holder)
		return smc_err_say(err, EINVAL, "'%s' already has another entry",
				   pnet_device(&part));
	smc_pnet_append(table, &part);
	return 0;
}

static int read_line(struct smc_pnet_table *table, char *line, struct smc_err *err)
{
	struct smc_pnet entry;
	char *words[MAX_WORDS];
	size_t count = words_split(line, words, MAX_WORDS);
	int ret;

	if (!count)
		return 0;
	ret = read_words(&entry, words, count, err);
	if (!ret)
		ret = append_part(table, &entry, SMC_PNET_HAS_NET, err);
	if (!ret)
		ret = append_part(table, &entry, SMC_PNET_HAS_IB | SMC_PNET_HAS_PORT, err);
	return ret;
}

int pnet_read(struct smc_pnet_table *table, const char *data, size_t len, const char *name,
	      struct smc_err *err)
{
	size_t number = 0, size;
	struct smc_err inner;
	int ret = 0;

	*table = (struct smc_pnet_table){ 0 };
	for (size_t at = 0; !ret && at < len; at += size + 1) {
		const char *end = memchr(data + at, '\n', len - at);
		char *line;

		size = end ? (size_t)(end - data) - at : len - at;
		line = xstrndup(data + at, size);
		number++;
		if (strlen(line) < size)
			ret = bad_line(err, name, number, "this is not text");
		else if (read_line(table, line, &inner))
			ret = bad_line(err, name, number, inner.text);
		free(line);
	}
	if (ret)
		smc_pnet_free(table);
	return ret;
}

void pnet_append_line(struct out_text *text, const struct smc_pnet *entry)
{
	struct out_text line = { 0 };

	pnet_append_entry(&line, entry);
	out_char(&line, '\n');
	for (size_t i = 0; i < line.len; i++) {
		if (line.data[i] == '#') /* it would begin a comment */
			out_str(text, "\\x23");
		else
			out_char(text, line.data[i]);
	}
	out_free(&line);
}

/* The whole file is read first: an endless standard input is refused. */
int pnet_read_fd(struct smc_pnet_table *table, int fd, const char *name, struct smc_err *err)
{
	size_t len;
	char *data = smc_read_fd(fd, MAX_FILE, &len);
	int ret;

	*table = (struct smc_pnet_table){ 0 };
	if (data)
		ret = pnet_read(table, data, len, name, err);
	else if (errno == EFBIG)
		ret = smc_err_say(err, EFBIG, "%.80s is larger than a PNET table can be", name);
	else
		ret = smc_err_set(err, errno, "cannot read %.80s", name);
	free(data);
	return ret;
}

int pnet_read_path(struct smc_pnet_table *table, const char *path, struct smc_err *err)
{
	int fd = smc_open_input(path, err);

	*table = (struct smc_pnet_table){ 0 };
	return fd < 0 ? fd :
			pnet_read_fd(table, fd, strcmp(path, "-") ? path : "standard input", err);
}
