// SPDX-License-Identifier: MIT
/* smc_ab/metric: extract a number from a command's output. */
#include "test.h"

#include "smc_ab/metric.h"

/* Return: 0 and @value, or the error. */
static int find(const char *pattern, const char *text, double *value)
{
	struct out_text output = { 0 };
	struct smc_err err;
	regex_t regex;
	int ret;

	assert_int_equal(metric_compile(&regex, pattern, &err), 0);
	output_add(&output, text, strlen(text));
	ret = metric_find(&regex, &output, value, &err);
	regfree(&regex);
	out_free(&output);
	return ret;
}

static void is(const char *pattern, const char *text, double want)
{
	double value = -1;

	assert_int_equal(find(pattern, text, &value), 0);
	assert_true(value == want);
}

TEST(finds)
{
	is("[0-9.]+", "took 1.5 s", 1.5);
	is("rate: ([0-9.]+)", "rate: 12\nrate: 13.25 MB/s\n", 13.25); /* the last one */
	is("^([0-9]+) x", "7 x\n8 y\n", 7);
	is("^[0-9]+", "12 34\n56 78", 56);
	is("^a([0-9])", "a1a2\nb", 1); /* not at the start of a line */
	is("rate (.*)", "rate 3e3 per second", 3000);
	is("([0-9]+) *$", "1\n22  \n\n", 22);
}

TEST(finds_nothing)
{
	double value;

	assert_int_equal(find("rate", "", &value), -ENOENT);
	assert_int_equal(find("rate", "nothing\nhere", &value), -ENOENT);
	assert_int_equal(find("(rate) [0-9]", "rate 5", &value), -EINVAL);
	assert_int_equal(find("a|(b)", "a", &value), -EINVAL);
	assert_int_equal(find("is (.*)", "is inf", &value), -EINVAL);
	assert_int_equal(find("is ( *)", "is  5", &value), -EINVAL); /* the number comes after it */
}

TEST(is_no_regex)
{
	struct smc_err err;
	regex_t regex;

	assert_int_equal(metric_compile(&regex, "(", &err), -EINVAL);
	assert_like(err.text, "'(' *regular expression: *");
}

/* Only the end of long output is used; NULs do not end it. */
TEST(long_output)
{
	static char filler[1 << 20];
	struct out_text output = { 0 };
	struct smc_err err;
	regex_t regex;
	double value;

	assert_int_equal(metric_compile(&regex, "n ([0-9]+)", &err), 0);
	output_add(&output, "n 1\n", 4);
	for (int i = 0; i < 40; i++)
		output_add(&output, filler, sizeof(filler));
	assert_true(output.size < 32 << 20);
	assert_int_equal(metric_find(&regex, &output, &value, &err), -ENOENT);
	output_add(&output, "\0n 2", 4);
	assert_int_equal(metric_find(&regex, &output, &value, &err), 0);
	assert_true(value == 2);
	regfree(&regex);
	out_free(&output);
}

TEST(from_a_pipe)
{
	struct out_text output = { 0 };
	int fds[2];

	assert_int_equal(pipe2(fds, O_NONBLOCK), 0);
	assert_true(output_read(&output, fds[0]));
	assert_int_equal(write(fds[1], "abc", 3), 3);
	assert_true(output_read(&output, fds[0]));
	assert_string_equal(output.data, "abc");
	close(fds[1]);
	assert_false(output_read(&output, fds[0]));
	close(fds[0]);
	out_free(&output);
}
