// SPDX-License-Identifier: MIT
/*
 * malloc() and its like as the whole process sees them: those of libc, or of a library that was
 * preloaded, which are asked. When one of them fails that is marked, and a reserve gives what it
 * has: libraries crash where they are given nothing (glibc's look-up of users, libarchive).
 */
#include "base/memory.h"

#include <dlfcn.h>
#include <malloc.h>
#include <stdatomic.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

/* What a process has once: no caller could hand it to malloc(). */
static atomic_bool has_run_out;
/* An int: to exchange a byte, gcc calls libatomic on riscv64. */
static atomic_int is_said;

bool memory_ran_out(void)
{
	return has_run_out;
}

bool memory_is_news(void)
{
	return has_run_out && !atomic_exchange(&is_said, 1);
}

#ifndef MEMORY_IS_ASAN

/* ---- the reserve: pages of it become memory only when they are used ---- */

#define RESERVE_SIZE (512 * 1024)
#define ALIGNMENT _Alignof(max_align_t)

static _Alignas(max_align_t) char reserve[RESERVE_SIZE];
static atomic_size_t used;

/* The size stands before it. */
static size_t *size_of(void *data)
{
	return (size_t *)((char *)data - ALIGNMENT);
}

static bool is_reserve(const void *data)
{
	return (const char *)data >= reserve && (const char *)data < reserve + RESERVE_SIZE;
}

/* With what stands before it. */
static size_t whole_size(size_t size)
{
	return ALIGNMENT + (size + ALIGNMENT - 1) / ALIGNMENT * ALIGNMENT;
}

/* Return: NULL when it is used up. */
static void *take(size_t size)
{
	size_t start;
	char *data;

	has_run_out = true;
	if (size > RESERVE_SIZE)
		return NULL;
	start = atomic_fetch_add(&used, whole_size(size));
	if (start + whole_size(size) > RESERVE_SIZE) {
		atomic_fetch_sub(&used, whole_size(size));
		return NULL;
	}
	data = reserve + start + ALIGNMENT;
	*size_of(data) = size;
	return data;
}

/* The last that was taken can be taken again: what opens one directory after the other goes on. */
static void give_back(char *data)
{
	size_t start = (size_t)(data - ALIGNMENT - reserve);
	size_t end = start + whole_size(*size_of(data));

	atomic_compare_exchange_strong(&used, &end, start);
}

/* ---- malloc() and its like ---- */

static struct {
	void *(*malloc)(size_t size);
	void *(*calloc)(size_t count, size_t size);
	void *(*realloc)(void *data, size_t size);
	void (*free)(void *data);
} next;

/* The first thread comes here first. glibc before 2.34 allocates in dlsym(), or goes without. */
static bool has_next(void)
{
	static bool is_looking;

	if (next.malloc || is_looking)
		return next.malloc;
	is_looking = true;
	next.free = (void (*)(void *))dlsym(RTLD_NEXT, "free");
	next.realloc = (void *(*)(void *, size_t))dlsym(RTLD_NEXT, "realloc");
	next.calloc = (void *(*)(size_t, size_t))dlsym(RTLD_NEXT, "calloc");
	next.malloc = (void *(*)(size_t))dlsym(RTLD_NEXT, "malloc");
	return true;
}

void *malloc(size_t size)
{
	void *data = has_next() ? next.malloc(size) : NULL;

	return data || !next.malloc ? data : take(size);
}

void *calloc(size_t count, size_t size)
{
	void *data = has_next() ? next.calloc(count, size) : NULL;

	if (data || !next.malloc)
		return data;
	data = take(__builtin_mul_overflow(count, size, &size) ? RESERVE_SIZE + 1 : size);
	return data ? memset(data, 0, size) : NULL;
}

void free(void *data)
{
	if (is_reserve(data))
		give_back(data);
	else if (data && has_next())
		next.free(data);
}

static void *move(void *data, size_t old_size, void *to, size_t size)
{
	if (!to)
		return NULL;
	memcpy(to, data, old_size < size ? old_size : size);
	free(data);
	return to;
}

/* A size of 0 frees: that is not a failure. */
void *realloc(void *data, size_t size)
{
	void *grown;

	if (!data)
		return malloc(size);
	if (is_reserve(data))
		return move(data, *size_of(data), malloc(size), size);
	grown = next.realloc(data, size);
	return grown || !size ? grown : move(data, malloc_usable_size(data), take(size), size);
}

#endif
