// SPDX-License-Identifier: MIT
/* Entries for systemd's journal: see "Native Journal Protocol" of systemd. */
#include "sys/journal.h"

#include <errno.h>
#include <stdint.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#define JOURNAL_SOCKET "/run/systemd/journal/socket"

int journal_open(struct smc_err *err)
{
	const struct sockaddr_un addr = { .sun_family = AF_UNIX, .sun_path = JOURNAL_SOCKET };
	int fd = socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC, 0);
	int ret;

	if (fd >= 0 && !connect(fd, (const struct sockaddr *)&addr, sizeof(addr)))
		return fd;
	ret = smc_err_set(err, errno, "cannot reach the journal (%s)", JOURNAL_SOCKET);
	if (fd >= 0)
		close(fd);
	return ret;
}

/* The form with a length, in little-endian order, in which a value may have any bytes. */
void journal_field(struct out_text *entry, const char *name, const void *value, size_t len)
{
	uint64_t size = len;
	uint8_t bytes[8];

	for (size_t i = 0; i < sizeof(bytes); i++)
		bytes[i] = (uint8_t)(size >> 8 * i);
	out_str(entry, name);
	out_char(entry, '\n');
	out_mem(entry, bytes, sizeof(bytes));
	out_mem(entry, value, len);
	out_char(entry, '\n');
}

int journal_send(int journal, struct out_text *entry, struct smc_err *err)
{
	int ret = 0;

	if (entry->is_failed)
		ret = smc_err_set(err, ENOMEM, "cannot write to the journal");
	else if (send(journal, entry->data, entry->len, MSG_NOSIGNAL) < 0)
		ret = smc_err_set(err, errno, "cannot write to the journal");
	out_reset(entry);
	return ret;
}
