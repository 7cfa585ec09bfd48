/* SPDX-License-Identifier: MIT */
/* For test programs with cases: CASE(name) { ... } registers itself, in the order of the file. */
#pragma once

#include "tests/libc.h"

static struct test_case {
	const char *name;
	void (*run)(void);
} cases[200];
static size_t n_cases;

#define CASE(case_name)                                                                            \
	static void case_##case_name(void);                                                        \
	__attribute__((constructor(1000 + __LINE__))) static void add_##case_name(void)            \
	{                                                                                          \
		cases[n_cases++] = (struct test_case){ #case_name, case_##case_name };             \
	}                                                                                          \
	static void case_##case_name(void)

/* A case that consists of one call. */
#define CASE_OF(case_name, call)                                                                   \
	CASE(case_name)                                                                            \
	{                                                                                          \
		call;                                                                              \
	}

/** case_named() - find a case by its name; NULL: there is none */
static inline const struct test_case *case_named(const char *name)
{
	for (size_t i = 0; i < n_cases; i++)
		if (!strcmp(cases[i].name, name))
			return &cases[i];
	return NULL;
}
