// SPDX-License-Identifier: MIT
/* End the connections that were listed, by shutdown(2) on duplicates of their descriptors. */
#include "sockets/kill.h"

#include <sys/socket.h>

#include "base/array.h"
#include "base/words.h"

void kill_add(struct kill_list *list, const struct sockets_row *row)
{
	*smc_array_add(&list->rows, &list->count) = *row;
}

/* With SHUT_RDWR alone, the kernel wakes waiting threads before reading has ended. */
static int end_socket(const struct proc_fd *holder)
{
	int fd AUTO_CLOSE = proc_take_socket(holder);

	if (fd < 0)
		return fd == -EBADF || fd == -ESTALE || fd == -ESRCH ? 0 : fd; /* closed by now */
	shutdown(fd, SHUT_RD);
	return shutdown(fd, SHUT_RDWR) && errno != ENOTCONN ? -errno : 0;
}

/* A process that may not be inspected is not among the holders. */
static int end_row(const struct sockets_row *row)
{
	int ret = -EACCES;

	for (size_t i = 0; ret && i < row->n_holders; i++)
		ret = end_socket(&row->holders[i]);
	return ret;
}

int kill_all(const struct kill_list *list, struct out_text *text, bool is_dry, struct smc_err *err)
{
	size_t ended = 0, i;
	int ret, first = 0;

	for (i = 0; i < list->count; i++) {
		ret = is_dry ? 0 : end_row(&list->rows[i]);
		ended += !ret;
		first = first ?: ret;
	}
	out_printf(text, "%zu connection%s %s\n", ended, plural_s(ended),
		   is_dry ? "would be ended" : "ended");
	return first ? smc_err_set(err, -first, "cannot end %zu of %zu connections", i - ended, i) :
		       0;
}
