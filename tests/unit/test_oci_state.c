// SPDX-License-Identifier: MIT
/* smc_bpf oci-hook: parse the state that runtimes pass. */
#include "test.h"

#include "smc_bpf/smc_bpf.h"

static int read_text(struct oci_state *container, const char *text, struct smc_err *err)
{
	return oci_state_read(container, text, strlen(text), err);
}

static void check(const char *text, const char *id, pid_t pid, enum oci_wish wish)
{
	struct oci_state container;
	struct smc_err err = { 0 };

	assert_int_equal(read_text(&container, text, &err), 0);
	assert_string_equal(container.id, id);
	assert_int_equal(container.pid, pid);
	assert_int_equal(container.wish, wish);
	assert_int_equal(container.is_stopped, !pid);
}

TEST(good)
{
	check("{\"ociVersion\":\"1.0\",\"id\":\"web\",\"pid\":12,\"status\":\"created\"}", "web",
	      12, OCI_NONE);
	check("{\"id\":\"web\",\"pid\":12,\"status\":\"creating\",\"annotations\":"
	      "{\"a\":\"b\",\"smc-tools/attach\":\"true\"}}",
	      "web", 12, OCI_TRUE);
	check("{\"id\":\"web\",\"pid\":1,\"annotations\":{\"smc-tools/attach\":\"smc\"}}", "web", 1,
	      OCI_SMC);
	check("{\"id\":\"web\",\"pid\":2147483647,\"annotations\":{\"smc-tools/attach\":\"tcp\"}}",
	      "web", 2147483647, OCI_TCP);
	check("{\"id\":\"w\",\"pid\":12,\"annotations\":{\"smc-tools/attach\":\"strict\"}}", "w",
	      12, OCI_STRICT);
	check("{\"id\":\"w\",\"pid\":12,\"annotations\":{\"smc-tools/mptcp\":\"keep\"}}", "w", 12,
	      OCI_NONE);
	/* After the container there is no process, and no wish. */
	check("{\"id\":\"web\",\"pid\":0,\"status\":\"stopped\",\"annotations\":"
	      "{\"smc-tools/attach\":\"strict\"}}",
	      "web", 0, OCI_NONE);
	check("{\"id\":\"web\",\"status\":\"stopped\",\"pid\":12}", "web", 0, OCI_NONE);
	check("{\"id\":\"web\",\"pid\":12,\"annotations\":null}", "web", 12, OCI_NONE);
	check("{\"id\":\"web\",\"pid\":12,\"annotations\":[\"smc-tools/attach\"]}", "web", 12,
	      OCI_NONE);
}

TEST(buffers)
{
	static const struct {
		const char *text;
		int ret, bytes;
	} sizes[] = { { "\"256K\"", 0, 262144 },
		      { "\"1M\"", 0, 1048576 },
		      { "\"x\"", -EINVAL, 0 },
		      { "\"0\"", -EINVAL, 0 },
		      { "64", -EINVAL, 0 } };
	struct oci_state container;
	struct smc_err err;
	char text[200];

	for (size_t i = 0; i < ARRAY_SIZE(sizes); i++) {
		snprintf(text, sizeof(text),
			 "{\"id\":\"web\",\"pid\":12,\"annotations\":{\"smc-tools/attach\":"
			 "\"strict\",\"smc-tools/buffers\":%s}}",
			 sizes[i].text);
		assert_int_equal(read_text(&container, text, &err), sizes[i].ret);
		assert_int_equal(container.buffers, sizes[i].bytes);
		assert_int_equal(container.wish, OCI_STRICT);
	}
}

static void refuse(const char *text, const char *why)
{
	struct oci_state container;
	struct smc_err err = { 0 };

	assert_int_equal(read_text(&container, text, &err), -EINVAL);
	assert_non_null(strstr(err.text, why));
	assert_int_equal(container.wish, strstr(text, "\"strict\"}") ? OCI_STRICT : OCI_NONE);
}

TEST(bad)
{
	static const char *const ids[] = { "", "\"id\":7,", "\"id\":\"\",", "\"id\":\"../x\"," };
	static const char *const pids[] = { "",
					    ",\"pid\":0",
					    ",\"pid\":-1",
					    ",\"pid\":\"12\"",
					    ",\"pid\":2147483648",
					    ",\"pid\":1.5" };
	static const char *const wishes[] = { "\"yes\"",    "\"\"",	   "true",	  "null",
					      "\"STRICT\"", "\"strict \"", "[\"strict\"]" };
	char text[200], id[300];

	refuse("", "is not the state");
	refuse("null", "is not the state");
	refuse("[]", "is not the state");
	refuse("{\"id\":\"web\",\"pid\":12", "is not the state");
	refuse("{\"id\":\"web\",\"pid\":12} x", "is not the state");
	refuse("{\"id\":\"web\",\"id\":\"web2\",\"pid\":12}", "is not the state");
	for (size_t i = 0; i < ARRAY_SIZE(ids); i++) {
		snprintf(text, sizeof(text), "{%s\"pid\":12}", ids[i]);
		refuse(text, "no valid id");
	}
	snprintf(id, sizeof(id), "{\"id\":\"%0256d\",\"pid\":12}", 7);
	refuse(id, "no valid id");
	for (size_t i = 0; i < ARRAY_SIZE(pids); i++) {
		snprintf(text, sizeof(text), "{\"id\":\"web\"%s,\"status\":\"created\"}", pids[i]);
		refuse(text, "has no process id");
	}
	refuse("{\"id\":\"web\",\"annotations\":{\"smc-tools/attach\":\"strict\"}}",
	       "has no process id");
	for (size_t i = 0; i < ARRAY_SIZE(wishes); i++) {
		snprintf(text, sizeof(text),
			 "{\"id\":\"web\",\"pid\":12,\"annotations\":{\"smc-tools/attach\":%s}}",
			 wishes[i]);
		refuse(text, "is neither true, tcp, smc nor strict");
	}
}

TEST(mptcp)
{
	static const char *const values[] = { "\"yes\"", "\"\"", "true", "null", "\"keep \"" };
	static const char begin[] = "{\"id\":\"w\",\"pid\":12,\"annotations\":{";
	struct oci_state container;
	struct smc_err err = { 0 };
	char text[200];

	snprintf(text, sizeof(text), "%s\"smc-tools/attach\":\"true\"}}", begin);
	assert_int_equal(read_text(&container, text, &err), 0);
	assert_false(container.keeps_mptcp);
	snprintf(text, sizeof(text),
		 "%s\"smc-tools/mptcp\":\"keep\",\"smc-tools/attach\":\"true\"}}", begin);
	assert_int_equal(read_text(&container, text, &err), 0);
	assert_true(container.keeps_mptcp);
	for (size_t i = 0; i < ARRAY_SIZE(values); i++) {
		snprintf(text, sizeof(text),
			 "%s\"smc-tools/mptcp\":%s,\"smc-tools/attach\":\"strict\"}}", begin,
			 values[i]);
		refuse(text, "is not keep");
	}
}
