// SPDX-License-Identifier: MIT
#include "bpf/btf.h"

#include <stdlib.h>
#include <string.h>

#include "host/file.h"

#define BTF_MAX (32U * 1024 * 1024)

char *btf_read(size_t *len)
{
	return host_whole(len, BTF_MAX, "/sys/kernel/btf/vmlinux");
}

/* Each name has a NUL before and after it. */
bool btf_has_name(const char *btf, size_t len, const char *name)
{
	char word[64] = "";
	size_t size = strlen(name) + 2;

	memcpy(word + 1, name, size - 2);
	return memmem(btf, len, word, size);
}

int btf_kernel_has(const char *name)
{
	size_t len;
	char *btf = btf_read(&len);
	int ret = btf ? btf_has_name(btf, len, name) : -1;

	free(btf);
	return ret;
}
