// SPDX-License-Identifier: MIT
/* A dlsym() that never finds anything: the preload library must fall back to system calls. */
#include <stddef.h>

void *dlsym(void *handle, const char *name);

void *dlsym(void *handle, const char *name)
{
	return NULL;
}
