// SPDX-License-Identifier: MIT
/* Parse the output of systemctl. */
#include "test.h"

#include "process/systemctl.h"

TEST(test_names)
{
	static const char *const bad[] = {
		"", "a/b", ".service", "@x", "a b", "a*", "x.socket", "a.mount",
	};
	char name[UNIT_NAME_SIZE] = "as it was", shown[UNIT_NAME_SIZE];
	struct smc_err err;

	for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++)
		assert_int_equal(unit_name(bad[i], name, &err), -EINVAL);
	assert_string_equal(name, "as it was");
	assert_int_equal(unit_name("nginx", name, &err), 0);
	assert_string_equal(name, "nginx.service");
	assert_int_equal(unit_name("a-b\\x2dc_d:e.f@1.service", name, &err), 0);
	assert_string_equal(name, "a-b\\x2dc_d:e.f@1.service");
	assert_int_equal(unit_name("foo@", name, &err), 0);
	assert_true(unit_is_template(name));
	unit_shown_name(name, shown);
	assert_string_equal(shown, "foo@smc-tools.service");
	unit_file_name(shown, name);
	assert_string_equal(shown, "foo@.service");
	unit_shown_name("foo@1.service", shown);
	assert_string_equal(shown, "foo@1.service");
	unit_file_name(shown, "foo@1.service");
	assert_string_equal(shown, "foo@1.service");
	/* an instance may have the dummy's name */
	unit_shown_name("foo@smc-tools.service", shown);
	unit_file_name(shown, "foo@smc-tools.service");
	assert_string_equal(shown, "foo@smc-tools.service");
}

TEST(test_program)
{
	char text[] =
		"Id=x.service\0ExecStart={ path=/usr/bin/a b ; argv[]=/usr/bin/a b ; pid=1 }\0"
		"ExecStart={ path=/bin/second ; argv[]=x }";
	struct unit_props props = { text, sizeof(text) };
	char path[PATH_MAX];

	unit_program(&props, path);
	assert_string_equal(path, "/usr/bin/a b");
	props.size = strlen(text) + 1;
	unit_program(&props, path);
	assert_string_equal(path, "");
}

static void check_words(const char *list, const char *first, const char *second)
{
	char word[PATH_MAX];

	assert_true(unit_next_word(&list, word));
	assert_string_equal(word, first);
	assert_int_equal(unit_next_word(&list, word), second != NULL);
	if (second)
		assert_string_equal(word, second);
	assert_false(unit_next_word(&list, word));
}

TEST(test_words)
{
	const char *none = "  ";
	char word[PATH_MAX];

	assert_false(unit_next_word(&none, word));
	check_words("A=b", "A=b", NULL);
	check_words(" A=b  C=d ", "A=b", "C=d");
	check_words("\"A=b c\" \"D=\\\"e\\\\f\\$g\"", "A=b c", "D=\"e\\f$g");
	check_words("$'A=b c' $'D=\\te\\'f\\x41\\101'", "A=b c", "D=\te'fAA");
	check_words("A=\\x41 'B=c d'", "A=\\x41", "B=c d");
	check_words("\"never ends", "never ends", NULL);
	check_words("\"ends in \\", "ends in \\", NULL);
	assert_true(unit_has_word("AF_INET AF_SMC", "AF_SMC"));
	assert_false(unit_has_word("AF_INET AF_SMC6", "AF_SMC"));
}

TEST(test_long_word)
{
	char list[PATH_MAX + 100], word[PATH_MAX];
	const char *rest = list;

	memset(list, 'a', sizeof(list) - 1);
	list[sizeof(list) - 1] = '\0';
	assert_true(unit_next_word(&rest, word));
	assert_int_equal(strlen(word), PATH_MAX - 1);
	assert_false(unit_next_word(&rest, word));
}

TEST(test_props)
{
	static char text[] = "Id=a.service\0ExecStart={ 1 }\0ExecStart={ 2 }\0\0"
			     "Id=b.service\0Exec=";
	struct unit_props all = { text, sizeof(text) - 1 }, one;
	const char *value = NULL;

	assert_true(unit_next_props(&all, &one));
	assert_string_equal(unit_prop_text(&one, "Id"), "a.service");
	value = unit_prop(&one, "ExecStart", NULL);
	assert_string_equal(value, "{ 1 }");
	value = unit_prop(&one, "ExecStart", value);
	assert_string_equal(value, "{ 2 }");
	assert_null(unit_prop(&one, "ExecStart", value));
	assert_string_equal(unit_prop_text(&one, "Exec"), "");
	assert_true(unit_next_props(&all, &one));
	assert_string_equal(unit_prop_text(&one, "Id"), "b.service");
	assert_null(unit_prop(&one, "ExecStart", NULL));
	assert_false(unit_next_props(&all, &one));
}
